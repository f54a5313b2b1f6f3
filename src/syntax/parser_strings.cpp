// String literals: concatenation, f-strings, t-strings.
#include "syntax/parser_impl.h"

namespace graphmend::syntax {

// One or more literals next to each other.
NodeId Parser::parse_strings() {
  std::uint32_t start = here();
  TokenId first = current_token();
  std::size_t mark = scratch_.size();
  bool any_bytes = false;
  bool any_text = false;
  bool any_format = false;
  bool any_template = false;
  // Plain literals need no nodes of their own unless an f-string is among them.
  for (const TokenKind* token = cur_; *token == TokenKind::String || *token == TokenKind::Bytes;
       ++token) {
    any_bytes = any_bytes || *token == TokenKind::Bytes;
    any_text = any_text || *token == TokenKind::String;
  }
  const TokenKind* plain_end = cur_;
  while (*plain_end == TokenKind::String || *plain_end == TokenKind::Bytes) {
    ++plain_end;
  }
  bool plain = *plain_end != TokenKind::FStringStart && *plain_end != TokenKind::TStringStart;
  if (plain) {
    cur_ = plain_end;
  }
  while (!plain) {
    if (at(TokenKind::String)) {
      any_text = true;
      scratch_.push_back(add_constant(ConstantKind::Str));
    } else if (at(TokenKind::Bytes)) {
      any_bytes = true;
      ++cur_;
    } else if (at(TokenKind::FStringStart) || at(TokenKind::TStringStart)) {
      bool is_template = at(TokenKind::TStringStart);
      (is_template ? any_template : any_format) = true;
      ++cur_;
      parse_fstring_parts(is_template, TokenKind::FStringEnd);
      expect(TokenKind::FStringEnd);
    } else {
      break;
    }
  }
  if (any_bytes && (any_text || any_format || any_template)) {
    fail(diag::Code::InvalidSyntax, {start, previous_end()},
         "cannot mix bytes and nonbytes literals");
  } else if (any_template && (any_text || any_format)) {
    fail(diag::Code::InvalidSyntax, {start, previous_end()},
         "cannot mix t-string literals with string or bytes literals");
  }
  if (plain) {
    ConstantKind constant = any_bytes ? ConstantKind::Bytes : ConstantKind::Str;
    return finish(NodeKind::Constant, start, first.value, static_cast<std::uint32_t>(index() - 1),
                  static_cast<std::uint8_t>(constant));
  }
  std::uint32_t values = make_list(mark);
  return finish(any_template ? NodeKind::TemplateStr : NodeKind::JoinedStr, start, values);
}

// Text and replacement fields up to `close` (the end of the string, or the brace that ends a format
// specification), pushed on the scratch stack.
void Parser::parse_fstring_parts(bool is_template, TokenKind close) {
  while (!at(close)) {
    if (at(TokenKind::FStringMiddle) || at(TokenKind::FStringMiddleRaw)) {
      scratch_.push_back(add_constant(ConstantKind::Str));
    } else if (at(TokenKind::LeftBrace)) {
      parse_replacement_field(is_template, close == TokenKind::RightBrace);
    } else {
      fail_invalid_syntax();
      return;
    }
  }
}

// {expression [=] [!conversion] [:format_spec]}. The fields of a format specification are those of
// an f-string, in a t-string too: the specification is text when the template is made.
void Parser::parse_replacement_field(bool is_template, bool in_spec) {
  std::uint32_t start = here();
  ++cur_;
  std::uint32_t text_start = previous_end();
  const char* const name = is_template ? "t-string" : "f-string";
  if (at(TokenKind::RightBrace) || at(TokenKind::Exclamation) || at(TokenKind::Colon) ||
      at(TokenKind::Equal)) {
    fail(diag::Code::BadFString, current_range(),
         version_.minor < 12 ? std::string("f-string: empty expression not allowed")
                             : std::string(name) + ": valid expression required before '" +
                                   std::string(spelling(*cur_)) + "'");
    return;
  }
  std::uint32_t value_start = here();
  NodeId value = parse_yield_or_star_expressions();
  if (version_.minor < 12) {
    // The field was read as if it stood in parentheses.
    if (at_generator()) {
      std::uint32_t generators = parse_generators();
      value = finish(NodeKind::GeneratorExp, value_start, value.value, generators);
    } else if (kind(value) == NodeKind::Starred) {
      fail(diag::Code::BadFString, range(value), "f-string: cannot use starred expression here");
    }
  }
  std::uint16_t flags = 0;
  TextRange debug_text{};
  if (accept(TokenKind::Equal)) {
    flags = kDebug;
    debug_text = {text_start, here()};
  }
  std::uint8_t conversion = 0;
  if (at(TokenKind::Exclamation)) {
    std::uint32_t mark_end = current_range().end;
    ++cur_;
    std::string_view letter = is_name(*cur_) ? text(current_range()) : std::string_view();
    if (letter.empty() || here() != mark_end) {
      fail(diag::Code::BadFString, {mark_end - 1, mark_end},
           letter.empty() ? std::string(name) + ": missing conversion character"
                          : std::string(name) +
                                ": conversion type must come right after the exclamation mark");
    } else if (letter != "s" && letter != "r" && letter != "a") {
      fail(diag::Code::BadFString, current_range(),
           std::string(name) + ": invalid conversion character '" + std::string(letter) +
               "': expected 's', 'r', or 'a'");
    } else {
      conversion = static_cast<std::uint8_t>(letter[0]);
      ++cur_;
    }
  }
  NodeId spec;
  if (at(TokenKind::Colon)) {
    std::uint32_t spec_start = here();
    ++cur_;
    std::size_t mark = scratch_.size();
    parse_fstring_parts(is_template, TokenKind::RightBrace);
    std::uint32_t values = make_list(mark);
    spec = finish(NodeKind::JoinedStr, spec_start, values);
  } else if ((flags & kDebug) != 0 && conversion == 0) {
    conversion = 'r';
  }
  if (!at(TokenKind::RightBrace)) {
    if (!at(TokenKind::Error)) {
      fail(diag::Code::BadFString, current_range(), std::string(name) + ": expecting '}'");
    }
    fail_invalid_syntax();
    return;
  }
  ++cur_;
  const bool is_interpolation = is_template && !in_spec;
  NodeId field = finish(is_interpolation ? NodeKind::Interpolation : NodeKind::FormattedValue,
                        start, value.value, spec.value, conversion, flags);
  if ((flags & kDebug) != 0) {
    scratch_.push_back(add(NodeKind::Constant, debug_text.start, debug_text.end, 0, 0,
                           static_cast<std::uint8_t>(ConstantKind::Str), kDebugText));
  }
  scratch_.push_back(field);
}

}  // namespace graphmend::syntax
