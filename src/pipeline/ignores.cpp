#include "pipeline/ignores.h"

#include "breaks/catalogue.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace graphmend::pipeline {
namespace {

constexpr std::string_view kMark = "graphmend: ignore";

struct Ignore {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::vector<std::string_view> kinds;  // empty: all
  std::vector<std::string_view> used;
  bool used_any = false;
};

std::string_view stripped(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

// "# graphmend: ignore[a, b] why"
std::optional<Ignore> parse(std::string_view comment) {
  const std::size_t mark = comment.find(kMark);
  if (mark == std::string_view::npos) {
    return std::nullopt;
  }
  Ignore ignore;
  std::string_view rest = comment.substr(mark + kMark.size());
  if (!rest.starts_with('[')) {
    return ignore;
  }
  rest =
      rest.substr(1, rest.find(']') == std::string_view::npos ? rest.size() : rest.find(']') - 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    ignore.kinds.push_back(stripped(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return ignore;
}

}  // namespace

void apply_ignores(types::ModuleGraph& modules, const std::vector<std::string>& files,
                   CheckResult& result) {
  std::map<std::string_view, std::vector<Ignore>> by_path;
  for (const std::string& path : files) {
    const types::Module* module = modules.contains(path, kMark) ? modules.parse(path) : nullptr;
    if (module == nullptr) {
      continue;
    }
    const syntax::Tree& tree = module->tree();
    const auto size = static_cast<std::uint32_t>(tree.source().size());
    for (const base::TextRange comment : tree.comments_in({0, size})) {
      if (auto ignore = parse(tree.text(comment))) {
        const source::Position place = module->lines().position_code_points(comment.start);
        ignore->line = place.line;
        ignore->column = place.column;
        by_path[path].push_back(*std::move(ignore));
      }
    }
  }
  if (by_path.empty()) {
    return;
  }
  std::erase_if(result.findings, [&](const CheckFinding& finding) {
    const auto ignores = by_path.find(finding.path);
    if (ignores == by_path.end()) {
      return false;
    }
    bool ignored = false;
    for (Ignore& ignore : ignores->second) {
      const bool here = ignore.line == finding.line || ignore.line == finding.end_line;
      const bool named =
          std::find(ignore.kinds.begin(), ignore.kinds.end(), finding.kind) != ignore.kinds.end();
      if (here && (ignore.kinds.empty() || named)) {
        ignore.used_any = true;
        ignore.used.push_back(finding.kind);
        ignored = true;
      }
    }
    return ignored;
  });
  for (const auto& [path, ignores] : by_path) {
    for (const Ignore& ignore : ignores) {
      const auto add = [&, file = path](std::string message) {
        result.problems.push_back({CheckProblem::Kind::UnusedIgnore,
                                   std::string(file),
                                   ignore.line,
                                   ignore.column,
                                   std::move(message),
                                   {}});
      };
      if (ignore.kinds.empty() && !ignore.used_any) {
        add("this comment ignores nothing: remove it");
      }
      for (const std::string_view kind : ignore.kinds) {
        if (breaks::find_kind(kind) == nullptr) {
          add("there is no kind '" + std::string(kind) + "': `graphmend rules` lists them");
        } else if (std::find(ignore.used.begin(), ignore.used.end(), kind) == ignore.used.end()) {
          add("this comment ignores nothing of kind '" + std::string(kind) + "': remove it");
        }
      }
    }
  }
}

}  // namespace graphmend::pipeline
