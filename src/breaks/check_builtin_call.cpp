// globals()   dir(x)   pow(2, x)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const std::string_view callee = scene.callee(node);
  if (is_one_of(callee, {"builtins.globals", "builtins.dir", "builtins.exec", "builtins.breakpoint",
                         "builtins.memoryview"})) {
    return Claim{node, Certainty::Certain};
  }
  if (callee == "builtins.pow") {
    const NodeId base = scene.argument(node, 0);
    const NodeId exponent = scene.argument(node, 1);
    const auto certainty = exponent ? scene.as_tensor(exponent) : std::nullopt;
    return certainty && base && !scene.as_tensor(base) ? std::optional(Claim{node, *certainty})
                                                       : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

const Entry& builtin_call_entry() {
  static constexpr Entry kEntry = {
      {"builtin-call", "GB0059", "A builtin that is not traced",
       "Dynamo has no rule for this builtin with these arguments.",
       "Two graphs in place of one, and no fusion across the call.",
       "Write what it computes: `2 ** x` for `pow(2, x)`, a dictionary for `globals()`.", "",
       "y = pow(2, x)", "y = 2 ** x"},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
