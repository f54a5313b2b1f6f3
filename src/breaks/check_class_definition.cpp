// class Local: ...
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  (void)scene;
  return Claim{node, Certainty::Certain};
}

}  // namespace

const Entry& class_definition_entry() {
  static constexpr Entry kEntry = {
      {"class-definition", "GB0075 GB8977 GB1319", "A class is defined in traced code",
       "Making a class runs arbitrary code, which Dynamo does not follow.",
       "Two graphs in place of one, and no fusion across the call.",
       "Define it at module level; what it captures becomes arguments.", "",
       "def forward(self, x):\n    class Result: ...", ""},
      {NodeKind::ClassDef},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
