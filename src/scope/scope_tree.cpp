#include "scope/scope_tree.h"

#include "scope/analyzer.h"
#include "scope/builder.h"
#include "scope/future.h"
#include "scope/symbol_store.h"

#include <algorithm>

namespace graphmend::scope {

SymbolId ScopeTree::find(ScopeId scope, NameId name) const {
  const auto mask = static_cast<std::uint32_t>(index_.size() - 1);
  std::uint32_t slot = index_hash(scope, name) & mask;
  while (index_[slot] != 0) {
    const Symbol& symbol = symbols_[index_[slot]];
    if (symbol.name == name && symbol.scope == scope) {
      return SymbolId(index_[slot]);
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

ScopeId ScopeTree::scope_of(NodeId node) const {
  const std::uint64_t key = std::uint64_t{node.value} << 32;
  const std::uint64_t* at = std::lower_bound(openers_.begin(), openers_.end(), key);
  return at != openers_.end() && *at >> 32 == node.value ? ScopeId(static_cast<std::uint32_t>(*at))
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
          uses_.capacity() + node_symbols_.capacity() + node_scopes_.capacity() +
          index_.capacity()) *
             sizeof(std::uint32_t) +
         openers_.capacity() * sizeof(std::uint64_t);
}

// Runs the passes; `walk` is the first one.
template <class Walk>
ScopeTree Builder::build(const syntax::Tree& source, syntax::PythonVersion version, Walk walk) {
  ScopeTree tree;
  // One distinct name for eight to ten nodes is usual.
  tree.names_ = NameTable(source.size() / 8 + 32);
  SymbolStore store(tree, source.size());
  Builder builder(source, version, tree, store);
  walk(builder, tree.errors_);
  Analyzer(source, version, builder.known_, tree, store).run();
  store.finish();
  builder.settle_barriers();
  for (std::uint32_t id = 1; id < tree.scopes_.size(); ++id) {
    const Scope& scope = tree.scopes_[id];
    if (scope.kind != ScopeKind::Annotation && scope.kind != ScopeKind::TypeVariable &&
        scope.kind != ScopeKind::TypeParameters) {
      tree.openers_.push_back(std::uint64_t{scope.node.value} << 32 | id);
    }
  }
  std::sort(tree.openers_.begin(), tree.openers_.end());
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
