// str(x)   repr(x)   "%s" % x
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const syntax::Tree& tree = scene.tree();
  if (tree.kind(node) == NodeKind::BinOp) {
    const syntax::BinOpView view(tree, node);
    if (view.op() != syntax::Operator::Mod || !scene.value(view.left()).is(types::kStr)) {
      return std::nullopt;
    }
    auto certainty = scene.as_tensor(view.right());
    if (!certainty) {
      certainty = scene.holds_tensor(scene.value(view.right()));
    }
    return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
  }
  if (!is_one_of(scene.callee(node), {"builtins.str", "builtins.repr"})) {
    return std::nullopt;
  }
  const NodeId argument = scene.argument(node, 0);
  const auto certainty = argument ? scene.as_tensor(argument) : std::nullopt;
  return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
}

}  // namespace

const Entry& tensor_text_entry() {
  static constexpr Entry kEntry = {
      {"tensor-text", "GB0059 GB0569", "A tensor is turned into text",
       "The text holds the tensor's values, which exist only when the graph runs.",
       "Two graphs in place of one, and a wait until the device has computed the value.",
       "Make the text outside of the compiled function, or from the shape alone.", "",
       "name = str(x)", ""},
      {NodeKind::Call, NodeKind::BinOp},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
