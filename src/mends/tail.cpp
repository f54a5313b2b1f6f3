// tail: a branch with an arm that returns, or that chooses Python values, takes the rest of the
// function into its arms.
//
//     if p: return None            return tail(p, arm, other, (x,))
//     return x + 1
//
// Obligations as above, but that arms may return. While tracing (the run time's `tail`): where the
// call ends with the function, Python values, tensors of differing metadata and the very objects
// that were passed in are chosen after the graph has run.
#include "mends/conditional.h"
#include "mends/mends.h"

namespace graphmend::mends {

PlanResult plan_tail(const types::FunctionContext& context, const breaks::Finding& finding) {
  return plan_conditional(context, finding, false);
}

}  // namespace graphmend::mends
