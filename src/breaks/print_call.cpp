// print(x)
#include "breaks/kinds.h"

namespace graphmend::breaks {

std::optional<Finding> find_PrintCall(const types::FunctionContext& context,
                                      syntax::NodeId statement) {
  const syntax::Tree& tree = context.tree();
  const syntax::NodeId call = context.called_statement(statement);
  if (!call) {
    return std::nullopt;
  }
  const syntax::NodeId callee = syntax::CallView(tree, call).func();
  if (tree.kind(callee) != syntax::NodeKind::Name || tree.text(callee) != "print" ||
      !context.is_builtin(callee)) {
    return std::nullopt;
  }
  return Finding{Kind::PrintCall, Certainty::Certain, statement, call};
}

}  // namespace graphmend::breaks
