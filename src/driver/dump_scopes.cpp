// `graphmend dump scopes`.
#include "driver/dump.h"
#include "scope/scope_json.h"
#include "scope/scope_tree.h"
#include "syntax/parser.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

using scope::ScopeId;
using scope::ScopeKind;
using scope::SymbolId;

std::string_view kind_name(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::Module:
      return "module";
    case ScopeKind::Function:
      return "function";
    case ScopeKind::Lambda:
      return "lambda";
    case ScopeKind::Class:
      return "class";
    case ScopeKind::ListComp:
      return "list comprehension";
    case ScopeKind::SetComp:
      return "set comprehension";
    case ScopeKind::DictComp:
      return "dict comprehension";
    case ScopeKind::GeneratorExp:
      return "generator expression";
    case ScopeKind::Annotation:
      return "annotation";
    case ScopeKind::TypeVariable:
      return "type variable";
    case ScopeKind::TypeAlias:
      return "type alias";
    case ScopeKind::TypeParameters:
      return "type parameters";
    case ScopeKind::Enclosing:
      return "enclosing scopes";
  }
  return "scope";
}

std::string_view binding_name(scope::Binding binding) {
  switch (binding) {
    case scope::Binding::Unknown:
      return "unknown";
    case scope::Binding::Local:
      return "local";
    case scope::Binding::GlobalExplicit:
      return "global (declared)";
    case scope::Binding::GlobalImplicit:
      return "global";
    case scope::Binding::Free:
      return "free";
    case scope::Binding::Cell:
      return "cell";
  }
  return "unknown";
}

class Printer {
 public:
  Printer(const DumpRequest& request, const scope::ScopeTree& scopes, Console& console)
      : scopes_(scopes), lines_(request.file.lines()), console_(console) {}

  void text() {
    std::vector<std::pair<ScopeId, std::uint32_t>> pending = {{scopes_.root(), 0}};
    while (!pending.empty() && console_.out.good()) {
      const auto [id, depth] = pending.back();
      pending.pop_back();
      scope(id, depth);
      const auto children = scopes_.children(id);
      for (std::size_t i = children.size(); i-- > 0;) {
        pending.emplace_back(children[i], depth + 1);
      }
    }
  }

 private:
  static constexpr std::uint32_t kDeepest = 60;

  void scope(ScopeId id, std::uint32_t depth) {
    const scope::Scope& scope = scopes_.scope(id);
    std::string& out = console_.out.buffer();
    const std::string indent(2 * static_cast<std::size_t>(std::min(depth, kDeepest)), ' ');
    out += indent;
    fmt::format_to(std::back_inserter(out), "{} {}, line {}", kind_name(scope.kind),
                   scopes_.scope_name(id), lines_.line(scope.start));
    const auto mark = [&out](bool yes, std::string_view what) {
      if (yes) {
        out += ", ";
        out += what;
      }
    };
    mark(scope.is_async, "async");
    mark(scope.is_generator, "generator");
    mark(scope.nested, "nested");
    mark(scope.inlined, "inlined");
    mark(scope.unevaluated, "never evaluated");
    mark((scope.barriers & scope::kLocalsCall) != 0, "calls locals()");
    mark((scope.barriers & scope::kExecCall) != 0, "calls exec()");
    mark((scope.barriers & scope::kEvalCall) != 0, "calls eval()");
    mark((scope.barriers & scope::kGlobalsCall) != 0, "calls globals()");
    mark((scope.barriers & scope::kStarImport) != 0, "imports *");
    mark((scope.barriers & scope::kFrameAccess) != 0, "reads frames");
    out += '\n';
    for (const SymbolId symbol : scopes_.symbols(id)) {
      out += indent;
      line(scopes_.symbol(symbol), scopes_.symbol_name(symbol));
      console_.out.drain();
    }
  }

  void line(const scope::Symbol& symbol, std::string_view name) {
    std::string& out = console_.out.buffer();
    fmt::format_to(std::back_inserter(out), "  - {}: {}", name, binding_name(symbol.binding));
    constexpr std::pair<scope::SymbolFlag, std::string_view> kFlags[] = {
        {scope::kParameter, "parameter"},  {scope::kTypeParameter, "type parameter"},
        {scope::kImported, "imported"},    {scope::kNamespace, "defined"},
        {scope::kAssigned, "assigned"},    {scope::kDeleted, "deleted"},
        {scope::kAnnotated, "annotated"},  {scope::kNonlocal, "nonlocal"},
        {scope::kReferenced, "referenced"}};
    for (const auto& [flag, what] : kFlags) {
      if (symbol.has(flag)) {
        out += ", ";
        out += what;
      }
    }
    out += '\n';
  }

  const scope::ScopeTree& scopes_;
  const source::LineIndex& lines_;
  Console& console_;
};

}  // namespace

ExitStatus dump_scopes(const DumpRequest& request, Console& console) {
  const syntax::Tree tree = syntax::parse_module(request.file.text(), request.version);
  const scope::ScopeTree scopes = scope::build(tree, request.version);
  // CPython looks at scopes only once the grammar is right.
  std::vector<diag::Diagnostic> errors(tree.errors().begin(), tree.errors().end());
  if (errors.empty()) {
    errors.assign(scopes.errors().begin(), scopes.errors().end());
  }
  if (request.json) {
    base::JsonWriter json(console.out.buffer());
    begin_document(json, errors, request);
    json.key("table");
    json.raw(scope::to_json(scopes, request.version, request.file.lines()));
    json.end_object();
    console.out.write("\n");
  } else {
    Printer(request, scopes, console).text();
  }
  return report_errors(errors, request, console);
}

}  // namespace graphmend::driver
