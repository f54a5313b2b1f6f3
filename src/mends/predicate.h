// The test of a branch, evaluated so that tensors and Python values can be told apart while
// tracing.
#ifndef GRAPHMEND_MENDS_PREDICATE_H_
#define GRAPHMEND_MENDS_PREDICATE_H_

#include "effects/expression.h"
#include "mends/code_writer.h"
#include "mends/mend.h"

#include <optional>
#include <string>

namespace graphmend::mends {

// Why the test can't be evaluated apart from its statement, or nothing when it can.
//
// A test joined by `and`, `or` or chained comparison is taken apart: an operand after a tensor is
// evaluated although Python might have skipped it, so it must be pure and raise for no values.
// Single tests are evaluated exactly once, wherever they are.
[[nodiscard]] std::optional<Decline> predicate_obligations(const types::FunctionContext& context,
                                                           syntax::NodeId test);

// Writes statements that leave the value of `test` in the variable `name`: a tensor where an
// operand that counts is one, else what Python's operators give. Where an operand after a tensor
// would need tensors and does not get them, the variable `undecided` becomes true and `name` means
// nothing. Returns whether `undecided` is used.
bool write_predicate(CodeWriter& writer, const types::FunctionContext& context, syntax::NodeId test,
                     const std::string& name, const std::string& undecided);

// True when write_predicate takes the test apart; then the fall-back evaluates it again.
[[nodiscard]] bool is_decomposed(const syntax::Tree& tree, syntax::NodeId test);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_PREDICATE_H_
