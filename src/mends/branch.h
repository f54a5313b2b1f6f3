// The frame that all mends of a tensor branch share.
#ifndef GRAPHMEND_MENDS_BRANCH_H_
#define GRAPHMEND_MENDS_BRANCH_H_

#include "mends/mend.h"

#include <functional>
#include <string>

namespace graphmend::mends {

// Writes
//
//     handled = False
//     predicate = <test>
//     if is_tensor(predicate):
//         <write_handled(predicate, handled)>      sets `handled` when the mend took the branch
//     if not handled:
//         if predicate: <body> else: <orelse>      a Python value, or an obligation failed
//
// for an `if` or `assert`. The fall-back evaluates the test again when it had to be taken apart and
// a tensor decides it.
void write_tensor_branch(const WriteContext& context,
                         const std::function<void(const std::string& predicate,
                                                  const std::string& handled)>& write_handled);

// Writes `if predicate: <body> else: <orelse>`.
void write_plain_branch(const WriteContext& context, const std::string& predicate);

// Writes the test into a variable and returns its name, for a branch in the arm of a conditional:
// there a tensor and a Python value are handled alike, and nothing stands behind.
[[nodiscard]] std::string write_arm_predicate(const WriteContext& context);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_BRANCH_H_
