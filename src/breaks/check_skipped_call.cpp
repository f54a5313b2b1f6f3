// os.path.exists(path)   json.dumps(x)   sys.stdout.write("...")
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const std::string_view callee = scene.callee(node);
  const bool skipped =
      (callee.starts_with("os.") && !callee.starts_with("os.environ") && callee != "os.getenv" &&
       callee != "os.path.join") ||
      callee.starts_with("json.") || callee.starts_with("sys.stdout.") ||
      callee.starts_with("sys.stderr.") || callee.starts_with("subprocess.") ||
      callee.starts_with("pickle.") || callee.starts_with("shutil.") ||
      is_one_of(callee, {"torch.initial_seed", "torch.nn.utils.rnn.pack_padded_sequence"});
  return skipped ? std::optional(Claim{node, Certainty::Certain}) : std::nullopt;
}

}  // namespace

const Entry& skipped_call_entry() {
  static constexpr Entry kEntry = {
      {"skipped-call", "GB0007 GB0156", "A library function that is not traced",
       "Dynamo does not look into this part of the standard library, and can't run it "
       "while tracing: it may read or change the world.",
       "Two graphs in place of one, and no fusion across the call.",
       "Call it outside of the compiled function and pass the result in.",
       "`effect`: a statement that writes to `sys.stdout` or `sys.stderr` runs at its place, in "
       "order, as an operator of the graph.",
       "if os.path.exists(path):\n    ...", ""},
      {NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
