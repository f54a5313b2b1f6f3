// @torch.compiler.disable def f(x): ...   torch._dynamo.graph_break()
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (is_one_of(scene.callee(node), {"torch._dynamo.graph_break", "torch._dynamo.skip_frame",
                                     "torch._dynamo.step_unsupported"})) {
    return Claim{node, Certainty::Certain};
  }
  const types::Value& function = scene.value(syntax::CallView(scene.tree(), node).func());
  return scene.heap().instance_name(function) == "torch.compiler.disabled"
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& disabled_call_entry() {
  static constexpr Entry kEntry = {
      {"disabled-call", "GB0098 GB0099 GB0025 GB0376 GB0377 GB4636", "Tracing is turned off here",
       "The program says so: a function under `torch.compiler.disable`, or a call that "
       "ends the graph.",
       "Two graphs in place of one, and no fusion across the call.",
       "It is what the author asked for. Where the reason is gone, remove it; where the "
       "function is opaque but pure, make it a custom operator.",
       "", "@torch.compiler.disable\ndef stats(x):\n    ...", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
