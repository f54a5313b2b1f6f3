#include "mends/predicate.h"

#include "mends/names.h"
#include "types/value_kind.h"

#include <span>
#include <utility>
#include <vector>

namespace graphmend::mends {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

// Tests nest as deep as the user likes; what is deeper than this stays in one piece.
constexpr int kMaxDepth = 16;

bool is_negation(const syntax::Tree& tree, NodeId id) {
  return tree.kind(id) == NodeKind::UnaryOp &&
         syntax::UnaryOpView(tree, id).op() == syntax::UnaryOperator::Not;
}

bool is_chained(const syntax::Tree& tree, NodeId id) {
  return tree.kind(id) == NodeKind::Compare && syntax::CompareView(tree, id).op_count() > 1;
}

class Writer {
 public:
  Writer(CodeWriter& out, const types::FunctionContext& context, NodeId test, std::string undecided)
      : out_(out),
        context_(context),
        tree_(context.tree()),
        anchor_(tree_.range(test)),
        undecided_(std::move(undecided)) {
    uses_undecided_ = needs_tensors(test);
  }

  bool run(NodeId test, const std::string& name) {
    if (uses_undecided_) {
      assign(undecided_, "False");
    }
    write(test, name, 0);
    return uses_undecided_;
  }

 private:
  static std::string call(std::string_view function, const std::string& arguments) {
    return runtime(function) + "(" + arguments + ")";
  }
  void assign(const std::string& name, const std::string& value) {
    out_.line(name + " = " + value, anchor_);
  }

  // Bounded by kMaxDepth.
  void write(NodeId test, const std::string& name, int depth) {  // NOLINT(misc-no-recursion)
    if (depth < kMaxDepth && is_negation(tree_, test)) {
      write(syntax::UnaryOpView(tree_, test).operand(), name, depth + 1);
      assign(name, call("not_", name));
      return;
    }
    if (depth < kMaxDepth && tree_.kind(test) == NodeKind::BoolOp) {
      const syntax::BoolOpView view(tree_, test);
      join(view.values(), view.op() == syntax::BoolOperator::And, name, depth);
      return;
    }
    if (depth < kMaxDepth && is_chained(tree_, test)) {
      chain(syntax::CompareView(tree_, test), name);
      return;
    }
    out_.copy(name + " = (", outer_range(tree_, test), ")");
  }

  void join(std::span<const NodeId> values, bool is_and, const std::string& name,
            int depth) {  // NOLINT(misc-no-recursion)
    const std::string rest = name + "_";
    const std::string both = name + ", " + rest;
    write(values[0], name, depth + 1);
    for (const NodeId value : values.subspan(1)) {
      const int opened = open_rest(name, is_and, value);
      write(value, rest, depth + 1);
      assign(name, call(is_and ? "and_" : "or_", both));
      close(opened);
    }
  }

  // `a < b < c` is `a < b and b < c` with b evaluated once; b is pure here.
  void chain(const syntax::CompareView& view, const std::string& name) {
    const std::string rest = name + "_";
    const std::string both = name + ", " + rest;
    NodeId left = view.left();
    bool first = true;
    for (const NodeId right : view.comparators()) {
      const base::TextRange range = outer_range(tree_, left).cover(outer_range(tree_, right));
      if (first) {
        out_.copy(name + " = (", range, ")");
      } else {
        const int opened = open_rest(name, true, right);
        out_.copy(rest + " = (", range, ")");
        assign(name, call("and_", both));
        close(opened);
      }
      first = false;
      left = right;
    }
  }

  // Opens `if the rest counts:` and, where the rest needs tensors, the check that they are. Returns
  // how many levels it opened. What was skipped leaves the variable as it is: after a Python value
  // that decides, the following operands are skipped too.
  int open_rest(const std::string& name, bool is_and, NodeId rest) {
    const std::string counts = call(is_and ? "rest_and" : "rest_or", name);
    out_.line("if " + (uses_undecided_ ? "not " + undecided_ + " and " : "") + counts + ":",
              anchor_);
    out_.indent();
    const std::string tensors = tensors_of(rest);
    if (tensors.empty()) {
      return 1;
    }
    out_.line("if " + call("is_tensor", name) + " and not (" + tensors + "):", anchor_);
    out_.indent();
    assign(undecided_, "True");
    out_.dedent();
    out_.line("else:", anchor_);
    out_.indent();
    return 2;
  }

  void close(int levels) {
    for (; levels > 0; --levels) {
      out_.dedent();
    }
  }

  [[nodiscard]] std::string tensors_of(NodeId expression) const {
    const effects::ExpressionEffects effects =
        effects::expression_effects(context_, expression, effects::Placement::Graph);
    return all_tensors(tree_, effects.tensors);
  }

  [[nodiscard]] bool needs_tensors(NodeId test) const {
    return is_decomposed(tree_, test) && !tensors_of(test).empty();
  }

  CodeWriter& out_;
  const types::FunctionContext& context_;
  const syntax::Tree& tree_;
  base::TextRange anchor_;
  std::string undecided_;
  bool uses_undecided_ = false;
};

// Checks the operands of `test` in their order. `after_tensor`: an operand before may be a tensor.
std::optional<Decline> operand_obligations(const types::FunctionContext& context, NodeId test,
                                           bool& after_tensor, int depth) {
  const syntax::Tree& tree = context.tree();
  if (depth < kMaxDepth && is_negation(tree, test)) {
    return operand_obligations(context, syntax::UnaryOpView(tree, test).operand(), after_tensor,
                               depth + 1);
  }
  if (depth < kMaxDepth && tree.kind(test) == NodeKind::BoolOp) {
    for (const NodeId value : syntax::BoolOpView(tree, test).values()) {
      if (auto decline = operand_obligations(context, value, after_tensor, depth + 1)) {
        return decline;
      }
    }
    return std::nullopt;
  }
  const bool chained = is_chained(tree, test);
  const effects::ExpressionEffects effects =
      effects::expression_effects(context, test, effects::Placement::Graph);
  if (effects.impure) {
    return Decline{"the test may be evaluated twice, and " + effects.impure.reason,
                   "compute this operand before the branch and give it a name",
                   effects.impure.node};
  }
  if (after_tensor || chained) {
    for (const effects::Objection* objection : {&effects.partial, &effects.costly}) {
      if (*objection) {
        return Decline{
            "this operand would be evaluated although Python may skip it, and " + objection->reason,
            "compute it before the branch and give it a name", objection->node};
      }
    }
  }
  after_tensor = after_tensor || types::value_kind(context, test) != types::ValueKind::Python;
  return std::nullopt;
}

}  // namespace

bool is_decomposed(const syntax::Tree& tree, NodeId test) {
  while (is_negation(tree, test)) {
    test = syntax::UnaryOpView(tree, test).operand();
  }
  return tree.kind(test) == NodeKind::BoolOp || is_chained(tree, test);
}

std::optional<Decline> predicate_obligations(const types::FunctionContext& context, NodeId test) {
  if (!is_decomposed(context.tree(), test)) {
    return std::nullopt;
  }
  bool after_tensor = false;
  if (auto decline = operand_obligations(context, test, after_tensor, 0)) {
    return decline;
  }
  return unbound_names(context, test);
}

bool write_predicate(CodeWriter& writer, const types::FunctionContext& context, NodeId test,
                     const std::string& name, const std::string& undecided) {
  return Writer(writer, context, test, undecided).run(test, name);
}

}  // namespace graphmend::mends
