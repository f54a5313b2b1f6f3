// Diagnostics: what is told to the user about a place in a source.
#ifndef GRAPHMEND_DIAG_DIAGNOSTIC_H_
#define GRAPHMEND_DIAG_DIAGNOSTIC_H_

#include "base/text_range.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphmend::diag {

// The number of a diagnostic; listed in codes.def.
enum class Code : std::uint16_t {
#define GM_DIAGNOSTIC(number, name, title) name = number,
#include "diag/codes.def"
#undef GM_DIAGNOSTIC
};

enum class Severity : std::uint8_t { Error, Warning, Note };

// One message about a byte range.
struct Diagnostic {
  Code code;
  Severity severity = Severity::Error;
  base::TextRange range;
  std::string message;
  std::string hint;  // empty when there is nothing to add
};

// The name of a code as written in codes.def, "Unknown" for a number that is not there.
std::string_view code_name(Code code);
// The short title of a code.
std::string_view code_title(Code code);

}  // namespace graphmend::diag

#endif  // GRAPHMEND_DIAG_DIAGNOSTIC_H_
