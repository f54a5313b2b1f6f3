// warnings.warn("...")
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  return is_one_of(scene.callee(node), {"warnings.warn", "warnings.warn_explicit"})
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& warning_call_entry() {
  static constexpr Entry kEntry = {
      {"warning-call", "GB0007", "A warning in traced code",
       "`warnings.warn` looks at the stack and at filters when it runs: a graph has no "
       "place for it.",
       "Two graphs in place of one, and no fusion across the call.",
       "Warn where the object is made, or under `if not torch.compiler.is_compiling():`.",
       "`effect` runs the very statement at its place, from inside of the graph.",
       "warnings.warn(\"deprecated\")", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
