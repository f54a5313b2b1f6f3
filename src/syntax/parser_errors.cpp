// What is said about text that is no Python, and how reading goes on after it.
#include "syntax/parser_impl.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace graphmend::syntax {

void Parser::fail(diag::Code code, TextRange where, std::string message, std::string hint) {
  if (failed_) {
    return;
  }
  failed_ = true;
  failed_at_ = index();
  // The lexer has said already what is wrong with an Error token.
  if (!at(TokenKind::Error)) {
    if (errors_.empty()) {
      first_error_at_ = failed_at_;
    }
    if (where.end < where.start) {
      where.end = where.start;
    }
    errors_.push_back({code, diag::Severity::Error, where, std::move(message), std::move(hint)});
  }
  cur_ = end_of_file_;
}

namespace {

// Errors that CPython's tokenizer raises, wherever they are: it reads on to the end of the file
// when the parser has failed, and prefers what it finds.
bool raised_by_tokenizer(diag::Code code, PythonVersion version) {
  switch (code) {
    case diag::Code::InvalidCharacter:
    case diag::Code::UnterminatedString:
    case diag::Code::InvalidNumber:
    case diag::Code::UnmatchedBracket:
    case diag::Code::BadContinuation:
    case diag::Code::TooManyBrackets:
      return true;
    case diag::Code::InconsistentDedent:
    case diag::Code::BadFString:
      return version.minor >= 12;
    default:
      return false;
  }
}

}  // namespace

// All errors: first the one that CPython reports, then the others in order of position.
std::vector<diag::Diagnostic> Parser::collect_errors() {
  if (errors_.empty() && lexer_errors_.empty()) {
    return {};
  }
  auto before = [](const diag::Diagnostic& a, const diag::Diagnostic& b) {
    return a.range.start < b.range.start;
  };
  std::vector<diag::Diagnostic> errors;
  std::optional<diag::Diagnostic> unclosed;
  for (diag::Diagnostic& error : lexer_errors_) {
    if (error.code == diag::Code::UnclosedBracket) {
      unclosed = std::move(error);
    } else {
      errors.push_back(std::move(error));
    }
  }
  if (unclosed) {
    // A bracket that stays open makes the parser fail somewhere behind it. Which of both is told
    // depends on whether that is on a later line.
    std::uint32_t start = unclosed->range.start;
    bool replaced =
        std::any_of(errors.begin(), errors.end(),
                    [start](const diag::Diagnostic& error) { return error.range.start > start; });
    auto inside =
        std::find_if(errors_.begin(), errors_.end(),
                     [start](const diag::Diagnostic& error) { return error.range.start > start; });
    bool same_line = inside != errors_.end() && inside->range.start < source_.size() &&
                     line_of(inside->range.start) == line_of(start);
    if (!replaced && (version_.minor < 10 || same_line)) {
      replaced = inside != errors_.end();
    } else if (!replaced) {
      errors_.erase(inside, errors_.end());
    }
    if (!replaced) {
      errors.push_back(std::move(*unclosed));
    }
  }
  std::uint32_t parser_error = errors_.empty() ? 0 : ranges_[first_error_at_].start;
  bool any_parser_error = !errors_.empty();
  std::move(errors_.begin(), errors_.end(), std::back_inserter(errors));
  std::stable_sort(errors.begin(), errors.end(), before);
  if (any_parser_error && version_.minor >= 10) {
    auto first = std::find_if(errors.begin(), errors.end(), [&](const diag::Diagnostic& error) {
      return error.range.start >= parser_error && raised_by_tokenizer(error.code, version_);
    });
    bool earlier = std::any_of(errors.begin(), first, [&](const diag::Diagnostic& error) {
      return raised_by_tokenizer(error.code, version_);
    });
    if (first != errors.end() && !earlier) {
      std::rotate(errors.begin(), first, first + 1);
    }
  }
  auto zero = std::find_if(errors.begin(), errors.end(), [](const diag::Diagnostic& error) {
    return error.code == diag::Code::NullByte;
  });
  if (zero != errors.end()) {
    std::rotate(errors.begin(), zero, zero + 1);
  }
  return errors;
}

void Parser::fail_invalid_syntax() {
  if (failed_) {
    return;
  }
  std::string message = "invalid syntax";
  std::string hint;
  diag::Code code = diag::Code::InvalidSyntax;
  if (at(TokenKind::Indent)) {
    code = diag::Code::UnexpectedIndent;
    message = "unexpected indent";
  } else if (at(TokenKind::Equal) && index() > 0) {
    hint = "Maybe you meant '==' or ':=' instead of '='?";
  } else if (index() > 0 && is_name(cur_[-1])) {
    std::string_view before = token_text(TokenId(static_cast<std::uint32_t>(index() - 1)));
    bool statement = index() == 1 || cur_[-2] == TokenKind::Newline ||
                     cur_[-2] == TokenKind::Indent || cur_[-2] == TokenKind::Dedent ||
                     cur_[-2] == TokenKind::Semicolon;
    if (statement && (before == "print" || before == "exec") &&
        kStartsExpression[static_cast<std::size_t>(*cur_)]) {
      message = "Missing parentheses in call to '" + std::string(before) + "'. Did you mean " +
                std::string(before) + "(...)?";
    }
  }
  fail(code, current_range(), std::move(message), std::move(hint));
}

void Parser::expected(TokenKind kind) {
  if (failed_) {
    return;
  }
  if (kind == TokenKind::Colon) {
    fail(diag::Code::ExpectedColon, current_range(), "expected ':'");
    return;
  }
  if (is_close_bracket(kind) && kStartsExpression[static_cast<std::size_t>(*cur_)]) {
    std::uint32_t end = previous_end();
    fail(diag::Code::InvalidSyntax, {end > 0 ? end - 1 : 0, current_range().end},
         "invalid syntax. Perhaps you forgot a comma?");
    return;
  }
  std::string hint = "expected '" + std::string(spelling(kind)) + "'";
  if (at(TokenKind::Indent) || at(TokenKind::Equal)) {
    fail_invalid_syntax();
    return;
  }
  fail(diag::Code::InvalidSyntax, current_range(), "invalid syntax", std::move(hint));
}

void Parser::expected_expression() {
  if (is_keyword(*cur_)) {
    fail(diag::Code::InvalidSyntax, current_range(), "invalid syntax",
         "'" + std::string(spelling(*cur_)) + "' is a keyword");
    return;
  }
  fail_invalid_syntax();
}

void Parser::need_version(std::uint8_t minor, TextRange where, std::string_view what) {
  if (version_.minor < minor) {
    fail(diag::Code::NotInThisVersion, where, "invalid syntax",
         std::string(what) + " needs Python 3." + std::to_string(minor));
  }
}

// False, with an error, when operators or lambdas nest beyond all reason.
bool Parser::deeper() {
  if (depth_ >= kMaxDepth) {
    fail(diag::Code::NestedTooDeeply, current_range(), "expression nested too deeply");
    return false;
  }
  ++depth_;
  return true;
}

// How CPython names an expression in messages.
std::string Parser::describe(NodeId id) {
  switch (kind(id)) {
    case NodeKind::Attribute:
      return "attribute";
    case NodeKind::Subscript:
      return "subscript";
    case NodeKind::Starred:
      return "starred";
    case NodeKind::Name:
      return "name";
    case NodeKind::List:
      return "list";
    case NodeKind::Tuple:
      return "tuple";
    case NodeKind::Lambda:
      return "lambda";
    case NodeKind::Call:
      return "function call";
    case NodeKind::BoolOp:
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
      return "expression";
    case NodeKind::GeneratorExp:
      return "generator expression";
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
      return "yield expression";
    case NodeKind::Await:
      return "await expression";
    case NodeKind::ListComp:
      return "list comprehension";
    case NodeKind::SetComp:
      return "set comprehension";
    case NodeKind::DictComp:
      return "dict comprehension";
    case NodeKind::Dict:
      return "dict literal";
    case NodeKind::Set:
      return "set display";
    case NodeKind::JoinedStr:
    case NodeKind::FormattedValue:
      return "f-string expression";
    case NodeKind::TemplateStr:
    case NodeKind::Interpolation:
      return "t-string expression";
    case NodeKind::Constant:
      switch (static_cast<ConstantKind>(node(id).op)) {
        case ConstantKind::None:
          return "None";
        case ConstantKind::True:
          return "True";
        case ConstantKind::False:
          return "False";
        case ConstantKind::Ellipsis:
          return version_.minor >= 10 ? "ellipsis" : "Ellipsis";
        default:
          return "literal";
      }
    case NodeKind::Compare:
      return "comparison";
    case NodeKind::IfExp:
      return "conditional expression";
    case NodeKind::NamedExpr:
      return "named expression";
    default:
      return "expression";
  }
}

void Parser::fail_target(NodeId id, TargetUse use) {
  if (failed_) {
    return;
  }
  std::string what = describe(id);
  std::string message;
  switch (use) {
    case TargetUse::Delete:
      message = "cannot delete " + what;
      break;
    case TargetUse::Augmented:
      message = "'" + what + "' is an illegal expression for augmented assignment";
      break;
    case TargetUse::Walrus:
      message = "cannot use assignment expressions with " + what;
      break;
    default: {
      message = "cannot assign to " + what;
      bool keyword_like = kind(id) == NodeKind::Constant &&
                          node(id).op <= static_cast<std::uint8_t>(ConstantKind::False);
      if (use == TargetUse::Assign && !keyword_like && version_.minor >= 10) {
        message += " here. Maybe you meant '==' instead of '='?";
      }
      break;
    }
  }
  fail(diag::Code::InvalidTarget, range(id), std::move(message));
}

// Drops what was built of a statement that failed and moves to the next one of the same block. One
// ErrorStatement stands for the text passed over.
void Parser::recover(std::size_t first_token, std::size_t node_mark, std::size_t scratch_mark) {
  failed_ = false;
  nodes_.truncate(node_mark);
  scratch_.truncate(scratch_mark);
  cur_ = kinds_ + std::max(failed_at_, first_token);
  bool at_layout = at(TokenKind::Dedent) || at(TokenKind::EndOfFile) ||
                   (cur_ > kinds_ + first_token && cur_[-1] == TokenKind::Newline);
  if (!at_layout) {
    while (!at(TokenKind::Newline) && !at(TokenKind::Indent) && !at(TokenKind::Dedent) &&
           !at(TokenKind::EndOfFile)) {
      ++cur_;
    }
    accept(TokenKind::Newline);
  }
  if (at(TokenKind::Indent)) {
    // The block that belongs to what was dropped.
    std::size_t depth = 0;
    do {
      depth += at(TokenKind::Indent);
      depth -= at(TokenKind::Dedent);
      ++cur_;
    } while (depth != 0 && !at(TokenKind::EndOfFile));
  }
  // Where nothing but layout was passed over, it is empty and lies behind what was read last: the
  // statement around it ends there.
  std::uint32_t end = last_solid_end();
  std::uint32_t start = std::min(ranges_[first_token].start, end);
  scratch_.push_back(add(NodeKind::ErrorStatement, start, end));
}

}  // namespace graphmend::syntax
