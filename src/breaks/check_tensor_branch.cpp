// if x.any(): ...      while x < 1: ...      y if x.any() else z      x.any() and y      not
// x.any()
#include "breaks/catalogue.h"

#include <array>
#include <vector>

namespace graphmend::breaks {
namespace {

using syntax::CompareOperator;
using syntax::NodeId;
using syntax::NodeKind;

// The operands of `and`, `or` and `not` whose truth is asked for, left to right.
void leaves(const syntax::Tree& tree, NodeId test,
            std::vector<NodeId>& found) {  // NOLINT(misc-no-recursion)
  if (tree.kind(test) == NodeKind::BoolOp) {
    for (const NodeId value : syntax::BoolOpView(tree, test).values()) {
      leaves(tree, value, found);
    }
  } else if (tree.kind(test) == NodeKind::UnaryOp &&
             syntax::UnaryOpView(tree, test).op() == syntax::UnaryOperator::Not) {
    leaves(tree, syntax::UnaryOpView(tree, test).operand(), found);
  } else {
    found.push_back(test);
  }
}

std::optional<Claim> surest(const Scene& scene, const std::vector<NodeId>& nodes) {
  std::optional<Claim> result;
  for (const NodeId node : nodes) {
    const auto certainty = scene.as_tensor(node);
    if (certainty && (!result || *certainty < result->certainty)) {
      result = Claim{node, *certainty};
    }
  }
  return result;
}

// The node is an operand of a test that is looked at as a whole.
bool is_part_of_test(const syntax::Tree& tree, NodeId node) {
  const NodeId parent = tree.parent(node);
  switch (tree.kind(parent)) {
    case NodeKind::BoolOp:
      return true;
    case NodeKind::UnaryOp:
      return syntax::UnaryOpView(tree, parent).op() == syntax::UnaryOperator::Not;
    case NodeKind::If:
      return syntax::IfView(tree, parent).test() == node;
    case NodeKind::While:
      return syntax::WhileView(tree, parent).test() == node;
    case NodeKind::IfExp:
      return syntax::IfExpView(tree, parent).test() == node;
    case NodeKind::Assert:
      return syntax::AssertView(tree, parent).test() == node;
    case NodeKind::Comprehension:
      return syntax::ComprehensionView(tree, parent).iter() != node &&
             syntax::ComprehensionView(tree, parent).target() != node;
    default:
      return false;
  }
}

std::optional<Claim> look(const Scene& scene, NodeId node) {
  const syntax::Tree& tree = scene.tree();
  std::vector<NodeId> found;
  switch (tree.kind(node)) {
    case NodeKind::If:
      leaves(tree, syntax::IfView(tree, node).test(), found);
      return surest(scene, found);
    case NodeKind::While:
      leaves(tree, syntax::WhileView(tree, node).test(), found);
      return surest(scene, found);
    case NodeKind::IfExp:
      leaves(tree, syntax::IfExpView(tree, node).test(), found);
      return surest(scene, found);
    case NodeKind::Comprehension:
      for (const NodeId test : syntax::ComprehensionView(tree, node).ifs()) {
        leaves(tree, test, found);
      }
      return surest(scene, found);
    case NodeKind::BoolOp:
      if (is_part_of_test(tree, node)) {
        return std::nullopt;
      }
      for (const NodeId value : syntax::BoolOpView(tree, node).values()) {
        leaves(tree, value, found);
      }
      // The last operand is the value, its truth is not asked for.
      if (!found.empty() && found.back() == syntax::BoolOpView(tree, node).values().back()) {
        found.pop_back();
      }
      return surest(scene, found);
    case NodeKind::UnaryOp:
      if (syntax::UnaryOpView(tree, node).op() != syntax::UnaryOperator::Not ||
          is_part_of_test(tree, node)) {
        return std::nullopt;
      }
      leaves(tree, node, found);
      return surest(scene, found);
    case NodeKind::Compare: {
      const syntax::CompareView view(tree, node);
      if (view.op_count() == 1 &&
          (view.op(0) == CompareOperator::In || view.op(0) == CompareOperator::NotIn)) {
        const NodeId container = view.comparators()[0];
        const auto certainty = scene.as_tensor(container);
        return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
      }
      if (view.op_count() < 2) {
        return std::nullopt;
      }
      // a < x < b asks for the truth of a < x.
      found.push_back(view.left());
      for (std::size_t i = 0; i + 1 < view.op_count(); ++i) {
        found.push_back(view.comparators()[i]);
      }
      const auto claim = surest(scene, found);
      return claim ? std::optional(Claim{node, claim->certainty}) : std::nullopt;
    }
    case NodeKind::Call: {
      const std::string_view callee = scene.callee(node);
      if (callee == "builtins.any" || callee == "builtins.all") {
        const NodeId items = scene.argument(node, 0);
        if (!items) {
          return std::nullopt;
        }
        auto certainty = scene.holds_tensor(scene.value(items));
        if (!certainty) {
          certainty = scene.as_tensor(items);
        }
        return certainty ? std::optional(Claim{node, *certainty}) : std::nullopt;
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

const Entry& tensor_branch_entry() {
  static constexpr Entry kEntry = {
      {"tensor-branch", "GB0170", "A branch on a tensor's value",
       "Which way the program goes depends on data that exists only when the graph runs. Dynamo "
       "traces one path, so it ends the graph at the test and lets the interpreter take the "
       "branch.",
       "Two graphs in place of one, a wait for the device to learn the value, and no fusion across "
       "the branch. In a loop or under `with` the whole frame runs uncompiled.",
       "Where both ways are cheap, compute both and choose with `torch.where`. Where one is "
       "costly, "
       "use `torch.cond`. Test shapes, dtypes or flags in place of values where they say the same.",
       "`select` turns arms that assign plain variables into `torch.where`; `guard` keeps arms "
       "that "
       "raise; `effect` keeps arms that only print or log; `update` keeps arms that rebind "
       "attributes of one object.",
       "if x.isnan().any():\n    x = torch.nan_to_num(x)",
       "x = torch.where(x.isnan().any(), torch.nan_to_num(x), x)"},
      {NodeKind::If, NodeKind::While, NodeKind::IfExp, NodeKind::Comprehension, NodeKind::BoolOp,
       NodeKind::UnaryOp, NodeKind::Compare, NodeKind::Call},
      look};
  return kEntry;
}

}  // namespace graphmend::breaks
