// open(path)   torch.save(x, path)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  return is_one_of(scene.callee(node), {"builtins.open", "builtins.input", "torch.save",
                                        "torch.load", "io.open", "numpy.save", "numpy.load"})
             ? std::optional(Claim{node, Certainty::Certain})
             : std::nullopt;
}

}  // namespace

const Entry& file_access_entry() {
  static constexpr Entry kEntry = {
      {"file-access", "GB0059 GB0007", "A file is opened in traced code",
       "Reading and writing happen when the program runs: a graph has no place for them.",
       "Two graphs in place of one, and no fusion across the call. Under `with` the "
       "whole frame runs uncompiled.",
       "Do it outside of the compiled function.", "", "torch.save(x, \"x.pt\")", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
