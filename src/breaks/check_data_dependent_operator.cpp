// torch.equal(x, y)   torch.allclose(x, y)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (const auto method = scene.method(node)) {
    if (!is_one_of(method->name, {"equal", "allclose"})) {
      return std::nullopt;
    }
    const auto certainty = Scene::as_tensor(method->receiver);
    return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
  }
  return is_one_of(scene.callee(node), {"torch.equal", "torch.allclose"})
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& data_dependent_operator_entry() {
  static constexpr Entry kEntry = {
      {"tensor-compare", "GB0033", "Two tensors are compared as a whole",
       "`torch.equal` and `torch.allclose` give a Python truth value, which exists only "
       "when the graph runs.",
       "Two graphs in place of one, and a wait until the device has computed the value.",
       "Use `(x == y).all()` or `torch.isclose(x, y).all()`, which stay tensors.", "",
       "if torch.equal(x, y):\n    return x", "return torch.where((x == y).all(), x, z)"},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
