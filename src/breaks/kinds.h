// The finders, one for each kind of kinds.def: find_TensorBranch, ...
#ifndef GRAPHMEND_BREAKS_KINDS_H_
#define GRAPHMEND_BREAKS_KINDS_H_

#include "breaks/finding.h"

#include <optional>

namespace graphmend::breaks {

#define GM_BREAK_KIND(Name, text, gb, explanation)                                        \
  [[nodiscard]] std::optional<Finding> find_##Name(const types::FunctionContext& context, \
                                                   syntax::NodeId statement);
#include "breaks/kinds.def"

}  // namespace graphmend::breaks

#endif  // GRAPHMEND_BREAKS_KINDS_H_
