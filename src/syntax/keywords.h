// Keywords by a perfect hash of their bytes.
#ifndef GRAPHMEND_SYNTAX_KEYWORDS_H_
#define GRAPHMEND_SYNTAX_KEYWORDS_H_

#include "syntax/token.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace graphmend::syntax {

namespace detail {

inline constexpr std::size_t kLongestKeyword = 8;
// Found by trying random odd multipliers until no two keywords collide.
inline constexpr std::uint64_t kKeywordMultiplier = 0x44cc02d30951571b;
inline constexpr unsigned kKeywordShift = 64 - 7;

constexpr std::uint64_t keyword_word(std::string_view text) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  return word;
}

constexpr std::size_t keyword_slot(std::uint64_t word) {
  return (word * kKeywordMultiplier) >> kKeywordShift;
}

struct KeywordTable {
  std::array<std::uint64_t, 128> words{};
  std::array<TokenKind, 128> kinds{};
  bool perfect = true;
};

constexpr KeywordTable make_keyword_table() {
  KeywordTable table;
  auto add = [&table](std::string_view text, TokenKind kind) {
    std::uint64_t word = keyword_word(text);
    std::size_t slot = keyword_slot(word);
    table.perfect = table.perfect && text.size() <= kLongestKeyword && table.words[slot] == 0;
    table.words[slot] = word;
    table.kinds[slot] = kind;
  };
#define GM_KEYWORD(name, text) add(text, TokenKind::name);
#define GM_SOFT_KEYWORD(name, text) add(text, TokenKind::name);
#include "syntax/token_kinds.def"
  return table;
}

inline constexpr KeywordTable kKeywordTable = make_keyword_table();
static_assert(kKeywordTable.perfect);

}  // namespace detail

// The kind of the name of `size` bytes at `p`: a keyword's, or Name. Reads eight bytes at p.
inline TokenKind keyword_or_name(const std::uint8_t* p, std::size_t size) {
  if (size > detail::kLongestKeyword || size == 0) [[unlikely]] {
    return TokenKind::Name;
  }
  std::uint64_t word;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, p, sizeof word);
    word &= ~std::uint64_t{0} >> (64 - 8 * size);
  } else {
    word = detail::keyword_word({reinterpret_cast<const char*>(p), size});
  }
  std::size_t slot = detail::keyword_slot(word);
  return detail::kKeywordTable.words[slot] == word ? detail::kKeywordTable.kinds[slot]
                                                   : TokenKind::Name;
}

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_KEYWORDS_H_
