// copy.deepcopy(x)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (!is_one_of(scene.callee(node), {"copy.copy", "copy.deepcopy"})) {
    return std::nullopt;
  }
  const NodeId argument = scene.argument(node, 0);
  auto certainty = argument ? scene.as_tensor(argument) : std::nullopt;
  if (!certainty && argument && scene.callee(node) == "copy.deepcopy") {
    certainty = scene.holds_tensor(scene.value(argument));
  }
  return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
}

}  // namespace

const Entry& tensor_copy_entry() {
  static constexpr Entry kEntry = {
      {"tensor-copy", "GB0179 GB4198 GB7581 GB0208", "A tensor is copied by the `copy` module",
       "`copy` works on the storage of a tensor, which does not exist while tracing.",
       "Two graphs in place of one, and no fusion across the call.",
       "Use `x.clone()`, or `x.detach().clone()`.", "", "y = copy.deepcopy(x)", "y = x.clone()"},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
