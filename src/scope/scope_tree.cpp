#include "scope/scope_tree.h"

#include "scope/analyzer.h"
#include "scope/builder.h"
#include "scope/future.h"
#include "scope/symbol_store.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace graphmend::scope {

namespace {

constexpr std::size_t kFewestSlots = 64;

std::uint32_t index_hash(ScopeId scope, NameId name) {
  const std::uint64_t key = std::uint64_t{scope.value} << 32 | name.value;
  return static_cast<std::uint32_t>((key * 0x9e37'79b9'7f4a'7c15) >> 32);
}

}  // namespace

void ScopeTree::index_symbols() const {
  base::PodVector<std::uint32_t>& slots = indexes_->symbols;
  const std::size_t size = std::bit_ceil(std::max(symbols_.size() * 2, kFewestSlots));
  std::memset(slots.extend(size), 0, size * sizeof(std::uint32_t));
  const auto mask = static_cast<std::uint32_t>(size - 1);
  for (std::uint32_t id = 1; id < symbols_.size(); ++id) {
    std::uint32_t slot = index_hash(symbols_[id].scope, symbols_[id].name) & mask;
    while (slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = id;
  }
}

SymbolId ScopeTree::find(ScopeId scope, NameId name) const {
  std::call_once(indexes_->symbols_made, [this] { index_symbols(); });
  const base::PodVector<std::uint32_t>& slots = indexes_->symbols;
  const auto mask = static_cast<std::uint32_t>(slots.size() - 1);
  std::uint32_t slot = index_hash(scope, name) & mask;
  while (slots[slot] != 0) {
    const Symbol& symbol = symbols_[slots[slot]];
    if (symbol.name == name && symbol.scope == scope) {
      return SymbolId(slots[slot]);
    }
    slot = (slot + 1) & mask;
  }
  return {};
}

SymbolId ScopeTree::find(ScopeId scope, std::string_view name) const {
  const NameId id = names_.find(name);
  return id ? find(scope, id) : SymbolId();
}

SymbolId ScopeTree::look_up(ScopeId scope, NameId name) const {
  bool sees_class = true;  // in the scope itself, and in annotation scopes right inside a class
  for (ScopeId at = scope; at; at = parent(at)) {
    const Scope& entry = scopes_[at.value];
    if (entry.kind == ScopeKind::Class && !sees_class) {
      continue;
    }
    if (const SymbolId found = find(at, name)) {
      const Symbol& symbol = symbols_[found.value];
      if (!symbol.has(kInlined) &&
          (entry.kind != ScopeKind::Enclosing || at == scope || symbol.has(kGiven))) {
        return symbol.origin;
      }
    }
    sees_class = entry.sees_class_scope;
  }
  return {};
}

void ScopeTree::index_uses() const {
  base::PodVector<std::uint32_t>& begins = indexes_->uses_begin;
  const std::size_t count = symbols_.size() + 1;
  std::memset(begins.extend(count), 0, count * sizeof(std::uint32_t));
  for (std::size_t node = 1; node < node_symbols_.size(); ++node) {
    begins[node_symbols_[node]] += 1;
  }
  begins[0] = 0;
  for (std::size_t i = 1; i < count; ++i) {
    begins[i] += begins[i - 1];
  }
  // From the last node to the first, so that each symbol's list is filled from its end.
  NodeId* const uses = indexes_->uses.extend(begins[count - 1]);
  for (std::size_t node = node_symbols_.size(); node-- > 1;) {
    if (const std::uint32_t id = node_symbols_[node]; id != 0) {
      uses[--begins[id]] = NodeId(static_cast<std::uint32_t>(node));
    }
  }
}

std::span<const NodeId> ScopeTree::uses(SymbolId id) const {
  std::call_once(indexes_->uses_made, [this] { index_uses(); });
  const std::uint32_t* const begin = indexes_->uses_begin.data() + id.value;
  return {indexes_->uses.data() + begin[0], begin[1] - begin[0]};
}

void ScopeTree::index_openers() const {
  base::PodVector<std::uint64_t>& openers = indexes_->openers;
  for (std::uint32_t id = 1; id < scopes_.size(); ++id) {
    const Scope& scope = scopes_[id];
    if (scope.kind != ScopeKind::Annotation && scope.kind != ScopeKind::TypeVariable &&
        scope.kind != ScopeKind::TypeParameters) {
      openers.push_back(std::uint64_t{scope.node.value} << 32 | id);
    }
  }
  std::sort(openers.begin(), openers.end());
}

ScopeId ScopeTree::scope_of(NodeId node) const {
  std::call_once(indexes_->openers_made, [this] { index_openers(); });
  const base::PodVector<std::uint64_t>& openers = indexes_->openers;
  const std::uint64_t key = std::uint64_t{node.value} << 32;
  const std::uint64_t* at = std::lower_bound(openers.begin(), openers.end(), key);
  return at != openers.end() && *at >> 32 == node.value ? ScopeId(static_cast<std::uint32_t>(*at))
                                                        : ScopeId();
}

ScopeId ScopeTree::type_parameters_scope(NodeId statement) const {
  const ScopeId scope = scope_of(statement);
  if (!scope) {
    return {};
  }
  const Scope& around = scopes_[parent(scope).value];
  return around.kind == ScopeKind::TypeParameters && around.node == statement ? parent(scope)
                                                                              : ScopeId();
}

std::size_t ScopeTree::memory() const {
  return names_.memory() + scopes_.capacity() * sizeof(Scope) +
         symbols_.capacity() * sizeof(Symbol) +
         (children_.capacity() + scope_symbols_.capacity() + parameters_.capacity() +
          node_symbols_.capacity() + node_scopes_.capacity()) *
             sizeof(std::uint32_t);
}

// Runs the passes; `walk` is the first one.
template <class Walk>
ScopeTree Builder::build(const syntax::Tree& source, syntax::PythonVersion version, Walk walk) {
  ScopeTree tree;
  tree.names_ = Names(source.names());
  SymbolStore store(tree, source.size());
  Builder builder(source, version, tree, store);
  walk(builder, tree.errors_);
  store.link();
  Analyzer(source, version, tree, store).run();
  store.finish();
  builder.settle_barriers();
  return tree;
}

ScopeTree build(const syntax::Tree& tree, syntax::PythonVersion version) {
  return Builder::build(tree, version,
                        [&](Builder& builder, std::vector<diag::Diagnostic>& errors) {
                          builder.walk_module(read_future_imports(tree, version, errors));
                        });
}

ScopeTree build_block(const syntax::Tree& tree, syntax::PythonVersion version,
                      const BlockContext& context) {
  return Builder::build(tree, version, [&](Builder& builder, std::vector<diag::Diagnostic>&) {
    builder.walk_block(context);
  });
}

}  // namespace graphmend::scope
