// Where symbols are made: the symbols of a tree under construction, with lists and an index.
#ifndef GRAPHMEND_SCOPE_SYMBOL_STORE_H_
#define GRAPHMEND_SCOPE_SYMBOL_STORE_H_

#include "scope/scope_tree.h"

#include <cstdint>

namespace graphmend::scope {

// Adds scopes and symbols to a tree and keeps the symbols of each scope in a list, in the order in
// which they were added.
class SymbolStore {
 public:
  // Makes room for what a tree of so many nodes needs.
  SymbolStore(ScopeTree& tree, std::size_t nodes);

  ScopeId add_scope(const Scope& scope);
  // The scope must not have a symbol of that name yet.
  SymbolId add(ScopeId scope, NameId name, NodeId first);
  SymbolId find(ScopeId scope, NameId name) const { return tree_.find(scope, name); }

  // The list of a scope's symbols.
  SymbolId first(ScopeId scope) const { return lists_[scope.value].first; }
  SymbolId next(SymbolId symbol) const { return next_[symbol.value]; }

  // Puts a scope that was added late before the siblings that were added after it was due: it will
  // be the child number `index` of its parent.
  void place(ScopeId scope, std::uint32_t index) { places_.push_back({scope, index}); }

  // Fills in the children of all scopes.
  void link_children();
  // Fills in the symbols of all scopes and the uses of all symbols.
  void finish();

 private:
  struct List {
    SymbolId first;
    SymbolId last;
  };
  struct Place {
    ScopeId scope;
    std::uint32_t index;
  };
  void put_in_index(std::uint32_t symbol);
  void grow_index();

  ScopeTree& tree_;
  base::PodVector<List> lists_;
  base::PodVector<SymbolId> next_;
  base::PodVector<Place> places_;
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_SYMBOL_STORE_H_
