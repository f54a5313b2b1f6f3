// match statements and their patterns.
#include "syntax/parser_impl.h"

namespace graphmend::syntax {

// Does `match` at the cursor begin a statement? Decided by the next token where that is enough,
// else by whether the logical line ends with a colon.
bool Parser::at_match_statement() const {
  if (version_.minor < 10) {
    return false;
  }
  switch (cur_[1]) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::Minus:
    case TokenKind::Plus:
    case TokenKind::Star: {
      const TokenKind* token = cur_ + 1;
      while (*token != TokenKind::Newline && *token != TokenKind::EndOfFile) {
        ++token;
      }
      return token[-1] == TokenKind::Colon;
    }
    case TokenKind::LeftBrace:
    case TokenKind::Tilde:
    case TokenKind::Ellipsis:
    case TokenKind::KwNone:
    case TokenKind::KwTrue:
    case TokenKind::KwFalse:
    case TokenKind::KwLambda:
    case TokenKind::KwAwait:
      return true;
    case TokenKind::KwNot:
      return cur_[2] != TokenKind::KwIn;
    default:
      return cur_[1] <= TokenKind::TStringStart;
  }
}

NodeId Parser::parse_match() {
  std::uint32_t start = here();
  ++cur_;
  std::uint32_t subject_start = here();
  NodeId subject = parse_star_named_expression();
  if (at(TokenKind::Comma)) {
    subject = parse_tuple_rest(subject_start, subject, true);
  } else if (!failed_ && kind(subject) == NodeKind::Starred) {
    fail_invalid_syntax();
  }
  expect(TokenKind::Colon);
  expect(TokenKind::Newline);
  if (!at(TokenKind::Indent)) {
    fail(diag::Code::ExpectedIndent, current_range(),
         "expected an indented block after 'match' statement on line " +
             std::to_string(line_of(start)));
    return NodeId();
  }
  ++cur_;
  std::size_t mark = scratch_.size();
  while (at(TokenKind::SoftCase)) {
    NodeId match_case = parse_case();
    scratch_.push_back(match_case);
  }
  if (scratch_.size() == mark || !at(TokenKind::Dedent)) {
    fail_invalid_syntax();
  }
  accept(TokenKind::Dedent);
  std::uint32_t cases = make_list(mark);
  return add(NodeKind::Match, start, last_solid_end(), subject.value, cases);
}

NodeId Parser::parse_case() {
  std::uint32_t start = here();
  ++cur_;
  NodeId pattern = parse_patterns();
  NodeId guard;
  if (accept(TokenKind::KwIf)) {
    guard = parse_named_expression();
  }
  std::uint32_t body = parse_suite("'case' statement", start);
  return add(NodeKind::MatchCase, start, last_solid_end(), pattern.value,
             add_words({guard.value, body}));
}

// A pattern, or a sequence without brackets.
NodeId Parser::parse_patterns() {
  std::uint32_t start = here();
  bool starred = at(TokenKind::Star);
  NodeId first = parse_maybe_star_pattern();
  if (!at(TokenKind::Comma)) {
    if (starred) {
      fail_invalid_syntax();
    }
    return first;
  }
  std::size_t mark = scratch_.size();
  scratch_.push_back(first);
  while (accept(TokenKind::Comma)) {
    if (at(TokenKind::Colon) || at(TokenKind::KwIf)) {
      break;
    }
    NodeId next = parse_maybe_star_pattern();
    scratch_.push_back(next);
  }
  return finish(NodeKind::MatchSequence, start, make_list(mark));
}

NodeId Parser::parse_maybe_star_pattern() {
  if (!at(TokenKind::Star)) {
    return parse_pattern();
  }
  std::uint32_t start = here();
  ++cur_;
  if (!is_name(*cur_)) {
    fail_invalid_syntax();
    return NodeId();
  }
  std::uint32_t name = at(TokenKind::SoftUnderscore) ? 0 : current_token().value;
  ++cur_;
  return finish(NodeKind::MatchStar, start, name);
}

// closed ('|' closed)* ['as' name]
NodeId Parser::parse_pattern() {
  std::uint32_t start = here();
  NodeId pattern = parse_closed_pattern();
  if (at(TokenKind::VerticalBar)) {
    std::size_t mark = scratch_.size();
    scratch_.push_back(pattern);
    while (accept(TokenKind::VerticalBar)) {
      NodeId next = parse_closed_pattern();
      scratch_.push_back(next);
    }
    pattern = finish(NodeKind::MatchOr, start, make_list(mark));
  }
  if (accept(TokenKind::KwAs)) {
    if (!is_name(*cur_) || at(TokenKind::SoftUnderscore)) {
      fail(diag::Code::InvalidPattern, current_range(),
           at(TokenKind::SoftUnderscore) ? "cannot use '_' as a target" : "invalid pattern target");
      return NodeId();
    }
    TokenId name = current_token();
    ++cur_;
    if (at(TokenKind::Dot) || at(TokenKind::LeftParen) || at(TokenKind::LeftBracket)) {
      fail(diag::Code::InvalidPattern, ranges_[index() - 1], "invalid pattern target");
    }
    pattern = finish(NodeKind::MatchAs, start, pattern.value, name.value);
  }
  return pattern;
}

NodeId Parser::parse_closed_pattern() {
  std::uint32_t start = here();
  switch (*cur_) {
    case TokenKind::KwNone:
    case TokenKind::KwTrue:
    case TokenKind::KwFalse: {
      ConstantKind constant = at(TokenKind::KwNone)   ? ConstantKind::None
                              : at(TokenKind::KwTrue) ? ConstantKind::True
                                                      : ConstantKind::False;
      ++cur_;
      return finish(NodeKind::MatchSingleton, start, 0, 0, static_cast<std::uint8_t>(constant));
    }
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::Imaginary:
    case TokenKind::Minus: {
      NodeId value = parse_number_pattern();
      return finish(NodeKind::MatchValue, start, value.value);
    }
    case TokenKind::String:
    case TokenKind::Bytes:
    case TokenKind::FStringStart:
    case TokenKind::TStringStart: {
      NodeId value = parse_strings();
      if (!failed_ && kind(value) == NodeKind::TemplateStr) {  // f-strings are for the compiler
        fail(diag::Code::InvalidPattern, range(value),
             "patterns may only match literals and attribute lookups");
      }
      return finish(NodeKind::MatchValue, start, value.value);
    }
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
      return parse_sequence_pattern();
    case TokenKind::LeftBrace:
      return parse_mapping_pattern();
    default:
      break;
  }
  if (!is_name(*cur_)) {
    expected_expression();
    return NodeId();
  }
  if (cur_[1] != TokenKind::Dot && cur_[1] != TokenKind::LeftParen) {
    std::uint32_t name = at(TokenKind::SoftUnderscore) ? 0 : current_token().value;
    ++cur_;
    return finish(NodeKind::MatchAs, start, 0, name);
  }
  NodeId value = parse_dotted_pattern_name();
  if (at(TokenKind::LeftParen)) {
    return parse_class_pattern(start, value);
  }
  return finish(NodeKind::MatchValue, start, value.value);
}

// name.name...
NodeId Parser::parse_dotted_pattern_name() {
  TextRange name = current_range();
  ++cur_;
  NodeId value = add_name(name);
  while (accept(TokenKind::Dot)) {
    TextRange attribute = current_range();
    if (!is_name(*cur_)) {
      fail_invalid_syntax();
      return NodeId();
    }
    ++cur_;
    value = add(NodeKind::Attribute, name.start, attribute.end, value.value, attribute.start);
  }
  return value;
}

// ['-'] number
NodeId Parser::parse_signed_number(bool& imaginary) {
  std::uint32_t start = here();
  bool negative = accept(TokenKind::Minus);
  NodeId value;
  imaginary = at(TokenKind::Imaginary);
  switch (*cur_) {
    case TokenKind::Int:
      value = add_constant(ConstantKind::Int);
      break;
    case TokenKind::Float:
      value = add_constant(ConstantKind::Float);
      break;
    case TokenKind::Imaginary:
      value = add_constant(ConstantKind::Imaginary);
      break;
    default:
      fail_invalid_syntax();
      return NodeId();
  }
  if (!negative) {
    return value;
  }
  return finish(NodeKind::UnaryOp, start, value.value, 0,
                static_cast<std::uint8_t>(UnaryOperator::USub));
}

// A signed number, or a complex one: a real part, a sign, an imaginary part.
NodeId Parser::parse_number_pattern() {
  std::uint32_t start = here();
  bool imaginary = false;
  NodeId value = parse_signed_number(imaginary);
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus)) {
    return value;
  }
  if (imaginary) {
    fail(diag::Code::InvalidPattern, range(value), "real number required in complex literal");
    return NodeId();
  }
  Operator op = at(TokenKind::Plus) ? Operator::Add : Operator::Sub;
  ++cur_;
  if (!at(TokenKind::Imaginary)) {
    fail(diag::Code::InvalidPattern, current_range(),
         at(TokenKind::Int) || at(TokenKind::Float) ? "imaginary number required in complex literal"
                                                    : "invalid syntax");
    return NodeId();
  }
  NodeId right = add_constant(ConstantKind::Imaginary);
  return finish(NodeKind::BinOp, start, value.value, right.value, static_cast<std::uint8_t>(op));
}

// (group), (sequence,), [sequence]
NodeId Parser::parse_sequence_pattern() {
  std::uint32_t start = here();
  bool round = at(TokenKind::LeftParen);
  TokenKind close = round ? TokenKind::RightParen : TokenKind::RightBracket;
  ++cur_;
  std::size_t mark = scratch_.size();
  bool comma = false;
  bool starred = false;
  while (!at(close)) {
    starred = starred || at(TokenKind::Star);
    NodeId item = parse_maybe_star_pattern();
    scratch_.push_back(item);
    if (!accept(TokenKind::Comma)) {
      break;
    }
    comma = true;
  }
  if (round && !comma && !failed_ && scratch_.size() == mark + 1) {
    NodeId group = scratch_[mark];
    scratch_.truncate(mark);
    if (starred) {
      fail_invalid_syntax();
    }
    expect(close);
    node(group).flags |= kParenthesized;
    return group;
  }
  expect(close);
  return finish(NodeKind::MatchSequence, start, make_list(mark));
}

// {key: pattern, ..., **rest}
NodeId Parser::parse_mapping_pattern() {
  std::uint32_t start = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  TokenId rest;
  while (!at(TokenKind::RightBrace)) {
    if (accept(TokenKind::DoubleStar)) {
      rest = current_token();
      if (!is_name(*cur_) || at(TokenKind::SoftUnderscore)) {
        fail_invalid_syntax();
        return NodeId();
      }
      ++cur_;
      accept(TokenKind::Comma);
      break;
    }
    NodeId key;
    switch (*cur_) {
      case TokenKind::KwNone:
        key = add_constant(ConstantKind::None);
        break;
      case TokenKind::KwTrue:
        key = add_constant(ConstantKind::True);
        break;
      case TokenKind::KwFalse:
        key = add_constant(ConstantKind::False);
        break;
      case TokenKind::String:
      case TokenKind::Bytes:
      case TokenKind::FStringStart:
      case TokenKind::TStringStart:
        key = parse_strings();
        if (!failed_ && kind(key) == NodeKind::TemplateStr) {  // f-strings are for the compiler
          fail(diag::Code::InvalidPattern, range(key),
               "patterns may only match literals and attribute lookups");
        }
        break;
      case TokenKind::Int:
      case TokenKind::Float:
      case TokenKind::Imaginary:
      case TokenKind::Minus:
        key = parse_number_pattern();
        break;
      default:
        if (!is_name(*cur_) || cur_[1] != TokenKind::Dot) {
          fail_invalid_syntax();
          return NodeId();
        }
        key = parse_dotted_pattern_name();
        break;
    }
    expect(TokenKind::Colon);
    NodeId pattern = parse_pattern();
    scratch_.push_back(key);
    scratch_.push_back(pattern);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  expect(TokenKind::RightBrace);
  return finish(NodeKind::MatchMapping, start, make_list(mark), rest.value);
}

// cls(pattern, ..., name=pattern, ...); the cursor is at the parenthesis.
NodeId Parser::parse_class_pattern(std::uint32_t start, NodeId cls) {
  ++cur_;
  std::size_t mark = scratch_.size();
  bool keywords = false;
  while (!at(TokenKind::RightParen)) {
    std::uint32_t item_start = here();
    NodeId item;
    if (is_name(*cur_) && cur_[1] == TokenKind::Equal) {
      keywords = true;
      TokenId name = current_token();
      cur_ += 2;
      NodeId pattern = parse_pattern();
      item = finish(NodeKind::MatchKeyword, item_start, name.value, pattern.value);
    } else {
      item = parse_pattern();
      if (keywords) {
        fail(diag::Code::InvalidPattern, {item_start, previous_end()},
             "positional patterns follow keyword patterns");
      }
    }
    scratch_.push_back(item);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  expect(TokenKind::RightParen);
  return finish(NodeKind::MatchClass, start, cls.value, make_list(mark));
}

}  // namespace graphmend::syntax
