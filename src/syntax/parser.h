// From text to tree.
#ifndef GRAPHMEND_SYNTAX_PARSER_H_
#define GRAPHMEND_SYNTAX_PARSER_H_

#include "syntax/tree.h"
#include "syntax/version.h"

#include <cstdint>
#include <string_view>

namespace graphmend::syntax {

// Parses a whole file. The text is UTF-8 (SourceFile::text()) and must outlive the tree. Never
// fails: errors are in Tree::errors(), and statements that could not be read are ErrorStatement
// nodes.
Tree parse_module(std::string_view text, PythonVersion version = kNewestVersion);

// Parses one statement: the one whose first line (that of its first decorator, if it has any) holds
// the byte at `offset`. It may be indented: its own indentation is the base level, and reading
// stops where the statement ends. All positions are those of the whole text. The tree's Module
// holds that one statement (none, with an error, when there is none to be read).
Tree parse_block(std::string_view text, std::uint32_t offset,
                 PythonVersion version = kNewestVersion);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_PARSER_H_
