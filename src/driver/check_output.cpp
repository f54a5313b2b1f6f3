#include "driver/check_output.h"

#include "base/json.h"
#include "breaks/catalogue.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace graphmend::driver {
namespace {

using pipeline::CheckFinding;
using pipeline::CheckProblem;
using pipeline::CheckResult;

constexpr std::size_t kWidth = 120;

// A line of a source as a terminal may show it.
std::string shown(std::string_view line) {
  std::string text(line.substr(0, kWidth));
  for (char& c : text) {
    c = c == '\t' ? ' ' : (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
  }
  return text;
}

// Cells of a line before a column in code points.
std::string caret(std::uint32_t column, std::uint32_t width) {
  return std::string(std::min<std::size_t>(column, kWidth), ' ') +
         std::string(std::clamp<std::size_t>(width, 1, kWidth), '^');
}

std::string_view short_mend(std::string_view mend) {
  return mend.empty() ? "none" : "yes";
}

// "select, guard": the mends that a page names in backquotes.
std::string mend_names(std::string_view text) {
  std::string names;
  while (true) {
    const std::size_t open = text.find('`');
    if (open == std::string_view::npos) {
      return names;
    }
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string_view::npos) {
      return names;
    }
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (name == "select" || name == "guard" || name == "effect" || name == "update" ||
        name == "prelude") {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    text.remove_prefix(close + 1);
  }
}

// "model.py:3:5", and in a notebook "model.ipynb:cell 2:3:5".
std::string place_of(std::string_view path, std::uint32_t cell, std::uint32_t line,
                     std::uint32_t column) {
  return cell == 0 ? fmt::format("{}:{}:{}", path, line, column + 1)
                   : fmt::format("{}:cell {}:{}:{}", path, cell, line, column + 1);
}

// What a line of the file can't tell: " (cell 2, line 3)".
std::string in_cell(std::uint32_t cell, std::uint32_t line) {
  return cell == 0 ? std::string() : fmt::format(" (cell {}, line {})", cell, line);
}

std::string path_of_calls(const CheckFinding& finding) {
  std::string text;
  for (const pipeline::Passage& passage : finding.reached_from) {
    text += (text.empty() ? "" : " > ") + passage.function;
  }
  return text;
}

// In a workflow command these characters end a value.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\n':
        out += "%0A";
        break;
      case '\r':
        out += "%0D";
        break;
      case ':':
        out += property ? "%3A" : ":";
        break;
      case ',':
        out += property ? "%2C" : ",";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string_view sarif_level(breaks::Certainty certainty) {
  switch (certainty) {
    case breaks::Certainty::Certain:
      return "error";
    case breaks::Certainty::Likely:
      return "warning";
    case breaks::Certainty::Possible:
      return "note";
  }
  return "note";
}

// A path as a URI reference: what is not allowed there is written in percent.
std::string uri(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                       (byte >= 'A' && byte <= 'Z') ||
                       std::string_view("/._-~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return path.starts_with('/') ? "file://" + out : out;
}

// Columns are left out where they are not those of the file.
void write_location(base::JsonWriter& json, std::string_view path, std::uint32_t cell,
                    std::uint32_t line, std::uint32_t column, std::uint32_t end_line,
                    std::uint32_t end_column) {
  json.key("physicalLocation");
  json.begin_object();
  json.key("artifactLocation");
  json.begin_object();
  json.member("uri", uri(path));
  json.end_object();
  json.key("region");
  json.begin_object();
  json.member("startLine", std::max(line, 1U));
  if (cell == 0) {
    json.member("startColumn", column + 1);
  }
  if (end_line != 0) {
    json.member("endLine", end_line);
    if (cell == 0) {
      json.member("endColumn", end_column + 1);
    }
  }
  json.end_object();
  json.end_object();
  if (cell != 0) {
    json.key("logicalLocations");
    json.begin_array();
    json.begin_object();
    json.member("name", fmt::format("cell {}", cell));
    json.end_object();
    json.end_array();
  }
}

}  // namespace

std::string_view problem_name(CheckProblem::Kind kind) {
  switch (kind) {
    case CheckProblem::Kind::Unreadable:
      return "unreadable";
    case CheckProblem::Kind::Syntax:
      return "syntax-error";
    case CheckProblem::Kind::UnusedIgnore:
      return "unused-ignore";
  }
  return "problem";
}

void write_text(const CheckResult& result, Console& console) {
  for (const CheckProblem& problem : result.problems) {
    console.err.write(fmt::format(
        "{}: {}: {}\n", place_of(problem.path, problem.cell, problem.line, problem.column),
        problem_name(problem.kind), problem.message));
    if (!problem.excerpt.empty()) {
      console.err.write(
          fmt::format("    {}\n    {}\n", shown(problem.excerpt), caret(problem.column, 1)));
    }
  }
  std::map<std::string_view, std::size_t> counts;
  for (const CheckFinding& finding : result.findings) {
    const std::string_view certainty = breaks::certainty_name(finding.certainty);
    ++counts[certainty];
    const std::uint32_t width =
        finding.end_line == finding.line ? finding.end_column - finding.column : 1;
    std::string text =
        fmt::format("{}: {}: {} [{}, {}]\n    {}\n    {}\n",
                    place_of(finding.path, finding.cell, finding.line, finding.column), certainty,
                    finding.message, finding.kind, finding.gb, shown(finding.excerpt),
                    caret(finding.column, width));
    text += fmt::format("    reached from: {}\n", path_of_calls(finding));
    const std::string mends = mend_names(finding.mend);
    text += mends.empty()
                ? fmt::format("    no mend; `graphmend rules {}` says what to do\n", finding.kind)
                : fmt::format("    mend: {}\n", mends);
    console.out.write(text);
  }
  console.out.write(fmt::format(
      "{} finding{} ({} certain, {} likely, {} possible) in {} file{}, from {} root{}\n",
      result.findings.size(), result.findings.size() == 1 ? "" : "s", counts["certain"],
      counts["likely"], counts["possible"], result.files, result.files == 1 ? "" : "s",
      result.roots, result.roots == 1 ? "" : "s"));
}

void write_json(const CheckResult& result, Console& console) {
  base::JsonWriter json(console.out.buffer());
  json.begin_array();
  for (const CheckFinding& finding : result.findings) {
    json.begin_object();
    json.member("path", finding.path);
    if (finding.cell != 0) {
      json.member("cell", finding.cell);
    }
    json.member("line", finding.line);
    json.member("column", finding.column);
    json.member("end_line", finding.end_line);
    json.member("end_column", finding.end_column);
    json.member("kind", finding.kind);
    json.member("gb", finding.gb);
    json.member("certainty", breaks::certainty_name(finding.certainty));
    json.member("message", finding.message);
    json.key("mend");
    if (const std::string mends = mend_names(finding.mend); !mends.empty()) {
      json.value(mends);
    } else {
      json.null();
    }
    json.member("function", finding.function);
    json.key("reached_from");
    json.begin_array();
    for (const pipeline::Passage& passage : finding.reached_from) {
      json.begin_object();
      json.member("function", passage.function);
      json.member("path", passage.path);
      if (passage.cell != 0) {
        json.member("cell", passage.cell);
      }
      json.member("line", passage.line);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    console.out.drain();
  }
  json.end_array();
  console.out.write("\n");
  for (const CheckProblem& problem : result.problems) {
    console.err.write(fmt::format(
        "{}: {}: {}\n", place_of(problem.path, problem.cell, problem.line, problem.column),
        problem_name(problem.kind), problem.message));
  }
}

void write_sarif(const CheckResult& result, Console& console) {
  base::JsonWriter json(console.out.buffer());
  json.begin_object();
  json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.member("version", "2.1.0");
  json.key("runs");
  json.begin_array();
  json.begin_object();
  json.key("tool");
  json.begin_object();
  json.key("driver");
  json.begin_object();
  json.member("name", "graphmend");
  json.member("version", console.host.version);
  json.key("rules");
  json.begin_array();
  for (const breaks::Entry* entry : breaks::catalogue()) {
    json.begin_object();
    json.member("id", entry->page.name);
    json.key("shortDescription");
    json.begin_object();
    json.member("text", entry->page.title);
    json.end_object();
    json.key("fullDescription");
    json.begin_object();
    json.member("text", entry->page.why);
    json.end_object();
    json.key("help");
    json.begin_object();
    json.member("text", entry->page.advice);
    json.member("markdown", breaks::page_text(entry->page));
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  json.member("columnKind", "unicodeCodePoints");
  json.key("invocations");
  json.begin_array();
  json.begin_object();
  const bool failed = std::any_of(
      result.problems.begin(), result.problems.end(),
      [](const CheckProblem& problem) { return problem.kind != CheckProblem::Kind::UnusedIgnore; });
  json.member("executionSuccessful", !failed);
  json.key("toolExecutionNotifications");
  json.begin_array();
  for (const CheckProblem& problem : result.problems) {
    json.begin_object();
    json.member("level", problem.kind == CheckProblem::Kind::UnusedIgnore ? "warning" : "error");
    json.key("message");
    json.begin_object();
    json.member("text", std::string(problem_name(problem.kind)) + ": " + problem.message +
                            in_cell(problem.cell, problem.line));
    json.end_object();
    json.key("locations");
    json.begin_array();
    json.begin_object();
    write_location(json, problem.path, problem.cell, problem.file_line, problem.column, 0, 0);
    json.end_object();
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_array();
  json.key("results");
  json.begin_array();
  for (const CheckFinding& finding : result.findings) {
    json.begin_object();
    json.member("ruleId", finding.kind);
    json.member("level", sarif_level(finding.certainty));
    json.key("message");
    json.begin_object();
    json.member("text", std::string(finding.message) + " (" +
                            std::string(breaks::certainty_name(finding.certainty)) +
                            "), reached from " + path_of_calls(finding) +
                            in_cell(finding.cell, finding.line));
    json.end_object();
    json.key("locations");
    json.begin_array();
    json.begin_object();
    write_location(json, finding.path, finding.cell, finding.file_line, finding.column,
                   finding.file_end_line, finding.end_column);
    json.end_object();
    json.end_array();
    json.key("properties");
    json.begin_object();
    json.member("gb", finding.gb);
    json.member("certainty", breaks::certainty_name(finding.certainty));
    json.member("mend", short_mend(finding.mend));
    json.end_object();
    json.end_object();
    console.out.drain();
  }
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  console.out.write("\n");
}

void write_github(const CheckResult& result, Console& console) {
  const auto column = [](std::uint32_t cell, std::uint32_t number) {
    return cell == 0 ? fmt::format(",col={}", number + 1) : std::string();
  };
  for (const CheckProblem& problem : result.problems) {
    console.out.write(
        fmt::format("::{} file={},line={}{},title=graphmend {}::{}\n",
                    problem.kind == CheckProblem::Kind::UnusedIgnore ? "warning" : "error",
                    escaped(problem.path, true), problem.file_line,
                    column(problem.cell, problem.column), problem_name(problem.kind),
                    escaped(problem.message + in_cell(problem.cell, problem.line), false)));
  }
  for (const CheckFinding& finding : result.findings) {
    const std::string_view level = sarif_level(finding.certainty);
    console.out.write(fmt::format(
        "::{} file={},line={},endLine={}{},title=graphmend {}::{}\n",
        level == "note" ? "notice" : level, escaped(finding.path, true), finding.file_line,
        finding.file_end_line, column(finding.cell, finding.column), finding.kind,
        escaped(fmt::format("{} ({}, {}), reached from {}{}", finding.message,
                            breaks::certainty_name(finding.certainty), finding.gb,
                            path_of_calls(finding), in_cell(finding.cell, finding.line)),
                false)));
  }
}

}  // namespace graphmend::driver
