// How the arms of a conditional are written.
#include "mends/branch.h"
#include "mends/conditional.h"
#include "mends/names.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::mends {
namespace {

using syntax::NodeId;

void write_function(const WriteContext& context, const std::string& name, const ArmFunctions& arms,
                    std::span<const NodeId> statements, const std::string& ending, ArmEnd end) {
  const base::TextRange anchor = context.function.tree().range(context.finding.statement);
  std::string parameters;
  for (const std::string& parameter : arms.parameters) {
    parameters += (parameters.empty() ? "" : ", ") + parameter;
  }
  context.out.line("def " + name + "(" + parameters + "):", anchor);
  context.out.indent();
  for (const std::string& cell : arms.nonlocals) {
    context.out.line("nonlocal " + cell, anchor);
  }
  context.write_arm(statements, end);
  context.out.line(ending, anchor);
  context.out.dedent();
}

// Writes both functions and gives the call: `__graphmend__.cond("site", p, a, b, (x,)<more>)`.
std::string write_functions(const WriteContext& context, std::string_view entry,
                            const std::string& predicate, std::string_view stem,
                            const ArmFunctions& arms, const std::string& ending,
                            const std::string& more, ArmEnd end) {
  const std::string chosen = variable(std::string(stem) + "a", context.number);
  const std::string other = variable(std::string(stem) + "b", context.number);
  write_function(context, chosen, arms, arms.chosen, ending, end);
  write_function(context, other, arms, arms.other, ending, end);
  return runtime(entry) + "(\"" + context.site + "\", " + predicate + ", " + chosen + ", " + other +
         ", " + tuple(arms.parameters) + more + ")";
}

// `strict`: the arm around it has no other way.
std::string write_join(const WriteContext& context, const Join& join, const std::string& predicate,
                       bool strict) {
  std::vector<std::string> escapes;
  escapes.reserve(join.escapes.size());
  for (const bool escape : join.escapes) {
    escapes.emplace_back(escape ? "True" : "False");
  }
  return write_functions(context, "cond", predicate, "j", join.arms,
                         "return " + tuple(join.targets),
                         ", " + tuple(escapes) + (strict ? ", True" : ", False"), ArmEnd::Branch);
}

std::string write_tail(const WriteContext& context, const Tail& tail,
                       const std::string& predicate) {
  return write_functions(context, "tail", predicate, "r", tail.arms, "return None",
                         context.arm ? ", True" : ", False", ArmEnd::Function);
}

}  // namespace

void write_conditional(const WriteContext& context, const Conditional& conditional,
                       const std::string& predicate, const std::string& handled) {
  const base::TextRange anchor = context.function.tree().range(context.finding.statement);
  const std::string result = variable("c", context.number);
  if (conditional.join) {
    context.out.line(result + " = " + write_join(context, *conditional.join, predicate, false),
                     anchor);
    context.out.line("if " + result + " is not None:", anchor);
    context.out.indent();
    if (!conditional.join->targets.empty()) {
      context.out.line(tuple(conditional.join->targets) + " = " + result, anchor);
    }
    context.out.line(conditional.join->continues ? "continue" : handled + " = True", anchor);
    context.out.dedent();
  }
  if (conditional.tail && !context.arm) {
    if (conditional.join) {
      context.out.line("if not " + handled + ":", anchor);
      context.out.indent();
    }
    context.out.line(result + " = " + write_tail(context, *conditional.tail, predicate), anchor);
    context.out.line("if " + result + " is not None:", anchor);
    context.out.indent();
    context.out.line("return " + result + "[0]", anchor);
    context.out.dedent();
    if (conditional.join) {
      context.out.dedent();
    }
  }
}

void write_conditional_in_arm(const WriteContext& context, const Conditional& conditional,
                              const std::string& predicate) {
  const base::TextRange anchor = context.function.tree().range(context.finding.statement);
  if (takes_rest_in_arm(conditional, *context.arm)) {
    context.out.line("return " + write_tail(context, *conditional.tail, predicate) + "[0]", anchor);
    return;
  }
  if (!conditional.join) {  // the arm around it ends before what its tail would take
    write_plain_branch(context, predicate);
    return;
  }
  const std::string call = write_join(context, *conditional.join, predicate, true);
  const std::vector<std::string>& targets = conditional.join->targets;
  context.out.line(targets.empty() ? call : tuple(targets) + " = " + call, anchor);
  if (conditional.join->continues) {
    context.out.line("continue", anchor);
  }
}

}  // namespace graphmend::mends
