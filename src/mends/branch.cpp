#include "mends/branch.h"

#include "mends/names.h"
#include "mends/predicate.h"

namespace graphmend::mends {

using syntax::NodeId;
using syntax::NodeKind;

namespace {

// `no_truth`: the condition under which `predicate` does not tell what Python's test would give.
void write_fall_back(const WriteContext& context, const std::string& predicate,
                     const std::string& no_truth) {
  const syntax::Tree& tree = context.function.tree();
  const syntax::NodeId statement = context.finding.statement;
  const base::TextRange anchor = tree.range(statement);
  if (is_decomposed(tree, context.finding.subject)) {
    context.out.copy(predicate + " = (", outer_range(tree, context.finding.subject),
                     ") if " + no_truth + " else " + predicate);
  }
  if (tree.kind(statement) == NodeKind::Assert) {
    const syntax::AssertView view(tree, statement);
    if (view.msg()) {
      context.out.copy("assert " + predicate + ", (", outer_range(tree, view.msg()), ")");
    } else {
      context.out.line("assert " + predicate, anchor);
    }
    return;
  }
  write_plain_branch(context, predicate);
}

}  // namespace

void write_plain_branch(const WriteContext& context, const std::string& predicate) {
  const syntax::Tree& tree = context.function.tree();
  const base::TextRange anchor = tree.range(context.finding.statement);
  context.out.line("if " + predicate + ":", anchor);
  const syntax::IfView view(tree, context.finding.statement);
  context.out.indent();
  context.write_body(view.body());
  context.out.dedent();
  if (!view.orelse().empty()) {
    context.out.line("else:", anchor);
    context.out.indent();
    context.write_body(view.orelse());
    context.out.dedent();
  }
}

void write_tensor_branch(const WriteContext& context,
                         const std::function<void(const std::string& predicate,
                                                  const std::string& handled)>& write_handled) {
  const base::TextRange anchor = context.function.tree().range(context.finding.statement);
  const std::string handled = variable("h", context.number);
  const std::string predicate = variable("p", context.number);
  context.out.line(handled + " = False", anchor);
  const std::string undecided = variable("u", context.number);
  const bool may_be_undecided =
      write_predicate(context.out, context.function, context.finding.subject, predicate, undecided);
  const std::string is_tensor = runtime("is_tensor") + "(" + predicate + ")";
  context.out.line("if " + (may_be_undecided ? "not " + undecided + " and " : "") + is_tensor + ":",
                   anchor);
  context.out.indent();
  write_handled(predicate, handled);
  context.out.dedent();
  context.out.line("if not " + handled + ":", anchor);
  context.out.indent();
  write_fall_back(context, predicate, (may_be_undecided ? undecided + " or " : "") + is_tensor);
  context.out.dedent();
}

std::string write_arm_predicate(const WriteContext& context) {
  const syntax::Tree& tree = context.function.tree();
  const std::string predicate = variable("p", context.number);
  const std::string undecided = variable("u", context.number);
  const NodeId test = context.finding.subject;
  if (write_predicate(context.out, context.function, test, predicate, undecided)) {
    context.out.copy(predicate + " = (", outer_range(tree, test),
                     ") if " + undecided + " else " + predicate);
  }
  return predicate;
}

}  // namespace graphmend::mends
