// select: a branch whose arms only compute names becomes torch.where.
//
//     if p: x = f(x)          x = torch.where(p, f(x), x)
//
// Obligations. Static: both arms are assignments of plain variables whose right sides are pure,
// raise for no values and are cheap, since both arms run. While tracing (the run time's `select`):
// equal metadata, no other reference to a value that the selection replaces by a copy, no gradient
// that eager would not have.
#include "edit/edit_set.h"
#include "effects/expression.h"
#include "mends/branch.h"
#include "mends/conditional.h"
#include "mends/escape.h"
#include "mends/mends.h"
#include "mends/names.h"
#include "mends/predicate.h"
#include "types/value_kind.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphmend::mends {
namespace {

using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::Tree;

// `target = value`, one variable.
struct Assignment {
  NodeId target;
  NodeId value;
};

using Arm = std::vector<Assignment>;

// A variable that the selection gives its value.
struct Target {
  std::string name;
  NodeId node;  // a Name that an arm assigns
  bool in_body = false;
  bool in_orelse = false;
  // The value can be told apart from a copy: it is returned, stored or passed on, or something may
  // be written in place later.
  bool escapes = true;
};

// The assignment that a statement is; an empty one for statements without effect.
std::optional<Assignment> as_assignment(const types::FunctionContext& context, NodeId statement) {
  const Tree& tree = context.tree();
  switch (tree.kind(statement)) {
    case NodeKind::Pass:
      return Assignment{};
    case NodeKind::Expr:
      if (tree.kind(syntax::ExprView(tree, statement).value()) == NodeKind::Constant) {
        return Assignment{};
      }
      return std::nullopt;
    case NodeKind::Assign: {
      const syntax::AssignView view(tree, statement);
      if (view.targets().size() == 1 && tree.kind(view.targets()[0]) == NodeKind::Name) {
        return Assignment{view.targets()[0], view.value()};
      }
      return std::nullopt;
    }
    case NodeKind::AnnAssign: {
      const syntax::AnnAssignView view(tree, statement);
      if (view.value() && tree.has_flag(statement, syntax::kSimple)) {
        return Assignment{view.target(), view.value()};
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// The arm's assignments; nothing when it holds other statements.
std::optional<Arm> read_arm(const types::FunctionContext& context, std::span<const NodeId> body) {
  Arm arm;
  for (const NodeId statement : body) {
    const std::optional<Assignment> assignment = as_assignment(context, statement);
    if (!assignment) {
      return std::nullopt;
    }
    if (assignment->target) {
      arm.push_back(*assignment);
    }
  }
  return arm;
}

// An operator of the expression takes two operands that may be tensors: their shapes may not fit,
// which shows while tracing, also where the program never comes to it.
bool may_not_fit(const types::FunctionContext& context, NodeId expression) {
  const Tree& tree = context.tree();
  const auto counts = [&](NodeId operand) {
    return types::value_kind(context, operand) != types::ValueKind::Python;
  };
  bool found = false;
  for_each_node(tree, expression, [&](NodeId id) {
    if (found) {
      return;
    }
    if (tree.kind(id) == NodeKind::BinOp) {
      const syntax::BinOpView view(tree, id);
      found = counts(view.left()) && counts(view.right());
    } else if (tree.kind(id) == NodeKind::Compare) {
      found = true;
    } else if (tree.kind(id) == NodeKind::Call) {
      const syntax::CallView view(tree, id);
      std::size_t operands =
          tree.kind(view.func()) == NodeKind::Attribute &&
                  context.module_of(syntax::AttributeView(tree, view.func()).value()).empty()
              ? 1
              : 0;
      for (NodeId argument : view.arguments()) {
        if (tree.kind(argument) == NodeKind::Keyword) {
          argument = syntax::KeywordView(tree, argument).value();
        }
        operands += counts(argument) ? 1 : 0;
      }
      found = operands > 1;
    }
  });
  return found;
}

class SelectPlan final : public Plan {
 public:
  // `risky`: the arms may raise while tracing though Python would not run them.
  SelectPlan(Arm body, Arm orelse, std::vector<Target> targets, std::vector<NodeId> tensors,
             bool gradient_safe, bool risky, Conditional conditional)
      : body_(std::move(body)),
        orelse_(std::move(orelse)),
        targets_(std::move(targets)),
        tensors_(std::move(tensors)),
        gradient_safe_(gradient_safe),
        risky_(risky),
        conditional_(std::move(conditional)) {}

  void write(const WriteContext& context) const override {
    if (context.arm && ends_arm(*context.arm)) {
      write_conditional_in_arm(context, conditional_, write_arm_predicate(context));
      return;
    }
    write_tensor_branch(context, [&](const std::string& predicate, const std::string& handled) {
      const base::TextRange anchor = context.function.tree().range(context.finding.statement);
      std::string tensors = all_tensors(context.function.tree(), tensors_);
      if (risky_) {
        tensors +=
            (tensors.empty() ? "" : " and ") + runtime("may_try") + "(\"" + context.site + "\")";
      }
      if (!tensors.empty()) {
        context.out.line("if " + tensors + ":", anchor);
        context.out.indent();
      }
      write_selection(context, anchor, predicate, handled);
      if (!tensors.empty()) {
        context.out.dedent();
      }
      if (conditional_.join || (conditional_.tail && !context.arm)) {
        context.out.line("if not " + handled + ":", anchor);
        context.out.indent();
        write_conditional(context, conditional_, predicate, handled);
        context.out.dedent();
      }
    });
  }

  [[nodiscard]] bool ends_arm(ArmEnd arm) const override {
    return takes_rest_in_arm(conditional_, arm);
  }

 private:
  void write_selection(const WriteContext& context, base::TextRange anchor,
                       const std::string& predicate, const std::string& handled) const {
    write_arm(context, body_, "t");
    write_arm(context, orelse_, "e");
    std::vector<std::string> names;
    std::vector<std::string> news;
    std::vector<std::string> olds;
    std::vector<std::string> escapes;
    for (const Target& target : targets_) {
      names.push_back(target.name);
      news.push_back(target.in_body ? renamed(context, "t", target.name) : target.name);
      olds.push_back(target.in_orelse ? renamed(context, "e", target.name) : target.name);
      escapes.emplace_back(target.escapes ? "True" : "False");
    }
    const std::string selected = variable("s", context.number);
    context.out.line(selected + " = " + runtime("select") + "(\"" + context.site + "\", " +
                         predicate + ", " + tuple(news) + ", " + tuple(olds) + ", " +
                         tuple(escapes) + ", " + (gradient_safe_ ? "True" : "False") + ")",
                     anchor);
    context.out.line("if " + selected + " is not None:", anchor);
    context.out.indent();
    context.out.line(tuple(names) + " = " + selected, anchor);
    context.out.line(handled + " = True", anchor);
    context.out.dedent();
  }

  static std::string renamed(const WriteContext& context, std::string_view stem,
                             const std::string& name) {
    return variable(stem, context.number) + "_" + name;
  }

  // The arm's assignments to variables of their own: what an arm assigned before is read from
  // there.
  static void write_arm(const WriteContext& context, const Arm& arm, std::string_view stem) {
    const Tree& tree = context.function.tree();
    std::map<SymbolId, std::string> assigned;
    for (const Assignment& assignment : arm) {
      const base::TextRange range = outer_range(tree, assignment.value);
      edit::EditSet edits;
      for_each_node(tree, assignment.value, [&](NodeId id) {
        if (tree.kind(id) == NodeKind::Name) {
          const auto found = assigned.find(context.function.symbol_of(id));
          if (found != assigned.end()) {
            edits.replace(tree.range(id), found->second);
          }
        }
      });
      const std::string name = renamed(context, stem, std::string(tree.text(assignment.target)));
      context.out.edited(name + " = (", range, edits, ")");
      assigned[context.function.symbol_of(assignment.target)] = name;
    }
  }

  Arm body_;
  Arm orelse_;
  std::vector<Target> targets_;
  std::vector<NodeId> tensors_;
  bool gradient_safe_;
  bool risky_;
  Conditional conditional_;  // for when a selection turns out to be illegal while tracing
};

// Checks the right sides of an arm and collects what they need.
std::optional<Decline> arm_obligations(const types::FunctionContext& context, NodeId branch,
                                       const Arm& arm, std::vector<NodeId>& tensors,
                                       bool& gradient_safe) {
  std::vector<SymbolId> assigned;
  for (const Assignment& assignment : arm) {
    const SymbolId symbol = context.symbol_of(assignment.target);
    if (!context.is_plain_local(assignment.target)) {
      return Decline{"an arm assigns '" + std::string(context.tree().text(assignment.target)) +
                         "', which other functions see",
                     "assign a variable of this function in the branch, and the other after it",
                     assignment.target};
    }
    const effects::ExpressionEffects effects =
        effects::expression_effects(context, assignment.value, effects::Placement::Graph);
    for (const effects::Objection* objection :
         {&effects.impure, &effects.partial, &effects.costly}) {
      if (*objection) {
        return Decline{"both arms would run, and " + objection->reason,
                       "compute it before the branch, or keep the branch out of compiled code",
                       objection->node};
      }
    }
    gradient_safe = gradient_safe && !effects.gradient_trap;
    for (const NodeId tensor : effects.tensors) {
      const SymbolId root = context.symbol_of(context.chain_root(tensor));
      if (std::find(assigned.begin(), assigned.end(), root) == assigned.end()) {
        tensors.push_back(tensor);
      } else if (types::value_kind(context, tensor) != types::ValueKind::Tensor) {
        return Decline{"both arms would run, and '" + std::string(context.tree().text(tensor)) +
                           "' may be no tensor there",
                       "compute it before the branch", tensor};
      }
    }
    std::optional<Decline> unbound;
    for_each_node(context.tree(), assignment.value, [&](NodeId id) {
      if (!unbound && context.tree().kind(id) == NodeKind::Name &&
          std::find(assigned.begin(), assigned.end(), context.symbol_of(id)) == assigned.end()) {
        unbound = unbound_names(context, id, branch);
      }
    });
    if (unbound) {
      return unbound;
    }
    assigned.push_back(symbol);
  }
  return std::nullopt;
}

void add_targets(const types::FunctionContext& context, NodeId branch, const Arm& arm, bool in_body,
                 std::vector<Target>& targets) {
  const Tree& tree = context.tree();
  for (const Assignment& assignment : arm) {
    const SymbolId symbol = context.symbol_of(assignment.target);
    if (!context.flow().live_after(branch, symbol)) {
      continue;
    }
    const std::string name(tree.text(assignment.target));
    auto found = std::find_if(targets.begin(), targets.end(),
                              [&](const Target& target) { return target.name == name; });
    if (found == targets.end()) {
      found = targets.insert(targets.end(), Target{name, assignment.target, false, false,
                                                   escapes_after(context, branch, symbol)});
    }
    (in_body ? found->in_body : found->in_orelse) = true;
  }
}

}  // namespace

PlanResult plan_select(const types::FunctionContext& context, const breaks::Finding& finding) {
  const Tree& tree = context.tree();
  if (tree.kind(finding.statement) != NodeKind::If) {
    return NotApplicable{};
  }
  const syntax::IfView view(tree, finding.statement);
  std::optional<Arm> body = read_arm(context, view.body());
  std::optional<Arm> orelse = read_arm(context, view.orelse());
  if (!body || !orelse || (body->empty() && orelse->empty())) {
    return NotApplicable{};
  }
  if (auto decline = predicate_obligations(context, finding.subject)) {
    return *std::move(decline);
  }
  std::vector<NodeId> tensors;
  bool gradient_safe = true;
  for (const Arm* arm : {&*body, &*orelse}) {
    if (auto decline = arm_obligations(context, finding.statement, *arm, tensors, gradient_safe)) {
      return *std::move(decline);
    }
  }
  std::vector<Target> targets;
  add_targets(context, finding.statement, *body, true, targets);
  add_targets(context, finding.statement, *orelse, false, targets);
  for (const Target& target : targets) {
    const bool bound =
        (target.in_body && target.in_orelse) ||
        context.flow().definitely_assigned(finding.statement, context.symbol_of(target.node));
    if (!bound) {
      return Decline{"'" + target.name + "' is bound in one arm only and read later",
                     "bind '" + target.name + "' before the branch", target.node};
    }
  }
  if (targets.empty()) {
    return Decline{"nothing that the branch assigns is read later", "delete the branch",
                   finding.statement};
  }
  bool risky = false;
  for (const Arm* arm : {&*body, &*orelse}) {
    for (const Assignment& assignment : *arm) {
      risky = risky || may_not_fit(context, assignment.value);
    }
  }
  return std::make_unique<SelectPlan>(std::move(*body), std::move(*orelse), std::move(targets),
                                      std::move(tensors), gradient_safe, risky,
                                      find_conditional(context, finding));
}

}  // namespace graphmend::mends
