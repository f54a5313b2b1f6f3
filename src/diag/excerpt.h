// A diagnostic as people read it in a terminal.
#ifndef GRAPHMEND_DIAG_EXCERPT_H_
#define GRAPHMEND_DIAG_EXCERPT_H_

#include "diag/diagnostic.h"
#include "source/source_file.h"

#include <string>

namespace graphmend::diag {

// Place, severity and message; the line with a caret under the place; the hint, if there is one:
//
//   model.py:3:5: error: invalid syntax
//     3 | x = = 1
//       |     ^
//     help: ...
//
// Columns count code points from 1. Long lines are cut around the place, control characters are
// shown as `?`, so that no source can steer a terminal. Ends with a line end.
std::string excerpt(const Diagnostic& diagnostic, const source::SourceFile& file);

}  // namespace graphmend::diag

#endif  // GRAPHMEND_DIAG_EXCERPT_H_
