// Prints a tree as CPython's `ast.dump` prints its own.
#ifndef GRAPHMEND_SYNTAX_AST_DUMP_H_
#define GRAPHMEND_SYNTAX_AST_DUMP_H_

#include "syntax/tree.h"
#include "syntax/version.h"

#include <string>

namespace graphmend::syntax {

struct AstDumpOptions {
  PythonVersion version = kNewestVersion;  // whose ast.dump to follow
  bool attributes = true;                  // include_attributes
  int indent = -1;                         // spaces a level; negative: all on one line
  // Positions inside f-strings. Those of 3.8 to 3.11 were wrong in CPython: comparisons leave them
  // out.
  bool fstring_positions = true;
  bool fstring_lines = false;  // all the same, show the lines of expressions
  // As JSON: an object with "_type" and the fields of its class for each node. A constant's value
  // is the string that repr() gives.
  bool json = false;
};

// The text of ast.dump(ast.parse(source), include_attributes=..., indent=...) of that version,
// for a tree without errors.
std::string dump_ast(const Tree& tree, const AstDumpOptions& options);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_AST_DUMP_H_
