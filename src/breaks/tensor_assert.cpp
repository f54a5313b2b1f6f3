// assert x.any(), "message"
#include "breaks/kinds.h"
#include "types/value_kind.h"

namespace graphmend::breaks {

std::optional<Finding> find_TensorAssert(const types::FunctionContext& context,
                                         syntax::NodeId statement) {
  const syntax::Tree& tree = context.tree();
  if (tree.kind(statement) != syntax::NodeKind::Assert) {
    return std::nullopt;
  }
  const syntax::NodeId test = syntax::AssertView(tree, statement).test();
  switch (types::value_kind(context, test)) {
    case types::ValueKind::Python:
      return std::nullopt;
    case types::ValueKind::Tensor:
      return Finding{Kind::TensorAssert, Certainty::Likely, statement, test};
    case types::ValueKind::Unknown:
      return Finding{Kind::TensorAssert, Certainty::Possible, statement, test};
  }
  return std::nullopt;
}

}  // namespace graphmend::breaks
