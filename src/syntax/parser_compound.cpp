// Compound statements, definitions, parameters.
#include "syntax/parser_impl.h"

namespace graphmend::syntax {

// ':' and the block after it, as a list. `what` names the statement in messages.
std::uint32_t Parser::parse_suite(std::string_view what, std::uint32_t keyword_offset) {
  expect(TokenKind::Colon);
  if (!at(TokenKind::Newline)) {
    std::size_t mark = scratch_.size();
    if (!failed_) {
      parse_simple_line();
    }
    return make_list(mark);
  }
  ++cur_;
  if (!at(TokenKind::Indent)) {
    fail(diag::Code::ExpectedIndent, current_range(),
         "expected an indented block after " + std::string(what) + " on line " +
             std::to_string(line_of(keyword_offset)));
    return 0;
  }
  ++cur_;
  std::uint32_t body = parse_statements();
  accept(TokenKind::Dedent);
  return body;
}

// if ... elif ... else: a chain is read in a loop and nested from its end.
NodeId Parser::parse_if() {
  std::size_t mark = scratch_.size();
  std::uint32_t orelse = 0;
  bool elif = false;
  for (;;) {
    std::uint32_t start = here();
    ++cur_;
    NodeId test = parse_named_expression();
    std::uint32_t body = parse_suite(elif ? "'elif' statement" : "'if' statement", start);
    scratch_.push_back(NodeId(start));
    scratch_.push_back(test);
    scratch_.push_back(NodeId(body));
    if (!at(TokenKind::KwElif)) {
      break;
    }
    elif = true;
  }
  if (at(TokenKind::KwElse)) {
    std::uint32_t start = here();
    ++cur_;
    orelse = parse_suite("'else' statement", start);
  }
  if (failed_) {
    // What failed inside may have left its own entries on the stack.
    scratch_.truncate(mark);
    return NodeId();
  }
  std::uint32_t end = last_solid_end();
  for (;;) {
    const NodeId* entry = scratch_.end() - 3;
    bool first = scratch_.size() == mark + 3;
    std::uint32_t words = add_words({entry[2].value, orelse});
    NodeId statement = add(NodeKind::If, entry[0].value, end, entry[1].value, words, 0,
                           first ? NodeFlag{0} : kElif);
    scratch_.truncate(scratch_.size() - 3);
    if (first) {
      return statement;
    }
    orelse = single_list(statement);
  }
}

NodeId Parser::parse_while() {
  std::uint32_t start = here();
  ++cur_;
  NodeId test = parse_named_expression();
  std::uint32_t body = parse_suite("'while' statement", start);
  std::uint32_t orelse = 0;
  if (at(TokenKind::KwElse)) {
    std::uint32_t else_start = here();
    ++cur_;
    orelse = parse_suite("'else' statement", else_start);
  }
  return add(NodeKind::While, start, last_solid_end(), test.value, add_words({body, orelse}));
}

NodeId Parser::parse_for(std::uint32_t start, bool is_async) {
  std::uint32_t keyword = here();
  ++cur_;
  NodeId target = parse_target_list(TargetUse::For);
  expect(TokenKind::KwIn);
  std::uint32_t iter_start = here();
  NodeId iter = parse_star_expressions();
  if (version_.minor < 9 && !failed_ && kind(iter) == NodeKind::Tuple) {
    std::uint32_t header = node(iter).a;
    for (std::uint32_t i = 1; i <= extra_[header].value; ++i) {
      if (kind(extra_[header + i]) == NodeKind::Starred &&
          (node(iter).flags & kParenthesized) == 0) {
        need_version(9, {iter_start, previous_end()}, "unpacking in a for loop");
      }
    }
  }
  std::uint32_t body = parse_suite("'for' statement", keyword);
  std::uint32_t orelse = 0;
  if (at(TokenKind::KwElse)) {
    std::uint32_t else_start = here();
    ++cur_;
    orelse = parse_suite("'else' statement", else_start);
  }
  return add(NodeKind::For, start, last_solid_end(), target.value,
             add_words({iter.value, body, orelse}), 0, is_async ? kAsync : NodeFlag{0});
}

// Is the parenthesis at the cursor around the items of a `with`, not around an expression? It is
// when a colon follows the closing one and nothing in it could only be an expression.
bool Parser::at_parenthesized_items() const {
  if (version_.minor < 9 || cur_[1] == TokenKind::RightParen) {
    return false;
  }
  std::size_t depth = 0;
  bool in_lambda = false;  // between `lambda` and its colon, where a star is a parameter's
  for (const TokenKind* token = cur_;; ++token) {
    if (is_open_bracket(*token)) {
      ++depth;
      continue;
    }
    if (is_close_bracket(*token)) {
      if (--depth == 0) {
        return token[1] == TokenKind::Colon;
      }
      continue;
    }
    if (*token == TokenKind::Newline || *token == TokenKind::EndOfFile) {
      return false;
    }
    if (depth == 1) {
      in_lambda = *token == TokenKind::KwLambda || (in_lambda && *token != TokenKind::Colon);
      bool first = token[-1] == TokenKind::LeftParen || token[-1] == TokenKind::Comma;
      if (*token == TokenKind::ColonEqual || *token == TokenKind::KwFor ||
          *token == TokenKind::KwYield || (first && !in_lambda && *token == TokenKind::Star)) {
        return false;
      }
    }
  }
}

void Parser::parse_with_item() {
  std::uint32_t start = here();
  NodeId context = parse_expression();
  NodeId variables;
  if (accept(TokenKind::KwAs)) {
    variables = parse_star_target();
    set_target(variables, TargetUse::With);
  }
  NodeId item = finish(NodeKind::WithItem, start, context.value, variables.value);
  scratch_.push_back(item);
}

NodeId Parser::parse_with(std::uint32_t start, bool is_async) {
  std::uint32_t keyword = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  if (at(TokenKind::LeftParen) && at_parenthesized_items()) {
    ++cur_;
    do {
      parse_with_item();
    } while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
    expect(TokenKind::RightParen);
  } else {
    do {
      parse_with_item();
    } while (accept(TokenKind::Comma));
  }
  std::uint32_t items = make_list(mark);
  std::uint32_t body = parse_suite("'with' statement", keyword);
  return add(NodeKind::With, start, last_solid_end(), items, body, 0,
             is_async ? kAsync : NodeFlag{0});
}

// except [*] [type [as name]]: body
NodeId Parser::parse_handler(bool& star, bool first) {
  std::uint32_t start = here();
  ++cur_;
  bool this_star = false;
  if (at(TokenKind::Star)) {
    need_version(11, current_range(), "'except*'");
    accept(TokenKind::Star);
    this_star = true;
    if (at(TokenKind::Colon)) {
      fail(diag::Code::InvalidSyntax, current_range(), "expected one or more exception types");
    }
  }
  if (!first && this_star != star) {
    fail(diag::Code::InvalidSyntax, {start, previous_end()},
         "cannot have both 'except' and 'except*' on the same 'try'");
  }
  star = this_star;
  NodeId type;
  TokenId name;
  if (!at(TokenKind::Colon)) {
    std::uint32_t type_start = here();
    type = parse_expression();
    if (at(TokenKind::Comma)) {
      std::size_t mark = scratch_.size();
      scratch_.push_back(type);
      while (accept(TokenKind::Comma)) {
        if (at(TokenKind::Colon) || at(TokenKind::KwAs)) {
          break;
        }
        NodeId next = parse_expression();
        scratch_.push_back(next);
      }
      type = finish(NodeKind::Tuple, type_start, make_list(mark));
      if (version_.minor < 14 || at(TokenKind::KwAs)) {
        fail(diag::Code::InvalidSyntax, range(type),
             version_.minor < 14
                 ? "multiple exception types must be parenthesized"
                 : "multiple exception types must be parenthesized when using 'as'");
      }
    }
    if (accept(TokenKind::KwAs)) {
      name = current_token();
      if (!is_name(*cur_)) {
        fail_invalid_syntax();
        return NodeId();
      }
      ++cur_;
      if (at(TokenKind::Dot) || at(TokenKind::LeftBracket) || at(TokenKind::LeftParen)) {
        fail(diag::Code::InvalidTarget, current_range(),
             at(TokenKind::Dot) ? "cannot use except statement with attribute" : "invalid syntax");
      }
    }
  }
  std::uint32_t body = parse_suite(this_star ? "'except*' statement" : "'except' statement", start);
  return add(NodeKind::ExceptHandler, start, last_solid_end(), type.value,
             add_words({name.value, body}));
}

NodeId Parser::parse_try() {
  std::uint32_t start = here();
  ++cur_;
  std::uint32_t body = parse_suite("'try' statement", start);
  std::size_t mark = scratch_.size();
  bool star = false;
  while (at(TokenKind::KwExcept)) {
    NodeId handler = parse_handler(star, scratch_.size() == mark);
    scratch_.push_back(handler);
  }
  std::uint32_t handlers = make_list(mark);
  std::uint32_t orelse = 0;
  std::uint32_t finalbody = 0;
  if (handlers != 0 && at(TokenKind::KwElse)) {
    std::uint32_t clause = here();
    ++cur_;
    orelse = parse_suite("'else' statement", clause);
  }
  if (at(TokenKind::KwFinally)) {
    std::uint32_t clause = here();
    ++cur_;
    finalbody = parse_suite("'finally' statement", clause);
  }
  if (handlers == 0 && finalbody == 0) {
    fail(diag::Code::InvalidSyntax, current_range(), "expected 'except' or 'finally' block");
  }
  return add(NodeKind::Try, start, last_solid_end(), body, add_words({handlers, orelse, finalbody}),
             0, star ? kStar : NodeFlag{0});
}

NodeId Parser::parse_async() {
  std::uint32_t start = here();
  ++cur_;
  switch (*cur_) {
    case TokenKind::KwDef:
      return parse_function(start, true, 0);
    case TokenKind::KwFor:
      return parse_for(start, true);
    case TokenKind::KwWith:
      return parse_with(start, true);
    default:
      fail_invalid_syntax();
      return NodeId();
  }
}

NodeId Parser::parse_decorated() {
  std::size_t mark = scratch_.size();
  while (accept(TokenKind::At)) {
    NodeId decorator = parse_named_expression();
    if (version_.minor < 9 && !failed_) {
      // Before 3.9: a dotted name with at most one call.
      NodeId part = decorator;
      if (kind(part) == NodeKind::Call) {
        part = NodeId(node(part).a);
      }
      while (kind(part) == NodeKind::Attribute && (node(part).flags & kParenthesized) == 0) {
        part = NodeId(node(part).a);
      }
      if (kind(part) != NodeKind::Name || (node(part).flags & kParenthesized) != 0 ||
          (node(decorator).flags & kParenthesized) != 0) {
        need_version(9, range(decorator), "a decorator of this form");
      }
    }
    scratch_.push_back(decorator);
    expect(TokenKind::Newline);
  }
  std::uint32_t decorators = make_list(mark);
  std::uint32_t start = here();
  if (at(TokenKind::KwDef)) {
    return parse_function(start, false, decorators);
  }
  if (at(TokenKind::KwClass)) {
    return parse_class(decorators);
  }
  if (at(TokenKind::KwAsync) && cur_[1] == TokenKind::KwDef) {
    ++cur_;
    return parse_function(start, true, decorators);
  }
  fail_invalid_syntax();
  return NodeId();
}

NodeId Parser::parse_function(std::uint32_t start, bool is_async, std::uint32_t decorators) {
  std::uint32_t keyword = here();
  ++cur_;
  TokenId name = current_token();
  if (!is_name(*cur_)) {
    fail_invalid_syntax();
    return NodeId();
  }
  ++cur_;
  std::uint32_t type_params = at(TokenKind::LeftBracket) ? parse_type_params() : 0;
  if (!at(TokenKind::LeftParen)) {
    fail(diag::Code::InvalidSyntax, current_range(),
         version_.minor >= 10 ? "expected '('" : "invalid syntax");
    return NodeId();
  }
  ++cur_;
  NodeId arguments = parse_arguments(TokenKind::RightParen);
  expect(TokenKind::RightParen);
  NodeId returns;
  if (accept(TokenKind::Arrow)) {
    returns = parse_expression();
  }
  std::uint32_t body = parse_suite("function definition", keyword);
  const NameId id = name_id(ranges_[name.value]);
  return add(NodeKind::FunctionDef, start, last_solid_end(), arguments.value,
             add_words({decorators, name.value, type_params, returns.value, body, id.value}), 0,
             is_async ? kAsync : NodeFlag{0});
}

NodeId Parser::parse_class(std::uint32_t decorators) {
  std::uint32_t start = here();
  ++cur_;
  TokenId name = current_token();
  if (!is_name(*cur_)) {
    fail_invalid_syntax();
    return NodeId();
  }
  ++cur_;
  std::uint32_t type_params = at(TokenKind::LeftBracket) ? parse_type_params() : 0;
  std::uint32_t arguments = at(TokenKind::LeftParen) ? parse_call_arguments(false) : 0;
  std::uint32_t body = parse_suite("class definition", start);
  const NameId id = name_id(ranges_[name.value]);
  return add(NodeKind::ClassDef, start, last_solid_end(), name.value,
             add_words({decorators, type_params, arguments, body, id.value}));
}

// [T: bound = default, *Ts = default, **P = default]
std::uint32_t Parser::parse_type_params() {
  need_version(12, current_range(), "a list of type parameters");
  std::uint32_t open = here();
  accept(TokenKind::LeftBracket);
  if (at(TokenKind::RightBracket)) {
    fail(diag::Code::InvalidSyntax, {open, current_range().end},
         "Type parameter list cannot be empty");
    return 0;
  }
  std::size_t mark = scratch_.size();
  while (!at(TokenKind::RightBracket)) {
    std::uint32_t start = here();
    NodeKind node_kind = NodeKind::TypeVar;
    if (accept(TokenKind::Star)) {
      node_kind = NodeKind::TypeVarTuple;
    } else if (accept(TokenKind::DoubleStar)) {
      node_kind = NodeKind::ParamSpec;
    }
    TokenId name = current_token();
    if (!is_name(*cur_)) {
      fail_invalid_syntax();
      return 0;
    }
    ++cur_;
    NodeId bound;
    NodeId default_value;
    if (at(TokenKind::Colon)) {
      if (node_kind != NodeKind::TypeVar) {
        fail(diag::Code::InvalidSyntax, current_range(),
             node_kind == NodeKind::ParamSpec ? "cannot use bound with ParamSpec"
                                              : "cannot use bound with TypeVarTuple");
      } else {
        ++cur_;
      }
      bound = parse_expression();
    }
    if (at(TokenKind::Equal)) {
      need_version(13, current_range(), "the default of a type parameter");
      accept(TokenKind::Equal);
      default_value =
          node_kind == NodeKind::TypeVarTuple ? parse_star_expression() : parse_expression();
    }
    NodeId parameter =
        node_kind == NodeKind::TypeVar
            ? finish(node_kind, start, name.value, add_words({bound.value, default_value.value}))
            : finish(node_kind, start, name.value, default_value.value);
    scratch_.push_back(parameter);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  expect(TokenKind::RightBracket);
  return make_list(mark);
}

// name [: annotation] [= default]
NodeId Parser::parse_param(ParamKind param_kind, bool annotations) {
  TextRange where = current_range();
  TokenId name = current_token();
  if (!is_name(*cur_)) {
    if (at(TokenKind::LeftParen)) {
      fail(diag::Code::InvalidParameters, where,
           annotations ? "Function parameters cannot be parenthesized"
                       : "Lambda expression parameters cannot be parenthesized");
    }
    fail_invalid_syntax();
    return NodeId();
  }
  ++cur_;
  NodeId annotation;
  NodeId default_value;
  if (annotations && accept(TokenKind::Colon)) {
    if (param_kind == ParamKind::VarArgs && at(TokenKind::Star)) {
      need_version(11, current_range(), "a starred annotation");
      annotation = parse_star_expression();
    } else {
      annotation = parse_expression();
    }
    where.end = previous_end();
  }
  if (at(TokenKind::Equal)) {
    if (param_kind == ParamKind::VarArgs || param_kind == ParamKind::KwArgs) {
      fail(diag::Code::InvalidParameters, current_range(),
           param_kind == ParamKind::VarArgs ? "var-positional argument cannot have default value"
                                            : "var-keyword argument cannot have default value");
      return NodeId();
    }
    ++cur_;
    if (at(TokenKind::Comma) || at(TokenKind::RightParen)) {
      fail(diag::Code::InvalidParameters, {previous_end() - 1, previous_end()},
           "expected default value expression");
    }
    default_value = parse_expression();
  }
  const NameId id = name_id(ranges_[name.value]);
  return add(NodeKind::Param, where.start, where.end, name.value,
             add_words({annotation.value, default_value.value, id.value}),
             static_cast<std::uint8_t>(param_kind));
}

// The parameters of a function (`close` is a parenthesis) or a lambda (a colon).
NodeId Parser::parse_arguments(TokenKind close) {
  std::uint32_t start = here();
  std::size_t mark = scratch_.size();
  bool annotations = close == TokenKind::RightParen;
  bool seen_slash = false;
  bool seen_star = false;
  bool seen_kwargs = false;
  bool seen_default = false;
  while (!at(close)) {
    if (seen_kwargs) {
      fail(diag::Code::InvalidParameters, current_range(),
           "arguments cannot follow var-keyword argument");
      break;
    }
    if (at(TokenKind::Slash)) {
      if (seen_slash || seen_star || scratch_.size() == mark) {
        fail(diag::Code::InvalidParameters, current_range(),
             seen_slash  ? "/ may appear only once"
             : seen_star ? "/ must be ahead of *"
                         : "at least one argument must precede /");
        break;
      }
      seen_slash = true;
      for (std::size_t i = mark; i < scratch_.size(); ++i) {
        node(scratch_[i]).op = static_cast<std::uint8_t>(ParamKind::PositionalOnly);
      }
      ++cur_;
    } else if (at(TokenKind::Star)) {
      TextRange star = current_range();
      if (seen_star) {
        fail(diag::Code::InvalidParameters, star, "* argument may appear only once");
        break;
      }
      seen_star = true;
      ++cur_;
      if (at(TokenKind::Comma) || at(close)) {
        if (at(close) || cur_[1] == close || cur_[1] == TokenKind::DoubleStar) {
          fail(diag::Code::InvalidParameters, star, "named arguments must follow bare *");
          break;
        }
      } else {
        NodeId parameter = parse_param(ParamKind::VarArgs, annotations);
        scratch_.push_back(parameter);
      }
    } else if (accept(TokenKind::DoubleStar)) {
      seen_kwargs = true;
      NodeId parameter = parse_param(ParamKind::KwArgs, annotations);
      scratch_.push_back(parameter);
    } else {
      ParamKind param_kind = seen_star ? ParamKind::KeywordOnly : ParamKind::Positional;
      TextRange where = current_range();
      NodeId parameter = parse_param(param_kind, annotations);
      if (!failed_ && !seen_star) {
        std::uint32_t words = node(parameter).b;
        if (extra_[words + 1].value != 0) {
          seen_default = true;
        } else if (seen_default) {
          fail(diag::Code::InvalidParameters, where,
               version_.minor >= 12 ? "parameter without a default follows parameter with a default"
                                    : "non-default argument follows default argument");
          break;
        }
      }
      scratch_.push_back(parameter);
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  std::uint32_t end = scratch_.size() == mark && !seen_star ? start : previous_end();
  return add(NodeKind::Arguments, start, end, make_list(mark));
}

}  // namespace graphmend::syntax
