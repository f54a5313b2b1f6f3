// time.time()
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const std::string_view callee = scene.callee(node);
  return callee.starts_with("time.") || callee.starts_with("datetime.") ||
                 callee.starts_with("uuid.uuid")
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& clock_read_entry() {
  static constexpr Entry kEntry = {
      {"clock-read", "GB0007 GB0156", "A clock is read in traced code",
       "The time is that of tracing, not of running: Dynamo refuses to keep it.",
       "Two graphs in place of one, and no fusion across the call.",
       "Measure around the compiled function.", "", "start = time.perf_counter()", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
