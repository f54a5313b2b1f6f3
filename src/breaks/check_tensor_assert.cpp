// assert x.any(), f"bad {x}"
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const syntax::AssertView view(scene.tree(), node);
  if (!view.msg() || scene.tree().kind(view.msg()) == NodeKind::Constant) {
    return std::nullopt;
  }
  const auto certainty = scene.as_tensor(view.test());
  return certainty ? std::optional(Claim{view.test(), *certainty}) : std::nullopt;
}

}  // namespace

const Entry& tensor_assert_entry() {
  static constexpr Entry kEntry = {
      {"tensor-assert", "GB0034 GB0170 GB0171",
       "An assertion on a tensor whose message is not a plain string",
       "An assertion on a tensor is kept in the graph only if its message is a constant "
       "string or missing. Else Dynamo ends the graph to make the message.",
       "Two graphs in place of one, and a wait until the device has computed the value.",
       "Give the assertion a constant message, or use `torch._assert_async`.",
       "`guard` keeps the assertion in the graph, with its class and message.",
       "assert (x > 0).all(), f\"negative: {x.min()}\"", "assert (x > 0).all(), \"negative\""},
      {NodeKind::Assert},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
