// Expressions by precedence, and the chain of calls, attributes and subscripts.
#include "syntax/parser_impl.h"

namespace graphmend::syntax {

namespace {

constexpr std::size_t at_kind(TokenKind kind) {
  return static_cast<std::size_t>(kind);
}

constexpr std::array<std::uint8_t, kTokenKindCount> make_precedence() {
  std::array<std::uint8_t, kTokenKindCount> table{};
  table[at_kind(TokenKind::KwOr)] = kOrLevel;
  table[at_kind(TokenKind::KwAnd)] = kAndLevel;
  for (TokenKind kind : {TokenKind::EqualEqual, TokenKind::NotEqual, TokenKind::Less,
                         TokenKind::LessEqual, TokenKind::Greater, TokenKind::GreaterEqual,
                         TokenKind::KwIn, TokenKind::KwIs, TokenKind::KwNot}) {
    table[at_kind(kind)] = kCompareLevel;
  }
  table[at_kind(TokenKind::VerticalBar)] = kBitOrLevel;
  table[at_kind(TokenKind::Caret)] = kBitXorLevel;
  table[at_kind(TokenKind::Ampersand)] = kBitAndLevel;
  table[at_kind(TokenKind::LeftShift)] = kShiftLevel;
  table[at_kind(TokenKind::RightShift)] = kShiftLevel;
  table[at_kind(TokenKind::Plus)] = kSumLevel;
  table[at_kind(TokenKind::Minus)] = kSumLevel;
  for (TokenKind kind : {TokenKind::Star, TokenKind::At, TokenKind::Slash, TokenKind::Percent,
                         TokenKind::DoubleSlash}) {
    table[at_kind(kind)] = kTermLevel;
  }
  return table;
}

constexpr std::array<bool, kTokenKindCount> make_starts() {
  std::array<bool, kTokenKindCount> table{};
  for (std::size_t i = 0; i <= at_kind(TokenKind::TStringStart); ++i) {
    table[i] = true;
  }
  for (TokenKind kind :
       {TokenKind::LeftParen, TokenKind::LeftBracket, TokenKind::LeftBrace, TokenKind::Ellipsis,
        TokenKind::Plus, TokenKind::Minus, TokenKind::Tilde, TokenKind::KwNot, TokenKind::KwAwait,
        TokenKind::KwLambda, TokenKind::KwNone, TokenKind::KwTrue, TokenKind::KwFalse}) {
    table[at_kind(kind)] = true;
  }
  return table;
}

// Operators in the order of their tokens.
constexpr std::uint8_t binary_operator(TokenKind kind) {
  return static_cast<std::uint8_t>(static_cast<int>(kind) - static_cast<int>(TokenKind::Plus));
}
static_assert(binary_operator(TokenKind::At) == static_cast<int>(Operator::MatMult));
static_assert(binary_operator(TokenKind::LeftShift) == static_cast<int>(Operator::LShift));
static_assert(binary_operator(TokenKind::VerticalBar) == static_cast<int>(Operator::BitOr));
static_assert(binary_operator(TokenKind::DoubleSlash) == static_cast<int>(Operator::FloorDiv));
static_assert(binary_operator(TokenKind::DoubleStar) == static_cast<int>(Operator::Pow));

}  // namespace

constexpr std::array<std::uint8_t, kTokenKindCount> kPrecedence = make_precedence();
constexpr std::array<bool, kTokenKindCount> kStartsExpression = make_starts();

// expression: disjunction ['if' disjunction 'else' expression] | lambda
NodeId Parser::parse_expression() {
  if (at(TokenKind::KwLambda)) [[unlikely]] {
    return parse_lambda();
  }
  std::uint32_t start = here();
  NodeId body = parse_disjunction();
  if (at(TokenKind::KwIf)) [[unlikely]] {
    return parse_conditional(start, body);
  }
  return body;
}

// body if test else ...; a chain in the last operand is read in a loop.
NodeId Parser::parse_conditional(std::uint32_t start, NodeId body) {
  std::size_t mark = scratch_.size();
  NodeId orelse;
  for (;;) {
    ++cur_;
    NodeId test = parse_disjunction();
    if (!at(TokenKind::KwElse)) {
      fail(diag::Code::InvalidSyntax, {start, previous_end()},
           "expected 'else' after 'if' expression");
    } else {
      ++cur_;
    }
    scratch_.push_back(NodeId(start));
    scratch_.push_back(body);
    scratch_.push_back(test);
    if (at(TokenKind::KwLambda)) {
      orelse = parse_lambda();
      break;
    }
    start = here();
    body = parse_disjunction();
    if (!at(TokenKind::KwIf)) {
      orelse = body;
      break;
    }
  }
  if (failed_) {
    // What failed inside may have left its own entries on the stack.
    scratch_.truncate(mark);
    return NodeId();
  }
  std::uint32_t end = previous_end();
  while (scratch_.size() > mark) {
    const NodeId* entry = scratch_.end() - 3;
    std::uint32_t words = add_words({entry[2].value, orelse.value});
    orelse = add(NodeKind::IfExp, entry[0].value, end, entry[1].value, words);
    scratch_.truncate(scratch_.size() - 3);
  }
  return orelse;
}

NodeId Parser::parse_lambda() {
  std::uint32_t start = here();
  if (!deeper()) {
    return NodeId();
  }
  ++cur_;
  NodeId arguments = parse_arguments(TokenKind::Colon);
  expect(TokenKind::Colon);
  NodeId body = parse_expression();
  --depth_;
  return finish(NodeKind::Lambda, start, arguments.value, body.value);
}

NodeId Parser::parse_yield() {
  std::uint32_t start = here();
  ++cur_;
  if (accept(TokenKind::KwFrom)) {
    NodeId value = parse_expression();
    return finish(NodeKind::YieldFrom, start, value.value);
  }
  NodeId value;
  if (kStartsExpression[at_kind(*cur_)] || at(TokenKind::Star)) {
    value = parse_star_expressions();
  }
  return finish(NodeKind::Yield, start, value.value);
}

// NAME ':=' expression | expression
NodeId Parser::parse_named_expression() {
  if (cur_[0] <= TokenKind::SoftUnderscore && cur_[1] == TokenKind::ColonEqual) [[unlikely]] {
    TextRange name = current_range();
    cur_ += 2;
    NodeId target = add_name(name, ExprContext::Store);
    NodeId value = parse_expression();
    return finish(NodeKind::NamedExpr, name.start, target.value, value.value);
  }
  NodeId value = parse_expression();
  if (at(TokenKind::ColonEqual)) [[unlikely]] {
    fail_target(value, TargetUse::Walrus);
  }
  return value;
}

NodeId Parser::parse_star_named_expression() {
  return at(TokenKind::Star) ? parse_star_expression() : parse_named_expression();
}

// '*' bitwise_or | expression
NodeId Parser::parse_star_expression() {
  if (!at(TokenKind::Star)) {
    return parse_expression();
  }
  std::uint32_t start = here();
  ++cur_;
  NodeId value = parse_binary(kBitOrLevel);
  return finish(NodeKind::Starred, start, value.value);
}

// One expression, or a tuple without parentheses.
NodeId Parser::parse_star_expressions() {
  std::uint32_t start = here();
  NodeId first = parse_star_expression();
  if (!at(TokenKind::Comma)) [[likely]] {
    return first;
  }
  return parse_tuple_rest(start, first, false);
}

// The rest of a tuple whose first element is read; the cursor is at the comma.
NodeId Parser::parse_tuple_rest(std::uint32_t start, NodeId first, bool named) {
  std::size_t mark = scratch_.size();
  scratch_.push_back(first);
  while (accept(TokenKind::Comma)) {
    if (!kStartsExpression[at_kind(*cur_)] && !at(TokenKind::Star)) {
      break;
    }
    NodeId element = named ? parse_star_named_expression() : parse_star_expression();
    scratch_.push_back(element);
  }
  return finish(NodeKind::Tuple, start, make_list(mark));
}

NodeId Parser::parse_binary(unsigned level) {
  std::uint32_t start = here();
  NodeId left;
  TokenKind kind = *cur_;
  if (is_name(kind)) [[likely]] {
    // The most frequent operand, without calls.
    left = add_name(current_range());
    ++cur_;
    left = parse_postfix(start, left);
    if (at(TokenKind::DoubleStar)) [[unlikely]] {
      left = parse_power(start, left);
    }
  } else if (kind == TokenKind::Minus || kind == TokenKind::KwNot || kind == TokenKind::Plus ||
             kind == TokenKind::Tilde) {
    left = parse_prefixed(level);
  } else {
    left = parse_primary(start);
    if (at(TokenKind::DoubleStar)) [[unlikely]] {
      left = parse_power(start, left);
    }
  }
  if (kPrecedence[at_kind(*cur_)] < level) [[likely]] {
    return left;
  }
  return parse_binary_rest(start, left, level);
}

// Operators at `level` or tighter after a first operand.
NodeId Parser::parse_binary_rest(std::uint32_t start, NodeId left, unsigned level) {
  for (;;) {
    TokenKind kind = *cur_;
    unsigned precedence = kPrecedence[at_kind(kind)];
    if (precedence < level) {
      return left;
    }
    if (precedence > kCompareLevel) {
      ++cur_;
      NodeId right = parse_binary(precedence + 1);
      left = finish(NodeKind::BinOp, start, left.value, right.value, binary_operator(kind));
    } else if (precedence == kCompareLevel) {
      if (kind == TokenKind::KwNot && cur_[1] != TokenKind::KwIn) {
        return left;
      }
      left = parse_comparison(start, left);
    } else {
      left = parse_bool_op(start, left);
    }
  }
}

// left op right op right ...; comparisons do not nest.
NodeId Parser::parse_comparison(std::uint32_t start, NodeId left) {
  std::size_t mark = scratch_.size();
  // Operators wait above the comparators' count: pairs on the stack.
  do {
    CompareOperator op;
    switch (*cur_) {
      case TokenKind::EqualEqual:
        op = CompareOperator::Eq;
        break;
      case TokenKind::NotEqual:
        op = CompareOperator::NotEq;
        break;
      case TokenKind::Less:
        op = CompareOperator::Lt;
        break;
      case TokenKind::LessEqual:
        op = CompareOperator::LtE;
        break;
      case TokenKind::Greater:
        op = CompareOperator::Gt;
        break;
      case TokenKind::GreaterEqual:
        op = CompareOperator::GtE;
        break;
      case TokenKind::KwIn:
        op = CompareOperator::In;
        break;
      case TokenKind::KwIs:
        op = CompareOperator::Is;
        if (cur_[1] == TokenKind::KwNot) {
          op = CompareOperator::IsNot;
          ++cur_;
        }
        break;
      default:
        op = CompareOperator::NotIn;
        ++cur_;
        break;
    }
    ++cur_;
    NodeId right = parse_binary(kBitOrLevel);
    scratch_.push_back(right);
    scratch_.push_back(NodeId(static_cast<std::uint32_t>(op)));
  } while (kPrecedence[at_kind(*cur_)] == kCompareLevel &&
           (!at(TokenKind::KwNot) || cur_[1] == TokenKind::KwIn));
  if (failed_) {
    // What failed inside may have left its own entries on the stack.
    scratch_.truncate(mark);
    return NodeId();
  }
  std::size_t count = (scratch_.size() - mark) / 2;
  std::uint32_t header = static_cast<std::uint32_t>(extra_.size());
  NodeId* words = extra_.extend(2 * count + 1);
  words[0] = NodeId(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    words[1 + i] = scratch_[mark + 2 * i];
    words[1 + count + i] = scratch_[mark + 2 * i + 1];
  }
  scratch_.truncate(mark);
  return finish(NodeKind::Compare, start, left.value, header);
}

NodeId Parser::parse_bool_op(std::uint32_t start, NodeId left) {
  TokenKind kind = *cur_;
  unsigned level = kPrecedence[at_kind(kind)];
  std::size_t mark = scratch_.size();
  scratch_.push_back(left);
  while (accept(kind)) {
    NodeId value = parse_binary(level + 1);
    scratch_.push_back(value);
  }
  BoolOperator op = kind == TokenKind::KwAnd ? BoolOperator::And : BoolOperator::Or;
  return finish(NodeKind::BoolOp, start, make_list(mark), 0, static_cast<std::uint8_t>(op));
}

// Prefix operators, in a loop: `not not - ~ x`.
NodeId Parser::parse_prefixed(unsigned level) {
  std::size_t mark = scratch_.size();
  NodeId operand;
  for (;;) {
    UnaryOperator op;
    switch (*cur_) {
      case TokenKind::Minus:
        op = UnaryOperator::USub;
        break;
      case TokenKind::Plus:
        op = UnaryOperator::UAdd;
        break;
      case TokenKind::Tilde:
        op = UnaryOperator::Invert;
        break;
      default:
        op = UnaryOperator::Not;
        break;
    }
    bool is_not = op == UnaryOperator::Not;
    if (is_not && level > kNotLevel) {
      fail_invalid_syntax();
      break;
    }
    scratch_.push_back(NodeId(here()));
    scratch_.push_back(NodeId(static_cast<std::uint32_t>(op)));
    ++cur_;
    bool sign = at(TokenKind::Minus) || at(TokenKind::Plus) || at(TokenKind::Tilde);
    if (is_not && at(TokenKind::KwNot)) {
      continue;
    }
    if (is_not) {
      operand = parse_binary(kCompareLevel);
      break;
    }
    level = kUnaryLevel;
    if (sign) {
      continue;
    }
    std::uint32_t start = here();
    operand = parse_primary(start);
    if (at(TokenKind::DoubleStar)) {
      operand = parse_power(start, operand);
    }
    break;
  }
  if (failed_) {
    // What failed inside may have left its own entries on the stack.
    scratch_.truncate(mark);
    return NodeId();
  }
  std::uint32_t end = previous_end();
  while (scratch_.size() > mark) {
    const NodeId* entry = scratch_.end() - 2;
    operand = add(NodeKind::UnaryOp, entry[0].value, end, operand.value, 0,
                  static_cast<std::uint8_t>(entry[1].value));
    scratch_.truncate(scratch_.size() - 2);
  }
  return operand;
}

// base ** exponent; the exponent may have a sign and be a power itself.
NodeId Parser::parse_power(std::uint32_t start, NodeId base) {
  if (!deeper()) {
    return NodeId();
  }
  ++cur_;
  NodeId exponent = parse_binary(kUnaryLevel);
  --depth_;
  return finish(NodeKind::BinOp, start, base.value, exponent.value,
                static_cast<std::uint8_t>(Operator::Pow));
}

// [await] atom with its calls, attributes and subscripts.
NodeId Parser::parse_primary(std::uint32_t start) {
  if (at(TokenKind::KwAwait)) [[unlikely]] {
    return parse_await();
  }
  return parse_postfix(start, parse_atom());
}

NodeId Parser::parse_await() {
  std::uint32_t start = here();
  ++cur_;
  if (at(TokenKind::KwAwait)) {
    fail_invalid_syntax();
    return NodeId();
  }
  NodeId value = parse_primary(here());
  return finish(NodeKind::Await, start, value.value);
}

NodeId Parser::parse_postfix(std::uint32_t start, NodeId value) {
  for (;;) {
    switch (*cur_) {
      case TokenKind::Dot: {
        if (!is_name(cur_[1])) [[unlikely]] {
          ++cur_;
          fail_invalid_syntax();
          return NodeId();
        }
        TextRange name = ranges_[index() + 1];
        cur_ += 2;
        value = add(NodeKind::Attribute, start, name.end, value.value, name.start);
        break;
      }
      case TokenKind::LeftParen:
        value = parse_call(start, value);
        break;
      case TokenKind::LeftBracket:
        value = parse_subscript(start, value);
        break;
      default:
        return value;
    }
  }
}

}  // namespace graphmend::syntax
