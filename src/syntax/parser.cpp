// Entry points, lists of statements, simple statements.
#include "syntax/parser.h"

#include "syntax/forbidden_names.h"
#include "syntax/identifiers.h"
#include "syntax/lexer_impl.h"
#include "syntax/parser_impl.h"

#include <algorithm>
#include <utility>

namespace graphmend::syntax {

Tree TreeBuilder::build(std::string_view source, base::PodVector<Node> nodes,
                        base::PodVector<NodeId> extra, TokenBuffer tokens, NameTable names,
                        std::vector<diag::Diagnostic> errors) {
  Tree tree;
  tree.source_ = source;
  tree.nodes_ = std::move(nodes);
  tree.extra_ = std::move(extra);
  tree.tokens_ = std::move(tokens);
  tree.names_ = std::make_shared<const NameTable>(std::move(names));
  tree.errors_ = std::move(errors);
  return tree;
}

Parser::Parser(std::string_view source, TokenBuffer tokens, std::vector<diag::Diagnostic> errors,
               PythonVersion version)
    : source_(source),
      tokens_(std::move(tokens)),
      kinds_(tokens_.kinds().data()),
      ranges_(tokens_.ranges().data()),
      cur_(kinds_),
      end_of_file_(kinds_ + tokens_.size() - 1),
      version_(version),
      // One distinct name for twelve to sixteen tokens is usual.
      names_(NameTable::with_known_names(tokens_.size() / 16)),
      lexer_errors_(std::move(errors)) {
  nodes_.reserve(tokens_.size() * 3 / 4 + 16);
  extra_.reserve(tokens_.size() / 2 + 16);
  nodes_.push_back({0, 0, NodeKind::None, 0, 0, 0, 0});
  // The empty list, and zeros for the absent fields of kinds whose B may be 0.
  std::fill_n(extra_.extend(8), 8, NodeId());
}

NameId Parser::normalized_name_id(TextRange name) {
  return names_.intern(normalize_identifier(text(name)));
}

std::uint32_t Parser::last_solid_end() const {
  const TokenKind* token = cur_ - 1;
  while (token > kinds_ && *token >= TokenKind::Newline && *token <= TokenKind::EndOfFile) {
    --token;
  }
  if (version_.minor == 8) {
    // Before the PEG parser, statements did not end with a semicolon.
    while (token > kinds_ && *token == TokenKind::Semicolon) {
      --token;
    }
  }
  return ranges_[token - kinds_].end;
}

Tree Parser::run() {
  std::size_t mark = scratch_.size();
  while (!at(TokenKind::EndOfFile)) {
    if (at(TokenKind::Dedent)) {
      ++cur_;  // left over by recovery
      continue;
    }
    std::uint32_t statements = parse_statements();
    // Keep what was read so far on the stack.
    std::uint32_t count = extra_[statements].value;
    for (std::uint32_t i = 1; i <= count; ++i) {
      scratch_.push_back(extra_[statements + i]);
    }
  }
  add(NodeKind::Module, 0, static_cast<std::uint32_t>(source_.size()), make_list(mark));
  std::vector<diag::Diagnostic> errors = collect_errors();
  Tree tree = TreeBuilder::build(source_, std::move(nodes_), std::move(extra_), std::move(tokens_),
                                 std::move(names_), std::move(errors));
  if (version_.minor == 8 && tree.ok()) {
    if (auto error = find_forbidden_name(tree)) {
      TreeBuilder::add_error(tree, std::move(*error));
    }
  }
  return tree;
}

// Statements up to a Dedent or the end of the file, as a list.
std::uint32_t Parser::parse_statements() {
  std::size_t mark = scratch_.size();
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) {
    std::size_t first_token = index();
    std::size_t node_mark = nodes_.size();
    std::size_t scratch_mark = scratch_.size();
    parse_statement();
    if (failed_) [[unlikely]] {
      recover(first_token, node_mark, scratch_mark);
    }
  }
  return make_list(mark);
}

// Pushes the statement at the cursor, or the several of a line, on the scratch stack.
void Parser::parse_statement() {
  NodeId statement;
  switch (*cur_) {
    case TokenKind::KwIf:
      statement = parse_if();
      break;
    case TokenKind::KwFor:
      statement = parse_for(here(), false);
      break;
    case TokenKind::KwWhile:
      statement = parse_while();
      break;
    case TokenKind::KwTry:
      statement = parse_try();
      break;
    case TokenKind::KwWith:
      statement = parse_with(here(), false);
      break;
    case TokenKind::KwDef:
      statement = parse_function(here(), false, 0);
      break;
    case TokenKind::KwClass:
      statement = parse_class(0);
      break;
    case TokenKind::KwAsync:
      statement = parse_async();
      break;
    case TokenKind::At:
      statement = parse_decorated();
      break;
    case TokenKind::SoftMatch:
      if (at_match_statement()) {
        statement = parse_match();
        break;
      }
      parse_simple_line();
      return;
    case TokenKind::Indent:
      fail(diag::Code::UnexpectedIndent, current_range(), "unexpected indent");
      return;
    default:
      parse_simple_line();
      return;
  }
  scratch_.push_back(statement);
}

// Simple statements with semicolons between them, up to the end of the line.
void Parser::parse_simple_line() {
  for (;;) {
    // The statement is built before the stack may be touched.
    NodeId statement = parse_simple_statement();
    scratch_.push_back(statement);
    if (at(TokenKind::Newline)) [[likely]] {
      ++cur_;
      return;
    }
    if (!accept(TokenKind::Semicolon)) {
      fail_invalid_syntax();
      return;
    }
    if (accept(TokenKind::Newline)) {
      return;
    }
  }
}

NodeId Parser::parse_simple_statement() {
  std::uint32_t start = here();
  switch (*cur_) {
    case TokenKind::KwReturn:
      return parse_return();
    case TokenKind::KwPass:
      ++cur_;
      return finish(NodeKind::Pass, start);
    case TokenKind::KwBreak:
      ++cur_;
      return finish(NodeKind::Break, start);
    case TokenKind::KwContinue:
      ++cur_;
      return finish(NodeKind::Continue, start);
    case TokenKind::KwRaise:
      return parse_raise();
    case TokenKind::KwAssert:
      return parse_assert();
    case TokenKind::KwDel:
      return parse_delete();
    case TokenKind::KwGlobal:
      return parse_global(NodeKind::Global);
    case TokenKind::KwNonlocal:
      return parse_global(NodeKind::Nonlocal);
    case TokenKind::KwImport:
      return parse_import();
    case TokenKind::KwFrom:
      return parse_import_from();
    case TokenKind::SoftType:
      if (at_type_alias()) {
        return parse_type_alias();
      }
      return parse_expression_statement();
    default:
      return parse_expression_statement();
  }
}

NodeId Parser::parse_yield_or_star_expressions() {
  return at(TokenKind::KwYield) ? parse_yield() : parse_star_expressions();
}

// An expression, an assignment of any form, or an annotation.
NodeId Parser::parse_expression_statement() {
  std::uint32_t start = here();
  NodeId value = parse_yield_or_star_expressions();
  TokenKind next = *cur_;
  if (next == TokenKind::Newline) {
    return finish(NodeKind::Expr, start, value.value);
  }
  if (next == TokenKind::Equal) {
    return parse_assignment(start, value);
  }
  if (next == TokenKind::Colon) {
    return parse_annotated(start, value);
  }
  if (is_augmented_assignment(next)) {
    set_target(value, TargetUse::Augmented);
    std::uint8_t op =
        static_cast<std::uint8_t>(static_cast<int>(next) - static_cast<int>(TokenKind::PlusEqual));
    accept(next);
    NodeId right = parse_yield_or_star_expressions();
    return finish(NodeKind::AugAssign, start, value.value, right.value, op);
  }
  return finish(NodeKind::Expr, start, value.value);
}

// target = target = ... = value; the first target is read, the cursor is at its `=`.
NodeId Parser::parse_assignment(std::uint32_t start, NodeId target) {
  std::size_t mark = scratch_.size();
  NodeId value = target;
  while (accept(TokenKind::Equal)) {
    set_target(value, TargetUse::Assign);
    scratch_.push_back(value);
    value = parse_yield_or_star_expressions();
  }
  std::uint32_t targets = make_list(mark);
  return finish(NodeKind::Assign, start, targets, value.value);
}

// target: annotation [= value]; the cursor is at the colon.
NodeId Parser::parse_annotated(std::uint32_t start, NodeId target) {
  std::uint16_t flags = 0;
  switch (kind(target)) {
    case NodeKind::Name:
      flags = (node(target).flags & kParenthesized) != 0 ? 0 : kSimple;
      break;
    case NodeKind::Attribute:
    case NodeKind::Subscript:
      break;
    case NodeKind::List:
      fail(diag::Code::InvalidTarget, range(target),
           "only single target (not list) can be annotated");
      break;
    case NodeKind::Tuple:
      fail(diag::Code::InvalidTarget, range(target),
           "only single target (not tuple) can be annotated");
      break;
    default:
      if (kind(target) == NodeKind::Name || failed_) {
        break;
      }
      // `else:` and the like without their statement look like this too.
      fail(diag::Code::InvalidTarget, range(target), "illegal target for annotation");
      break;
  }
  set_target(target, TargetUse::Assign);
  expect(TokenKind::Colon);
  NodeId annotation = parse_expression();
  NodeId value;
  if (accept(TokenKind::Equal)) {
    value = parse_yield_or_star_expressions();
  }
  return finish(NodeKind::AnnAssign, start, target.value,
                add_words({annotation.value, value.value}), 0, flags);
}

NodeId Parser::parse_return() {
  std::uint32_t start = here();
  ++cur_;
  NodeId value;
  if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    value = parse_star_expressions();
  }
  return finish(NodeKind::Return, start, value.value);
}

NodeId Parser::parse_raise() {
  std::uint32_t start = here();
  ++cur_;
  NodeId exception;
  NodeId cause;
  if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    exception = parse_expression();
    if (accept(TokenKind::KwFrom)) {
      cause = parse_expression();
    }
  }
  return finish(NodeKind::Raise, start, exception.value, cause.value);
}

NodeId Parser::parse_assert() {
  std::uint32_t start = here();
  ++cur_;
  NodeId test = parse_expression();
  NodeId message;
  if (accept(TokenKind::Comma)) {
    message = parse_expression();
  }
  return finish(NodeKind::Assert, start, test.value, message.value);
}

NodeId Parser::parse_delete() {
  std::uint32_t start = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  do {
    if (!kStartsExpression[static_cast<std::size_t>(*cur_)]) {
      if (scratch_.size() == mark || !(at(TokenKind::Newline) || at(TokenKind::Semicolon))) {
        fail_invalid_syntax();
      }
      break;
    }
    NodeId target = parse_expression();
    set_target(target, TargetUse::Delete);
    scratch_.push_back(target);
  } while (accept(TokenKind::Comma));
  return finish(NodeKind::Delete, start, make_list(mark));
}

NodeId Parser::parse_global(NodeKind node_kind) {
  std::uint32_t start = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  do {
    if (!is_name(*cur_)) {
      fail_invalid_syntax();
      break;
    }
    TextRange name = current_range();
    ++cur_;
    scratch_.push_back(add(NodeKind::Identifier, name.start, name.end, name_id(name).value));
  } while (accept(TokenKind::Comma));
  return finish(node_kind, start, make_list(mark));
}

// name[.name]... [as name]
NodeId Parser::parse_alias(bool dotted) {
  std::uint32_t start = here();
  TokenId first = current_token();
  if (!is_name(*cur_)) {
    fail_invalid_syntax();
    return NodeId();
  }
  ++cur_;
  while (dotted && at(TokenKind::Dot)) {
    ++cur_;
    if (!is_name(*cur_)) {
      fail_invalid_syntax();
      return NodeId();
    }
    ++cur_;
  }
  TokenId last(static_cast<std::uint32_t>(index() - 1));
  TokenId as_name;
  if (accept(TokenKind::KwAs)) {
    as_name = current_token();
    if (!is_name(*cur_)) {
      fail_invalid_syntax();
      return NodeId();
    }
    ++cur_;
  }
  const NameId bound = name_id(ranges_[as_name ? as_name.value : first.value]);
  return finish(NodeKind::Alias, start, first.value,
                add_words({last.value, as_name.value, bound.value}));
}

NodeId Parser::parse_import() {
  std::uint32_t start = here();
  ++cur_;
  std::size_t mark = scratch_.size();
  do {
    NodeId alias = parse_alias(true);
    scratch_.push_back(alias);
  } while (accept(TokenKind::Comma));
  if (at(TokenKind::KwFrom)) {
    fail(diag::Code::InvalidSyntax, {start, current_range().end},
         "Did you mean to use 'from ... import ...' instead?");
  }
  return finish(NodeKind::Import, start, make_list(mark));
}

NodeId Parser::parse_import_from() {
  std::uint32_t start = here();
  ++cur_;
  std::uint32_t level = 0;
  for (;; ++cur_) {
    if (at(TokenKind::Dot)) {
      ++level;
    } else if (at(TokenKind::Ellipsis)) {
      level += 3;
    } else {
      break;
    }
  }
  TokenId first;
  TokenId last;
  if (is_name(*cur_)) {
    first = current_token();
    ++cur_;
    while (at(TokenKind::Dot) && is_name(cur_[1])) {
      cur_ += 2;
    }
    last = TokenId(static_cast<std::uint32_t>(index() - 1));
  } else if (level == 0) {
    fail_invalid_syntax();
  }
  expect(TokenKind::KwImport);
  std::size_t mark = scratch_.size();
  if (at(TokenKind::Star)) {
    TextRange star = current_range();
    TokenId token = current_token();
    ++cur_;
    scratch_.push_back(
        add(NodeKind::Alias, star.start, star.end, token.value, add_words({token.value, 0, 0})));
  } else {
    bool parenthesized = accept(TokenKind::LeftParen);
    for (;;) {
      if (at(TokenKind::Newline) && !parenthesized) {
        if (scratch_.size() != mark) {
          fail(diag::Code::InvalidSyntax, {previous_end() - 1, previous_end()},
               "trailing comma not allowed without surrounding parentheses");
        } else {
          fail(diag::Code::InvalidSyntax, current_range(),
               version_.minor >= 13 ? "Expected one or more names after 'import'"
                                    : "invalid syntax");
        }
        break;
      }
      NodeId alias = parse_alias(false);
      scratch_.push_back(alias);
      if (!accept(TokenKind::Comma) || (parenthesized && at(TokenKind::RightParen))) {
        break;
      }
    }
    if (parenthesized) {
      expect(TokenKind::RightParen);
    }
  }
  std::uint32_t names = make_list(mark);
  return finish(NodeKind::ImportFrom, start, names, add_words({level, first.value, last.value}));
}

// `type` begins a statement when a name and `=` or `[` follow.
bool Parser::at_type_alias() const {
  return version_.minor >= 12 && is_name(cur_[1]) &&
         (cur_[2] == TokenKind::Equal || cur_[2] == TokenKind::LeftBracket);
}

NodeId Parser::parse_type_alias() {
  std::uint32_t start = here();
  ++cur_;
  TextRange name = current_range();
  ++cur_;
  NodeId name_node = add_name(name, ExprContext::Store);
  std::uint32_t type_params = at(TokenKind::LeftBracket) ? parse_type_params() : 0;
  expect(TokenKind::Equal);
  NodeId value = parse_expression();
  return finish(NodeKind::TypeAlias, start, name_node.value, add_words({type_params, value.value}));
}

namespace {

constexpr std::size_t kFirstWindow = std::size_t{32} * 1024;

std::uint32_t line_start_of(std::string_view text, std::uint32_t offset) {
  std::size_t start = std::min<std::size_t>(offset, text.size());
  while (start > 0 && text[start - 1] != '\n' && text[start - 1] != '\r') {
    --start;
  }
  return static_cast<std::uint32_t>(start);
}

}  // namespace

Tree parse_module(std::string_view text, PythonVersion version) {
  Lexer lexer({text, 0, static_cast<std::uint32_t>(text.size()), version, false});
  lexer.run();
  Parser parser(text, std::move(lexer.tokens), std::move(lexer.errors), version);
  return parser.run();
}

Tree parse_block(std::string_view text, std::uint32_t offset, PythonVersion version) {
  std::uint32_t start = line_start_of(text, offset);
  // The statement's length is not known: read windows that grow until it ends inside of one.
  for (std::size_t window = kFirstWindow;; window *= 4) {
    bool whole = text.size() - start <= window;
    std::uint32_t end = whole ? static_cast<std::uint32_t>(text.size())
                              : static_cast<std::uint32_t>(start + window);
    Lexer lexer({text, start, end, version, true});
    lexer.run();
    if (whole || lexer.block_ended) {
      Parser parser(text, std::move(lexer.tokens), std::move(lexer.errors), version);
      return parser.run();
    }
  }
}

}  // namespace graphmend::syntax
