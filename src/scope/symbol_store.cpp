#include "scope/symbol_store.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace graphmend::scope {
namespace {

constexpr std::size_t kFewestSlots = 64;

}  // namespace

SymbolStore::SymbolStore(ScopeTree& tree, std::size_t nodes) : tree_(tree) {
  // Most files have a symbol for five or six nodes, and a scope for thirty or more.
  const std::size_t symbols = nodes / 5 + 16;
  tree_.symbols_.reserve(symbols);
  next_.reserve(symbols);
  tree_.scopes_.reserve(nodes / 32 + 4);
  lists_.reserve(nodes / 32 + 4);
  tree_.scopes_.emplace_back();
  tree_.symbols_.push_back({});
  lists_.push_back({});
  next_.push_back({});
  const std::size_t slots = std::bit_ceil(std::max(nodes / 3, kFewestSlots));
  std::memset(tree_.index_.extend(slots), 0, slots * sizeof(std::uint32_t));
}

ScopeId SymbolStore::add_scope(const Scope& scope) {
  const ScopeId id(static_cast<std::uint32_t>(tree_.scopes_.size()));
  tree_.scopes_.push_back(scope);
  tree_.scopes_[scope.parent.value].children_count += 1;
  lists_.push_back({});
  return id;
}

inline void SymbolStore::put_in_index(std::uint32_t symbol) {
  const Symbol& entry = tree_.symbols_[symbol];
  const auto mask = static_cast<std::uint32_t>(tree_.index_.size() - 1);
  std::uint32_t slot = ScopeTree::index_hash(entry.scope, entry.name) & mask;
  while (tree_.index_[slot] != 0) {
    slot = (slot + 1) & mask;
  }
  tree_.index_[slot] = symbol;
}

SymbolId SymbolStore::add(ScopeId scope, NameId name, NodeId first) {
  const auto id = static_cast<std::uint32_t>(tree_.symbols_.size());
  Scope& owner = tree_.scopes_[scope.value];
  owner.symbols_count += 1;
  Symbol* const symbol = tree_.symbols_.extend(1);
  *symbol = Symbol{.name = name, .scope = scope, .first = first, .origin = {}};
  symbol->flags = owner.kind == ScopeKind::Module ? kModuleScope : 0;
  next_.push_back({});
  List& list = lists_[scope.value];
  (list.last ? next_[list.last.value] : list.first) = SymbolId(id);
  list.last = SymbolId(id);
  if (std::size_t{id} * 2 > tree_.index_.size()) [[unlikely]] {
    grow_index();
  } else {
    put_in_index(id);
  }
  return SymbolId(id);
}

void SymbolStore::grow_index() {
  const std::size_t size = tree_.index_.size() * 2;
  tree_.index_.clear();
  std::memset(tree_.index_.extend(size), 0, size * sizeof(std::uint32_t));
  for (std::uint32_t symbol = 1; symbol < tree_.symbols_.size(); ++symbol) {
    put_in_index(symbol);
  }
}

void SymbolStore::link_children() {
  std::uint32_t begin = 0;
  for (Scope& scope : tree_.scopes_) {
    scope.children_begin = begin;
    begin += scope.children_count;
    scope.children_count = 0;
  }
  tree_.children_.extend(begin);
  for (std::uint32_t id = 1; id < tree_.scopes_.size(); ++id) {
    Scope& parent = tree_.scopes_[tree_.scopes_[id].parent.value];
    tree_.children_[parent.children_begin + parent.children_count++] = ScopeId(id);
  }
  for (const Place& place : places_) {
    const Scope& parent = tree_.scopes_[tree_.scopes_[place.scope.value].parent.value];
    ScopeId* children = tree_.children_.begin() + parent.children_begin;
    ScopeId* from = std::find(children, children + parent.children_count, place.scope);
    std::rotate(children + place.index, from, from + 1);
  }
}

void SymbolStore::finish() {
  SymbolId* place = tree_.scope_symbols_.extend(tree_.symbols_.size());
  const SymbolId* const start = place;
  for (std::uint32_t id = 1; id < tree_.scopes_.size(); ++id) {
    tree_.scopes_[id].symbols_begin = static_cast<std::uint32_t>(place - start);
    for (SymbolId symbol = first(ScopeId(id)); symbol; symbol = next(symbol)) {
      *place++ = symbol;
    }
  }
  Symbol* const symbols = tree_.symbols_.data();
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < tree_.symbols_.size(); ++i) {
    begin += symbols[i].uses_count;
    symbols[i].uses_begin = begin;
  }
  // From the last node to the first, so that each symbol's list is filled from its end.
  NodeId* const uses = tree_.uses_.extend(begin);
  const std::uint32_t* const mentioned = tree_.node_symbols_.data();
  for (std::size_t node = tree_.node_symbols_.size(); node-- > 1;) {
    if (const std::uint32_t id = mentioned[node]; id != 0) {
      uses[--symbols[id].uses_begin] = NodeId(static_cast<std::uint32_t>(node));
    }
  }
}

}  // namespace graphmend::scope
