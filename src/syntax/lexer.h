// From text to tokens.
#ifndef GRAPHMEND_SYNTAX_LEXER_H_
#define GRAPHMEND_SYNTAX_LEXER_H_

#include "diag/diagnostic.h"
#include "syntax/token.h"
#include "syntax/version.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace graphmend::syntax {

struct LexResult {
  TokenBuffer tokens;  // ends with EndOfFile
  std::vector<diag::Diagnostic> errors;
};

// Splits a UTF-8 text into tokens. Never fails: bytes that are no token become Error tokens with a
// diagnostic, and lexing goes on. At most 2^31 bytes (source::kMaxSourceSize).
LexResult lex(std::string_view text, PythonVersion version = kNewestVersion);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_LEXER_H_
