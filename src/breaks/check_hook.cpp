// module.register_forward_hook(f)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const auto method = scene.method(node);
  return method && is_one_of(method->name, {"register_forward_hook", "register_forward_pre_hook",
                                            "register_full_backward_hook"})
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& hook_entry() {
  static constexpr Entry kEntry = {
      {"hook", "GB0013 GB0467 GB0029", "A hook is registered in traced code",
       "Registering changes the module while it is being traced.",
       "Two graphs in place of one, and no fusion across the call.",
       "Register hooks where the model is made.", "", "self.layer.register_forward_hook(save)", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
