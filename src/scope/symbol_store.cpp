#include "scope/symbol_store.h"

#include <algorithm>

namespace graphmend::scope {

SymbolStore::SymbolStore(ScopeTree& tree, std::size_t nodes) : tree_(tree) {
  // Most files have a symbol for four or five nodes, and a scope for twenty or more.
  tree_.symbols_.reserve(nodes / 4 + 16);
  tree_.scopes_.reserve(nodes / 20 + 4);
  tree_.scopes_.emplace_back();
  tree_.symbols_.push_back({});
}

Scope& SymbolStore::add_scope(ScopeKind kind, ScopeId parent) {
  tree_.scopes_[parent.value].children_count += 1;
  Scope& scope = tree_.scopes_.emplace_back();
  scope.kind = kind;
  scope.parent = parent;
  return scope;
}

void SymbolStore::link() {
  std::uint32_t begin = 0;
  for (Scope& scope : tree_.scopes_) {
    scope.children_begin = begin;
    begin += scope.children_count;
    scope.children_count = 0;
  }
  ScopeId* const children = tree_.children_.extend(begin);
  Scope* const scopes = tree_.scopes_.data();
  const auto count = static_cast<std::uint32_t>(tree_.scopes_.size());
  for (std::uint32_t id = 1; id < count; ++id) {
    Scope& parent = scopes[scopes[id].parent.value];
    children[parent.children_begin + parent.children_count++] = ScopeId(id);
  }
  for (const Place& place : places_) {
    const Scope& parent = scopes[scopes[place.scope.value].parent.value];
    ScopeId* const siblings = children + parent.children_begin;
    ScopeId* const from = std::find(siblings, siblings + parent.children_count, place.scope);
    std::rotate(siblings + place.index, from, from + 1);
  }
  list_symbols();
}

// Sorts the symbols by their scopes; those of one scope stay in the order in which they were added.
void SymbolStore::list_symbols() {
  const std::size_t scopes = tree_.scopes_.size();
  places_in_list_.clear();
  std::uint32_t* const places = places_in_list_.extend(scopes);
  std::memset(places, 0, scopes * sizeof(std::uint32_t));
  const Symbol* const symbols = tree_.symbols_.data();
  const auto count = static_cast<std::uint32_t>(tree_.symbols_.size());
  for (std::uint32_t id = 1; id < count; ++id) {
    places[symbols[id].scope.value] += 1;
  }
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < scopes; ++i) {
    Scope& scope = tree_.scopes_[i];
    scope.symbols_begin = begin;
    scope.symbols_count = places[i];
    places[i] = begin;
    begin += scope.symbols_count;
  }
  tree_.scope_symbols_.clear();
  SymbolId* const listed = tree_.scope_symbols_.extend(begin);
  for (std::uint32_t id = 1; id < count; ++id) {
    listed[places[symbols[id].scope.value]++] = SymbolId(id);
  }
}

SymbolId SymbolStore::add_late(ScopeId scope, NameId name) {
  if (late_.empty()) {
    late_.push_back({});
    const std::size_t count = tree_.scopes_.size();
    std::memset(static_cast<void*>(lists_.extend(count)), 0, count * sizeof(List));
  }
  const bool module = tree_.scopes_[scope.value].kind == ScopeKind::Module;
  const SymbolId id =
      add(scope, name, NodeId(), module ? std::uint16_t{kModuleScope} : std::uint16_t{0});
  const auto entry = static_cast<std::uint32_t>(late_.size());
  late_.push_back({id, 0});
  List& list = lists_[scope.value];
  (list.first == 0 ? list.first : late_[list.last].next) = entry;
  list.last = entry;
  return id;
}

void SymbolStore::finish() {
  if (!late_.empty()) {
    list_symbols();
    // The analysis may have looked for names before.
    tree_.indexes_ = std::make_unique<ScopeTree::Indexes>();
  }
}

}  // namespace graphmend::scope
