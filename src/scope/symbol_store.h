// Where scopes and symbols are made.
#ifndef GRAPHMEND_SCOPE_SYMBOL_STORE_H_
#define GRAPHMEND_SCOPE_SYMBOL_STORE_H_

#include "scope/scope_tree.h"

#include <cstdint>
#include <cstring>

namespace graphmend::scope {

// Adds scopes and symbols to a tree under construction. While the tree is walked, the symbols of a
// scope are not listed; link() lists them, and what the analysis adds is kept in lists beside.
class SymbolStore {
 public:
  // Makes room for what a tree of so many nodes needs.
  SymbolStore(ScopeTree& tree, std::size_t nodes);

  // The placeholder's parent is none. The reference is valid until the next scope is added.
  Scope& add_scope(ScopeKind kind, ScopeId parent);
  ScopeId last_scope() const {
    return ScopeId(static_cast<std::uint32_t>(tree_.scopes_.size() - 1));
  }
  // The scope must not have a symbol of that name yet.
  SymbolId add(ScopeId scope, NameId name, NodeId first, std::uint16_t flags) {
    const auto id = static_cast<std::uint32_t>(tree_.symbols_.size());
    Symbol* const symbol = tree_.symbols_.extend(1);
    symbol->name = name;
    symbol->scope = scope;
    symbol->first = first;
    symbol->origin = {};
    symbol->flags = flags;
    symbol->binding = Binding::Unknown;
    return SymbolId(id);
  }

  // Puts a scope that was added late before the siblings that were added after it was due: it will
  // be the child number `index` of its parent.
  void place(ScopeId scope, std::uint32_t index) { places_.push_back({scope, index}); }

  // Fills in the children and the symbols of all scopes.
  void link();
  // After link(): a symbol that comes last in its scope.
  SymbolId add_late(ScopeId scope, NameId name);
  // After link(): calls fn(SymbolId) for each symbol of a scope, in their order; the ones that fn
  // adds are not among them.
  template <class Fn>
  void for_each(ScopeId scope, Fn fn) const {
    const Scope& owner = tree_.scopes_[scope.value];
    const SymbolId* const begin = tree_.scope_symbols_.data() + owner.symbols_begin;
    const SymbolId* const end = begin + owner.symbols_count;
    for (const SymbolId* at = begin; at != end; ++at) {
      fn(*at);
    }
    if (!late_.empty()) {
      for (std::uint32_t at = lists_[scope.value].first; at != 0; at = late_[at].next) {
        fn(late_[at].symbol);
      }
    }
  }
  // Puts the symbols that were added late among the others.
  void finish();

 private:
  struct Late {
    SymbolId symbol;
    std::uint32_t next;
  };
  struct List {
    std::uint32_t first;
    std::uint32_t last;
  };
  struct Place {
    ScopeId scope;
    std::uint32_t index;
  };
  void list_symbols();

  ScopeTree& tree_;
  base::PodVector<Place> places_;
  base::PodVector<std::uint32_t> places_in_list_;  // by scope
  base::PodVector<Late> late_;
  base::PodVector<List> lists_;  // of late_, by scope
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_SYMBOL_STORE_H_
