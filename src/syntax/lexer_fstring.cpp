// f-strings and t-strings: text, replacement fields, format specifications. From 3.12 on (PEP 701)
// their end is found while reading; before, the whole literal is delimited first as any string is.
#include "syntax/byte_class.h"
#include "syntax/lexer_impl.h"

#include <string>
#include <utility>

namespace graphmend::syntax {

namespace {

constexpr unsigned kSpecsOfOneLine = 14;  // newlines end no format specification any more

}  // namespace

Lexer::Bytes Lexer::start_fstring(Bytes start, Bytes quote, StringPrefix prefix, bool triple) {
  Bytes text = quote + (triple ? 3 : 1);
  FString state{offset(start), static_cast<std::uint32_t>(brackets_.size()),
                *quote,        triple,
                prefix.raw,    version_.minor < 12,
                end_,          0};
  if (fstrings_.size() >= kMaxFStrings) {
    error(diag::Code::BadFString, start, text, "too many nested f-strings");
    return give_up(start);
  }
  if (state.old_rules) {
    bool backslashes = false;
    Bytes p = find_string_end(text, *quote, triple, backslashes);
    if (*p != *quote || p == end_) {
      return unterminated_string(start, quote, p, triple, true, true);
    }
    // Reading stops at the closing quote: there the buffer seems to end.
    end_ = p;
    std::uint8_t& byte = buffer_[static_cast<std::size_t>(p - begin_)];
    state.end_byte = byte;
    byte = 0;
  }
  fstrings_.push_back(state);
  push(prefix.is_template ? TokenKind::TStringStart : TokenKind::FStringStart, start, text);
  return lex_fstring_middle(text);
}

// Reads text from p up to the next replacement field or the end of the string.
Lexer::Bytes Lexer::lex_fstring_middle(Bytes p) {
  Bytes text = p;
  const FString& string = fstrings_.back();
  bool spec = in_spec();
  bool escapes = false;
  auto push_text = [&] {
    if (p > text) {
      push(string.raw ? TokenKind::FStringMiddleRaw : TokenKind::FStringMiddle, text, p);
      if (escapes) {
        check_escapes(text, text, p, false);
      }
    }
  };
  for (;;) {
    std::uint8_t c = *p;
    if (string.old_rules ? p == end_
                         : c == string.quote && (!string.triple || (p[1] == c && p[2] == c))) {
      push_text();
      if (spec) {
        error(diag::Code::BadFString, p, p + 1, "f-string: expecting '}'");
      }
      return end_fstring(p);
    }
    switch (c) {
      case '{': {
        if (!spec && p[1] == '{') {
          p += 2;
          break;
        }
        push_text();
        std::size_t depth = 0;
        for (std::size_t i = string.bracket_base; i < brackets_.size(); ++i) {
          depth += brackets_[i].bracket == BracketKind::Spec;
        }
        if (depth >= (string.old_rules ? 2U : 3U)) {
          error(diag::Code::BadFString, p, p + 1, "f-string: expressions nested too deeply");
        } else if (brackets_.size() >= kMaxBrackets) {
          error(diag::Code::TooManyBrackets, p, p + 1, "too many nested parentheses");
          return give_up(p);
        }
        push(TokenKind::LeftBrace, p, p + 1);
        brackets_.push_back({offset(p), TokenKind::LeftBrace, BracketKind::Field});
        return p + 1;
      }
      case '}':
        if (!spec) {
          if (p[1] == '}') {
            p += 2;
            break;
          }
          error(diag::Code::BadFString, p, p + 1, "f-string: single '}' is not allowed");
          ++p;
          break;
        }
        push_text();
        push(TokenKind::RightBrace, p, p + 1);
        brackets_.pop_back();
        spec = in_spec();
        escapes = false;
        text = ++p;
        break;
      case '\\':
        if (p[1] == '{' || p[1] == '}') {
          ++p;  // a backslash does not escape a brace
          break;
        }
        if (!string.raw) {
          escapes = true;
          if (p[1] == 'N' && p[2] == '{') {
            p += 3;
            while (*p != '}' && *p != string.quote && *p != '\n' && *p != '\r' && p != end_) {
              ++p;
            }
            p += *p == '}';
            break;
          }
        }
        ++p;
        if (p != end_) {
          p += *p == '\r' && p[1] == '\n' ? 2 : 1;
        }
        break;
      case '\n':
      case '\r':
      case 0: {
        bool over = c == 0 ? p == end_ : !string.triple && !string.old_rules;
        if (!over) {
          ++p;
          break;
        }
        push_text();
        if (spec && c != 0) {
          // The specification ends here; only the closing brace may follow.
          if (version_.minor >= kSpecsOfOneLine) {
            error(diag::Code::BadFString, p, p + 1,
                  "f-string: newlines are not allowed in format specifiers for single quoted "
                  "f-strings");
          }
          brackets_.back().bracket = BracketKind::Field;
          return p;
        }
        Bytes start = p - (offset(p) - string.start);
        Bytes quote = start;
        while (*quote != string.quote) {
          ++quote;
        }
        std::uint32_t base = string.bracket_base;
        bool triple = string.triple;
        fstrings_.pop_back();
        brackets_.truncate(base);
        return unterminated_string(start, quote, p, triple, true, false);
      }
      default:
        ++p;
        break;
    }
  }
}

// At the closing quotes: leaves the string.
Lexer::Bytes Lexer::end_fstring(Bytes p) {
  FString string = fstrings_.back();
  fstrings_.pop_back();
  brackets_.truncate(string.bracket_base);
  if (string.old_rules) {
    buffer_[static_cast<std::size_t>(end_ - begin_)] = string.end_byte;
    end_ = string.saved_end;
  }
  Bytes after = p + (string.triple ? 3 : 1);
  push(TokenKind::FStringEnd, p, after);
  return after;
}

// Before 3.12 the expression of a replacement field holds no backslash.
void Lexer::check_old_field(Bytes end) {
  if (!fstrings_.back().old_rules) {
    return;
  }
  Bytes start = end - (offset(end) - brackets_.back().offset);
  const void* found = std::memchr(start, '\\', static_cast<std::size_t>(end - start));
  if (found != nullptr) {
    Bytes p = static_cast<Bytes>(found);
    error(diag::Code::BadFString, p, p + 1, "f-string expression part cannot include a backslash");
  }
}

// The colon before a format specification.
Lexer::Bytes Lexer::field_colon(Bytes p) {
  check_old_field(p);
  push(TokenKind::Colon, p, p + 1);
  brackets_.back().bracket = BracketKind::Spec;
  return lex_fstring_middle(p + 1);
}

// The brace that ends a replacement field without a format specification.
Lexer::Bytes Lexer::field_close(Bytes p) {
  check_old_field(p);
  push(TokenKind::RightBrace, p, p + 1);
  brackets_.pop_back();
  return lex_fstring_middle(p + 1);
}

// Old rules: the string ends inside a replacement field.
Lexer::Bytes Lexer::abandon_fstring(Bytes p) {
  error(diag::Code::BadFString, p, p + 1, "f-string: expecting '}'");
  push(TokenKind::Error, p, p);
  return end_fstring(p);
}

}  // namespace graphmend::syntax
