// What a byte can begin, as a table.
#ifndef GRAPHMEND_SYNTAX_BYTE_CLASS_H_
#define GRAPHMEND_SYNTAX_BYTE_CLASS_H_

#include "syntax/token.h"

#include <array>
#include <cstdint>

namespace graphmend::syntax {

enum class ByteClass : std::uint8_t {
  Invalid,
  Name,     // ASCII letter or underscore
  Space,    // space, tab, form feed
  LineEnd,  // "\n" or "\r"
  Digit,
  Quote,
  Comment,
  Backslash,
  NonAscii,
  Zero,    // the end of the buffer, or a stray zero byte
  Single,  // an operator of one byte that begins no longer one: kSingleOperator
  Open,
  Close,
  Colon,
  Dot,
  Equal,
  Exclamation,
  Less,
  Greater,
  Minus,
  Star,
  Slash,
  Augmentable,  // + @ % & | ^ : alone or followed by "="
};

namespace detail {

constexpr std::array<ByteClass, 256> make_byte_classes() {
  std::array<ByteClass, 256> table{};
  auto set = [&table](const char* bytes, ByteClass value) {
    for (; *bytes != 0; ++bytes) {
      table[static_cast<unsigned char>(*bytes)] = value;
    }
  };
  for (unsigned c = 'a'; c <= 'z'; ++c) {
    table[c] = table[c - 'a' + 'A'] = ByteClass::Name;
  }
  for (unsigned c = '0'; c <= '9'; ++c) {
    table[c] = ByteClass::Digit;
  }
  for (unsigned c = 0x80; c < 0x100; ++c) {
    table[c] = ByteClass::NonAscii;
  }
  set("_", ByteClass::Name);
  set(" \t\f", ByteClass::Space);
  set("\n\r", ByteClass::LineEnd);
  set("'\"", ByteClass::Quote);
  set("#", ByteClass::Comment);
  set("\\", ByteClass::Backslash);
  table[0] = ByteClass::Zero;
  set(",;~", ByteClass::Single);
  set("([{", ByteClass::Open);
  set(")]}", ByteClass::Close);
  set(":", ByteClass::Colon);
  set(".", ByteClass::Dot);
  set("=", ByteClass::Equal);
  set("!", ByteClass::Exclamation);
  set("<", ByteClass::Less);
  set(">", ByteClass::Greater);
  set("-", ByteClass::Minus);
  set("*", ByteClass::Star);
  set("/", ByteClass::Slash);
  set("+@%&|^", ByteClass::Augmentable);
  return table;
}

constexpr std::array<TokenKind, 256> make_operators() {
  std::array<TokenKind, 256> table{};
  for (TokenKind& kind : table) {
    kind = TokenKind::Error;
  }
  table['('] = TokenKind::LeftParen;
  table['['] = TokenKind::LeftBracket;
  table['{'] = TokenKind::LeftBrace;
  table[')'] = TokenKind::RightParen;
  table[']'] = TokenKind::RightBracket;
  table['}'] = TokenKind::RightBrace;
  table[','] = TokenKind::Comma;
  table[';'] = TokenKind::Semicolon;
  table['~'] = TokenKind::Tilde;
  table['+'] = TokenKind::Plus;
  table['@'] = TokenKind::At;
  table['%'] = TokenKind::Percent;
  table['&'] = TokenKind::Ampersand;
  table['|'] = TokenKind::VerticalBar;
  table['^'] = TokenKind::Caret;
  return table;
}

}  // namespace detail

inline constexpr std::array<ByteClass, 256> kByteClass = detail::make_byte_classes();
// Operators of one byte.
inline constexpr std::array<TokenKind, 256> kOperator = detail::make_operators();

inline bool is_ascii_name_byte(std::uint8_t byte) {
  return kByteClass[byte] == ByteClass::Name || kByteClass[byte] == ByteClass::Digit;
}
constexpr bool is_digit(std::uint8_t byte) {
  return byte >= '0' && byte <= '9';
}
constexpr int hex_value(std::uint8_t byte) {
  if (is_digit(byte)) {
    return byte - '0';
  }
  unsigned lower = byte | 0x20U;
  return lower >= 'a' && lower <= 'f' ? static_cast<int>(lower - 'a') + 10 : -1;
}

// The augmented form of a binary operator.
constexpr TokenKind augmented(TokenKind kind) {
  return static_cast<TokenKind>(static_cast<int>(kind) + static_cast<int>(TokenKind::PlusEqual) -
                                static_cast<int>(TokenKind::Plus));
}
static_assert(augmented(TokenKind::Ampersand) == TokenKind::AmpersandEqual);
static_assert(augmented(TokenKind::DoubleStar) == TokenKind::DoubleStarEqual);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_BYTE_CLASS_H_
