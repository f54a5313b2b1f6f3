// Atoms: names, constants, brackets of all kinds, call arguments, subscripts, comprehensions.
#include "syntax/parser_impl.h"

namespace graphmend::syntax {

NodeId Parser::add_constant(ConstantKind constant) {
  TextRange token_range = current_range();
  std::uint32_t token = current_token().value;
  ++cur_;
  return add(NodeKind::Constant, token_range.start, token_range.end, token, token,
             static_cast<std::uint8_t>(constant));
}

NodeId Parser::parse_atom() {
  switch (*cur_) {
    case TokenKind::Name:
    case TokenKind::SoftMatch:
    case TokenKind::SoftCase:
    case TokenKind::SoftType:
    case TokenKind::SoftUnderscore: {
      TextRange name = current_range();
      ++cur_;
      return add_name(name);
    }
    case TokenKind::Int:
      return add_constant(ConstantKind::Int);
    case TokenKind::Float:
      return add_constant(ConstantKind::Float);
    case TokenKind::Imaginary:
      return add_constant(ConstantKind::Imaginary);
    case TokenKind::KwNone:
      return add_constant(ConstantKind::None);
    case TokenKind::KwTrue:
      return add_constant(ConstantKind::True);
    case TokenKind::KwFalse:
      return add_constant(ConstantKind::False);
    case TokenKind::Ellipsis:
      return add_constant(ConstantKind::Ellipsis);
    case TokenKind::String:
      if (cur_[1] < TokenKind::String || cur_[1] > TokenKind::TStringStart) [[likely]] {
        return add_constant(ConstantKind::Str);
      }
      return parse_strings();
    case TokenKind::Bytes:
    case TokenKind::FStringStart:
    case TokenKind::TStringStart:
      return parse_strings();
    case TokenKind::LeftParen:
      return parse_parentheses();
    case TokenKind::LeftBracket:
      return parse_list();
    case TokenKind::LeftBrace:
      return parse_braces();
    default:
      expected_expression();
      return NodeId();
  }
}

// function(arguments); the cursor is at the parenthesis.
NodeId Parser::parse_call(std::uint32_t start, NodeId function) {
  std::uint32_t arguments = parse_call_arguments(true);
  return finish(NodeKind::Call, start, function.value, arguments);
}

// (arguments) of a call or a class, as a list.
std::uint32_t Parser::parse_call_arguments(bool allow_generator) {
  std::uint32_t open = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  bool after_keyword = false;
  bool after_unpacking = false;
  while (!at(TokenKind::RightParen)) {
    TokenKind kind = *cur_;
    std::uint32_t start = here();
    NodeId argument;
    if (is_name(kind) && cur_[1] == TokenKind::Equal) {
      TokenId name = current_token();
      cur_ += 2;
      if (at(TokenKind::Comma) || at(TokenKind::RightParen)) {
        fail(diag::Code::InvalidArguments, {start, previous_end()},
             "expected argument value expression");
      }
      NodeId value = parse_expression();
      argument = finish(NodeKind::Keyword, start, name.value, value.value);
      after_keyword = true;
    } else if (kind == TokenKind::Star) {
      ++cur_;
      NodeId value = parse_expression();
      argument = finish(NodeKind::Starred, start, value.value);
      if (after_unpacking) {
        fail(diag::Code::InvalidArguments, range(argument),
             "iterable argument unpacking follows keyword argument unpacking");
      }
    } else if (kind == TokenKind::DoubleStar) {
      ++cur_;
      NodeId value = parse_expression();
      argument = finish(NodeKind::Keyword, start, 0, value.value);
      after_unpacking = true;
    } else {
      argument = parse_named_expression();
      if (at_generator()) [[unlikely]] {
        std::uint32_t generators = parse_generators();
        bool alone = scratch_.size() == mark && at(TokenKind::RightParen) && allow_generator;
        if (!alone) {
          fail(diag::Code::InvalidArguments, {start, previous_end()},
               "Generator expression must be parenthesized");
          return 0;
        }
        ++cur_;
        argument = finish(NodeKind::GeneratorExp, open, argument.value, generators);
        return single_list(argument);
      }
      if (at(TokenKind::Equal)) [[unlikely]] {
        bool constant = this->kind(argument) == NodeKind::Constant &&
                        node(argument).op <= static_cast<std::uint8_t>(ConstantKind::False);
        fail(diag::Code::InvalidArguments, {start, current_range().end},
             constant ? "cannot assign to " + std::string(text(range(argument)))
                      : "expression cannot contain assignment, perhaps you meant \"==\"?");
      } else if (after_unpacking) [[unlikely]] {
        fail(diag::Code::InvalidArguments, {start, previous_end()},
             "positional argument follows keyword argument unpacking");
      } else if (after_keyword) [[unlikely]] {
        fail(diag::Code::InvalidArguments, {start, previous_end()},
             "positional argument follows keyword argument");
      }
    }
    scratch_.push_back(argument);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  expect(TokenKind::RightParen);
  return make_list(mark);
}

// value[slice]; the cursor is at the bracket.
NodeId Parser::parse_subscript(std::uint32_t start, NodeId value) {
  ++cur_;
  std::uint32_t slice_start = here();
  bool starred = at(TokenKind::Star);
  NodeId slice = parse_subscript_item();
  if (at(TokenKind::Comma) || starred) {
    std::size_t mark = scratch_.size();
    scratch_.push_back(slice);
    while (accept(TokenKind::Comma)) {
      if (at(TokenKind::RightBracket)) {
        break;
      }
      NodeId item = parse_subscript_item();
      scratch_.push_back(item);
    }
    slice = finish(NodeKind::Tuple, slice_start, make_list(mark));
  }
  expect(TokenKind::RightBracket);
  return finish(NodeKind::Subscript, start, value.value, slice.value);
}

// An expression, a slice or, from 3.11 on, a starred expression.
NodeId Parser::parse_subscript_item() {
  std::uint32_t start = here();
  if (at(TokenKind::Star)) {
    need_version(11, current_range(), "a starred expression in a subscript");
    return parse_star_expression();
  }
  NodeId lower;
  if (!at(TokenKind::Colon)) {
    bool walrus = is_name(*cur_) && cur_[1] == TokenKind::ColonEqual;
    if (walrus) {
      need_version(10, current_range(), "an assignment expression in a subscript");
    }
    lower = parse_named_expression();
    if (!at(TokenKind::Colon) || walrus) {
      return lower;
    }
  }
  ++cur_;
  NodeId upper;
  NodeId step;
  auto at_bound = [this] {
    return !at(TokenKind::Colon) && !at(TokenKind::Comma) && !at(TokenKind::RightBracket);
  };
  if (at_bound()) {
    upper = parse_expression();
  }
  if (accept(TokenKind::Colon) && at_bound()) {
    step = parse_expression();
  }
  return finish(NodeKind::Slice, start, lower.value, add_words({upper.value, step.value}));
}

// (), (group), (a, tuple), (generator for x in y), (yield).
NodeId Parser::parse_parentheses() {
  std::uint32_t start = here();
  ++cur_;
  if (accept(TokenKind::RightParen)) {
    return finish(NodeKind::Tuple, start, 0, 0, 0, kParenthesized);
  }
  NodeId first;
  if (at(TokenKind::KwYield)) {
    first = parse_yield();
  } else {
    bool starred = at(TokenKind::Star);
    std::uint32_t first_start = here();
    first = parse_star_named_expression();
    if (at(TokenKind::Comma)) {
      NodeId tuple = parse_tuple_rest(start, first, true);
      expect(TokenKind::RightParen);
      node(tuple).end = previous_end();
      node(tuple).flags |= kParenthesized;
      return tuple;
    }
    if (at_generator()) {
      if (starred) {
        fail(diag::Code::InvalidSyntax, {first_start, previous_end()},
             "iterable unpacking cannot be used in comprehension");
      }
      std::uint32_t generators = parse_generators();
      expect(TokenKind::RightParen);
      return finish(NodeKind::GeneratorExp, start, first.value, generators, 0, kParenthesized);
    }
    if (starred && at(TokenKind::RightParen)) {
      fail(diag::Code::InvalidSyntax, {first_start, previous_end()},
           "cannot use starred expression here");
    }
  }
  expect(TokenKind::RightParen);
  node(first).flags |= kParenthesized;
  return first;
}

// [a, list] or [comprehension for x in y].
NodeId Parser::parse_list() {
  std::uint32_t start = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  while (!at(TokenKind::RightBracket)) {
    bool starred = at(TokenKind::Star);
    std::uint32_t element_start = here();
    NodeId element = parse_star_named_expression();
    if (scratch_.size() == mark && at_generator()) {
      if (starred) {
        fail(diag::Code::InvalidSyntax, {element_start, previous_end()},
             "iterable unpacking cannot be used in comprehension");
      }
      std::uint32_t generators = parse_generators();
      expect(TokenKind::RightBracket);
      return finish(NodeKind::ListComp, start, element.value, generators);
    }
    scratch_.push_back(element);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (scratch_.size() - mark > 1 && at_generator()) {
    fail(diag::Code::InvalidSyntax, {range(scratch_[mark]).start, previous_end()},
         "did you forget parentheses around the comprehension target?");
  }
  expect(TokenKind::RightBracket);
  return finish(NodeKind::List, start, make_list(mark));
}

// {}, {key: value}, {**mapping}, {a, set}, and the comprehensions of both.
NodeId Parser::parse_braces() {
  std::uint32_t start = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  if (at(TokenKind::RightBrace) || at(TokenKind::DoubleStar)) {
    return parse_dict_rest(start, mark);
  }
  bool starred = at(TokenKind::Star);
  std::uint32_t first_start = here();
  NodeId first = parse_star_named_expression();
  if (at(TokenKind::Colon) && !starred) {
    NodeId value = parse_dict_value();
    if (at_generator()) {
      std::uint32_t generators = parse_generators();
      expect(TokenKind::RightBrace);
      return finish(NodeKind::DictComp, start, first.value, add_words({value.value, generators}));
    }
    scratch_.push_back(first);
    scratch_.push_back(value);
    if (!accept(TokenKind::Comma)) {
      expect(TokenKind::RightBrace);
      return finish(NodeKind::Dict, start, make_list(mark));
    }
    return parse_dict_rest(start, mark);
  }
  if (at_generator()) {
    if (starred) {
      fail(diag::Code::InvalidSyntax, {first_start, previous_end()},
           "iterable unpacking cannot be used in comprehension");
    }
    std::uint32_t generators = parse_generators();
    expect(TokenKind::RightBrace);
    return finish(NodeKind::SetComp, start, first.value, generators);
  }
  scratch_.push_back(first);
  while (accept(TokenKind::Comma)) {
    if (at(TokenKind::RightBrace)) {
      break;
    }
    NodeId element = parse_star_named_expression();
    scratch_.push_back(element);
  }
  expect(TokenKind::RightBrace);
  return finish(NodeKind::Set, start, make_list(mark));
}

// ':' value, the cursor at the colon.
NodeId Parser::parse_dict_value() {
  ++cur_;
  if (at(TokenKind::RightBrace) || at(TokenKind::Comma)) {
    fail(diag::Code::InvalidSyntax, {previous_end() - 1, previous_end()},
         "expression expected after dictionary key and ':'");
  } else if (at(TokenKind::Star)) {
    fail(diag::Code::InvalidSyntax, current_range(),
         "cannot use a starred expression in a dictionary value");
  }
  return parse_expression();
}

// The items of a dict from the cursor on, and its brace.
NodeId Parser::parse_dict_rest(std::uint32_t start, std::size_t mark) {
  while (!at(TokenKind::RightBrace)) {
    NodeId key;
    NodeId value;
    if (accept(TokenKind::DoubleStar)) {
      std::uint32_t value_start = here();
      value = parse_binary(kBitOrLevel);
      if (at_generator()) {
        fail(diag::Code::InvalidSyntax, {value_start - 2, previous_end()},
             "dict unpacking cannot be used in dict comprehension");
      }
    } else {
      key = parse_expression();
      if (!at(TokenKind::Colon)) {
        fail(diag::Code::InvalidSyntax, {previous_end() - 1, previous_end()},
             "':' expected after dictionary key");
        return NodeId();
      }
      value = parse_dict_value();
    }
    scratch_.push_back(key);
    scratch_.push_back(value);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  expect(TokenKind::RightBrace);
  return finish(NodeKind::Dict, start, make_list(mark));
}

// ([async] for target in iter (if condition)*)+, as a list.
std::uint32_t Parser::parse_generators() {
  std::size_t mark = scratch_.size();
  while (at_generator()) {
    std::uint32_t start = here();
    std::uint16_t flags = accept(TokenKind::KwAsync) ? kAsync : 0;
    ++cur_;
    NodeId target = parse_target_list(TargetUse::For);
    expect(TokenKind::KwIn);
    NodeId iter = parse_disjunction();
    std::size_t conditions = scratch_.size();
    while (accept(TokenKind::KwIf)) {
      // The grammar before 3.9 took a lambda here.
      bool lambda = at(TokenKind::KwLambda) && version_.minor < 9;
      NodeId condition = lambda ? parse_lambda() : parse_disjunction();
      scratch_.push_back(condition);
    }
    std::uint32_t ifs = make_list(conditions);
    NodeId generator = finish(NodeKind::Comprehension, start, target.value,
                              add_words({iter.value, ifs}), 0, flags);
    scratch_.push_back(generator);
  }
  return make_list(mark);
}

}  // namespace graphmend::syntax
