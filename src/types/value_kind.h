// Tensor or Python value: what an expression gives, as far as the text tells.
#ifndef GRAPHMEND_TYPES_VALUE_KIND_H_
#define GRAPHMEND_TYPES_VALUE_KIND_H_

#include "syntax/tree.h"
#include "types/function_context.h"

#include <cstdint>

namespace graphmend::types {

enum class ValueKind : std::uint8_t {
  Python,   // never a tensor
  Unknown,  // may be either
  Tensor,   // a tensor, if the program means what such programs mean
};

// The kind of `expression`'s value. Names are followed to the definitions that reach them, to a
// fixed depth; what lies deeper is Unknown.
[[nodiscard]] ValueKind value_kind(const FunctionContext& context, syntax::NodeId expression);

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_VALUE_KIND_H_
