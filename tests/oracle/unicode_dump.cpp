// Answers unicode_oracle.py: the tables of characters that the lexer and the printer use.
//
//   oracle_unicode_dump 3.11 < lines
//
// First comes one byte for each code point: bit 0 may start an identifier, bit 1 may continue one,
// bit 2 is printable. Then each line of the input is answered by one line: to "N name" the code
// point of a character's name in hexadecimal ("-" when there is none), to "I text" the normal form
// of an identifier.
#include "syntax/character_names.h"
#include "syntax/identifiers.h"
#include "syntax/version.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace syntax = graphmend::syntax;

int main(int argc, char** argv) {
  const auto version =
      syntax::parse_version(argc > 1 ? std::string_view(argv[1]) : std::string_view());
  if (!version) {
    std::cerr << "usage: oracle_unicode_dump 3.MINOR < lines\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  std::string table(0x110000, '\0');
  for (std::uint32_t point = 0; point < table.size(); ++point) {
    const int bits = (syntax::is_identifier_start(point, *version) ? 1 : 0) |
                     (syntax::is_identifier_continue(point, *version) ? 2 : 0) |
                     (syntax::is_printable(point, *version) ? 4 : 0);
    table[point] = static_cast<char>(bits);
  }
  std::cout << table << std::flush;
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string_view text = std::string_view(line).substr(2);
    if (line[0] == 'N') {
      const std::uint32_t point = syntax::code_point_of_name(text, *version);
      std::cout << (point == syntax::kBadCodePoint ? "-" : fmt::format("{:x}", point)) << '\n';
    } else {
      std::cout << syntax::normalize_identifier(text) << '\n';
    }
  }
  return 0;
}
