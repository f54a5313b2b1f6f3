// if x.any(): ...
#include "breaks/kinds.h"
#include "types/value_kind.h"

namespace graphmend::breaks {

std::optional<Finding> find_TensorBranch(const types::FunctionContext& context,
                                         syntax::NodeId statement) {
  const syntax::Tree& tree = context.tree();
  if (tree.kind(statement) != syntax::NodeKind::If) {
    return std::nullopt;
  }
  const syntax::NodeId test = syntax::IfView(tree, statement).test();
  switch (types::value_kind(context, test)) {
    case types::ValueKind::Python:
      return std::nullopt;
    case types::ValueKind::Tensor:
      return Finding{Kind::TensorBranch, Certainty::Likely, statement, test};
    case types::ValueKind::Unknown:
      return Finding{Kind::TensorBranch, Certainty::Possible, statement, test};
  }
  return std::nullopt;
}

}  // namespace graphmend::breaks
