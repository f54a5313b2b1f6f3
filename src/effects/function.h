// What calling a function can do besides giving a value.
#ifndef GRAPHMEND_EFFECTS_FUNCTION_H_
#define GRAPHMEND_EFFECTS_FUNCTION_H_

#include "effects/expression.h"
#include "types/function_context.h"

namespace graphmend::effects {

// Why the function may do more than compute its result: it binds names that others see, writes
// attributes or items, or calls something unknown. Nothing when it is pure; raising is allowed.
[[nodiscard]] Objection function_impurity(const types::FunctionContext& context);

}  // namespace graphmend::effects

#endif  // GRAPHMEND_EFFECTS_FUNCTION_H_
