// A statement as a function of its operands.
#ifndef GRAPHMEND_MENDS_OUTLINE_H_
#define GRAPHMEND_MENDS_OUTLINE_H_

#include "mends/mend.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphmend::mends {

// What a statement reads of its function, as expressions to be evaluated at its place.
struct Operand {
  std::string expression;  // `x`, `self.layer`
  std::string param;       // the name that the outlined statement knows it by
};

// The operands of a statement, and where each stands in it.
struct Operands {
  std::vector<Operand> list;
  std::vector<std::pair<base::TextRange, std::string>> places;  // to be replaced by the text
};

// Collects what `statement` reads: variables of the function, of enclosing functions, and of the
// module where they may change. Attribute
// chains that are certain to be evaluated are operands as a whole, so that `self.name` needs no
// `self`; with `whole_objects` they are not. Names inside `excluded` are passed over.
// Declines: the statement binds or deletes a variable, or may read an unbound one.
[[nodiscard]] std::variant<Operands, Decline> find_operands(const types::FunctionContext& context,
                                                            syntax::NodeId statement,
                                                            bool whole_objects,
                                                            base::TextRange excluded = {});

// The name of the outlined predicate.
inline constexpr std::string_view kPredicateParam = "__gm_p";

// Writes `def <function's name>(params): <statement>`, its operands replaced, at their original
// lines. `predicate` is the range replaced by kPredicateParam; empty when there is none.
[[nodiscard]] Outline write_outline(const types::FunctionContext& context, syntax::NodeId statement,
                                    const Operands& operands, base::TextRange predicate,
                                    const source::LineIndex& lines);

// The operands as a tuple expression of mended code.
[[nodiscard]] std::string operand_tuple(const Operands& operands);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_OUTLINE_H_
