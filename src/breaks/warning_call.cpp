// warnings.warn("...")
#include "breaks/kinds.h"

namespace graphmend::breaks {

std::optional<Finding> find_WarningCall(const types::FunctionContext& context,
                                        syntax::NodeId statement) {
  const syntax::Tree& tree = context.tree();
  const syntax::NodeId call = context.called_statement(statement);
  if (!call) {
    return std::nullopt;
  }
  const syntax::NodeId callee = syntax::CallView(tree, call).func();
  if (tree.kind(callee) != syntax::NodeKind::Attribute) {
    return std::nullopt;
  }
  const syntax::AttributeView attribute(tree, callee);
  if (context.module_of(attribute.value()) != "warnings" ||
      (attribute.attr_text() != "warn" && attribute.attr_text() != "warn_explicit")) {
    return std::nullopt;
  }
  return Finding{Kind::WarningCall, Certainty::Certain, statement, call};
}

}  // namespace graphmend::breaks
