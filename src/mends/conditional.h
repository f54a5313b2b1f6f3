// The forms that a branch can take as a conditional of the graph: its arms as functions.
#ifndef GRAPHMEND_MENDS_CONDITIONAL_H_
#define GRAPHMEND_MENDS_CONDITIONAL_H_

#include "mends/mend.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace graphmend::mends {

// Both arms as functions of the variables that they read.
struct ArmFunctions {
  std::vector<syntax::NodeId> chosen;   // statements that run where the test holds
  std::vector<syntax::NodeId> other;    // and where it does not
  std::vector<std::string> parameters;  // variables of the function, as the branch finds them
  std::vector<std::string> nonlocals;   // cells that the arms bind
};

// The arms end where the branch ends, and what follows goes on with what they bound. Where an arm
// ends with `continue`, both end with the iteration.
struct Join {
  ArmFunctions arms;
  bool continues = false;
  std::vector<std::string> targets;  // variables that an arm binds and that are read later
  std::vector<bool> escapes;         // of each: whether another tensor of equal value would show
};

// The arms go on to the end of the function, with all that follows the branch.
struct Tail {
  ArmFunctions arms;
};

struct Conditional {
  std::optional<Join> join;
  std::optional<Tail> tail;
  // Other values than tensors are chosen or written, or it matters which of two equal tensors comes
  // out: only the end of the function can settle that.
  bool wants_tail = false;
  Decline decline;  // why there is neither form
};

// The forms of an `if`. None when an arm or what follows holds what can't be moved to a function
// (a yield, `super()`, a deletion, a write to a global), reads a variable that may be unbound, or
// leaves the branch other than at its end where it stands in a loop, `with` or `try`. A `continue`
// at the end of an arm is no such way where the branch stands in the body of the loop itself.
[[nodiscard]] Conditional find_conditional(const types::FunctionContext& context,
                                           const breaks::Finding& finding);

// Writes the attempts to handle a branch, at the place that write_tensor_branch has for them.
void write_conditional(const WriteContext& context, const Conditional& conditional,
                       const std::string& predicate, const std::string& handled);

// Writes a branch that stands in an arm itself. `predicate`: what write_arm_predicate gave.
void write_conditional_in_arm(const WriteContext& context, const Conditional& conditional,
                              const std::string& predicate);

// The plan of a branch that has a join (`with_join`), or none but a tail.
[[nodiscard]] PlanResult plan_conditional(const types::FunctionContext& context,
                                          const breaks::Finding& finding, bool with_join);

// In such an arm, the branch takes what follows in the function with it.
[[nodiscard]] bool takes_rest_in_arm(const Conditional& conditional, ArmEnd arm);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_CONDITIONAL_H_
