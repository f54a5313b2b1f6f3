// x.resize_(n)   x.data = y   x.random_()
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
          view.attr_text() == "data" ? scene.as_tensor(view.value()) : std::nullopt;
      if (certainty) {
        return Claim{target, weaker(*certainty, Certainty::Likely)};
      }
    }
    return std::nullopt;
  }
  const auto method = scene.method(node);
  if (!method || !is_one_of(method->name, {"resize_", "resize_as_", "random_", "share_memory_"})) {
    return std::nullopt;
  }
  const auto certainty = Scene::as_tensor(method->receiver);
  return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
}

}  // namespace

const Entry& storage_change_entry() {
  static constexpr Entry kEntry = {
      {"storage-change", "GB0056 GB0107 GB0126 GB0127 GB0220 GB4197",
       "The storage of a tensor is changed",
       "The graph works on values; what changes the memory behind them can't be kept in "
       "it.",
       "Two graphs in place of one, and no fusion across the call.",
       "Make a new tensor: `x.flatten()[:n].view(shape)`, `torch.randint`, plain "
       "assignment.",
       "", "x.resize_(2, 2)", ""},
      {NodeKind::Call, NodeKind::Assign},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
