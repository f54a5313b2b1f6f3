// print(x)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  return scene.callee(node) == "builtins.print" ? std::optional(Claim{node, Certainty::Certain})
                                                : std::nullopt;
}

}  // namespace

const Entry& print_call_entry() {
  static constexpr Entry kEntry = {
      {"print-call", "GB0059", "`print` in traced code",
       "It writes when it runs: a graph has no place for it.",
       "Two graphs in place of one, and no fusion across the call. One for each function "
       "that is inlined around it.",
       "Remove it, or print outside of the compiled function.",
       "`effect` runs the very statement at its place, from inside of the graph.",
       "print(\"norm\", x.norm())", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
