#include "driver/dump.h"

#include "diag/excerpt.h"
#include "driver/command.h"
#include "driver/read_source.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

struct ViewEntry {
  std::string_view name;
  std::string_view summary;
  DumpView print;
  bool has_columns;
  bool has_imports;
};

constexpr ViewEntry kViews[] = {
    {"tokens", "The tokens, with the text between them in --json", dump_tokens, true, false},
    {"tree", "The syntax tree as graphmend holds it, error nodes included", dump_tree, true, false},
    {"ast", "As ast.dump(ast.parse(...), include_attributes=True, indent=1)", dump_ast, false,
     false},
    {"scopes", "The names of each scope; in --json what symtable tells", dump_scopes, false, false},
    {"types", "What a check knows of each name; of each expression in --json", dump_types, false,
     true},
};

struct Options {
  std::string path;
  syntax::PythonVersion version = syntax::kNewestVersion;
  ColumnUnit columns = ColumnUnit::Bytes;
  bool json = false;
  std::vector<std::string> search_paths;
};

ExitStatus dump(const ViewEntry& view, const Options& options, Console& console) {
  auto file = read_source(options.path, console.host);
  if (!file) {
    console.err.write(fmt::format("graphmend dump {}: {}\n", view.name, file.error().message));
    return ExitStatus::Failed;
  }
  const DumpRequest request{std::move(file.value()), options.version, options.columns, options.json,
                            options.search_paths};
  return view.print(request, console);
}

}  // namespace

Action declare_dump(CLI::App& parser) {
  parser.require_subcommand(1);
  parser.footer(
      "Status: 0 when the file has no errors, 1 when it has (what could be read of it is printed "
      "all the same), 2 when nothing could be read.");
  struct Declared {
    const CLI::App* parser;
    const ViewEntry* view;
    std::shared_ptr<Options> options;
  };
  std::vector<Declared> declared;
  for (const ViewEntry& view : kViews) {
    CLI::App* added = parser.add_subcommand(std::string(view.name), std::string(view.summary));
    auto options = std::make_shared<Options>();
    added->add_option("FILE", options->path, "The file; - reads standard input")->required();
    add_python_version(*added, options->version);
    added->add_flag("--json", options->json, "Print JSON");
    if (view.has_columns) {
      const std::map<std::string, ColumnUnit> units = {{"bytes", ColumnUnit::Bytes},
                                                       {"code-points", ColumnUnit::CodePoints},
                                                       {"utf-16", ColumnUnit::Utf16}};
      added
          ->add_option_function<std::string>(
              "--columns",
              [options, units](const std::string& unit) { options->columns = units.at(unit); },
              "What columns count: bytes (default, as in ast), code-points, utf-16")
          ->type_name("UNIT")
          ->check([](const std::string& unit) {
            return unit == "bytes" || unit == "code-points" || unit == "utf-16"
                       ? std::string()
                       : fmt::format("'{}' is no unit; take bytes, code-points or utf-16", unit);
          });
    }
    if (view.has_imports) {
      added
          ->add_option("--search-path", options->search_paths,
                       "Look imports up in this folder, too; the command gives its own")
          ->type_name("DIR")
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    declared.push_back({added, &view, std::move(options)});
  }
  return [declared](Console& console) {
    for (const Declared& each : declared) {
      if (each.parser->parsed()) {
        return dump(*each.view, *each.options, console);
      }
    }
    return ExitStatus::Failed;
  };
}

ExitStatus report_errors(std::span<const diag::Diagnostic> errors, const DumpRequest& request,
                         Console& console) {
  if (errors.empty()) {
    return ExitStatus::Done;
  }
  constexpr std::size_t kShown = 20;
  // What was printed comes first where both streams are one.
  console.out.flush();
  for (const diag::Diagnostic& error : errors.first(std::min(errors.size(), kShown))) {
    console.err.write(diag::excerpt(error, request.file));
  }
  if (errors.size() > kShown) {
    console.err.write(fmt::format("... and {} more\n", errors.size() - kShown));
  }
  console.err.write(
      fmt::format("{}: {} error{} for Python 3.{}; correct the first, or name another version with "
                  "--python-version\n",
                  request.file.path(), errors.size(), errors.size() == 1 ? "" : "s",
                  unsigned{request.version.minor}));
  return ExitStatus::Found;
}

void begin_document(base::JsonWriter& json, std::span<const diag::Diagnostic> errors,
                    const DumpRequest& request) {
  const source::LineIndex& lines = request.file.lines();
  json.begin_object();
  json.member("path", request.file.path());
  json.member("python_version", fmt::format("3.{}", unsigned{request.version.minor}));
  json.member("encoding", request.file.encoding());
  json.key("errors");
  json.begin_array();
  for (const diag::Diagnostic& error : errors) {
    const source::Position start = lines.position_code_points(error.range.start);
    const source::Position end = lines.position_code_points(error.range.end);
    json.begin_object();
    json.member("code", static_cast<unsigned>(error.code));
    json.member("name", diag::code_name(error.code));
    json.member("message", error.message);
    json.member("hint", error.hint);
    json.member("line", start.line);
    json.member("column", start.column);
    json.member("end_line", end.line);
    json.member("end_column", end.column);
    json.end_object();
  }
  json.end_array();
}

constexpr std::uint32_t kPiece = 256;

Columns::Columns(const source::SourceFile& file, ColumnUnit unit)
    : text_(file.text()), lines_(&file.lines()), bom_size_(file.bom_size()), unit_(unit) {
  if (unit_ == ColumnUnit::Bytes) {
    return;
  }
  before_.reserve(text_.size() / kPiece + 1);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i % kPiece == 0) {
      before_.push_back(count);
    }
    const auto byte = static_cast<unsigned char>(text_[i]);
    count += (byte & 0xc0) != 0x80 ? 1 : 0;
    count += unit_ == ColumnUnit::Utf16 && byte >= 0xf0 ? 1 : 0;
  }
  before_.push_back(count);
}

std::uint32_t Columns::units(std::uint32_t offset) const {
  if (unit_ == ColumnUnit::Bytes) {
    return offset;
  }
  if (offset == text_.size()) {
    return before_.back();
  }
  std::uint32_t count = before_[offset / kPiece];
  for (std::uint32_t i = offset / kPiece * kPiece; i < offset; ++i) {
    const auto byte = static_cast<unsigned char>(text_[i]);
    count += (byte & 0xc0) != 0x80 ? 1 : 0;
    count += unit_ == ColumnUnit::Utf16 && byte >= 0xf0 ? 1 : 0;
  }
  return count;
}

source::Position Columns::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const std::uint32_t line = lines_->line(offset);
  std::uint32_t start = lines_->line_start(line);
  if (line == 1) {
    start = std::min(bom_size_, offset);
  }
  return {line, units(offset) - units(start)};
}

}  // namespace graphmend::driver
