// x.item()   int(x)   x.tolist()   range(x)   modules[x]   math.sqrt(x)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const syntax::Tree& tree = scene.tree();
  const auto claim = [node](std::optional<Certainty> certainty) {
    return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
  };
  if (tree.kind(node) == NodeKind::Subscript) {
    // A list, tuple or ModuleList indexed by a tensor.
    const syntax::SubscriptView view(tree, node);
    const types::Value& base = scene.value(view.value());
    const bool listed =
        base.is(types::kSequence) || scene.heap().instance_name(base) == "torch.nn.ModuleList";
    return listed && scene.value(view.slice()).is_tensor() ? claim(scene.as_tensor(view.slice()))
                                                           : std::nullopt;
  }
  if (const auto method = scene.method(node)) {
    if (!is_one_of(method->name,
                   {"item", "tolist", "__bool__", "__int__", "__float__", "__index__"})) {
      return std::nullopt;
    }
    const auto certainty = Scene::as_tensor(method->receiver);
    if (!certainty && method->receiver.is_unknown() && method->name == "item") {
      return Claim{node, Certainty::Possible};
    }
    return claim(certainty);
  }
  const std::string_view callee = scene.callee(node);
  if (is_one_of(callee, {"builtins.int", "builtins.float", "builtins.bool", "builtins.complex",
                         "builtins.range", "operator.index", "torch.is_nonzero"}) ||
      callee.starts_with("math.")) {
    std::optional<Certainty> result;
    for (std::size_t i = 0; i < scene.argument_count(node); ++i) {
      const NodeId argument = scene.argument(node, i);
      const auto one = argument ? scene.as_tensor(argument) : std::nullopt;
      if (one && (!result || *one < *result)) {
        result = one;
      }
    }
    return claim(result);
  }
  return std::nullopt;
}

}  // namespace

const Entry& host_read_entry() {
  static constexpr Entry kEntry = {
      {"host-read", "GB0124 GB0109 GB0033 GB0059 GB0218", "A tensor's value is read into Python",
       "The value exists only when the graph runs, and Python needs it at once: "
       "`.item()`, `.tolist()`, `int()`, `float()`, `bool()`, an index into a list, "
       "`range()`, a function of `math`.",
       "Two graphs in place of one, and a wait until the device has computed the value.",
       "Keep the value a tensor: index with it, compare with it, use the functions of "
       "torch in place of those of `math`. Read it before the compiled function where it "
       "depends on inputs alone. With `torch._dynamo.config.capture_scalar_outputs = "
       "True` a read stays in the graph, as long as no branch depends on it.",
       "`prelude`: what follows from the inputs alone is computed before the compiled "
       "region; other reads stay in the graph, which ends where a branch needs them.",
       "scale = x.abs().max().item()\nreturn x / scale", "scale = x.abs().max()\nreturn x / scale"},
      {NodeKind::Call, NodeKind::Subscript},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
