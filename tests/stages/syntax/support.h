// What the tests of tokens and trees share.
#ifndef GRAPHMEND_TESTS_STAGES_SYNTAX_SUPPORT_H_
#define GRAPHMEND_TESTS_STAGES_SYNTAX_SUPPORT_H_

#include "syntax/parser.h"
#include "tiles.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphmend::syntax::test {

// Kinds of all tokens as their spellings, the final EndOfFile left out, separated by spaces.
std::string spellings(std::string_view text, PythonVersion version = kNewestVersion);

// The dump of a text that must be valid, positions left out.
std::string shape(std::string_view text, PythonVersion version = kNewestVersion);

// "LINE:COLUMN: message" of the first error; empty when there is none. Columns from 0.
std::string first_error(std::string_view text, PythonVersion version = kNewestVersion);

std::string read_file(const std::string& path);
std::vector<std::string> files_in(const std::string& folder);

}  // namespace graphmend::syntax::test

#endif  // GRAPHMEND_TESTS_STAGES_SYNTAX_SUPPORT_H_
