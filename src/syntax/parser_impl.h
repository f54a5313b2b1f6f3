// The parser's state, shared by the files that implement it; not part of the public interface.
//
// A hand-written descent over an array of tokens, without backtracking. What input can nest without
// limit is read in loops; brackets and indents are limited by the lexer, the rest by kMaxDepth.
//
// An error records one diagnostic, sets `failed_` and moves the cursor to the end of the file,
// where every loop ends; the innermost list of statements then drops what was built of the
// statement and goes on behind it.
#ifndef GRAPHMEND_SYNTAX_PARSER_IMPL_H_
#define GRAPHMEND_SYNTAX_PARSER_IMPL_H_

#include "base/pod_vector.h"
#include "syntax/lexer.h"
#include "syntax/line_counter.h"
#include "syntax/tree.h"
#include "syntax/version.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::syntax {

// Moves what the parser built into a Tree.
class TreeBuilder {
 public:
  static Tree build(std::string_view source, base::PodVector<Node> nodes,
                    base::PodVector<NodeId> extra, TokenBuffer tokens, NameTable names,
                    std::vector<diag::Diagnostic> errors);
  static void add_error(Tree& tree, diag::Diagnostic error) {
    tree.errors_.push_back(std::move(error));
  }
};

// How tightly operators bind; 0: no binary operator.
enum Precedence : std::uint8_t {
  kNoOperator,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kCompareLevel,
  kBitOrLevel,
  kBitXorLevel,
  kBitAndLevel,
  kShiftLevel,
  kSumLevel,
  kTermLevel,
  kUnaryLevel,
};

extern const std::array<std::uint8_t, kTokenKindCount> kPrecedence;
// Can a token begin an expression (a starred one and `yield` not counted)?
extern const std::array<bool, kTokenKindCount> kStartsExpression;

class Parser {
 public:
  Parser(std::string_view source, TokenBuffer tokens, std::vector<diag::Diagnostic> errors,
         PythonVersion version);

  // Parses all statements and gives the tree; called once.
  Tree run();

 private:
  static constexpr unsigned kMaxDepth = 1000;

  // ------------------------------------------------------------ cursor
  std::size_t index() const {
    GM_DCHECK(cur_ <= end_of_file_);
    return static_cast<std::size_t>(cur_ - kinds_);
  }
  std::uint32_t here() const { return ranges_[index()].start; }
  std::uint32_t previous_end() const { return ranges_[index() - 1].end; }
  TextRange current_range() const { return ranges_[index()]; }
  TokenId current_token() const { return TokenId(static_cast<std::uint32_t>(index())); }
  bool at(TokenKind kind) const { return *cur_ == kind; }
  bool accept(TokenKind kind) {
    if (*cur_ != kind) {
      return false;
    }
    ++cur_;
    return true;
  }
  // Passes over a token that must be there; otherwise a syntax error.
  void expect(TokenKind kind) {
    if (*cur_ == kind) [[likely]] {
      ++cur_;
    } else {
      expected(kind);
    }
  }
  std::string_view text(TextRange range) const { return source_.substr(range.start, range.size()); }
  std::string_view token_text(TokenId token) const { return text(ranges_[token.value]); }
  // The end of the last token that is no line end or indentation.
  std::uint32_t last_solid_end() const;

  // ------------------------------------------------------------ building
  NodeId add(NodeKind kind, std::uint32_t start, std::uint32_t end, std::uint32_t a = 0,
             std::uint32_t b = 0, std::uint8_t op = 0, std::uint16_t flags = 0) {
    NodeId id(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back({start, end, kind, op, flags, a, b});
    return id;
  }
  NodeId finish(NodeKind kind, std::uint32_t start, std::uint32_t a = 0, std::uint32_t b = 0,
                std::uint8_t op = 0, std::uint16_t flags = 0) {
    return add(kind, start, previous_end(), a, b, op, flags);
  }
  // The id of the name in a range.
  NameId name_id(TextRange name) {
    const NameId id = names_.intern_ascii({source_.data() + name.start, name.size()});
    return id ? id : normalized_name_id(name);
  }
  NameId normalized_name_id(TextRange name);
  // The name in a range as an expression.
  NodeId add_name(TextRange name, ExprContext context = ExprContext::Load) {
    return add(NodeKind::Name, name.start, name.end, name_id(name).value, 0, 0,
               static_cast<std::uint16_t>(context));
  }
  // Turns the ids pushed on the scratch stack since `mark` into a list.
  std::uint32_t make_list(std::size_t mark) {
    std::size_t count = scratch_.size() - mark;
    if (count == 0) {
      return 0;
    }
    std::uint32_t header = static_cast<std::uint32_t>(extra_.size());
    NodeId* words = extra_.extend(count + 1);
    words[0] = NodeId(static_cast<std::uint32_t>(count));
    std::memcpy(words + 1, scratch_.data() + mark, count * sizeof(NodeId));
    scratch_.truncate(mark);
    return header;
  }
  std::uint32_t add_words(std::initializer_list<std::uint32_t> values) {
    std::uint32_t first = static_cast<std::uint32_t>(extra_.size());
    NodeId* words = extra_.extend(values.size());
    for (std::uint32_t value : values) {
      *words++ = NodeId(value);
    }
    return first;
  }
  std::uint32_t single_list(NodeId id) { return add_words({1, id.value}); }
  Node& node(NodeId id) { return nodes_[id.value]; }
  NodeKind kind(NodeId id) { return nodes_[id.value].kind; }
  TextRange range(NodeId id) { return {nodes_[id.value].start, nodes_[id.value].end}; }

  // ------------------------------------------------------------ errors (parser_errors.cpp)
  void fail(diag::Code code, TextRange where, std::string message, std::string hint = {});
  void fail_invalid_syntax();
  void expected(TokenKind kind);
  void expected_expression();
  void need_version(std::uint8_t minor, TextRange where, std::string_view what);
  std::string describe(NodeId id);
  std::vector<diag::Diagnostic> collect_errors();
  void recover(std::size_t first_token, std::size_t node_mark, std::size_t scratch_mark);
  std::size_t line_of(std::uint32_t offset) { return line_counter_.line(source_, offset); }
  bool deeper();

  // ------------------------------------------------------------ statements (parser.cpp)
  void parse_statement();
  void parse_simple_line();
  NodeId parse_simple_statement();
  NodeId parse_expression_statement();
  NodeId parse_assignment(std::uint32_t start, NodeId target);
  NodeId parse_annotated(std::uint32_t start, NodeId target);
  NodeId parse_yield_or_star_expressions();
  NodeId parse_return();
  NodeId parse_raise();
  NodeId parse_assert();
  NodeId parse_delete();
  NodeId parse_global(NodeKind kind);
  NodeId parse_import();
  NodeId parse_import_from();
  NodeId parse_alias(bool dotted);
  NodeId parse_type_alias();
  bool at_type_alias() const;
  std::uint32_t parse_statements();

  // ------------------------------------------------------------ compound (parser_compound.cpp)
  std::uint32_t parse_suite(std::string_view what, std::uint32_t keyword_offset);
  NodeId parse_if();
  NodeId parse_while();
  NodeId parse_for(std::uint32_t start, bool is_async);
  NodeId parse_with(std::uint32_t start, bool is_async);
  bool at_parenthesized_items() const;
  void parse_with_item();
  NodeId parse_try();
  NodeId parse_handler(bool& star, bool first);
  NodeId parse_async();
  NodeId parse_decorated();
  NodeId parse_function(std::uint32_t start, bool is_async, std::uint32_t decorators);
  NodeId parse_class(std::uint32_t decorators);
  std::uint32_t parse_type_params();
  NodeId parse_arguments(TokenKind close);
  NodeId parse_param(ParamKind kind, bool annotations);

  // ------------------------------------------------------------ expressions
  // parser_expressions.cpp
  NodeId parse_expression();
  NodeId parse_named_expression();
  NodeId parse_star_named_expression();
  NodeId parse_star_expression();
  NodeId parse_star_expressions();
  NodeId parse_tuple_rest(std::uint32_t start, NodeId first, bool named);
  NodeId parse_disjunction() { return parse_binary(kOrLevel); }
  NodeId parse_binary(unsigned level);
  NodeId parse_binary_rest(std::uint32_t start, NodeId left, unsigned level);
  NodeId parse_comparison(std::uint32_t start, NodeId left);
  NodeId parse_bool_op(std::uint32_t start, NodeId left);
  NodeId parse_prefixed(unsigned level);
  NodeId parse_power(std::uint32_t start, NodeId base);
  NodeId parse_conditional(std::uint32_t start, NodeId body);
  NodeId parse_lambda();
  NodeId parse_yield();
  NodeId parse_primary(std::uint32_t start);
  NodeId parse_postfix(std::uint32_t start, NodeId value);
  NodeId parse_await();
  // parser_atoms.cpp
  NodeId parse_atom();
  NodeId parse_call(std::uint32_t start, NodeId function);
  std::uint32_t parse_call_arguments(bool allow_generator);
  NodeId parse_subscript(std::uint32_t start, NodeId value);
  NodeId parse_subscript_item();
  NodeId parse_parentheses();
  NodeId parse_list();
  NodeId parse_braces();
  NodeId parse_dict_value();
  NodeId parse_dict_rest(std::uint32_t start, std::size_t mark);
  std::uint32_t parse_generators();
  bool at_generator() const {
    return at(TokenKind::KwFor) || (at(TokenKind::KwAsync) && cur_[1] == TokenKind::KwFor);
  }
  // parser_strings.cpp
  NodeId parse_strings();
  void parse_fstring_parts(bool is_template, TokenKind close);
  void parse_replacement_field(bool is_template, bool in_spec);

  // ------------------------------------------------------------ targets (parser_targets.cpp)
  enum class TargetUse : std::uint8_t { Assign, For, With, Walrus, Augmented, Delete };
  void set_target(NodeId id, TargetUse use);
  NodeId parse_target_list(TargetUse use);
  NodeId parse_star_target();
  void fail_target(NodeId id, TargetUse use);

  // ------------------------------------------------------------ patterns (parser_patterns.cpp)
  bool at_match_statement() const;
  NodeId parse_match();
  NodeId parse_case();
  NodeId parse_patterns();
  NodeId parse_maybe_star_pattern();
  NodeId parse_pattern();
  NodeId parse_closed_pattern();
  NodeId parse_sequence_pattern();
  NodeId parse_mapping_pattern();
  NodeId parse_class_pattern(std::uint32_t start, NodeId cls);
  NodeId parse_number_pattern();
  NodeId parse_signed_number(bool& imaginary);
  NodeId parse_dotted_pattern_name();
  NodeId add_constant(ConstantKind constant);

  std::string_view source_;
  TokenBuffer tokens_;
  const TokenKind* kinds_;
  const TextRange* ranges_;
  const TokenKind* cur_;
  const TokenKind* end_of_file_;
  PythonVersion version_;
  bool failed_ = false;
  std::size_t failed_at_ = 0;  // index of the token where it failed
  unsigned depth_ = 0;
  base::PodVector<Node> nodes_;
  base::PodVector<NodeId> extra_;
  base::PodVector<NodeId> scratch_;
  NameTable names_;
  std::vector<diag::Diagnostic> lexer_errors_;
  std::vector<diag::Diagnostic> errors_;  // the parser's own
  std::size_t first_error_at_ = 0;        // token of the first of them
  LineCounter line_counter_;
};

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_PARSER_IMPL_H_
