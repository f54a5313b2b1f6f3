#include "pipeline/check.h"

#include "breaks/catalogue.h"
#include "driver/check_output.h"
#include "driver/command.h"
#include "pipeline/baseline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace graphmend::driver {
namespace {

using pipeline::CheckFinding;
using pipeline::CheckProblem;
using pipeline::CheckResult;

struct Options {
  std::vector<std::string> paths;
  std::vector<std::string> search_paths;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::vector<std::string> only_lines;
  std::string format = "text";
  std::string min_certainty = "possible";
  std::string baseline;
  std::string write_baseline;
  std::string cache;
  bool only = false;
  unsigned threads = 0;
  syntax::PythonVersion version = syntax::kNewestVersion;
};

using Writer = void (*)(const CheckResult&, Console&);

std::optional<Writer> writer_of(std::string_view format) {
  static constexpr std::array<std::pair<std::string_view, Writer>, 4> kWriters = {
      {{"text", write_text},
       {"json", write_json},
       {"sarif", write_sarif},
       {"github", write_github}}};
  for (const auto& [name, writer] : kWriters) {
    if (name == format) {
      return writer;
    }
  }
  return std::nullopt;
}

std::optional<breaks::Certainty> certainty_of(std::string_view name) {
  for (const auto certainty :
       {breaks::Certainty::Certain, breaks::Certainty::Likely, breaks::Certainty::Possible}) {
    if (breaks::certainty_name(certainty) == name) {
      return certainty;
    }
  }
  return std::nullopt;
}

// "a.py:3-5": lines of a file. Nothing when it is spelt otherwise.
struct Lines {
  std::string path;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
std::optional<Lines> parse_lines(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::size_t dash = text.rfind('-');
  if (colon == std::string::npos || dash == std::string::npos || dash < colon) {
    return std::nullopt;
  }
  Lines lines;
  lines.path = text.substr(0, colon);
  lines.first = static_cast<std::uint32_t>(std::strtoul(text.c_str() + colon + 1, nullptr, 10));
  lines.last = static_cast<std::uint32_t>(std::strtoul(text.c_str() + dash + 1, nullptr, 10));
  return lines;
}

void keep_changed(const Options& options, CheckResult& result) {
  std::map<std::string, std::vector<Lines>> changed;
  for (const std::string& text : options.only_lines) {
    if (auto lines = parse_lines(text)) {
      changed[lines->path].push_back(*lines);
    }
  }
  std::erase_if(result.findings, [&](const CheckFinding& finding) {
    const auto found = changed.find(finding.path);
    return found == changed.end() ||
           std::none_of(found->second.begin(), found->second.end(), [&](const Lines& lines) {
             return lines.first <= finding.file_end_line && finding.file_line <= lines.last;
           });
  });
}

// Tells how far it is, on a terminal, once it takes longer than a moment.
class Progress {
 public:
  explicit Progress(Console& console)
      : console_(console),
        shown_(isatty(STDERR_FILENO) == 1),
        next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(700)) {}
  void operator()(std::size_t done, std::size_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now < next_) {
      return;
    }
    next_ = now + std::chrono::milliseconds(200);
    console_.err.write(fmt::format("\r{} of {} files", done, total));
    console_.err.flush();
    drawn_ = true;
  }
  void clear() {
    if (drawn_) {
      console_.err.write("\r\x1b[K");
      console_.err.flush();
    }
  }

 private:
  Console& console_;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

ExitStatus run_check(const Options& options, Console& console) {
  std::vector<std::string> missing;
  pipeline::CheckRequest request;
  request.files = pipeline::python_files(options.paths, missing);
  for (const std::string& path : missing) {
    console.err.write(fmt::format("graphmend check: there is no {}\n", path));
  }
  if (!missing.empty()) {
    return ExitStatus::Failed;
  }
  request.search_paths = options.search_paths;
  request.version = options.version;
  request.cache = options.cache;
  request.decode = console.host.decode;
  request.threads =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  Progress progress(console);
  CheckResult result =
      pipeline::check(request, [&](std::size_t done, std::size_t total) { progress(done, total); });
  progress.clear();

  const breaks::Certainty least = *certainty_of(options.min_certainty);
  const std::set<std::string_view> select(options.select.begin(), options.select.end());
  const std::set<std::string_view> ignore(options.ignore.begin(), options.ignore.end());
  std::erase_if(result.findings, [&](const CheckFinding& finding) {
    return finding.certainty > least || ignore.contains(finding.kind) ||
           (!select.empty() && !select.contains(finding.kind));
  });
  if (options.only) {
    keep_changed(options, result);
  }
  if (!options.write_baseline.empty()) {
    if (!pipeline::write_baseline(options.write_baseline, result.findings)) {
      console.err.write(fmt::format("graphmend check: can't write {}\n", options.write_baseline));
      return ExitStatus::Failed;
    }
    console.out.write(fmt::format("{}: {} findings; pass it as --baseline from now on\n",
                                  options.write_baseline, result.findings.size()));
    return ExitStatus::Done;
  }
  if (!options.baseline.empty() && !pipeline::apply_baseline(options.baseline, result.findings)) {
    console.err.write(
        fmt::format("graphmend check: can't read the baseline {}; make one with "
                    "--write-baseline {}\n",
                    options.baseline, options.baseline));
    return ExitStatus::Failed;
  }
  (*writer_of(options.format))(result, console);
  const bool failed = std::any_of(
      result.problems.begin(), result.problems.end(),
      [](const CheckProblem& problem) { return problem.kind != CheckProblem::Kind::UnusedIgnore; });
  if (failed) {
    return ExitStatus::Failed;
  }
  return result.findings.empty() && result.problems.empty() ? ExitStatus::Done : ExitStatus::Found;
}

std::string check_kind(const std::string& name) {
  return breaks::find_kind(name) != nullptr
             ? std::string()
             : fmt::format("'{}' is no kind; `graphmend rules` lists them", name);
}

}  // namespace

Action declare_check(CLI::App& parser) {
  auto options = std::make_shared<Options>();
  parser.add_option("PATH", options->paths, "Files, folders and notebooks")->required();
  parser.add_option("--format", options->format, "text (default), json, sarif, github")
      ->type_name("FORMAT")
      ->check([](const std::string& format) {
        return writer_of(format)
                   ? std::string()
                   : fmt::format("'{}' is no format; take text, json, sarif or github", format);
      });
  parser.add_option("--select", options->select, "Report these kinds alone")
      ->type_name("KIND,...")
      ->delimiter(',')
      ->check(check_kind);
  parser.add_option("--ignore", options->ignore, "Do not report these kinds")
      ->type_name("KIND,...")
      ->delimiter(',')
      ->check(check_kind);
  parser
      .add_option("--min-certainty", options->min_certainty,
                  "Report findings of at least: certain, likely, possible (default)")
      ->type_name("CERTAINTY")
      ->check([](const std::string& name) {
        return certainty_of(name) ? std::string()
                                  : fmt::format("'{}' is none of certain, likely, possible", name);
      });
  parser.add_option("--baseline", options->baseline, "Do not report what this file holds")
      ->type_name("FILE");
  parser
      .add_option("--write-baseline", options->write_baseline,
                  "Write the findings to this file, and report none")
      ->type_name("FILE");
  parser.add_option("--threads", options->threads, "Threads (default: one a core)")->type_name("N");
  parser
      .add_option(
          "--cache", options->cache,
          "Keep findings in this folder; the command gives the user's (see GRAPHMEND_CACHE)")
      ->type_name("DIR");
  parser
      .add_option("--search-path", options->search_paths,
                  "Look imports up in this folder, too; the command gives those of the environment")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parser.add_flag("--only-changed", options->only, "Report lines that --changed names alone");
  parser.add_option("--changed", options->only_lines, "Lines that changed")
      ->type_name("PATH:FIRST-LAST")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_python_version(parser, options->version);
  parser.footer(
      "The command also takes --since REV (lines that changed since a revision of git), "
      "--environment PYTHON (whose packages imports mean) and what [tool.graphmend] of "
      "pyproject.toml sets.\n"
      "Status: 0 when nothing was found, 1 when something was, 2 when a file could not be read or "
      "has a syntax error, or the arguments are wrong.");
  return [options](Console& console) { return run_check(*options, console); };
}

}  // namespace graphmend::driver
