// sorted(tensors)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (scene.callee(node) != "builtins.sorted" || scene.keyword(node, "key")) {
    return std::nullopt;
  }
  const NodeId argument = scene.argument(node, 0);
  const auto certainty = argument ? scene.holds_tensor(scene.value(argument)) : std::nullopt;
  return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
}

}  // namespace

const Entry& tensor_sort_entry() {
  static constexpr Entry kEntry = {
      {"tensor-sort", "GB0207", "Python sorts tensors",
       "Each comparison asks for the truth of a tensor.",
       "Two graphs in place of one, and a wait until the device has computed the value.",
       "Stack them and use `torch.sort` or `torch.argsort`.", "", "order = sorted(scores)",
       "order = torch.sort(torch.stack(scores)).values"},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
