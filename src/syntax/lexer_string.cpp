// Strings and bytes, and the escapes in them.
#include "syntax/byte_class.h"
#include "syntax/character_names.h"
#include "syntax/identifiers.h"
#include "syntax/lexer_impl.h"

#include <string>
#include <utility>

namespace graphmend::syntax {

// Reads a string prefix of one or two letters. False: the letters are a name.
bool Lexer::string_prefix(Bytes start, std::size_t size, StringPrefix& prefix) const {
  bool unicode = false;
  int kinds = 0;
  for (std::size_t i = 0; i < size; ++i) {
    switch (start[i] | 0x20) {
      case 'r':
        if (prefix.raw) {
          return false;
        }
        prefix.raw = true;
        continue;
      case 'b':
        prefix.bytes = true;
        break;
      case 'f':
        prefix.format = true;
        break;
      case 't':
        prefix.is_template = true;
        break;
      case 'u':
        unicode = true;
        break;
      default:
        return false;
    }
    ++kinds;
  }
  if (start[0] == '_' || (size == 2 && start[1] == '_')) {
    return false;
  }
  return kinds <= 1 && (!unicode || size == 1) && (!prefix.is_template || version_.minor >= 14);
}

// The closing quotes of a string whose text starts at p: a pointer to them, or to where the search
// had to stop (a line end or the end of the text).
Lexer::Bytes Lexer::find_string_end(Bytes p, std::uint8_t quote, bool triple,
                                    bool& backslashes) const {
  for (;;) {
    p = triple ? find_in_triple(p, quote) : find_in_single(p, quote);
    if (*p == quote) {
      if (!triple || (p[1] == quote && p[2] == quote)) {
        return p;
      }
      ++p;
    } else if (*p == '\\') {
      backslashes = true;
      ++p;
      if (p == end_) {
        return p;
      }
      p += *p == '\r' && p[1] == '\n' ? 2 : 1;
    } else if (*p == 0 && p != end_) {
      ++p;
    } else {
      return p;
    }
  }
}

Lexer::Bytes Lexer::lex_string(Bytes start, Bytes quote, StringPrefix prefix) {
  std::uint8_t c = *quote;
  bool triple = quote[1] == c && quote[2] == c;
  if (prefix.format || prefix.is_template) {
    return start_fstring(start, quote, prefix, triple);
  }
  Bytes text = quote + (triple ? 3 : 1);
  bool backslashes = false;
  Bytes p = find_string_end(text, c, triple, backslashes);
  if (*p != c || p == end_) [[unlikely]] {
    return unterminated_string(start, quote, p, triple, false, true);
  }
  if (backslashes && !prefix.raw) {
    check_escapes(text, text, p, prefix.bytes);
  }
  if (prefix.bytes && has_non_ascii(text, static_cast<std::size_t>(p - text))) {
    error(diag::Code::BadEscape, start, p + (triple ? 3 : 1),
          "bytes can only contain ASCII literal characters");
  }
  p += triple ? 3 : 1;
  push(prefix.bytes ? TokenKind::Bytes : TokenKind::String, start, p);
  return p;
}

// A string that begins at `start` and is not closed where it must be, at p. `fresh`: no token of it
// is there yet.
Lexer::Bytes Lexer::unterminated_string(Bytes start, Bytes quote, Bytes p, bool triple, bool format,
                                        bool fresh) {
  if (!fstrings_.empty()) {
    const FString& outer = fstrings_.back();
    if (!outer.old_rules && outer.quote == *quote && outer.triple == triple) {
      error(diag::Code::BadFString, start, quote + 1, "f-string: expecting '}'");
      push(TokenKind::Error, format && !fresh ? p : start, p);
      return p;
    }
  }
  error(diag::Code::UnterminatedString, start, quote + (triple ? 3 : 1),
        std::string("unterminated ") + (triple ? "triple-quoted " : "") +
            (format ? "f-string" : "string") + " literal (detected at line " +
            std::to_string(line_at(p)) + ")");
  push(TokenKind::Error, format && !fresh ? p : start, p);
  return p;
}

// Reports escapes that Python rejects. `start` is where positions in the message count from.
void Lexer::check_escapes(Bytes start, Bytes p, Bytes end, bool bytes) {
  while (p < end) {
    p = static_cast<Bytes>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
    if (p == nullptr || p + 1 >= end) {
      return;
    }
    std::uint8_t kind = p[1];
    int digits = kind == 'x' ? 2 : kind == 'u' && !bytes ? 4 : kind == 'U' && !bytes ? 8 : 0;
    Bytes q = p + 2;
    const char* problem = nullptr;
    if (digits != 0) {
      std::uint32_t value = 0;
      int seen = 0;
      for (; seen < digits && q < end && hex_value(*q) >= 0; ++seen, ++q) {
        value = value << 4 | static_cast<std::uint32_t>(hex_value(*q));
      }
      if (seen < digits) {
        problem = digits == 2   ? "truncated \\xXX escape"
                  : digits == 4 ? "truncated \\uXXXX escape"
                                : "truncated \\UXXXXXXXX escape";
      } else if (value > 0x10ffff) {
        problem = "illegal Unicode character";
      }
    } else if (kind == 'N' && !bytes) {
      Bytes close = q < end && *q == '{'
                        ? static_cast<Bytes>(std::memchr(q, '}', static_cast<std::size_t>(end - q)))
                        : nullptr;
      if (close == nullptr || close == q + 1) {
        problem = "malformed \\N character escape";
      } else {
        std::string_view name(reinterpret_cast<const char*>(q + 1),
                              static_cast<std::size_t>(close - q - 1));
        q = close + 1;
        if (code_point_of_name(name, version_) == kBadCodePoint) {
          problem = "unknown Unicode character name";
        }
      }
    }
    if (problem != nullptr) {
      std::string from = std::to_string(p - start);
      std::string message =
          bytes ? "(value error) invalid \\x escape at position " + from
                : "(unicode error) 'unicodeescape' codec can't decode bytes in position " + from +
                      "-" + std::to_string(q - start - 1) + ": " + problem;
      error(diag::Code::BadEscape, p, q, std::move(message));
    }
    p = q;
  }
}

}  // namespace graphmend::syntax
