// effect: a print, a log record, a warning or a write to a standard stream becomes an ordered
// operator that runs the very statement.
//
//     logger.info("mean %s", x.mean())         the operator receives x and runs the statement
//     if p: print("large", x)                  the operator receives p and x and runs the branch
//
// Obligations. Static: the statement binds nothing, its arguments change nothing. While tracing
// (the run time's `run`): every operand can be handed to the operator.
#include "effects/expression.h"
#include "mends/branch.h"
#include "mends/mends.h"
#include "mends/names.h"
#include "mends/outline.h"
#include "mends/predicate.h"

#include <string>

namespace graphmend::mends {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

class EffectPlan final : public Plan {
 public:
  explicit EffectPlan(Operands operands) : operands_(std::move(operands)) {}

  void write(const WriteContext& context) const override {
    const base::TextRange anchor = context.function.tree().range(context.finding.statement);
    context.out.line("if not " + runtime("run") + "(\"" + context.site + "\", " +
                         operand_tuple(operands_) + "):",
                     anchor);
    context.out.indent();
    context.out.copy_statement(context.finding.statement);
    context.out.dedent();
  }

  [[nodiscard]] Outline outline(const types::FunctionContext& function,
                                const breaks::Finding& finding,
                                const source::LineIndex& lines) const override {
    return write_outline(function, finding.statement, operands_, {}, lines);
  }

 private:
  Operands operands_;
};

class PredicatedEffectPlan final : public Plan {
 public:
  explicit PredicatedEffectPlan(Operands operands) : operands_(std::move(operands)) {}

  void write(const WriteContext& context) const override {
    write_tensor_branch(context, [&](const std::string& predicate, const std::string& handled) {
      const base::TextRange anchor = context.function.tree().range(context.finding.statement);
      context.out.line(handled + " = " + runtime("run") + "(\"" + context.site + "\", " +
                           operand_tuple(operands_) + ", " + predicate + ")",
                       anchor);
    });
  }

  [[nodiscard]] Outline outline(const types::FunctionContext& function,
                                const breaks::Finding& finding,
                                const source::LineIndex& lines) const override {
    return write_outline(function, finding.statement, operands_,
                         outer_range(function.tree(), finding.subject), lines);
  }

 private:
  Operands operands_;
};

bool is_effect(breaks::Kind kind) {
  return kind == breaks::Kind::PrintCall || kind == breaks::Kind::LoggingCall ||
         kind == breaks::Kind::WarningCall || kind == breaks::Kind::SkippedCall;
}

// The arguments of an effect's call change nothing.
std::optional<Decline> argument_obligations(const types::FunctionContext& context, NodeId call) {
  for (const NodeId argument : syntax::CallView(context.tree(), call).arguments()) {
    const effects::ExpressionEffects effects =
        effects::expression_effects(context, argument, effects::Placement::Host);
    if (effects.impure) {
      return Decline{"an argument may change something: " + effects.impure.reason,
                     "compute the argument in a statement of its own", effects.impure.node};
    }
  }
  return std::nullopt;
}

PlanResult plan_statement(const types::FunctionContext& context, const breaks::Finding& finding) {
  if (auto decline = argument_obligations(context, finding.subject)) {
    return *std::move(decline);
  }
  auto operands = find_operands(context, finding.statement, false);
  if (auto* decline = std::get_if<Decline>(&operands)) {
    return std::move(*decline);
  }
  return std::make_unique<EffectPlan>(std::get<Operands>(std::move(operands)));
}

// Every statement of the branch is an effect (or nothing).
bool holds_only_effects(const types::FunctionContext& context, std::span<const NodeId> body,
                        std::vector<NodeId>& calls) {
  for (const NodeId statement : body) {
    if (context.tree().kind(statement) == NodeKind::Pass) {
      continue;
    }
    const auto nested = breaks::find_break(context, statement);
    if (!nested || !is_effect(nested->kind)) {
      return false;
    }
    calls.push_back(nested->subject);
  }
  return true;
}

PlanResult plan_branch(const types::FunctionContext& context, const breaks::Finding& finding) {
  const syntax::IfView view(context.tree(), finding.statement);
  std::vector<NodeId> calls;
  if (!holds_only_effects(context, view.body(), calls) ||
      !holds_only_effects(context, view.orelse(), calls) || calls.empty()) {
    return NotApplicable{};
  }
  if (auto decline = predicate_obligations(context, finding.subject)) {
    return *std::move(decline);
  }
  for (const NodeId call : calls) {
    if (auto decline = argument_obligations(context, call)) {
      return *std::move(decline);
    }
  }
  auto operands = find_operands(context, finding.statement, false,
                                outer_range(context.tree(), finding.subject));
  if (auto* decline = std::get_if<Decline>(&operands)) {
    return std::move(*decline);
  }
  return std::make_unique<PredicatedEffectPlan>(std::get<Operands>(std::move(operands)));
}

}  // namespace

PlanResult plan_effect(const types::FunctionContext& context, const breaks::Finding& finding) {
  if (is_effect(finding.kind)) {
    return plan_statement(context, finding);
  }
  if (context.tree().kind(finding.statement) == NodeKind::If) {
    return plan_branch(context, finding);
  }
  return NotApplicable{};
}

}  // namespace graphmend::mends
