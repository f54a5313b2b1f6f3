// What only the parser of 3.8 rejects, and later versions leave to the compiler.
#ifndef GRAPHMEND_SYNTAX_FORBIDDEN_NAMES_H_
#define GRAPHMEND_SYNTAX_FORBIDDEN_NAMES_H_

#include "diag/diagnostic.h"
#include "syntax/tree.h"

#include <optional>

namespace graphmend::syntax {

// The first place where __debug__ is bound or a keyword argument is repeated, as an error of 3.8's
// parser. The tree has no errors.
std::optional<diag::Diagnostic> find_forbidden_name(const Tree& tree);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_FORBIDDEN_NAMES_H_
