// dense: a loop over the places where a tensor is not zero becomes a loop over all places.
//
//     hit = (mask.sum((1, 2)) > 0).nonzero().tolist()
//     for i in hit:                               for i in entries("site", hit):
//         row, column = torch.where(mask[i])          entry("site")
//         out.index_add_(0, column, f(x[column]))     ...
//                                                 entry("site")
//
// Obligations. Static: the loop ends at its end; what its body binds is bound anew in each
// iteration and not read after the loop. While tracing (the run time's `entries` and `entry`): for
// a place where the tensor is zero each operator of an iteration makes an empty tensor or writes at
// no place, and nothing that Python sees is changed.
#include "mends/mends.h"
#include "mends/names.h"

#include <string>

namespace graphmend::mends {
namespace {

using syntax::NodeId;
using syntax::NodeKind;
using syntax::Tree;

class DensePlan final : public Plan {
 public:
  void write(const WriteContext& context) const override {
    const Tree& tree = context.function.tree();
    const NodeId statement = context.finding.statement;
    const syntax::ForView view(tree, statement);
    const base::TextRange iterable = outer_range(tree, view.iter());
    const base::TextRange header{tree.range(statement).start, iterable.end};
    edit::EditSet edits;
    if (!context.arm) {
      edits.replace({iterable.start, iterable.start}, runtime("entries") + quoted(context));
    }
    context.out.edited("", header, edits, context.arm ? ":" : "):");
    context.out.indent();
    write_mark(context);
    context.write_body(view.body());
    context.out.dedent();
    write_mark(context);
  }

 private:
  static std::string quoted(const WriteContext& context) { return "(\"" + context.site + "\", "; }

  // Where an iteration begins or the loop ends. The arm of a conditional is left as it is.
  static void write_mark(const WriteContext& context) {
    if (!context.arm) {
      context.out.line(runtime("entry") + "(\"" + context.site + "\")",
                       context.function.tree().range(context.finding.statement));
    }
  }
};

// The loop that a `break` or `continue` belongs to.
NodeId loop_of(const Tree& tree, NodeId statement) {
  NodeId loop = tree.parent(statement);
  while (tree.kind(loop) != NodeKind::For && tree.kind(loop) != NodeKind::While) {
    loop = tree.parent(loop);
  }
  return loop;
}

std::optional<Decline> check_node(const types::FunctionContext& context, NodeId loop, NodeId id) {
  const Tree& tree = context.tree();
  const auto leaves = [&] {
    return Decline{"the loop may end before its last place", "let it visit every place", id};
  };
  switch (tree.kind(id)) {
    case NodeKind::Return:
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
    case NodeKind::Await:
    case NodeKind::Raise:
    case NodeKind::Assert:
      return leaves();
    case NodeKind::Break:
      return loop_of(tree, id) == loop ? std::optional(leaves()) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// A name that the loop binds must be bound anew in each iteration, and be dead after the loop.
std::optional<Decline> check_name(const types::FunctionContext& context, NodeId loop, NodeId id) {
  const Tree& tree = context.tree();
  if (tree.kind(id) != NodeKind::Name || tree.context(id) == syntax::ExprContext::Load) {
    return std::nullopt;
  }
  const scope::SymbolId symbol = context.symbol_of(id);
  if (symbol && context.scopes().enclosing_scope(id) != context.function_scope()) {
    return std::nullopt;  // a comprehension's own
  }
  const std::string name(tree.text(id));
  const syntax::ForView view(tree, loop);
  if (!context.is_plain_local(id)) {
    return Decline{"the loop binds '" + name + "', which other functions see",
                   "bind a variable of this function", id};
  }
  if (context.flow().live_after(loop, symbol)) {
    return Decline{"'" + name + "' is bound in the loop and read after it",
                   "read it in the loop, or bind it after", id};
  }
  const bool is_target = id.value <= view.target().value && id >= tree.subtree_begin(view.target());
  if (!is_target && context.flow().live_before(view.body()[0], symbol)) {
    return Decline{"'" + name + "' goes from one iteration to the next",
                   "add to a tensor in place, at the places that the iteration finds", id};
  }
  return std::nullopt;
}

}  // namespace

PlanResult plan_dense(const types::FunctionContext& context, const breaks::Finding& finding) {
  const Tree& tree = context.tree();
  const NodeId loop = finding.statement;
  if (finding.kind != breaks::Kind::DynamicShape || tree.kind(loop) != NodeKind::For) {
    return NotApplicable{};
  }
  const syntax::ForView view(tree, loop);
  if (!view.orelse().empty()) {
    return Decline{"the loop has an else", "write what it holds after the loop", loop};
  }
  std::optional<Decline> decline;
  for_each_node(tree, loop, [&](NodeId id) {
    if (!decline) {
      decline = check_node(context, loop, id);
    }
    if (!decline) {
      decline = check_name(context, loop, id);
    }
  });
  if (decline) {
    return *std::move(decline);
  }
  return std::make_unique<DensePlan>();
}

}  // namespace graphmend::mends
