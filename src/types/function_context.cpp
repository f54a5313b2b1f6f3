#include "types/function_context.h"

namespace graphmend::types {

using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;

FunctionContext::FunctionContext(const syntax::Tree& tree, const scope::ScopeTree& scopes,
                                 const flow::FunctionFlow& flow, NodeId function,
                                 const GlobalFacts& facts, std::string_view class_name)
    : tree_(&tree),
      scopes_(&scopes),
      flow_(&flow),
      facts_(&facts),
      function_(function),
      function_scope_(scopes.scope_of(function)),
      class_name_(class_name) {
  const auto parameters = scopes.parameters(function_scope_);
  if (!parameters.empty()) {
    self_ = scopes.symbol_name(parameters.front());
  }
}

SymbolId FunctionContext::symbol_of(NodeId name) const {
  const SymbolId mentioned = scopes_->resolve(name);
  return mentioned ? scopes_->follow(mentioned) : SymbolId();
}

bool FunctionContext::is_local(NodeId name) const {
  const SymbolId symbol = symbol_of(name);
  return symbol && scopes_->symbol(symbol).scope == function_scope_ &&
         scopes_->symbol(symbol).is_local();
}

bool FunctionContext::is_free(NodeId name) const {
  const SymbolId symbol = symbol_of(name);
  return symbol && scopes_->symbol(symbol).scope < function_scope_ &&
         !scopes_->symbol(symbol).is_global();
}

bool FunctionContext::is_global(NodeId name) const {
  const SymbolId mentioned = scopes_->resolve(name);
  return mentioned && scopes_->symbol(mentioned).is_global();
}

bool FunctionContext::is_builtin(NodeId name) const {
  return is_global(name) && facts_->is(tree_->text(name), GlobalKind::Builtin);
}

bool FunctionContext::is_plain_local(NodeId name) const {
  const SymbolId symbol = symbol_of(name);
  return symbol && scopes_->symbol(symbol).scope == function_scope_ &&
         scopes_->symbol(symbol).binding == scope::Binding::Local;
}

bool FunctionContext::is_chain(NodeId expression) const {
  return static_cast<bool>(chain_root(expression));
}

NodeId FunctionContext::chain_root(NodeId expression) const {
  while (tree_->kind(expression) == NodeKind::Attribute) {
    expression = syntax::AttributeView(*tree_, expression).value();
  }
  return tree_->kind(expression) == NodeKind::Name ? expression : NodeId();
}

std::string FunctionContext::module_of(NodeId expression) const {
  const NodeId root = chain_root(expression);
  if (!root || !is_global(root)) {
    return {};
  }
  const GlobalFact& found = facts_->find(tree_->text(root));
  if (found.kind != GlobalKind::Module) {
    return {};
  }
  const base::TextRange rest{tree_->range(root).end, tree_->range(expression).end};
  return found.detail + std::string(tree_->text(rest));
}

const GlobalFact& FunctionContext::fact(NodeId expression) const {
  static const GlobalFact kNothing;
  if (tree_->kind(expression) == NodeKind::Name) {
    return is_global(expression) ? facts_->find(tree_->text(expression)) : kNothing;
  }
  if (tree_->kind(expression) == NodeKind::Attribute) {
    const syntax::AttributeView view(*tree_, expression);
    if (tree_->kind(view.value()) == NodeKind::Name && !self_.empty() &&
        tree_->text(view.value()) == self_ && is_local(view.value())) {
      return facts_->find("self." + attribute_name(view.attr_text()));
    }
  }
  return kNothing;
}

std::string FunctionContext::attribute_name(std::string_view written) const {
  const std::size_t stripped = class_name_.find_first_not_of('_');
  if (stripped == std::string_view::npos || !written.starts_with("__") || written.ends_with("__")) {
    return std::string(written);
  }
  return "_" + std::string(class_name_.substr(stripped)) + std::string(written);
}

NodeId FunctionContext::called_statement(NodeId statement) const {
  if (tree_->kind(statement) != NodeKind::Expr) {
    return {};
  }
  const NodeId value = syntax::ExprView(*tree_, statement).value();
  return tree_->kind(value) == NodeKind::Call ? value : NodeId();
}

}  // namespace graphmend::types
