// Identifiers outside ASCII: which characters they may hold, and their normal form.
#ifndef GRAPHMEND_SYNTAX_IDENTIFIERS_H_
#define GRAPHMEND_SYNTAX_IDENTIFIERS_H_

#include "base/utf8.h"
#include "syntax/version.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphmend::syntax {

using base::append_utf8;
using base::CodePoint;
using base::decode_utf8;
using base::kBadCodePoint;

// XID_Start and XID_Continue with Python's additions, in the Unicode of a version of Python.
bool is_identifier_start(std::uint32_t code_point, PythonVersion version);
bool is_identifier_continue(std::uint32_t code_point, PythonVersion version);
// str.isprintable of one character.
bool is_printable(std::uint32_t code_point, PythonVersion version);

struct IdentifierCheck {
  bool valid = true;
  std::size_t bad_offset = 0;
  std::size_t bad_size = 0;
  std::string message;
};
// Is the text, whose bytes are name bytes or outside ASCII, an identifier? If not, what is wrong
// with its first bad character, in CPython's words.
IdentifierCheck check_identifier(std::string_view text, PythonVersion version);

// The NFKC form of a valid identifier (PEP 3131).
std::string normalize_identifier(std::string_view text);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_IDENTIFIERS_H_
