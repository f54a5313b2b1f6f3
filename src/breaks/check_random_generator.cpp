// torch.Generator()   torch.manual_seed(0)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (is_one_of(scene.callee(node), {"torch.Generator", "torch.manual_seed",
                                     "torch.cuda.manual_seed", "torch.cuda.manual_seed_all"})) {
    return Claim{node, Certainty::Certain};
  }
  const auto method = scene.method(node);
  return method && scene.heap().instance_name(method->receiver) == "torch.Generator"
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& random_generator_entry() {
  static constexpr Entry kEntry = {
      {"random-generator", "GB0363 GB5526 GB7650 GB0007",
       "A generator is made or seeded in traced code",
       "The state of a generator lives outside of the graph.",
       "Two graphs in place of one, and no fusion across the call.",
       "Make and seed it outside of the compiled function.", "", "torch.manual_seed(0)", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
