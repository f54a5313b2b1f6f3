// cond: a branch whose arms can't both be run becomes a conditional of the graph.
//
//     if p: x = self.big(x)        x, = cond(p, arm, other, (x, self))
//     else: self.seen += 1         what the arms write is merged and written after the conditional
//
// Obligations. Static: the arms end where the branch ends; they can be moved to functions; what
// they bind and what is read later is bound in both. While tracing (the run time's `cond`): both
// arms are traced apart; what they give are tensors of equal metadata or the same Python values;
// gradients reach the same leaves; a tensor that is copied is seen nowhere else. Where that fails
// and the branch is followed by the end of the function, `tail` is tried.
#include "mends/conditional.h"
#include "mends/mends.h"

namespace graphmend::mends {

PlanResult plan_cond(const types::FunctionContext& context, const breaks::Finding& finding) {
  return plan_conditional(context, finding, true);
}

}  // namespace graphmend::mends
