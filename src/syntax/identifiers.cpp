#include "syntax/identifiers.h"

#include "syntax/unicode_tables.h"

#include <algorithm>
#include <cstdio>

namespace graphmend::syntax {

namespace {

bool in_table(std::span<const CodePointRange> table, std::uint32_t code_point,
              PythonVersion version) {
  auto after = std::upper_bound(
      table.begin(), table.end(), code_point,
      [](std::uint32_t value, const CodePointRange& range) { return value < range.first; });
  if (after == table.begin()) {
    return false;
  }
  const CodePointRange& range = *(after - 1);
  return code_point <= range.last && range.minor <= version.minor;
}

bool is_ascii_letter(std::uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

bool is_identifier_start(std::uint32_t code_point, PythonVersion version) {
  return code_point < 0x80 ? is_ascii_letter(code_point)
                           : in_table(kIdentifierStart, code_point, version);
}

bool is_identifier_continue(std::uint32_t code_point, PythonVersion version) {
  return is_identifier_start(code_point, version) || (code_point >= '0' && code_point <= '9') ||
         in_table(kIdentifierContinue, code_point, version);
}

bool is_printable(std::uint32_t code_point, PythonVersion version) {
  return code_point < 0x80 ? code_point >= 0x20 && code_point < 0x7f
                           : in_table(kPrintable, code_point, version);
}

IdentifierCheck check_identifier(std::string_view text, PythonVersion version) {
  std::size_t at = 0;
  while (at < text.size()) {
    CodePoint point = decode_utf8(text.substr(at));
    bool good =
        point.value != kBadCodePoint && (at == 0 ? is_identifier_start(point.value, version)
                                                 : is_identifier_continue(point.value, version));
    if (!good) {
      IdentifierCheck check{false, at, point.size, {}};
      char number[24];
      std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(point.value));
      if (point.value == kBadCodePoint) {
        check.message = "invalid UTF-8";
      } else if (!is_printable(point.value, version)) {
        check.message = std::string("invalid non-printable character ") + number;
      } else {
        check.message = std::string("invalid character '") +
                        std::string(text.substr(at, point.size)) + "' (" + number + ")";
      }
      return check;
    }
    at += point.size;
  }
  return {};
}

}  // namespace graphmend::syntax
