// Tokens: two parallel arrays, kinds and byte ranges.
#ifndef GRAPHMEND_SYNTAX_TOKEN_H_
#define GRAPHMEND_SYNTAX_TOKEN_H_

#include "base/ids.h"
#include "base/pod_vector.h"
#include "base/text_range.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace graphmend::syntax {

using base::TextRange;

enum class TokenKind : std::uint8_t {
#define GM_TOKEN(name, text) name,
#include "syntax/token_kinds.def"
};

inline constexpr std::size_t kTokenKindCount = 0
#define GM_TOKEN(name, text) +1
#include "syntax/token_kinds.def"
    ;

struct TokenTag;
// Index of a token. 0 means none where a field is optional (no optional field can be token 0).
using TokenId = base::Id<TokenTag>;

// How the kind is spelt ("+=", "while"), or what it is ("name").
std::string_view spelling(TokenKind kind);

// Names, soft keywords included.
constexpr bool is_name(TokenKind kind) {
  return kind <= TokenKind::SoftUnderscore;
}
constexpr bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::KwIn;
}
constexpr bool is_open_bracket(TokenKind kind) {
  return kind >= TokenKind::LeftParen && kind <= TokenKind::LeftBrace;
}
constexpr bool is_close_bracket(TokenKind kind) {
  return kind >= TokenKind::RightParen && kind <= TokenKind::RightBrace;
}
constexpr bool is_augmented_assignment(TokenKind kind) {
  return kind >= TokenKind::PlusEqual && kind <= TokenKind::DoubleStarEqual;
}
// Tokens that stand for no bytes of their own: Indent, Dedent, EndOfFile.
constexpr bool is_virtual(TokenKind kind) {
  return kind >= TokenKind::Indent && kind <= TokenKind::EndOfFile;
}

// The tokens of a text in order. Bytes between tokens are trivia: white space, comments, line ends
// that end no logical line, backslash continuations. Tokens and trivia tile the text.
class TokenBuffer {
 public:
  std::size_t size() const { return kinds_.size(); }
  TokenKind kind(TokenId token) const { return kinds_[token.value]; }
  TextRange range(TokenId token) const { return ranges_[token.value]; }
  std::span<const TokenKind> kinds() const { return kinds_; }
  std::span<const TextRange> ranges() const { return ranges_; }
  // Ranges of all comments, "#" included, line end excluded, in order.
  std::span<const TextRange> comments() const { return comments_; }

  void push(TokenKind kind, TextRange range) {
    kinds_.push_back(kind);
    ranges_.push_back(range);
  }
  void push_comment(TextRange range) { comments_.push_back(range); }
  // Makes room for `count` tokens.
  void reserve(std::size_t count) {
    kinds_.reserve(count);
    ranges_.reserve(count);
  }
  void shrink_to_fit() {
    kinds_.shrink_to_fit();
    ranges_.shrink_to_fit();
    comments_.shrink_to_fit();
  }
  std::size_t memory() const {
    return kinds_.capacity() * sizeof(TokenKind) +
           (ranges_.capacity() + comments_.capacity()) * sizeof(TextRange);
  }

 private:
  base::PodVector<TokenKind> kinds_;
  base::PodVector<TextRange> ranges_;
  base::PodVector<TextRange> comments_;
};

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_TOKEN_H_
