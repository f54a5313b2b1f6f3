// loss.backward()   torch.autograd.grad(y, x)   x.requires_grad = True
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const syntax::Tree& tree = scene.tree();
  if (tree.kind(node) == NodeKind::Assign) {
    for (const NodeId target : syntax::AssignView(tree, node).targets()) {
      if (tree.kind(target) != NodeKind::Attribute) {
        continue;
      }
      const syntax::AttributeView view(tree, target);
      const auto certainty =
          view.attr_text() == "requires_grad" ? scene.as_tensor(view.value()) : std::nullopt;
      if (certainty) {
        return Claim{target, *certainty};
      }
    }
    return std::nullopt;
  }
  if (is_one_of(scene.callee(node), {"torch.autograd.grad", "torch.autograd.backward"})) {
    return Claim{node, Certainty::Certain};
  }
  const auto method = scene.method(node);
  if (!method || !is_one_of(method->name, {"backward", "requires_grad_"})) {
    return std::nullopt;
  }
  const auto certainty = Scene::as_tensor(method->receiver);
  return certainty ? std::optional(Claim{node, method->name == "backward"
                                                   ? *certainty
                                                   : weaker(*certainty, Certainty::Likely)})
                   : std::nullopt;
}

}  // namespace

const Entry& autograd_call_entry() {
  static constexpr Entry kEntry = {
      {"autograd-call", "GB0123 GB9186 GB0125 GB0206",
       "The gradient graph is worked on in traced code",
       "Dynamo traces the forward computation; what runs or changes the gradient graph "
       "stays outside.",
       "Two graphs in place of one, and no fusion across the call.",
       "Call `backward` outside of the compiled function; set `requires_grad` before it.", "",
       "loss.backward()", ""},
      {NodeKind::Call, NodeKind::Assign},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
