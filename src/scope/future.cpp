#include "scope/future.h"

#include <algorithm>
#include <array>
#include <string>

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

namespace {

constexpr std::array<std::string_view, 10> kFeatures = {
    "nested_scopes",  "generators",       "division",       "absolute_import", "with_statement",
    "print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop",  "annotations"};

constexpr unsigned kStricter = 12;
constexpr unsigned kKnowsPackages = 13;

bool is_string(const Tree& tree, NodeId statement) {
  if (tree.kind(statement) != NodeKind::Expr) {
    return false;
  }
  const NodeId value = ExprView(tree, statement).value();
  return tree.kind(value) == NodeKind::Constant &&
         ConstantView(tree, value).constant_kind() == ConstantKind::Str;
}

}  // namespace

bool is_future_import(const Tree& tree, NodeId statement, PythonVersion version) {
  if (tree.kind(statement) != NodeKind::ImportFrom) {
    return false;
  }
  const ImportFromView view(tree, statement);
  return (view.level() == 0 || version.minor < kKnowsPackages) &&
         view.module_first() == view.module_last() && view.module_first() &&
         tree.token_text(view.module_first()) == "__future__";
}

std::uint32_t last_future_line(const Tree& tree, PythonVersion version,
                               const source::LineIndex& lines) {
  std::uint32_t line = 0;
  const std::span<const NodeId> body = ModuleView(tree, tree.root()).body();
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (is_future_import(tree, body[i], version)) {
      line = lines.line(tree.range(body[i]).start);
    } else if (!is_string(tree, body[i]) || (i > 0 && version.minor >= kStricter)) {
      break;
    }
  }
  return line;
}

bool read_future_imports(const Tree& tree, PythonVersion version,
                         std::vector<diag::Diagnostic>& errors) {
  // Up to 3.11 several strings may stand before the imports, and what follows on the line of the
  // first other statement is still looked at.
  const bool old = version.minor < kStricter;
  bool annotations = false;
  bool first = true;
  bool done = false;
  std::uint32_t previous = 0;
  for (const NodeId statement : ModuleView(tree, tree.root()).body()) {
    const std::uint32_t start = tree.range(statement).start;
    if (done && (!old || tree.text({previous, start}).find_first_of("\r\n") != std::string::npos)) {
      break;
    }
    previous = start;
    if (!is_future_import(tree, statement, version)) {
      done |= !is_string(tree, statement) || (!old && !first);
      first = false;
      continue;
    }
    first = false;
    if (done) {
      errors.push_back({diag::Code::InvalidFutureImport, diag::Severity::Error,
                        tree.range(statement),
                        "from __future__ imports must occur at the beginning of the file", ""});
      break;
    }
    for (const NodeId id : ImportFromView(tree, statement).names()) {
      const std::string name = AliasView(tree, id).name();
      if (name == "annotations") {
        annotations = true;
      } else if (std::find(kFeatures.begin(), kFeatures.end(), name) == kFeatures.end()) {
        errors.push_back(
            {diag::Code::InvalidFutureImport, diag::Severity::Error, tree.range(statement),
             name == "braces" ? "not a chance" : "future feature " + name + " is not defined", ""});
      }
    }
  }
  return annotations;
}

}  // namespace graphmend::scope
