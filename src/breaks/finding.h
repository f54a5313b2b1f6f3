// A finding: the claim that a statement breaks the graph.
#ifndef GRAPHMEND_BREAKS_FINDING_H_
#define GRAPHMEND_BREAKS_FINDING_H_

#include "syntax/tree.h"
#include "types/function_context.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphmend::breaks {

enum class Kind : std::uint8_t {
#define GM_BREAK_KIND(Name, text, gb, explanation) Name,
#include "breaks/kinds.def"
};

// "tensor-branch", "GB0170", and the sentence of kinds.def.
[[nodiscard]] std::string_view kind_name(Kind kind);
[[nodiscard]] std::string_view kind_gb(Kind kind);
[[nodiscard]] std::string_view kind_explanation(Kind kind);

// How sure the claim is. Likely: the operands look like tensors. Possible: nothing says that they
// are Python values.
enum class Certainty : std::uint8_t { Certain, Likely, Possible };
[[nodiscard]] std::string_view certainty_name(Certainty certainty);

struct Finding {
  Kind kind;
  Certainty certainty;
  // The statement that breaks.
  syntax::NodeId statement;
  // The expression that makes it break: the test of a branch or assertion, the call of an effect.
  syntax::NodeId subject;
};

// The finding about one statement (nested statements aside), or nothing. At most one kind claims a
// statement; the table in find.cpp lists the kinds.
[[nodiscard]] std::optional<Finding> find_break(const types::FunctionContext& context,
                                                syntax::NodeId statement);

}  // namespace graphmend::breaks

#endif  // GRAPHMEND_BREAKS_FINDING_H_
