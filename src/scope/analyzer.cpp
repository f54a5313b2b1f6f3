// The sweep from the outside in.
#include "scope/analyzer.h"

#include <algorithm>
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

Analyzer::Analyzer(const syntax::Tree& source, syntax::PythonVersion version, ScopeTree& tree,
                   SymbolStore& store)
    : source_(source),
      version_(version),
      tree_(tree),
      store_(store),
      budget_(kPassedAtLeast + kPassedPerNode * source.size()) {
  const std::size_t names = tree_.names_.size();
  std::memset(meanings_.extend(names), 0, names * sizeof(Meaning));
  std::memset(static_cast<void*>(globals_.extend(names)), 0, names * sizeof(SymbolId));
  const std::size_t scopes = tree_.scopes_.size();
  std::memset(work_.extend(scopes), 0, scopes);
}

void Analyzer::run() {
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
    for (const std::uint32_t begin = open_.back().class_undo; class_undo_.size() > begin;
         class_undo_.pop_back()) {
      of_classes_[class_undo_.back().name.value] = class_undo_.back().symbol;
    }
    open_.pop_back();
  }
}

void Analyzer::inward() {
  note_globals();
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
    analyze_scope(id, class_scope);
    if (current.children_count != 0) {
      open_.push_back({id, class_scope, static_cast<std::uint32_t>(undo_.size()),
                       static_cast<std::uint32_t>(class_undo_.size())});
      publish(id);
    }
  }
}

void Analyzer::note_globals() {
  if (scope(tree_.root()).kind != ScopeKind::Module) {
    return;
  }
  store_.for_each(tree_.root(), [&](SymbolId id) {
    const Symbol& own = symbol(id);
    if ((own.flags & (kBoundFlags | kDeclaredGlobal)) != 0) {
      globals_[own.name.value] = id;
    }
  });
}

// Makes the symbols of a class known to the annotation scopes in it.
void Analyzer::list_class(ScopeId id) {
  if (of_classes_.empty()) {
    const std::size_t names = tree_.names_.size();
    std::memset(static_cast<void*>(of_classes_.extend(names)), 0, names * sizeof(SymbolId));
  }
  store_.for_each(id, [&](SymbolId symbol_id) {
    SymbolId& known = of_classes_[symbol(symbol_id).name.value];
    class_undo_.push_back({symbol(symbol_id).name, known});
    known = symbol_id;
  });
}

void Analyzer::analyze_scope(ScopeId id, ScopeId class_scope) {
  constexpr unsigned kDeclared = kDeclaredGlobal | kNonlocal;
  bool free = false;
  Symbol* const symbols = tree_.symbols_.data();
  for (const SymbolId symbol_id : tree_.symbols(id)) {
    Symbol& current = symbols[symbol_id.value];
    const unsigned flags = current.flags;
    if ((flags & kDeclared) != 0) [[unlikely]] {
      analyze_declared(symbol_id);
      free |= current.binding == Binding::Free;
      continue;
    }
    if ((flags & kBoundFlags) != 0) {
      current.binding = Binding::Local;
      current.origin = symbol_id;
      continue;
    }
    if (class_scope) {
      const SymbolId in_class = of_classes_.data()[current.name.value];
      const unsigned class_flags = in_class && symbols[in_class.value].scope == class_scope
                                       ? symbols[in_class.value].flags
                                       : 0U;
      if ((class_flags & kDeclaredGlobal) != 0) {
        current.binding = Binding::GlobalExplicit;
        current.origin = globals_[current.name.value];
        continue;
      }
      if ((class_flags & kBoundFlags) != 0 && (class_flags & kNonlocal) == 0) {
        current.binding = Binding::GlobalImplicit;
        current.origin = in_class;
        continue;
      }
    }
    const Meaning meaning = meanings_.data()[current.name.value];
    if (meaning == kNothing || meaning == kGlobal) [[likely]] {
      current.binding = Binding::GlobalImplicit;
      current.origin = globals_.data()[current.name.value];
    } else {
      current.binding = Binding::Free;
      current.origin = meaning == kClassCell ? SymbolId() : SymbolId(meaning);
      free = true;
    }
  }
  work_[id.value] = free ? kFreeNames : kNoWork;
}

// A name that is declared global or nonlocal.
void Analyzer::analyze_declared(SymbolId id) {
  Symbol& current = symbol(id);
  if (!current.has(kDeclaredGlobal)) {
    return analyze_nonlocal(current);
  }
  if (current.has(kNonlocal)) {
    error(diag::Code::DeclarationConflict, current,
          "name '" + std::string(tree_.names_.text(current.name)) + "' is nonlocal and global");
  }
  current.binding = Binding::GlobalExplicit;
  current.origin = globals_[current.name.value];
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
    const SymbolId found = tree_.find(around, current.name);
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
  if (current.kind == ScopeKind::Class) {
    set_meaning(known::dunder_class, kClassCell);
    if (!before(12)) {
      set_meaning(known::dunder_classdict, kClassCell);
    }
    if (!before(14)) {
      set_meaning(known::conditional_annotations, kClassCell);
    }
    const std::span<const ScopeId> children = tree_.children(id);
    if (std::any_of(children.begin(), children.end(),
                    [&](ScopeId child) { return scope(child).sees_class_scope; })) {
      list_class(id);
    }
    return;
  }
  const bool function_like = current.is_function_like();
  const bool enclosing = current.kind == ScopeKind::Enclosing;
  store_.for_each(id, [&](SymbolId symbol_id) {
    const Symbol& own = symbol(symbol_id);
    if (own.has(kDeclaredGlobal)) {
      set_meaning(own.name, kGlobal);
    } else if (function_like && own.binding == Binding::Local && (!enclosing || own.has(kGiven))) {
      set_meaning(own.name, symbol_id.value);
    }
  });
}

}  // namespace graphmend::scope
