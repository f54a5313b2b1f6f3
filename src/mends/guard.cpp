// guard: a branch that raises, or an assertion, on a tensor becomes an ordered operator that stops
// the compiled call.
//
//     if bad(x): raise E(...)          the operator receives bad(x); when it is true the run time
//     assert ok(x), message            restores the state before the call and runs the original
//
// So class, message, traceback, and what was written before are the original's by construction.
// Obligations. Static: every path of the arm raises; the test can be evaluated apart. While tracing
// (the run time's `run`): the frame is the first of a call, so that nothing of the call has run
// yet.
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

class GuardPlan final : public Plan {
 public:
  // `raises_when`: the value of the test that raises. `rest`: statements of the other arm.
  GuardPlan(bool raises_when, std::vector<NodeId> rest)
      : raises_when_(raises_when), rest_(std::move(rest)) {}

  void write(const WriteContext& context) const override {
    write_tensor_branch(context, [&](const std::string& predicate, const std::string& handled) {
      const base::TextRange anchor = context.function.tree().range(context.finding.statement);
      const std::string bad = raises_when_ ? predicate : runtime("not_") + "(" + predicate + ")";
      context.out.line(
          handled + " = " + runtime("run") + "(\"" + context.site + "\", (), " + bad + ")", anchor);
    });
    if (!rest_.empty()) {
      const base::TextRange anchor = context.function.tree().range(context.finding.statement);
      context.out.line("else:", anchor);
      context.out.indent();
      context.write_body(rest_);
      context.out.dedent();
    }
  }

  // The operator needs to know no more than that it has to stop.
  [[nodiscard]] Outline outline(const types::FunctionContext& function,
                                const breaks::Finding& finding,
                                const source::LineIndex& lines) const override {
    const base::TextRange anchor = function.tree().range(finding.statement);
    CodeWriter writer(function.tree(), lines);
    writer.line("def guard(" + std::string(kPredicateParam) + "):", anchor);
    writer.indent();
    writer.line("if " + std::string(kPredicateParam) + ": raise", anchor);
    return {.text = writer.take(), .params = {}, .calls = {}};
  }

 private:
  bool raises_when_;
  std::vector<NodeId> rest_;
};

std::vector<NodeId> copy(std::span<const NodeId> nodes) {
  return {nodes.begin(), nodes.end()};
}

}  // namespace

PlanResult plan_guard(const types::FunctionContext& context, const breaks::Finding& finding) {
  const syntax::Tree& tree = context.tree();
  bool raises_when = true;
  std::vector<NodeId> rest;
  if (tree.kind(finding.statement) == NodeKind::Assert) {
    raises_when = false;
  } else if (tree.kind(finding.statement) == NodeKind::If) {
    const syntax::IfView view(tree, finding.statement);
    if (context.flow().always_raises(view.body())) {
      rest = copy(view.orelse());
    } else if (!view.orelse().empty() && context.flow().always_raises(view.orelse())) {
      raises_when = false;
      rest = copy(view.body());
    } else {
      return NotApplicable{};
    }
  } else {
    return NotApplicable{};
  }
  if (auto decline = predicate_obligations(context, finding.subject)) {
    return *std::move(decline);
  }
  return std::make_unique<GuardPlan>(raises_when, std::move(rest));
}

}  // namespace graphmend::mends
