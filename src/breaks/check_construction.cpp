// torch.nn.Parameter(x)   torch.nn.Linear(4, 4)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const std::string_view callee = scene.callee(node);
  if (callee == "torch.nn.Parameter" ||
      is_one_of(callee,
                {"torch.nn.Linear", "torch.nn.Embedding", "torch.nn.LayerNorm", "torch.nn.Conv1d",
                 "torch.nn.Conv2d", "torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.LSTM",
                 "torch.nn.GRU", "torch.nn.MultiheadAttention"})) {
    return Claim{node, Certainty::Certain};
  }
  const NodeId leaf = scene.keyword(node, "requires_grad");
  return callee.starts_with("torch.") && leaf && scene.text(leaf) == "True"
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& construction_entry() {
  static constexpr Entry kEntry = {
      {"parameter-construction", "GB0264 GB0225 GB0235 GB0237",
       "A parameter or a leaf tensor is made in traced code",
       "A new leaf of the gradient graph is state that the compiled function would have "
       "to own.",
       "Two graphs in place of one, and no fusion across the call.",
       "Make it in `__init__`, or use the functional form "
       "(`torch.nn.functional.linear`).",
       "", "return nn.Linear(8, 8)(x)", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
