// with lock: ...
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const types::Value& manager = scene.value(node);
  const std::string_view name = scene.heap().instance_name(manager);
  const bool lock = name.starts_with("threading.") && name != "threading.local";
  return lock || name == "contextlib.redirect_stdout"
             ? std::optional(Claim{syntax::WithItemView(scene.tree(), node).context_expr(),
                                   Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& context_manager_entry() {
  static constexpr Entry kEntry = {
      {"context-manager", "GB0142", "A context manager that is not traced",
       "Dynamo knows torch's own context managers and those written in Python; this one "
       "changes something that it can't follow.",
       "The whole frame runs uncompiled.", "Enter it outside of the compiled function.", "",
       "with self.lock:\n    y = x + 1", ""},
      {NodeKind::WithItem},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
