#include "mends/escape.h"

#include "effects/expression.h"
#include "mends/names.h"

#include <algorithm>
#include <vector>

namespace graphmend::mends {
namespace {

using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::Tree;

// Operators that make a new tensor from this operand, whatever it is.
bool is_read_only_use(const Tree& tree, NodeId use) {
  const NodeId parent = tree.parent(use);
  switch (tree.kind(parent)) {
    case NodeKind::BinOp:
    case NodeKind::Compare:
      return true;
    case NodeKind::UnaryOp:
      // `+x` is x itself.
      return syntax::UnaryOpView(tree, parent).op() != syntax::UnaryOperator::UAdd;
    default:
      return false;
  }
}

// Running the node may write a tensor in place, through whatever name.
bool may_write(const types::FunctionContext& context, NodeId id) {
  const Tree& tree = context.tree();
  switch (tree.kind(id)) {
    case NodeKind::AugAssign:
    case NodeKind::With:
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
    case NodeKind::Await:
      return true;
    case NodeKind::Attribute:
    case NodeKind::Subscript:
      return tree.context(id) != syntax::ExprContext::Load;
    case NodeKind::Call:
      return static_cast<bool>(
          effects::expression_effects(context, id, effects::Placement::Host).impure);
    default:
      return false;
  }
}

// Something that may run after `branch` in this function may write in place.
bool may_write_after(const types::FunctionContext& context, NodeId branch) {
  const Tree& tree = context.tree();
  bool found = false;
  for_each_node(tree, context.function(), [&](NodeId id) {
    found = found ||
            (may_write(context, id) && context.flow().may_reach(branch, statement_of(tree, id)));
  });
  return found;
}

}  // namespace

bool escapes_after(const types::FunctionContext& context, NodeId branch, SymbolId symbol) {
  const std::vector<NodeId> uses = context.flow().uses_after(branch, symbol);
  const bool read_only = std::all_of(
      uses.begin(), uses.end(), [&](NodeId use) { return is_read_only_use(context.tree(), use); });
  return !read_only || may_write_after(context, branch);
}

}  // namespace graphmend::mends
