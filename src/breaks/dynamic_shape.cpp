// for i in hit.nonzero(): ...
//
// A loop over the places where a tensor is not zero: how many there are is in its values. Other
// uses of such a size are met while tracing.
#include "breaks/kinds.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

// `x.nonzero()`, `torch.nonzero(x)`, `torch.argwhere(x)`, `torch.where(x)`.
bool finds_places(const syntax::Tree& tree, NodeId id) {
  if (tree.kind(id) != NodeKind::Call) {
    return false;
  }
  const syntax::CallView call(tree, id);
  if (tree.kind(call.func()) != NodeKind::Attribute) {
    return false;
  }
  constexpr std::array<std::string_view, 2> kNames = {"nonzero", "argwhere"};
  const std::string_view name = syntax::AttributeView(tree, call.func()).attr_text();
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         (name == "where" && call.arguments().size() == 1);
}

// What is iterated: the expression, or for a variable the one value that it may have.
NodeId iterated(const types::FunctionContext& context, NodeId expression) {
  const syntax::Tree& tree = context.tree();
  if (tree.kind(expression) != NodeKind::Name || !context.is_local(expression)) {
    return expression;
  }
  const auto reaching = context.flow().reaching_definitions(expression);
  if (reaching.size() != 1) {
    return {};
  }
  const flow::Definition& definition = context.flow().definition(reaching[0]);
  const bool plain = definition.kind == flow::DefKind::Assign && !definition.unpacked;
  return plain ? definition.value : NodeId();
}

}  // namespace

std::optional<Finding> find_DynamicShape(const types::FunctionContext& context, NodeId statement) {
  const syntax::Tree& tree = context.tree();
  if (tree.kind(statement) != NodeKind::For) {
    return std::nullopt;
  }
  const NodeId iterable = syntax::ForView(tree, statement).iter();
  const NodeId value = iterated(context, iterable);
  if (!value) {
    return std::nullopt;
  }
  for (std::uint32_t id = tree.subtree_begin(value).value; id <= value.value; ++id) {
    if (finds_places(tree, NodeId(id))) {
      return Finding{Kind::DynamicShape, Certainty::Likely, statement, iterable};
    }
  }
  return std::nullopt;
}

}  // namespace graphmend::breaks
