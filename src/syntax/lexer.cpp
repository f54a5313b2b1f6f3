// The main loop of the lexer: names, operators, line ends.
#include "syntax/lexer.h"

#include "syntax/byte_class.h"
#include "syntax/identifiers.h"
#include "syntax/keywords.h"
#include "syntax/lexer_impl.h"

#include <cstdio>
#include <cstring>
#include <utility>

namespace graphmend::syntax {

std::string_view spelling(TokenKind kind) {
  static constexpr std::string_view kSpellings[] = {
#define GM_TOKEN(name, text) text,
#include "syntax/token_kinds.def"
  };
  return kSpellings[static_cast<std::size_t>(kind)];
}

Lexer::Lexer(const LexRequest& request) : version_(request.version), block_(request.block) {
  std::size_t size = request.end - request.start;
  buffer_.reserve(size + kScanPadding);
  std::uint8_t* bytes = buffer_.extend(size + kScanPadding);
  if (size != 0) {
    std::memcpy(bytes, request.text.data() + request.start, size);
  }
  std::memset(bytes + size, 0, kScanPadding);
  begin_ = bytes;
  end_ = bytes + size;
  origin_ = reinterpret_cast<std::uintptr_t>(bytes) - request.start;
  if (request.start == 0 && request.text.starts_with("\xef\xbb\xbf")) {
    bom_size_ = 3;
  }
  if (const void* zero = std::memchr(bytes, 0, size); zero != nullptr) {
    Bytes at = static_cast<Bytes>(zero);
    error(diag::Code::NullByte, at, at + 1, "source code string cannot contain null bytes");
  }
  tokens.reserve(size / 4 + 64);
}

void Lexer::error(diag::Code code, Bytes start, Bytes end, std::string message, std::string hint) {
  errors.push_back({code,
                    diag::Severity::Error,
                    {offset(start), offset(end)},
                    std::move(message),
                    std::move(hint)});
}

void Lexer::run() {
  lex_text(begin_ + bom_size_);
}

Lexer::Bytes Lexer::lex_invalid(Bytes p) {
  if (*p == 0) {
    // Reported when reading began.
  } else if (*p < 0x20 || *p == 0x7f) {
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(*p));
    error(diag::Code::InvalidCharacter, p, p + 1,
          std::string("invalid non-printable character ") + name);
  } else {
    error(diag::Code::InvalidSyntax, p, p + 1, "invalid syntax",
          std::string("`") + static_cast<char>(*p) + "` is no operator of Python");
  }
  push(TokenKind::Error, p, p + 1);
  return p + 1;
}

Lexer::Bytes Lexer::lex_open_bracket(Bytes p) {
  TokenKind kind = kOperator[*p];
  if (brackets_.size() >= kMaxBrackets) {
    error(diag::Code::TooManyBrackets, p, p + 1, "too many nested parentheses");
    return give_up(p);
  }
  push(kind, p, p + 1);
  brackets_.push_back({offset(p), kind, BracketKind::Plain});
  return p + 1;
}

// After a limit is passed: the rest of the text becomes one Error token.
Lexer::Bytes Lexer::give_up(Bytes p) {
  for (; !fstrings_.empty(); fstrings_.pop_back()) {
    const FString& string = fstrings_.back();
    if (string.old_rules) {
      buffer_[static_cast<std::size_t>(end_ - begin_)] = string.end_byte;
      end_ = string.saved_end;
    }
  }
  brackets_.clear();
  push(TokenKind::Error, p, end_);
  return end_;
}

Lexer::Bytes Lexer::lex_close_bracket(Bytes p) {
  TokenKind kind = kOperator[*p];
  if (brackets_.empty()) {
    error(diag::Code::UnmatchedBracket, p, p + 1,
          std::string("unmatched '") + static_cast<char>(*p) + "'");
    push(TokenKind::Error, p, p + 1);
    return p + 1;
  }
  Bracket open = brackets_.back();
  auto closing = [](TokenKind opening) {
    return static_cast<TokenKind>(static_cast<int>(opening) +
                                  static_cast<int>(TokenKind::RightParen) -
                                  static_cast<int>(TokenKind::LeftParen));
  };
  if (closing(open.kind) == kind) {
    if (open.bracket != BracketKind::Plain) {
      return field_close(p);
    }
    brackets_.pop_back();
    push(kind, p, p + 1);
    return p + 1;
  }
  std::string message;
  if (open.bracket != BracketKind::Plain) {
    message = std::string("f-string: unmatched '") + static_cast<char>(*p) + "'";
  } else {
    message = std::string("closing parenthesis '") + static_cast<char>(*p) +
              "' does not match opening parenthesis '" + std::string(spelling(open.kind)) + "'";
    Bytes opening = p - (offset(p) - open.offset);
    if (open.line == 0) {
      open.line = line_at(opening);
      brackets_.back().line = open.line;  // many closing brackets may ask for it
    }
    if (line_at(p) != open.line) {
      message += " on line " + std::to_string(open.line);
    }
    // Close what a bracket further out still waits for, so that one slip costs one statement.
    std::size_t base = fstrings_.empty() ? 0 : fstrings_.back().bracket_base + 1;
    for (std::size_t depth = brackets_.size(); depth > base; --depth) {
      if (closing(brackets_[depth - 1].kind) == kind) {
        brackets_.truncate(depth - 1);
        break;
      }
    }
  }
  error(diag::Code::UnmatchedBracket, p, p + 1, std::move(message));
  push(TokenKind::Error, p, p + 1);
  return p + 1;
}

Lexer::Bytes Lexer::lex_continuation(Bytes p) {
  Bytes after = p + 1;
  if (*after == '\r') {
    after += after[1] == '\n' ? 2 : 1;
  } else if (*after == '\n') {
    ++after;
  } else {
    if (after == end_) {
      error(diag::Code::BadContinuation, p, after, "unexpected EOF while parsing");
    } else {
      error(diag::Code::BadContinuation, p, after,
            "unexpected character after line continuation character");
    }
    push(TokenKind::Error, p, after);
    return after;
  }
  if (after == end_) {
    error(diag::Code::BadContinuation, p, p + 1, "unexpected EOF while parsing");
  }
  return after;
}

Lexer::Bytes Lexer::lex_non_ascii_name(Bytes start, Bytes p) {
  while (*p >= 0x80 || is_ascii_name_byte(*p)) {
    ++p;
  }
  std::string_view name(reinterpret_cast<const char*>(start), static_cast<std::size_t>(p - start));
  IdentifierCheck check = check_identifier(name, version_);
  if (check.valid) {
    push(TokenKind::Name, start, p);
    return p;
  }
  Bytes bad = start + check.bad_offset;
  error(diag::Code::InvalidCharacter, bad, bad + check.bad_size, std::move(check.message));
  push(TokenKind::Error, start, p);
  return p;
}

Lexer::Bytes Lexer::finish(Bytes p) {
  if (!brackets_.empty()) {
    Bracket open = brackets_.back();
    Bytes opening = p - (offset(p) - open.offset);
    error(diag::Code::UnclosedBracket, opening, opening + 1,
          std::string("'") + std::string(spelling(open.kind)) + "' was never closed");
  }
  if (tokens.size() != 0 && tokens.kinds().back() != TokenKind::Newline &&
      tokens.kinds().back() != TokenKind::Dedent) {
    push(TokenKind::Newline, p, p);
  }
  for (; indent_count_ > 1; --indent_count_) {
    push(TokenKind::Dedent, p, p);
  }
  push(TokenKind::EndOfFile, p, p);
  return p;
}

void Lexer::lex_text(Bytes p) {
  p = lex_line_start(p);
  for (;;) {
    std::uint8_t c = *p;
    switch (kByteClass[c]) {
      case ByteClass::Space:
        do {
          ++p;
        } while (kByteClass[*p] == ByteClass::Space);
        break;
      case ByteClass::Name: {
        Bytes start = p;
        p = skip_ascii_name(p + 1);
        if (*p >= 0x80) [[unlikely]] {
          p = lex_non_ascii_name(start, p);
          break;
        }
        std::size_t size = static_cast<std::size_t>(p - start);
        if (kByteClass[*p] == ByteClass::Quote) [[unlikely]] {
          StringPrefix prefix;
          if (size <= 2 && string_prefix(start, size, prefix)) {
            p = lex_string(start, p, prefix);
            break;
          }
        }
        push(keyword_or_name(start, size), start, p);
        break;
      }
      case ByteClass::LineEnd: {
        Bytes start = p;
        p += c == '\r' && p[1] == '\n' ? 2 : 1;
        if (brackets_.empty()) {
          push(TokenKind::Newline, start, p);
          p = lex_line_start(p);
        }
        break;
      }
      case ByteClass::Digit:
        p = lex_number(p);
        break;
      case ByteClass::Quote:
        p = lex_string(p, p, StringPrefix{});
        break;
      case ByteClass::Comment: {
        Bytes start = p;
        if (!fstrings_.empty() && fstrings_.back().old_rules) [[unlikely]] {
          error(diag::Code::BadFString, p, p + 1, "f-string expression part cannot include '#'");
        }
        p = find_line_end(p);
        while (*p == 0 && p != end_) {
          p = find_line_end(p + 1);
        }
        tokens.push_comment({offset(start), offset(p)});
        break;
      }
      case ByteClass::Backslash:
        p = lex_continuation(p);
        break;
      case ByteClass::NonAscii:
        p = lex_non_ascii_name(p, p);
        break;
      case ByteClass::Zero:
        if (p != end_) {
          p = lex_invalid(p);
        } else if (!fstrings_.empty() && fstrings_.back().old_rules) {
          p = abandon_fstring(p);
        } else {
          finish(p);
          return;
        }
        break;
      case ByteClass::Single:
        push(kOperator[c], p, p + 1);
        ++p;
        break;
      case ByteClass::Open:
        p = lex_open_bracket(p);
        break;
      case ByteClass::Close:
        p = lex_close_bracket(p);
        break;
      case ByteClass::Colon:
        if (in_field()) [[unlikely]] {
          p = field_colon(p);
        } else if (p[1] == '=') {
          push(TokenKind::ColonEqual, p, p + 2);
          p += 2;
        } else {
          push(TokenKind::Colon, p, p + 1);
          ++p;
        }
        break;
      case ByteClass::Dot:
        if (is_digit(p[1])) {
          p = lex_number(p);
        } else if (p[1] == '.' && p[2] == '.') {
          push(TokenKind::Ellipsis, p, p + 3);
          p += 3;
        } else {
          push(TokenKind::Dot, p, p + 1);
          ++p;
        }
        break;
      case ByteClass::Equal: {
        bool two = p[1] == '=';
        push(two ? TokenKind::EqualEqual : TokenKind::Equal, p, p + 1 + two);
        p += 1 + two;
        break;
      }
      case ByteClass::Exclamation:
        if (p[1] == '=') {
          push(TokenKind::NotEqual, p, p + 2);
          p += 2;
        } else if (in_field()) {
          check_old_field(p);
          push(TokenKind::Exclamation, p, p + 1);
          ++p;
        } else {
          p = lex_invalid(p);
        }
        break;
      case ByteClass::Less:
      case ByteClass::Greater: {
        bool less = c == '<';
        if (p[1] == c) {
          TokenKind shift = less ? TokenKind::LeftShift : TokenKind::RightShift;
          bool assign = p[2] == '=';
          push(assign ? augmented(shift) : shift, p, p + 2 + assign);
          p += 2 + assign;
        } else if (p[1] == '=') {
          push(less ? TokenKind::LessEqual : TokenKind::GreaterEqual, p, p + 2);
          p += 2;
        } else {
          push(less ? TokenKind::Less : TokenKind::Greater, p, p + 1);
          ++p;
        }
        break;
      }
      case ByteClass::Minus:
        if (p[1] == '>') {
          push(TokenKind::Arrow, p, p + 2);
          p += 2;
        } else {
          bool assign = p[1] == '=';
          push(assign ? TokenKind::MinusEqual : TokenKind::Minus, p, p + 1 + assign);
          p += 1 + assign;
        }
        break;
      case ByteClass::Star:
      case ByteClass::Slash: {
        bool doubled = p[1] == c;
        TokenKind kind = c == '*' ? (doubled ? TokenKind::DoubleStar : TokenKind::Star)
                                  : (doubled ? TokenKind::DoubleSlash : TokenKind::Slash);
        bool assign = p[1 + doubled] == '=';
        push(assign ? augmented(kind) : kind, p, p + 1 + doubled + assign);
        p += 1 + doubled + assign;
        break;
      }
      case ByteClass::Augmentable: {
        bool assign = p[1] == '=';
        push(assign ? augmented(kOperator[c]) : kOperator[c], p, p + 1 + assign);
        p += 1 + assign;
        break;
      }
      case ByteClass::Invalid:
        p = lex_invalid(p);
        break;
    }
  }
}

LexResult lex(std::string_view text, PythonVersion version) {
  Lexer lexer({text, 0, static_cast<std::uint32_t>(text.size()), version, false});
  lexer.run();
  return {std::move(lexer.tokens), std::move(lexer.errors)};
}

}  // namespace graphmend::syntax
