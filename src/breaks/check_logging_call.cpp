// logger.info("...")
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

// Methods that write a record. Projects add relatives to their loggers (`warning_once`): what
// starts with one of these names and an underscore counts too.
bool emits(std::string_view name) {
  for (const std::string_view known :
       {"critical", "debug", "error", "exception", "fatal", "info", "log", "warn", "warning"}) {
    if (name == known || (name.starts_with(known) && name.substr(known.size()).starts_with('_'))) {
      return true;
    }
  }
  return false;
}

std::optional<Claim> look(const Scene& scene, NodeId node) {
  if (const auto method = scene.method(node)) {
    return scene.heap().instance_name(method->receiver).starts_with("logging.") &&
                   (emits(method->name) || method->name == "isEnabledFor")
               ? std::optional(Claim{node, Certainty::Certain})
               : std::nullopt;
  }
  const std::string_view callee = scene.callee(node);
  return callee.starts_with("logging.") && emits(callee.substr(8))
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& logging_call_entry() {
  static constexpr Entry kEntry = {
      {"logging-call", "GB0291 GB4841 GB0156", "A log record in traced code",
       "A logger looks at the stack and at its handlers when it runs: a graph has no "
       "place for it.",
       "Two graphs in place of one for each function that is inlined around it, up to "
       "four for one line.",
       "Log outside of the compiled function, or under `if not "
       "torch.compiler.is_compiling():`.",
       "`effect` runs the very statement at its place, from inside of the graph.",
       "logger.warning(\"no mask given\")",
       "if not torch.compiler.is_compiling():\n    logger.warning(\"no mask given\")"},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
