// x[:n], x.narrow(0, 0, n) with a tensor n
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look_at_narrow(const Scene& scene, NodeId call) {
  std::size_t first = 1;
  if (scene.callee(call) == "torch.narrow") {
    first = 2;
  } else if (const auto method = scene.method(call);
             !method || method->name != "narrow" || !Scene::as_tensor(method->receiver)) {
    return std::nullopt;
  }
  for (const NodeId bound : {scene.argument(call, first), scene.argument(call, first + 1),
                             scene.keyword(call, "start"), scene.keyword(call, "length")}) {
    if (bound && scene.value(bound).is_tensor()) {
      return Claim{call, *scene.as_tensor(bound)};
    }
  }
  return std::nullopt;
}

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (scene.tree().kind(node) == NodeKind::Call) {
    return look_at_narrow(scene, node);
  }
  const syntax::SliceView view(scene.tree(), node);
  for (const NodeId bound : {view.lower(), view.upper(), view.step()}) {
    if (bound && scene.value(bound).is_tensor()) {
      return Claim{node, *scene.as_tensor(bound)};
    }
  }
  return std::nullopt;
}

}  // namespace

const Entry& dynamic_slice_entry() {
  static constexpr Entry kEntry = {
      {"dynamic-slice", "GB0038", "A slice whose bounds are tensors",
       "The size of the slice depends on a value that exists only when the graph runs.",
       "The whole frame is given up without a word: everything in it runs uncompiled.",
       "Select with a mask (`torch.arange(x.shape[0]) < n`), or pass the bound as a "
       "Python number.",
       "", "return x[:lengths.max()]",
       "keep = torch.arange(x.shape[0]) < lengths.max()\nreturn torch.where(keep, x, 0)"},
      {NodeKind::Slice, NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
