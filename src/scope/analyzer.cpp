// The sweep from the outside in.
#include "scope/analyzer.h"

#include <cstring>
#include <string>

namespace graphmend::scope {
namespace {

// How many symbols may be made for names that only pass through scopes, for each node and at least.
constexpr std::uint64_t kPassedPerNode = 16;
constexpr std::uint64_t kPassedAtLeast = 1 << 20;

}  // namespace

void Analyzer::NameSet::clear(ScopeId scope, std::size_t count) {
  if (stamps_.empty()) {
    std::memset(stamps_.extend(count), 0, count * sizeof(std::uint32_t));
  }
  stamp_ = scope.value;
}

Analyzer::Analyzer(const syntax::Tree& source, syntax::PythonVersion version,
                   const KnownNames& known, ScopeTree& tree, SymbolStore& store)
    : source_(source),
      version_(version),
      known_(known),
      tree_(tree),
      store_(store),
      budget_(kPassedAtLeast + kPassedPerNode * source.size()) {
  const std::size_t names = tree_.names_.size();
  std::memset(meanings_.extend(names), 0, names * sizeof(Meaning));
}

void Analyzer::run() {
  store_.link_children();
  inward();
  outward();
}

void Analyzer::error(diag::Code code, const Symbol& symbol, std::string message) {
  const base::TextRange range = symbol.first ? source_.range(symbol.first) : base::TextRange{};
  tree_.errors_.push_back({code, diag::Severity::Error, range, std::move(message), ""});
}

void Analyzer::set_meaning(NameId name, Meaning meaning) {
  undo_.push_back({name, meanings_[name.value]});
  meanings_[name.value] = meaning;
}

void Analyzer::leave_scopes(ScopeId parent) {
  while (!open_.empty() && open_.back().scope != parent) {
    for (const std::uint32_t begin = open_.back().undo; undo_.size() > begin; undo_.pop_back()) {
      meanings_[undo_.back().name.value] = undo_.back().meaning;
    }
    open_.pop_back();
  }
}

void Analyzer::inward() {
  // Ids are in preorder.
  const std::uint32_t count = tree_.scope_count();
  for (std::uint32_t i = 1; i < count; ++i) {
    const ScopeId id(i);
    const Scope& current = scope(id);
    leave_scopes(current.parent);
    ScopeId class_scope;
    if (current.sees_class_scope && !open_.empty()) {
      const Open& around = open_.back();
      class_scope =
          scope(around.scope).kind == ScopeKind::Class ? around.scope : around.class_scope;
    }
    open_.push_back({id, class_scope, static_cast<std::uint32_t>(undo_.size())});
    analyze_scope(id, class_scope);
    publish(id);
  }
}

void Analyzer::analyze_scope(ScopeId id, ScopeId class_scope) {
  const bool module = scope(id).kind == ScopeKind::Module;
  for (SymbolId symbol_id = store_.first(id); symbol_id; symbol_id = store_.next(symbol_id)) {
    Symbol& current = symbol(symbol_id);
    if (current.has(kDeclaredGlobal)) {
      if (current.has(kNonlocal)) {
        error(diag::Code::DeclarationConflict, current,
              "name '" + std::string(tree_.names_.text(current.name)) + "' is nonlocal and global");
      }
      current.binding = Binding::GlobalExplicit;
    } else if (current.has(kNonlocal)) {
      analyze_nonlocal(current);
      continue;
    } else if (current.is_bound()) {
      current.binding = Binding::Local;
      current.origin = symbol_id;
      continue;
    } else {
      if (class_scope) {
        const SymbolId in_class = store_.find(class_scope, current.name);
        const std::uint32_t flags = in_class ? symbol(in_class).flags : 0U;
        if ((flags & kDeclaredGlobal) != 0) {
          current.binding = Binding::GlobalExplicit;
        } else if ((flags & kBoundFlags) != 0 && (flags & kNonlocal) == 0) {
          current.binding = Binding::GlobalImplicit;
          current.origin = in_class;
          continue;
        }
      }
      const Meaning meaning = meanings_[current.name.value];
      if (current.binding == Binding::Unknown && meaning != kNothing && meaning != kGlobal) {
        current.binding = Binding::Free;
        current.origin = meaning == kClassCell ? SymbolId() : SymbolId(meaning);
        continue;
      }
      if (current.binding == Binding::Unknown) {
        current.binding = Binding::GlobalImplicit;
      }
    }
    // A global name: the module's symbol, where the module has one that is bound.
    const SymbolId global = module ? symbol_id : store_.find(tree_.root(), current.name);
    if (global && (symbol(global).flags & (kBoundFlags | kDeclaredGlobal)) != 0 &&
        scope(tree_.root()).kind == ScopeKind::Module) {
      current.origin = global;
    }
  }
}

void Analyzer::analyze_nonlocal(Symbol& current) {
  const std::string name(tree_.names_.text(current.name));
  const Meaning meaning = meanings_[current.name.value];
  if (scope(current.scope).kind == ScopeKind::Module) {
    error(diag::Code::UnboundNonlocal, current, "nonlocal declaration not allowed at module level");
    return;
  }
  if (meaning == kNothing || meaning == kGlobal) {
    error(diag::Code::UnboundNonlocal, current, "no binding for nonlocal '" + name + "' found");
    return;
  }
  for (ScopeId around = scope(current.scope).parent; around; around = scope(around).parent) {
    const SymbolId found = store_.find(around, current.name);
    if (found && symbol(found).is_bound() && !symbol(found).has(kDeclaredGlobal) &&
        !symbol(found).has(kNonlocal)) {
      if (symbol(found).has(kTypeParameter)) {
        error(diag::Code::UnboundNonlocal, current,
              "nonlocal binding not allowed for type parameter '" + name + "'");
      }
      break;
    }
  }
  current.binding = Binding::Free;
  current.origin = meaning == kClassCell ? SymbolId() : SymbolId(meaning);
}

// Makes the names of a scope known to the scopes inside it.
void Analyzer::publish(ScopeId id) {
  const Scope& current = scope(id);
  if (current.children_count == 0) {
    return;
  }
  if (current.kind == ScopeKind::Class) {
    set_meaning(known_.dunder_class, kClassCell);
    if (!before(12)) {
      set_meaning(known_.dunder_classdict, kClassCell);
    }
    if (!before(14)) {
      set_meaning(known_.conditional_annotations, kClassCell);
    }
    return;
  }
  const bool function_like = current.is_function_like();
  const bool enclosing = current.kind == ScopeKind::Enclosing;
  for (SymbolId symbol_id = store_.first(id); symbol_id; symbol_id = store_.next(symbol_id)) {
    const Symbol& own = symbol(symbol_id);
    if (own.has(kDeclaredGlobal)) {
      set_meaning(own.name, kGlobal);
    } else if (function_like && own.binding == Binding::Local && (!enclosing || own.has(kGiven))) {
      set_meaning(own.name, symbol_id.value);
    }
  }
}

}  // namespace graphmend::scope
