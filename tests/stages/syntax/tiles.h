// Whether tokens and trivia tile a text, for tests and oracles.
#ifndef GRAPHMEND_TESTS_STAGES_SYNTAX_TILES_H_
#define GRAPHMEND_TESTS_STAGES_SYNTAX_TILES_H_

#include "syntax/token.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::syntax::test {

// Empty when the tokens are in order and only trivia (white space, line ends, backslashes before
// line ends, comments, a byte order mark) lies between them; else what is wrong.
inline std::string check_tiles(std::string_view text, const TokenBuffer& tokens) {
  std::vector<bool> comment(text.size());
  for (TextRange range : tokens.comments()) {
    if (range.start >= range.end || range.end > text.size() || text[range.start] != '#') {
      return "a comment that is none";
    }
    std::fill(comment.begin() + range.start, comment.begin() + range.end, true);
  }
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    TextRange token = i < tokens.size() ? tokens.ranges()[i]
                                        : TextRange{static_cast<std::uint32_t>(text.size()),
                                                    static_cast<std::uint32_t>(text.size())};
    if (token.start < at || token.end < token.start || token.end > text.size()) {
      return "token " + std::to_string(i) + " is out of order";
    }
    for (; at < token.start; ++at) {
      bool trivia = comment[at] ||
                    std::string_view(" \t\f\r\n").find(text[at]) != std::string::npos ||
                    (text[at] == '\\' && (text[at + 1] == '\n' || text[at + 1] == '\r'));
      if (!trivia) {
        return "byte " + std::to_string(at) + " belongs to no token";
      }
    }
    at = token.end;
  }
  return {};
}

}  // namespace graphmend::syntax::test

#endif  // GRAPHMEND_TESTS_STAGES_SYNTAX_TILES_H_
