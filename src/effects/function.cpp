#include "effects/function.h"

#include <string>

namespace graphmend::effects {

using syntax::NodeId;
using syntax::NodeKind;

Objection function_impurity(const types::FunctionContext& context) {
  const syntax::Tree& tree = context.tree();
  const NodeId function = context.function();
  if (tree.kind(function) != NodeKind::FunctionDef) {
    return {function, "it is not a function with statements"};
  }
  for (const NodeId statement : syntax::FunctionDefView(tree, function).body()) {
    for (std::uint32_t value = tree.subtree_begin(statement).value; value <= statement.value;
         ++value) {
      const NodeId id(value);
      switch (tree.kind(id)) {
        case NodeKind::Attribute:
        case NodeKind::Subscript:
          if (tree.context(id) != syntax::ExprContext::Load) {
            return {id, "it writes '" + std::string(tree.text(id)) + "'"};
          }
          break;
        case NodeKind::Name:
          if (tree.context(id) != syntax::ExprContext::Load && !context.is_plain_local(id)) {
            return {id, "it binds '" + std::string(tree.text(id)) + "', which others see"};
          }
          break;
        case NodeKind::AugAssign:
          return {id, "it may write in place"};
        case NodeKind::With:
        case NodeKind::Import:
        case NodeKind::ImportFrom:
        case NodeKind::FunctionDef:
        case NodeKind::ClassDef:
        case NodeKind::Global:
        case NodeKind::Nonlocal:
        case NodeKind::Yield:
        case NodeKind::YieldFrom:
        case NodeKind::Await:
          return {id, "it holds a statement whose effects are not known"};
        case NodeKind::Call: {
          // An exception that is raised needs no facts about its class.
          if (tree.kind(tree.parent(id)) == NodeKind::Raise) {
            break;
          }
          const ExpressionEffects effects = expression_effects(context, id, Placement::Host);
          if (effects.impure) {
            return effects.impure;
          }
          break;
        }
        default:
          break;
      }
    }
  }
  return {};
}

}  // namespace graphmend::effects
