// The syntax tree: one flat array of nodes in postorder, and one array of extra words.
//
// A node comes after all of its descendants, which lie directly before it: the subtree of a node is
// a contiguous range of ids that ends with the node. So bottom-up passes are loops over ids, and no
// consumer has to recurse. The root (Module) is the last node. Node 0 is a placeholder: "none".
#ifndef GRAPHMEND_SYNTAX_TREE_H_
#define GRAPHMEND_SYNTAX_TREE_H_

#include "base/ids.h"
#include "base/pod_vector.h"
#include "base/text_range.h"
#include "diag/diagnostic.h"
#include "syntax/name_table.h"
#include "syntax/token.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::syntax {

enum class NodeKind : std::uint8_t {
#define GM_NODE(kind, category) kind,
#include "syntax/node_kinds.def"
};

inline constexpr std::size_t kNodeKindCount = 0
#define GM_NODE(kind, category) +1
#include "syntax/node_kinds.def"
    ;

enum class NodeCategory : std::uint8_t { Root, Statement, Expression, Pattern, Part };

struct NodeTag;
using NodeId = base::Id<NodeTag>;

// The operator of BinOp and AugAssign, in the order of the tokens.
enum class Operator : std::uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  Mod,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  FloorDiv,
  Pow,
};
enum class UnaryOperator : std::uint8_t { Invert, Not, UAdd, USub };
enum class BoolOperator : std::uint8_t { And, Or };
enum class CompareOperator : std::uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };
enum class ConstantKind : std::uint8_t {
  None,
  True,
  False,
  Ellipsis,
  Int,
  Float,
  Imaginary,
  Str,
  Bytes,
};
enum class ParamKind : std::uint8_t { PositionalOnly, Positional, VarArgs, KeywordOnly, KwArgs };
enum class ExprContext : std::uint8_t { Load, Store, Del };

// Bits of Node::flags.
using NodeFlag = std::uint16_t;
inline constexpr NodeFlag kContextMask =
    3;  // ExprContext of Name, Attribute, Subscript, Starred, List, Tuple
inline constexpr NodeFlag kParenthesized =
    1 << 2;  // expression: inside at least one pair of parentheses of its own
inline constexpr NodeFlag kAsync = 1 << 3;      // FunctionDef, For, With, Comprehension
inline constexpr NodeFlag kElif = 1 << 4;       // If
inline constexpr NodeFlag kSimple = 1 << 5;     // AnnAssign
inline constexpr NodeFlag kStar = 1 << 6;       // Try with except*
inline constexpr NodeFlag kDebug = 1 << 7;      // FormattedValue and Interpolation written with `=`
inline constexpr NodeFlag kDebugText = 1 << 8;  // Constant that is the text of such a field

struct Node {
  std::uint32_t start;
  std::uint32_t end;
  NodeKind kind;
  std::uint8_t op;
  std::uint16_t flags;
  std::uint32_t a;
  std::uint32_t b;
};
static_assert(sizeof(Node) == 20);

// Where a field is stored and what it holds.
enum class FieldType : std::uint8_t { Child, Optional, List, Token, Word };
struct Field {
  const char* name;
  FieldType type;
  std::uint8_t place;  // 0: a, 1: b, 2 + n: extra[b + n]
};
// The fields of a kind in source order.
std::span<const Field> fields(NodeKind kind);
// "FunctionDef", ...
std::string_view kind_name(NodeKind kind);
NodeCategory category(NodeKind kind);

class Tree {
 public:
  // The text that positions refer to. The tree keeps a view: the source must outlive it.
  std::string_view source() const { return source_; }
  std::string_view text(TextRange range) const { return source_.substr(range.start, range.size()); }
  std::string_view text(NodeId id) const { return text(range(id)); }

  // The Module node.
  NodeId root() const { return NodeId(static_cast<std::uint32_t>(nodes_.size() - 1)); }
  // Number of ids, the placeholder included: valid ids are 1 .. size() - 1.
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  NodeKind kind(NodeId id) const { return nodes_[id.value].kind; }
  // The range as CPython's ast has it (see node_kinds.def for parentheses and decorators).
  TextRange range(NodeId id) const { return {nodes_[id.value].start, nodes_[id.value].end}; }
  // The range of a statement with its decorators, from the first `@`; else the same as range().
  TextRange range_with_decorators(NodeId id) const;
  std::uint16_t flags(NodeId id) const { return nodes_[id.value].flags; }
  bool has_flag(NodeId id, NodeFlag flag) const { return (nodes_[id.value].flags & flag) != 0; }
  std::uint8_t op(NodeId id) const { return nodes_[id.value].op; }
  ExprContext context(NodeId id) const {
    return static_cast<ExprContext>(nodes_[id.value].flags & kContextMask);
  }
  bool is_statement(NodeId id) const { return category(kind(id)) == NodeCategory::Statement; }
  bool is_expression(NodeId id) const { return category(kind(id)) == NodeCategory::Expression; }

  // Raw words, for views.
  std::uint32_t word(const Node& node, std::uint8_t place) const {
    return place == 0 ? node.a : place == 1 ? node.b : extra_[node.b + place - 2].value;
  }
  // The list whose header is extra[index]: a count, then that many ids.
  std::span<const NodeId> list(std::uint32_t index) const {
    return {extra_.data() + index + 1, extra_[index].value};
  }
  std::span<const NodeId> extra() const { return extra_; }

  const TokenBuffer& tokens() const { return tokens_; }
  TextRange token_range(TokenId token) const { return tokens_.range(token); }
  std::string_view token_text(TokenId token) const { return text(tokens_.range(token)); }
  // The first token that ends after `offset` (virtual tokens before it are passed over).
  TokenId token_at(std::uint32_t offset) const;
  // First and last token of a node's range. Decorators and outer parentheses are not in it.
  TokenId first_token(NodeId id) const { return token_at(range(id).start); }
  TokenId last_token(NodeId id) const;
  // The closest real token after the range, e.g. the `)` after a parenthesised expression; and the
  // closest before it (none at the start of the file).
  TokenId token_after(TextRange range) const;
  TokenId token_before(TextRange range) const;
  // Offsets where physical lines start that begin a logical line with tokens in the range: the
  // lines to be re-indented with a statement. Lines inside brackets, strings and after a backslash
  // are not logical lines. The first is the line on which the range starts.
  std::vector<std::uint32_t> logical_line_starts(TextRange range) const;
  // Comments that overlap the range.
  std::span<const TextRange> comments_in(TextRange range) const;
  // The white space at the start of the line that holds the offset.
  std::string_view indentation_at(std::uint32_t offset) const;

  // Names joined by dots, as `import a . b` means them; "*" for a star alias, "" for no tokens.
  std::string dotted_name(TokenId first, TokenId last) const;
  // An identifier as Python stores it: NFKC for non-ASCII names, else the text as it is. `storage`
  // holds the result when it differs from the text.
  std::string_view identifier(TextRange range, std::string& storage) const;
  // Identifiers that are mentioned or bound, as Python stores them, and others that the parser met.
  // Shared, so that what is built on the tree may keep it.
  const std::shared_ptr<const NameTable>& names() const { return names_; }
  // The value of a Str constant in UTF-8 (lone surrogates in the 3-byte form, as "surrogatepass"),
  // or of a Bytes constant. Empty for other nodes.
  std::string string_value(NodeId id) const;
  // The names of a module, class or function docstring's node: the Constant, or none.
  NodeId docstring(std::span<const NodeId> body) const;

  // Parent of every node (indexed by id), computed at first use, linear. Not safe to be called
  // first from two threads at once. The parent of the root is none.
  std::span<const NodeId> parents() const;
  NodeId parent(NodeId id) const { return parents()[id.value]; }
  // First id of every node's subtree, computed at first use: the subtree of n is
  // [subtree_begin(n), n].
  NodeId subtree_begin(NodeId id) const;
  // The innermost statement, pattern, expression or part whose range holds the wanted range,
  // decorators counted as part of their statement.
  NodeId innermost(TextRange wanted) const;

  // Errors of tokens and grammar: the one that CPython would report, then the others in order of
  // position. Empty when the text is valid.
  std::span<const diag::Diagnostic> errors() const { return errors_; }
  bool ok() const { return errors_.empty(); }

  // Bytes held by the arrays.
  std::size_t memory() const;
  // Checks the invariants (postorder, nesting, ranges inside the file); the reason when one fails.
  std::optional<std::string> verify() const;

 private:
  friend class TreeBuilder;
  std::string_view source_;
  base::PodVector<Node> nodes_;
  base::PodVector<NodeId> extra_;
  TokenBuffer tokens_;
  std::shared_ptr<const NameTable> names_;
  std::vector<diag::Diagnostic> errors_;
  mutable std::vector<NodeId> parents_;
  mutable std::vector<NodeId> subtree_begins_;
};

// Calls fn(NodeId) for each child in source order; none fields are passed over.
template <class Fn>
void for_each_child(const Tree& tree, NodeId id, Fn&& fn) {
  const Node& node = tree.node(id);
  for (const Field& field : fields(node.kind)) {
    if (field.type > FieldType::List) {
      continue;
    }
    std::uint32_t word = tree.word(node, field.place);
    if (field.type == FieldType::List) {
      for (NodeId child : tree.list(word)) {
        if (child) {
          fn(child);
        }
      }
    } else if (word != 0) {
      fn(NodeId(word));
    }
  }
}

// Typed access: one view for each kind, named <Kind>View, with an accessor for each field:
//   IfView view(tree, id); view.test(); view.body(); view.orelse();
// Children are NodeId (none when absent), lists std::span<const NodeId>, tokens TokenId.
class NodeView {
 public:
  NodeView(const Tree& tree, NodeId id) : tree_(&tree), id_(id) {}
  NodeId id() const { return id_; }
  const Tree& tree() const { return *tree_; }
  TextRange range() const { return tree_->range(id_); }
  bool is_async() const { return tree_->has_flag(id_, kAsync); }

 protected:
  const Node& node() const { return tree_->node(id_); }
  std::uint32_t word(std::uint8_t place) const { return tree_->word(node(), place); }
  TextRange name_range(TokenId token) const { return tree_->token_range(token); }

  const Tree* tree_;
  NodeId id_;
};

namespace detail {
enum Place : std::uint8_t { A, B, X0, X1, X2, X3, X4, X5 };

template <NodeKind kKind>
class CheckedView : public NodeView {
 public:
  CheckedView(const Tree& tree, NodeId id) : NodeView(tree, id) {
    GM_DCHECK(tree.kind(id) == kKind);
  }
};

#define GM_NODE(kind, category)                             \
  class kind##Fields : public CheckedView<NodeKind::kind> { \
   public:                                                  \
    using CheckedView<NodeKind::kind>::CheckedView;
#define GM_CHILD(kind, name, place) \
  NodeId name() const {             \
    return NodeId(word(place));     \
  }
#define GM_OPTIONAL(kind, name, place) \
  NodeId name() const {                \
    return NodeId(word(place));        \
  }
#define GM_LIST(kind, name, place)       \
  std::span<const NodeId> name() const { \
    return tree_->list(word(place));     \
  }
#define GM_TOKEN_FIELD(kind, name, place) \
  TokenId name() const {                  \
    return TokenId(word(place));          \
  }
#define GM_WORD(kind, name, place) \
  std::uint32_t name() const {     \
    return word(place);            \
  }
#define GM_END(kind) \
  }                  \
  ;
#include "syntax/node_kinds.def"
}  // namespace detail

// Views that have more than their fields.
#define GM_NAMED_VIEW(kind, view)              \
  class view : public detail::kind##Fields {   \
   public:                                     \
    using kind##Fields::kind##Fields;          \
    TextRange name() const {                   \
      return tree_->token_range(name_token()); \
    }                                          \
    std::string_view name_text() const {       \
      return tree_->text(name());              \
    }                                          \
  };
namespace detail {
GM_NAMED_VIEW(FunctionDef, FunctionDefNamed)
GM_NAMED_VIEW(ClassDef, ClassDefNamed)
}  // namespace detail
GM_NAMED_VIEW(TypeVar, TypeVarView)
GM_NAMED_VIEW(ParamSpec, ParamSpecView)
GM_NAMED_VIEW(TypeVarTuple, TypeVarTupleView)
GM_NAMED_VIEW(MatchKeyword, MatchKeywordView)
#undef GM_NAMED_VIEW

// name_id(), here and below: the id in Tree::names(). It is no field of its own.
class FunctionDefView : public detail::FunctionDefNamed {
 public:
  using FunctionDefNamed::FunctionDefNamed;
  NameId name_id() const { return NameId(word(detail::X5)); }
};
class ClassDefView : public detail::ClassDefNamed {
 public:
  using ClassDefNamed::ClassDefNamed;
  NameId name_id() const { return NameId(word(detail::X4)); }
};

// An optional name: an empty range when there is none.
#define GM_MAYBE_NAMED_VIEW(kind, token)                          \
  class kind##View : public detail::kind##Fields {                \
   public:                                                        \
    using kind##Fields::kind##Fields;                             \
    bool has_name() const {                                       \
      return static_cast<bool>(token());                          \
    }                                                             \
    TextRange name() const {                                      \
      return token() ? tree_->token_range(token()) : TextRange{}; \
    }                                                             \
    std::string_view name_text() const {                          \
      return tree_->text(name());                                 \
    }                                                             \
  };
GM_MAYBE_NAMED_VIEW(ExceptHandler, name_token)
GM_MAYBE_NAMED_VIEW(Keyword, name_token)
GM_MAYBE_NAMED_VIEW(MatchStar, name_token)
GM_MAYBE_NAMED_VIEW(MatchAs, name_token)
GM_MAYBE_NAMED_VIEW(MatchMapping, rest_token)
#undef GM_MAYBE_NAMED_VIEW

class ParamView : public detail::ParamFields {
 public:
  using ParamFields::ParamFields;
  TextRange name() const { return tree_->token_range(name_token()); }
  std::string_view name_text() const { return tree_->text(name()); }
  ParamKind param_kind() const { return static_cast<ParamKind>(node().op); }
  NameId name_id() const { return NameId(word(detail::X2)); }
};

class NameView : public detail::NameFields {
 public:
  using NameFields::NameFields;
  NameId name_id() const { return NameId(node().a); }
};

class IdentifierView : public detail::IdentifierFields {
 public:
  using IdentifierFields::IdentifierFields;
  NameId name_id() const { return NameId(node().a); }
};

class AttributeView : public detail::AttributeFields {
 public:
  using AttributeFields::AttributeFields;
  TextRange attr() const { return {attr_start(), node().end}; }
  std::string_view attr_text() const { return tree_->text(attr()); }
};

class AliasView : public detail::AliasFields {
 public:
  using AliasFields::AliasFields;
  bool is_star() const { return tree_->tokens().kind(name_first()) == TokenKind::Star; }
  std::string name() const { return tree_->dotted_name(name_first(), name_last()); }
  bool has_asname() const { return static_cast<bool>(asname_token()); }
  // The name after `as`; empty when there is none.
  TextRange asname() const {
    return has_asname() ? tree_->token_range(asname_token()) : TextRange{};
  }
  // The name that is bound: that after `as`, else the first of the dotted name; none for a star.
  NameId bound_id() const { return NameId(word(detail::X2)); }
};

class ImportFromView : public detail::ImportFromFields {
 public:
  using ImportFromFields::ImportFromFields;
  // The module without leading dots; empty for `from . import x`.
  std::string module() const { return tree_->dotted_name(module_first(), module_last()); }
};

class CompareView : public detail::CompareFields {
 public:
  using CompareFields::CompareFields;
  std::size_t op_count() const { return comparators().size(); }
  CompareOperator op(std::size_t index) const {
    // The operators lie behind the comparators.
    std::span<const NodeId> list = comparators();
    const NodeId* ops = list.data() + list.size();
    return static_cast<CompareOperator>(ops[index].value);
  }
};

class BinOpView : public detail::BinOpFields {
 public:
  using BinOpFields::BinOpFields;
  Operator op() const { return static_cast<Operator>(node().op); }
};
class AugAssignView : public detail::AugAssignFields {
 public:
  using AugAssignFields::AugAssignFields;
  Operator op() const { return static_cast<Operator>(node().op); }
};
class UnaryOpView : public detail::UnaryOpFields {
 public:
  using UnaryOpFields::UnaryOpFields;
  UnaryOperator op() const { return static_cast<UnaryOperator>(node().op); }
};
class BoolOpView : public detail::BoolOpFields {
 public:
  using BoolOpFields::BoolOpFields;
  BoolOperator op() const { return static_cast<BoolOperator>(node().op); }
};
class ConstantView : public detail::ConstantFields {
 public:
  using ConstantFields::ConstantFields;
  ConstantKind constant_kind() const { return static_cast<ConstantKind>(node().op); }
};
class MatchSingletonView : public detail::MatchSingletonFields {
 public:
  using MatchSingletonFields::MatchSingletonFields;
  ConstantKind constant_kind() const { return static_cast<ConstantKind>(node().op); }
};
class FormattedValueView : public detail::FormattedValueFields {
 public:
  using FormattedValueFields::FormattedValueFields;
  // 's', 'r', 'a', or 0.
  char conversion() const { return static_cast<char>(node().op); }
};
class InterpolationView : public detail::InterpolationFields {
 public:
  using InterpolationFields::InterpolationFields;
  char conversion() const { return static_cast<char>(node().op); }
};

using ModuleView = detail::ModuleFields;
using ReturnView = detail::ReturnFields;
using DeleteView = detail::DeleteFields;
using AssignView = detail::AssignFields;
using TypeAliasView = detail::TypeAliasFields;
using AnnAssignView = detail::AnnAssignFields;
using ForView = detail::ForFields;
using WhileView = detail::WhileFields;
using IfView = detail::IfFields;
using WithView = detail::WithFields;
using MatchView = detail::MatchFields;
using RaiseView = detail::RaiseFields;
using TryView = detail::TryFields;
using AssertView = detail::AssertFields;
using ImportView = detail::ImportFields;
using GlobalView = detail::GlobalFields;
using NonlocalView = detail::NonlocalFields;
using ExprView = detail::ExprFields;
using NamedExprView = detail::NamedExprFields;
using LambdaView = detail::LambdaFields;
using IfExpView = detail::IfExpFields;
using DictView = detail::DictFields;
using SetView = detail::SetFields;
using ListCompView = detail::ListCompFields;
using SetCompView = detail::SetCompFields;
using DictCompView = detail::DictCompFields;
using GeneratorExpView = detail::GeneratorExpFields;
using AwaitView = detail::AwaitFields;
using YieldView = detail::YieldFields;
using YieldFromView = detail::YieldFromFields;
using CallView = detail::CallFields;
using JoinedStrView = detail::JoinedStrFields;
using TemplateStrView = detail::TemplateStrFields;
using SubscriptView = detail::SubscriptFields;
using StarredView = detail::StarredFields;
using ListView = detail::ListFields;
using TupleView = detail::TupleFields;
using SliceView = detail::SliceFields;
using MatchValueView = detail::MatchValueFields;
using MatchSequenceView = detail::MatchSequenceFields;
using MatchClassView = detail::MatchClassFields;
using MatchOrView = detail::MatchOrFields;
using ComprehensionView = detail::ComprehensionFields;
using ArgumentsView = detail::ArgumentsFields;
using WithItemView = detail::WithItemFields;
using MatchCaseView = detail::MatchCaseFields;

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_TREE_H_
