// `from __future__ import ...` at the start of a module.
#ifndef GRAPHMEND_SCOPE_FUTURE_H_
#define GRAPHMEND_SCOPE_FUTURE_H_

#include "diag/diagnostic.h"
#include "source/line_index.h"
#include "syntax/tree.h"
#include "syntax/version.h"

#include <cstdint>
#include <vector>

namespace graphmend::scope {

// Whether the module's annotations are strings. Features that do not exist are errors.
bool read_future_imports(const syntax::Tree& tree, syntax::PythonVersion version,
                         std::vector<diag::Diagnostic>& errors);

// Whether a statement imports from __future__; up to 3.12 also from a module of that name in a
// package.
bool is_future_import(const syntax::Tree& tree, syntax::NodeId statement,
                      syntax::PythonVersion version);

// The line of the last of the imports at the start of a module; 0 when there is none.
std::uint32_t last_future_line(const syntax::Tree& tree, syntax::PythonVersion version,
                               const source::LineIndex& lines);

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_FUTURE_H_
