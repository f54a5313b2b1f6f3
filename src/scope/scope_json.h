// Scopes as JSON, as CPython's symtable tells them.
#ifndef GRAPHMEND_SCOPE_SCOPE_JSON_H_
#define GRAPHMEND_SCOPE_SCOPE_JSON_H_

#include "scope/scope_tree.h"
#include "source/line_index.h"
#include "syntax/version.h"

#include <string>

namespace graphmend::scope {

// The module's table: an object with "type", "name", "lineno", "nested", "parameters" (a list of
// names), "symbols" (an object: name to "flags" as the number that CPython's table holds, "scope",
// and "is", the names of the is_...() methods that are true), and "children" (a list of tables).
std::string to_json(const ScopeTree& tree, syntax::PythonVersion version,
                    const source::LineIndex& lines);

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_SCOPE_JSON_H_
