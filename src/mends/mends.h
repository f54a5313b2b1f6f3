// The planners, one for each mend, each in the file of its name.
#ifndef GRAPHMEND_MENDS_MENDS_H_
#define GRAPHMEND_MENDS_MENDS_H_

#include "mends/mend.h"

namespace graphmend::mends {

[[nodiscard]] PlanResult plan_select(const types::FunctionContext& context,
                                     const breaks::Finding& finding);
[[nodiscard]] PlanResult plan_guard(const types::FunctionContext& context,
                                    const breaks::Finding& finding);
[[nodiscard]] PlanResult plan_effect(const types::FunctionContext& context,
                                     const breaks::Finding& finding);
[[nodiscard]] PlanResult plan_update(const types::FunctionContext& context,
                                     const breaks::Finding& finding);
[[nodiscard]] PlanResult plan_cond(const types::FunctionContext& context,
                                   const breaks::Finding& finding);
[[nodiscard]] PlanResult plan_tail(const types::FunctionContext& context,
                                   const breaks::Finding& finding);
[[nodiscard]] PlanResult plan_dense(const types::FunctionContext& context,
                                    const breaks::Finding& finding);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_MENDS_H_
