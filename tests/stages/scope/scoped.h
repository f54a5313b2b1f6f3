// A source with its tree and scopes, for tests.
#ifndef GRAPHMEND_TESTS_SCOPE_SCOPED_H_
#define GRAPHMEND_TESTS_SCOPE_SCOPED_H_

#include "scope/scope_tree.h"
#include "syntax/parser.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace graphmend::scope {

struct Scoped {
  explicit Scoped(std::string_view source, unsigned minor = 13)
      : version{static_cast<std::uint8_t>(minor)},
        text(source),
        tree(syntax::parse_module(text, version)),
        scopes(build(tree, version)) {
    EXPECT_TRUE(tree.ok()) << source;
  }
  Scoped(std::string_view source, const BlockContext& context, unsigned minor = 13)
      : version{static_cast<std::uint8_t>(minor)},
        text(source),
        tree(syntax::parse_block(text, 0, version)),
        scopes(build_block(tree, version, context)) {
    EXPECT_TRUE(tree.ok()) << source;
  }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

  // The first scope of that name.
  ScopeId scope(std::string_view name) const {
    for (std::uint32_t id = 1; id < scopes.scope_count(); ++id) {
      if (scopes.scope_name(ScopeId(id)) == name) {
        return ScopeId(id);
      }
    }
    ADD_FAILURE() << "no scope " << name;
    return {};
  }
  ScopeId scope(std::string_view name, ScopeKind kind) const {
    for (std::uint32_t id = 1; id < scopes.scope_count(); ++id) {
      if (scopes.scope_name(ScopeId(id)) == name && scopes.scope(ScopeId(id)).kind == kind) {
        return ScopeId(id);
      }
    }
    ADD_FAILURE() << "no scope " << name;
    return {};
  }
  // The symbol of a name in the first scope of that name.
  const Symbol& symbol(std::string_view scope_name, std::string_view name) const {
    const SymbolId id = scopes.find(scope(scope_name), name);
    EXPECT_TRUE(id) << name << " in " << scope_name;
    return scopes.symbol(id);
  }
  bool has(std::string_view scope_name, std::string_view name) const {
    return static_cast<bool>(scopes.find(scope(scope_name), name));
  }
  // The nodes of kind Name, or the kind given, whose text is `name`, in source order.
  std::vector<NodeId> nodes(std::string_view name,
                            syntax::NodeKind kind = syntax::NodeKind::Name) const {
    std::vector<NodeId> found;
    for (std::uint32_t id = 1; id < tree.size(); ++id) {
      if (tree.kind(NodeId(id)) == kind && tree.text(NodeId(id)) == name) {
        found.emplace_back(id);
      }
    }
    return found;
  }
  std::string first_error() const {
    return scopes.errors().empty() ? "" : scopes.errors()[0].message;
  }
  std::string child_names(ScopeId id) const {
    std::string names;
    for (const ScopeId child : scopes.children(id)) {
      names += names.empty() ? "" : " ";
      names += scopes.scope_name(child);
    }
    return names;
  }

  syntax::PythonVersion version;
  std::string text;
  syntax::Tree tree;
  ScopeTree scopes;
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_TESTS_SCOPE_SCOPED_H_
