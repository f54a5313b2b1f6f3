// Numbers.
#include "syntax/byte_class.h"
#include "syntax/keywords.h"
#include "syntax/lexer_impl.h"

#include <utility>

namespace graphmend::syntax {

Lexer::Bytes Lexer::number_error(Bytes start, Bytes p, std::string message, std::string hint) {
  error(diag::Code::InvalidNumber, start, p, std::move(message), std::move(hint));
  Bytes end = skip_ascii_name(p);
  while (*end >= 0x80 || is_ascii_name_byte(*end)) {
    ++end;
  }
  push(TokenKind::Error, start, end);
  return end;
}

// Decimal digits with single underscores between them; p is at a digit. Sets `bad` when an
// underscore is not followed by a digit.
Lexer::Bytes Lexer::skip_digits(Bytes p, bool& bad) {
  for (;;) {
    while (is_digit(*p)) {
      ++p;
    }
    if (*p != '_') {
      return p;
    }
    ++p;
    if (!is_digit(*p)) {
      bad = true;
      return p;
    }
  }
}

// Pushes a number, unless a name follows it without a space. Keywords may: `1if x else 2`.
Lexer::Bytes Lexer::end_number(TokenKind kind, Bytes start, Bytes p, const char* what) {
  if (*p < 0x80 && !is_ascii_name_byte(*p)) [[likely]] {
    push(kind, start, p);
    return p;
  }
  Bytes end = skip_ascii_name(p);
  switch (keyword_or_name(p, static_cast<std::size_t>(end - p))) {
    case TokenKind::KwAnd:
    case TokenKind::KwElse:
    case TokenKind::KwFor:
    case TokenKind::KwIf:
    case TokenKind::KwIn:
    case TokenKind::KwIs:
    case TokenKind::KwOr:
    case TokenKind::KwNot:
      if (*end < 0x80) {
        push(kind, start, p);
        return p;
      }
      break;
    default:
      break;
  }
  return number_error(start, p, std::string("invalid ") + what + " literal");
}

Lexer::Bytes Lexer::lex_radix_number(Bytes start, Bytes p, int radix) {
  const char* what = radix == 16 ? "hexadecimal" : radix == 8 ? "octal" : "binary";
  auto is_radix_digit = [radix](std::uint8_t byte) {
    int value = hex_value(byte);
    return value >= 0 && value < radix;
  };
  do {
    if (*p == '_') {
      ++p;
    }
    if (!is_radix_digit(*p)) {
      if (is_digit(*p)) {
        return number_error(
            start, p + 1,
            std::string("invalid digit '") + static_cast<char>(*p) + "' in " + what + " literal");
      }
      return number_error(start, p, std::string("invalid ") + what + " literal");
    }
    do {
      ++p;
    } while (is_radix_digit(*p));
  } while (*p == '_');
  if (is_digit(*p)) {
    return number_error(
        start, p + 1,
        std::string("invalid digit '") + static_cast<char>(*p) + "' in " + what + " literal");
  }
  return end_number(TokenKind::Int, start, p, what);
}

// A number at p, which is a digit or a dot followed by a digit.
Lexer::Bytes Lexer::lex_number(Bytes p) {
  Bytes start = p;
  bool bad = false;
  TokenKind kind = TokenKind::Int;
  bool leading_zeros = false;
  if (*p == '0') {
    std::uint8_t letter = p[1] | 0x20;
    if (letter == 'x' || letter == 'o' || letter == 'b') {
      return lex_radix_number(start, p + 2, letter == 'x' ? 16 : letter == 'o' ? 8 : 2);
    }
  }
  if (*p != '.') {
    p = skip_digits(p, bad);
    if (bad) {
      return number_error(start, p, "invalid decimal literal");
    }
    if (*start == '0') {
      for (Bytes q = start; q < p; ++q) {
        leading_zeros = leading_zeros || (*q != '0' && *q != '_');
      }
    }
  }
  if (*p == '.') {
    kind = TokenKind::Float;
    ++p;
    if (is_digit(*p)) {
      p = skip_digits(p, bad);
      if (bad) {
        return number_error(start, p, "invalid decimal literal");
      }
    }
  }
  if ((*p | 0x20) == 'e') {
    Bytes q = p + 1;
    bool sign = *q == '+' || *q == '-';
    q += sign;
    if (is_digit(*q)) {
      kind = TokenKind::Float;
      p = skip_digits(q, bad);
      if (bad) {
        return number_error(start, p, "invalid decimal literal");
      }
    } else if (sign) {
      return number_error(start, q, "invalid decimal literal");
    }
  }
  if ((*p | 0x20) == 'j') {
    return end_number(TokenKind::Imaginary, start, p + 1, "imaginary");
  }
  if (kind == TokenKind::Int) {
    if (leading_zeros) {
      return number_error(start, p,
                          "leading zeros in decimal integer literals are not permitted; use an 0o "
                          "prefix for octal integers");
    }
    // CPython converts no decimal integer of more than 4300 digits.
    constexpr std::ptrdiff_t kMaxDigits = 4300;
    if (p - start > kMaxDigits) [[unlikely]] {
      std::ptrdiff_t digits = 0;
      for (Bytes q = start; q < p; ++q) {
        digits += *q != '_';
      }
      if (digits > kMaxDigits) {
        return number_error(start, p,
                            "Exceeds the limit (4300 digits) for integer string conversion",
                            "Consider hexadecimal for huge integer literals");
      }
    }
  }
  return end_number(kind, start, p, "decimal");
}

}  // namespace graphmend::syntax
