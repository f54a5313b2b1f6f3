// What evaluating an expression can do besides giving a value.
#ifndef GRAPHMEND_EFFECTS_EXPRESSION_H_
#define GRAPHMEND_EFFECTS_EXPRESSION_H_

#include "syntax/tree.h"
#include "types/function_context.h"

#include <string>
#include <vector>

namespace graphmend::effects {

// A property that an expression lacks: where, and why in words for the user.
struct Objection {
  syntax::NodeId node;
  std::string reason;

  explicit operator bool() const { return static_cast<bool>(node); }
};

// Effects of one expression; an empty objection means that the property holds.
struct ExpressionEffects {
  // Writes nothing, draws nothing, prints nothing, calls nothing unknown.
  Objection impure;
  // Raises for no values of the tensors it reads (errors of metadata show up while tracing).
  Objection partial;
  // Elementwise work and reductions only.
  Objection costly;
  // The gradient is zero wherever the incoming one is, whatever the operands hold.
  Objection gradient_trap;
  // Names and attribute chains that must hold tensors for the above to be true: receivers of tensor
  // methods and operands of torch functions.
  std::vector<syntax::NodeId> tensors;
};

// Where the expression is going to be evaluated.
enum class Placement {
  Graph,  // in the traced code: host reads (`item`) are not pure there, since they break the graph
  Host,   // in an operator that runs the original statement: host reads are pure
};

// Classifies the expression `root`, nested expressions included. One pass over its subtree.
[[nodiscard]] ExpressionEffects expression_effects(const types::FunctionContext& context,
                                                   syntax::NodeId root, Placement placement);

}  // namespace graphmend::effects

#endif  // GRAPHMEND_EFFECTS_EXPRESSION_H_
