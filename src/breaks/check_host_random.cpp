// random.random()   numpy.random.rand()
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const std::string_view callee = scene.callee(node);
  const bool python = callee.starts_with("random.") &&
                      !is_one_of(callee, {"random.uniform", "random.randint", "random.Random"});
  return python || callee.starts_with("numpy.random.")
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& host_random_entry() {
  static constexpr Entry kEntry = {
      {"host-random", "GB0007 GB0033", "A random number is drawn in Python",
       "The draw changes the state of a generator that the graph does not know.",
       "Two graphs in place of one, and no fusion across the call.",
       "Draw with torch, or pass the number in. `random.uniform` and `random.randint` "
       "are traced by Dynamo.",
       "", "if random.random() < self.layerdrop:\n    continue",
       "if random.uniform(0.0, 1.0) < self.layerdrop:\n    continue"},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
