// The lexer's state, shared by the files that implement it; not part of the public interface.
#ifndef GRAPHMEND_SYNTAX_LEXER_IMPL_H_
#define GRAPHMEND_SYNTAX_LEXER_IMPL_H_

#include "base/pod_vector.h"
#include "diag/diagnostic.h"
#include "syntax/lexer.h"
#include "syntax/line_counter.h"
#include "syntax/scan.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::syntax {

// Limits of CPython's tokenizer.
inline constexpr std::size_t kMaxBrackets = 200;
inline constexpr std::size_t kMaxIndents = 100;
inline constexpr std::size_t kMaxFStrings = 150;

// What part of a text to read.
struct LexRequest {
  std::string_view text;    // the whole text
  std::uint32_t start = 0;  // where to start: the start of a line
  std::uint32_t end = 0;    // where the text is cut; a window for block mode
  PythonVersion version;
  bool block = false;  // read one statement whose own indentation is the base level
};

class Lexer {
 public:
  explicit Lexer(const LexRequest& request);

  // Reads everything; the result is taken from the public fields.
  void run();

  TokenBuffer tokens;
  std::vector<diag::Diagnostic> errors;
  // Block mode: reading stopped because the statement was over, not because the window was.
  bool block_ended = false;

 private:
  using Bytes = const std::uint8_t*;

  enum class BracketKind : std::uint8_t { Plain, Field, Spec };
  struct Bracket {
    std::uint32_t offset;
    TokenKind kind;          // LeftParen, LeftBracket or LeftBrace
    BracketKind bracket;     // Field and Spec: the brace of a replacement field
    std::uint32_t line = 0;  // known once a message needed it
  };
  // One f-string or t-string being read.
  struct FString {
    std::uint32_t start;         // offset of the prefix
    std::uint32_t bracket_base;  // open brackets when it started
    std::uint8_t quote;
    bool triple;
    bool raw;
    bool old_rules;         // before 3.12: its end is known, `limit`
    Bytes saved_end;        // old rules: end_ outside of it
    std::uint8_t end_byte;  // old rules: the byte that a zero replaced
  };
  struct StringPrefix {
    bool bytes = false;
    bool raw = false;
    bool format = false;
    bool is_template = false;
  };
  // What a line's indentation says about it.
  enum class Line : std::uint8_t {
    Begun,
    Abandoned,  // nested too deeply
    Foreign,    // block mode: not part of the statement
  };
  struct Indent {
    std::uint32_t column;
    std::uint32_t alternative;  // the column when tabs count as one
  };

  std::uint32_t offset(Bytes p) const {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) - origin_);
  }
  void push(TokenKind kind, Bytes start, Bytes end) {
    tokens.push(kind, {offset(start), offset(end)});
  }
  // The line of a place, from 1.
  std::uint32_t line_at(Bytes p) {
    const auto before = static_cast<std::size_t>(p - begin_);
    // With one byte more, which tells whether a carriage return ends a line; the text's end has
    // one.
    const std::string_view text(reinterpret_cast<const char*>(begin_), before + 1);
    return static_cast<std::uint32_t>(line_counter_.line(text, before));
  }
  void error(diag::Code code, Bytes start, Bytes end, std::string message, std::string hint = {});

  // lexer.cpp
  void lex_text(Bytes p);
  Bytes lex_invalid(Bytes p);
  Bytes lex_open_bracket(Bytes p);
  Bytes lex_close_bracket(Bytes p);
  Bytes give_up(Bytes p);
  Bytes lex_continuation(Bytes p);
  Bytes lex_non_ascii_name(Bytes start, Bytes p);
  Bytes finish(Bytes p);
  // lexer_indent.cpp
  Bytes lex_line_start(Bytes p);
  Line handle_indentation(Bytes p, std::uint32_t column, std::uint32_t alternative);
  bool block_is_over(Bytes p, std::uint32_t column);
  // lexer_number.cpp
  Bytes lex_number(Bytes p);
  Bytes lex_radix_number(Bytes start, Bytes p, int radix);
  Bytes skip_digits(Bytes p, bool& bad);
  Bytes number_error(Bytes start, Bytes p, std::string message, std::string hint = {});
  Bytes end_number(TokenKind kind, Bytes start, Bytes p, const char* what);
  // lexer_string.cpp
  bool string_prefix(Bytes start, std::size_t size, StringPrefix& prefix) const;
  Bytes lex_string(Bytes start, Bytes quote, StringPrefix prefix);
  Bytes find_string_end(Bytes p, std::uint8_t quote, bool triple, bool& backslashes) const;
  Bytes unterminated_string(Bytes start, Bytes quote, Bytes p, bool triple, bool format,
                            bool fresh);
  void check_escapes(Bytes start, Bytes p, Bytes end, bool bytes);
  // lexer_fstring.cpp
  Bytes start_fstring(Bytes start, Bytes quote, StringPrefix prefix, bool triple);
  Bytes lex_fstring_middle(Bytes p);
  Bytes end_fstring(Bytes p);
  Bytes field_colon(Bytes p);
  Bytes field_close(Bytes p);
  Bytes abandon_fstring(Bytes p);
  bool in_field() const {
    return !brackets_.empty() && brackets_.back().bracket == BracketKind::Field;
  }
  bool in_spec() const {
    return brackets_.size() > fstrings_.back().bracket_base &&
           brackets_.back().bracket == BracketKind::Spec;
  }
  void check_old_field(Bytes end);

  base::PodVector<std::uint8_t> buffer_;
  std::uintptr_t origin_ = 0;  // address of the text's first byte, were the buffer the whole text
  Bytes begin_ = nullptr;
  Bytes end_ = nullptr;
  PythonVersion version_;
  bool block_ = false;
  bool at_first_line_ = true;
  bool last_was_decorator_ = false;
  std::uint32_t bom_size_ = 0;
  base::PodVector<Bracket> brackets_;
  std::vector<FString> fstrings_;
  std::array<Indent, kMaxIndents + 1> indents_{};
  std::size_t indent_count_ = 0;
  LineCounter line_counter_;
};

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_LEXER_IMPL_H_
