// Whether it matters which of two equal tensors a variable holds.
#ifndef GRAPHMEND_MENDS_ESCAPE_H_
#define GRAPHMEND_MENDS_ESCAPE_H_

#include "types/function_context.h"

namespace graphmend::mends {

// The value that `symbol` has after `branch` can be told apart from a copy of it: it is returned,
// stored or passed on, or something may be written in place later.
[[nodiscard]] bool escapes_after(const types::FunctionContext& context, syntax::NodeId branch,
                                 scope::SymbolId symbol);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_ESCAPE_H_
