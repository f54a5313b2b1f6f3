#include "scope/scope_json.h"

#include <iterator>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

namespace graphmend::scope {

using syntax::PythonVersion;

namespace {

std::string_view type_name(ScopeKind kind, PythonVersion version) {
  switch (kind) {
    case ScopeKind::Module:
    case ScopeKind::Enclosing:
      return "module";
    case ScopeKind::Class:
      return "class";
    case ScopeKind::Annotation:
      return "annotation";
    case ScopeKind::TypeVariable:
      return version.minor < 13 ? "TypeVar bound" : "type variable";
    case ScopeKind::TypeAlias:
      return "type alias";
    case ScopeKind::TypeParameters:
      return version.minor < 13 ? "type parameter" : "type parameters";
    default:
      return "function";
  }
}

std::string_view binding_name(Binding binding) {
  switch (binding) {
    case Binding::Unknown:
      break;
    case Binding::Local:
      return "LOCAL";
    case Binding::GlobalExplicit:
      return "GLOBAL_EXPLICIT";
    case Binding::GlobalImplicit:
      return "GLOBAL_IMPLICIT";
    case Binding::Free:
      return "FREE";
    case Binding::Cell:
      return "CELL";
  }
  return "UNKNOWN";
}

class Writer {
 public:
  Writer(const ScopeTree& tree, PythonVersion version, const source::LineIndex& lines)
      : tree_(tree), version_(version), lines_(lines) {}

  std::string write() {
    open(tree_.root());
    while (!tables_.empty()) {
      Table& table = tables_.back();
      if (table.next == table.children.size()) {
        out_ += "]}";
        tables_.pop_back();
        continue;
      }
      if (table.next > 0) {
        out_ += ',';
      }
      open(table.children[table.next++]);
    }
    return std::move(out_);
  }

 private:
  // A table whose children are being written.
  struct Table {
    std::vector<ScopeId> children;
    std::size_t next = 0;
  };

  // The children that CPython's table has: inlined comprehensions are replaced by their own.
  std::vector<ScopeId> children_of(ScopeId scope) const {
    std::vector<ScopeId> result;
    std::vector<ScopeId> todo;
    const auto put_off = [&](std::span<const ScopeId> children) {
      todo.insert(todo.end(), children.rbegin(), children.rend());
    };
    put_off(tree_.children(scope));
    while (!todo.empty()) {
      const ScopeId child = todo.back();
      todo.pop_back();
      if (tree_.scope(child).inlined) {
        put_off(tree_.children(child));
      } else if (!tree_.scope(child).unevaluated) {
        result.push_back(child);
      }
    }
    return result;
  }

  void open(ScopeId id) {
    const Scope& scope = tree_.scope(id);
    const bool top = id == tree_.root();
    tables_.push_back({children_of(id)});
    std::unordered_set<std::string_view> namespaces;
    for (const ScopeId child : tables_.back().children) {
      namespaces.insert(tree_.scope_name(child));
    }
    fmt::format_to(std::back_inserter(out_), R"({{"type":"{}","name":)",
                   type_name(scope.kind, version_));
    string(tree_.scope_name(id));
    fmt::format_to(std::back_inserter(out_), R"(,"lineno":{},"nested":{},"parameters":[)",
                   top ? 0 : lines_.line(scope.start), scope.nested);
    const char* comma = "";
    for (const SymbolId parameter : tree_.parameters(id)) {
      out_ += comma;
      string(tree_.symbol_name(parameter));
      comma = ",";
    }
    out_ += R"(],"symbols":{)";
    comma = "";
    for (const SymbolId symbol : tree_.symbols(id)) {
      out_ += comma;
      write_symbol(symbol, tree_.scope_name(id) == "top", namespaces);
      comma = ",";
    }
    out_ += R"(},"children":[)";
  }

  // A function that is called "top" looks like a module to symtable.
  void write_symbol(SymbolId id, bool top, const std::unordered_set<std::string_view>& namespaces) {
    const Symbol& symbol = tree_.symbol(id);
    const std::string_view name = tree_.symbol_name(id);
    const bool bound = symbol.is_bound();
    const unsigned shift = version_.minor < 12 ? 11 : 12;
    const unsigned flags = (symbol.flags & kSymtableFlags) | static_cast<unsigned>(symbol.binding)
                                                                 << shift;
    string(name);
    fmt::format_to(std::back_inserter(out_), R"(:{{"flags":{},"scope":"{}","is":[)", flags,
                   binding_name(symbol.binding));
    const char* comma = "";
    const auto is = [&](bool yes, std::string_view what) {
      if (yes) {
        fmt::format_to(std::back_inserter(out_), R"({}"{}")", comma, what);
        comma = ",";
      }
    };
    is(symbol.is_annotated(), "annotated");
    is(symbol.is_assigned(), "assigned");
    is(symbol.is_declared_global(), "declared_global");
    is(symbol.is_free(), "free");
    is(symbol.is_global() || (top && bound), "global");
    is(symbol.is_imported(), "imported");
    is(symbol.is_local() || (top && bound), "local");
    is(namespaces.contains(name), "namespace");
    is(symbol.is_nonlocal(), "nonlocal");
    is(symbol.is_parameter(), "parameter");
    is(symbol.is_referenced(), "referenced");
    out_ += "]}";
  }

  // Identifiers have no quotes, backslashes or control characters.
  void string(std::string_view text) {
    out_ += '"';
    out_ += text;
    out_ += '"';
  }

  const ScopeTree& tree_;
  PythonVersion version_;
  const source::LineIndex& lines_;
  std::vector<Table> tables_;
  std::string out_;
};

}  // namespace

std::string to_json(const ScopeTree& tree, PythonVersion version, const source::LineIndex& lines) {
  return Writer(tree, version, lines).write();
}

}  // namespace graphmend::scope
