// Scopes: built for every tree, errors or not, and consistent with it.
#include "property.h"
#include "scope/scope_json.h"
#include "scope/scope_tree.h"
#include "source/line_index.h"
#include "syntax/parser.h"

#include <string>
#include <string_view>
#include <vector>

namespace scope = graphmend::scope;
namespace syntax = graphmend::syntax;
using graphmend::fuzz::Input;
using graphmend::fuzz::require;
using scope::ScopeId;
using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

void require_consistent(const syntax::Tree& tree, const scope::ScopeTree& scopes) {
  const bool exact = tree.ok() && scopes.errors().empty();
  for (std::uint32_t i = 1; i < scopes.scope_count(); ++i) {
    const ScopeId id(i);
    require(scopes.parent(id).value < i, "scopes come after their parents");
    require(scopes.scope(id).node.value < tree.size(), "scopes have nodes");
    for (const ScopeId child : scopes.children(id)) {
      require(scopes.parent(child) == id, "children know their parent");
    }
    for (const SymbolId symbol : scopes.symbols(id)) {
      require(scopes.symbol(symbol).scope == id, "symbols know their scope");
      require(scopes.find(id, scopes.symbol(symbol).name) == symbol, "symbols are found by name");
    }
    for (const SymbolId parameter : scopes.parameters(id)) {
      require(scopes.symbol(parameter).is_parameter(), "parameters are parameters");
    }
  }
  for (std::uint32_t i = 1; i < scopes.symbol_count(); ++i) {
    const SymbolId id(i);
    const scope::Symbol& symbol = scopes.symbol(id);
    for (const NodeId use : scopes.uses(id)) {
      require(scopes.resolve(use) == id, "uses resolve to their symbol");
    }
    const SymbolId origin = scopes.follow(id);
    if (!exact) {
      continue;
    }
    require(symbol.binding != scope::Binding::Unknown,
            "names of correct files are bound somewhere");
    if (symbol.is_cell() || (symbol.binding == scope::Binding::Local && symbol.is_bound())) {
      require(origin == id, "what is bound here comes from here");
    }
    if (symbol.is_free() && origin) {
      require(scopes.symbol(origin).name == symbol.name, "a free name keeps its name");
      require(scopes.symbol(origin).is_cell() || scopes.symbol(origin).is_local(),
              "a free name is some scope's own");
    }
  }
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    const NodeId node(i);
    const SymbolId symbol = scopes.resolve(node);
    require(symbol.value < scopes.symbol_count(), "nodes resolve to symbols");
    // Annotations of a function's variables are never evaluated, and from 3.14 on nowhere noted.
    const bool annotation =
        scopes.scope(scopes.enclosing_scope(node)).kind == scope::ScopeKind::Annotation;
    if (exact && tree.kind(node) == NodeKind::Name && !symbol && !annotation) {
      require(false, "every name resolves: " + std::string(tree.text(node)));
    }
    require(scopes.enclosing_scope(node).value < scopes.scope_count(), "nodes lie in scopes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input(data, size);
  if (!input.is_utf8) {
    return 0;
  }
  const syntax::Tree tree = syntax::parse_module(input.text, input.version);
  const scope::ScopeTree scopes = scope::build(tree, input.version);
  require_consistent(tree, scopes);
  const graphmend::source::LineIndex lines(input.text);
  require(!scope::to_json(scopes, input.version, lines).empty(), "scopes can be printed");

  const syntax::Tree block = syntax::parse_block(
      input.text, static_cast<std::uint32_t>(input.text.size() / 2), input.version);
  const std::vector<std::string_view> free_names = {"a", "__class__", "x"};
  scope::BlockContext context;
  context.free_names = free_names;
  context.class_name = "C";
  context.future_annotations = size % 2 == 0;
  require_consistent(block, scope::build_block(block, input.version, context));
  return 0;
}
