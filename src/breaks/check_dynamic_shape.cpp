// x.nonzero()   torch.where(m)   x[m]   torch.unique(x)   torch.repeat_interleave(x, r)
#include "breaks/catalogue.h"

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

// x[m] is read only to be written: `x[m] += 1`.
bool is_masked_update(const syntax::Tree& tree, NodeId node) {
  const NodeId parent = tree.parent(node);
  return tree.kind(parent) == NodeKind::AugAssign &&
         syntax::AugAssignView(tree, parent).target() == node;
}

// How sure it is that an index holds a mask: a tensor of truth values.
std::optional<Certainty> masks(const Scene& scene, NodeId index) {  // NOLINT(misc-no-recursion)
  if (scene.tree().kind(index) == NodeKind::Tuple) {
    for (const NodeId part : syntax::TupleView(scene.tree(), index).elts()) {
      if (const auto certainty = masks(scene, part)) {
        return certainty;
      }
    }
    return std::nullopt;
  }
  const types::Value& value = scene.value(index);
  return value.dtype == types::DType::Bool ? Scene::as_tensor(value) : std::nullopt;
}

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const syntax::Tree& tree = scene.tree();
  if (tree.kind(node) == NodeKind::Subscript) {
    if (tree.context(node) != syntax::ExprContext::Load) {
      return std::nullopt;
    }
    const syntax::SubscriptView view(tree, node);
    const auto base = scene.as_tensor(view.value());
    if (!base || is_masked_update(tree, node)) {
      return std::nullopt;
    }
    const auto mask = masks(scene, view.slice());
    return mask ? std::optional(Claim{node, weaker(*base, *mask)}) : std::nullopt;
  }
  std::string_view name;
  std::optional<Certainty> certainty = Certainty::Certain;
  std::size_t first = 1;  // of the arguments after the operand
  if (const auto method = scene.method(node)) {
    name = method->name;
    certainty = Scene::as_tensor(method->receiver);
    first = 0;
    if (!certainty && name == "nonzero" && method->receiver.is_unknown()) {
      certainty = Certainty::Possible;
    }
  } else {
    const std::string_view callee = scene.callee(node);
    if (callee == "torch.nn.functional.one_hot") {
      const NodeId classes = scene.argument(node, 1);
      return !classes && !scene.keyword(node, "num_classes")
                 ? std::optional(Claim{node, Certainty::Certain})
                 : std::nullopt;
    }
    if (!callee.starts_with("torch.")) {
      return std::nullopt;
    }
    name = callee.substr(6);
  }
  if (!certainty) {
    return std::nullopt;
  }
  if (is_one_of(name, {"nonzero", "argwhere", "masked_select", "unique", "unique_consecutive",
                       "bincount", "combinations", "unique_dim"})) {
    return Claim{node, *certainty};
  }
  if (name == "where" && first == 1 && scene.argument_count(node) == 1) {
    return Claim{node, *certainty};
  }
  if (name == "repeat_interleave" && !scene.keyword(node, "output_size")) {
    NodeId repeats = scene.argument(node, first);
    if (!repeats) {
      repeats = scene.keyword(node, "repeats");
    }
    if (!repeats && first == 1) {
      repeats = scene.argument(node, 0);  // torch.repeat_interleave(repeats)
    }
    const auto sure = repeats ? scene.as_tensor(repeats) : std::nullopt;
    return sure ? std::optional(Claim{node, weaker(*certainty, *sure)}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

const Entry& dynamic_shape_entry() {
  static constexpr Entry kEntry = {
      {"dynamic-shape", "GB0036 GB0246", "The size of the result depends on a tensor's values",
       "How many elements there will be is known only when the graph runs, and "
       "everything after it needs the size to be traced.",
       "Two graphs in place of one, and a wait until the device has computed the value.",
       "Mask in place of selecting: `torch.where(mask, x, 0)`, then reduce or assign. "
       "Say the size where it is known: `output_size=` of `repeat_interleave`, "
       "`minlength=` of `bincount` (and no greater values), `num_classes=` of `one_hot`. "
       "With `torch._dynamo.config.capture_dynamic_output_shape_ops = True` the graph "
       "goes on with an unknown size.",
       "`prelude`: a size that follows from the inputs alone is computed before the "
       "compiled region; else the graph goes on with an unknown size where it can. `dense`: a "
       "loop over the places where a tensor is not zero (the experts that some token chose) "
       "becomes a loop over all places, where the others do nothing.",
       "kept = x[x > 0]\nreturn kept.sum()", "return torch.where(x > 0, x, 0).sum()"},
      {NodeKind::Call, NodeKind::Subscript},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
