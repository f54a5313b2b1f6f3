// The first pass: walks a tree in the order of CPython's symtable and notes in each scope what is
// done with each name. What the names mean is worked out afterwards (analyzer.h).
#ifndef GRAPHMEND_SCOPE_BUILDER_H_
#define GRAPHMEND_SCOPE_BUILDER_H_

#include "scope/scope_tree.h"
#include "scope/symbol_store.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::scope {

namespace known = syntax::known;

// Attributes by which a frame is reached.
inline constexpr std::string_view kGetFrame = "_getframe";
inline constexpr std::string_view kCurrentFrame = "currentframe";

// The first version that visits the handlers of a `try` before its `else`.
inline constexpr unsigned kHandlersFirst = 13;

class Builder {
 public:
  Builder(const syntax::Tree& source, syntax::PythonVersion version, ScopeTree& tree,
          SymbolStore& store);

  void walk_module(bool future_annotations);
  void walk_block(const BlockContext& context);
  // Functions that read or write names behind our back: kept where the function's name turned out
  // to be a global one. Call it after the analysis.
  void settle_barriers();

  // Makes a whole ScopeTree; `walk` is called with a Builder and the list of errors.
  template <class Walk>
  static ScopeTree build(const syntax::Tree& source, syntax::PythonVersion version, Walk walk);

 private:
  // What there is to do, last in first out: a node to visit, or a step of one.
  enum class Action : std::uint32_t {
    Visit,
    Statements,  // the rest of a list
    Exit,
    EnterFunction,
    EnterLambda,
    EnterClass,
    EnterComprehension,
    ExitComprehension,
    EnterTypeParameters,
    EnterTypeAlias,
    EnterBound,
    EnterTypeDefault,
    EnterParameterAnnotations,
    EnterAnnotation,
    TargetBegin,
    TargetEnd,
    IterableBegin,
    IterableEnd,
    ConditionalEnd,
    YieldEnd,
    BindHandler,
    BindPattern,
  };
  struct Work {
    NodeId node;  // of Statements: the index of the list's rest among the tree's extra words
    Action action;
    std::uint32_t begin;  // the first id of the node's subtree where that is known, else 0
    std::uint32_t count;  // of Statements
  };
  // A scope that has been entered.
  struct Frame {
    ScopeId scope;
    ScopeKind kind = ScopeKind::Module;
    bool function_like = false;
    bool in_target = false;                // in the target of a comprehension's `for`
    bool skip_names = false;               // in an annotation that is thrown away
    bool plain = false;                    // expressions can be scanned: see Builder::scan
    bool nests = false;                    // scopes inside are nested
    bool conditional_annotations = false;  // noted already
    std::uint16_t symbol_flags = 0;        // of new symbols
    NameId private_name;                   // the class whose private names are mangled
    // The scope of the only names that are mangled, its type parameters; none: all are.
    ScopeId mangled_only;
    std::uint32_t iterables = 0;     // depth of comprehension iterables around
    std::uint32_t conditionals = 0;  // depth of conditional statements in the scope
    // Annotations of a class or module that are visited when it ends (3.14).
    std::uint32_t annotations_begin = 0;
    std::uint32_t annotations_place = 0;
    std::string_view what;  // of a TypeVariable scope, for messages
  };

  void run();
  void act(Work work);
  void visit(NodeId id, std::uint32_t begin);
  void statements(std::uint32_t index, std::uint32_t count, std::uint32_t begin);
  bool scan(NodeId root, std::uint32_t begin);
  bool scan_list(std::span<const NodeId> list, std::uint32_t begin) {
    return list.empty() || scan(list.back(), begin);
  }
  void visit_statement(NodeId id, std::uint32_t begin);
  void visit_expression(NodeId id);
  void visit_part(NodeId id, std::uint32_t begin);
  void push(NodeId id, std::uint32_t begin = 0) {
    if (id) {
      work_.push_back({id, Action::Visit, begin, 0});
    }
  }
  void push(NodeId id, Action action) { work_.push_back({id, action, 0, 0}); }
  void push_statements(std::span<const NodeId> list, std::uint32_t begin) {
    if (!list.empty()) {
      const auto index = static_cast<std::uint32_t>(list.data() - extra_);
      work_.push_back(
          {NodeId(index), Action::Statements, begin, static_cast<std::uint32_t>(list.size())});
    }
  }
  void push_list(std::span<const NodeId> list, std::uint32_t begin = 0);
  void push_children(NodeId id, std::uint32_t begin = 0);
  // Where the subtree of a node starts that follows `id`.
  static std::uint32_t after(NodeId id) { return id.value + 1; }
  // The same for a list that starts at `begin`.
  static std::uint32_t after_list(std::span<const NodeId> list, std::uint32_t begin) {
    return list.empty() ? begin : after(list.back());
  }

  // builder_statements.cpp
  void function_def(NodeId id, std::uint32_t begin);
  bool scan_header(NodeId function, std::uint32_t begin);
  bool scan_defaults(std::span<const NodeId> params, std::uint32_t begin);
  bool scan_annotations(NodeId function, std::uint32_t begin);
  bool annotations_apart() const {
    return !before(10) && (tree_.future_annotations_ || !before(14));
  }
  void push_kinds_of_annotations(std::span<const NodeId> params);
  void with_statement(NodeId id, std::uint32_t begin);
  void loop_or_branch(NodeId id, NodeId last, std::uint32_t begin, std::span<const NodeId> body,
                      std::span<const NodeId> orelse);
  void class_def(NodeId id, std::uint32_t begin);
  void type_alias(NodeId id);
  void type_parameter(NodeId id, base::TextRange name, NodeId bound, NodeId default_value);
  void annotated_assignment(NodeId id);
  void try_statement(NodeId id, std::uint32_t begin);
  void declaration(NodeId id, std::span<const NodeId> names, bool is_global);
  void import_names(std::span<const NodeId> aliases);
  void conditional_statement();
  void push_arguments(std::span<const NodeId> arguments);
  void push_defaults(std::span<const NodeId> params);
  void push_annotations(NodeId function);
  void push_annotation(NodeId annotation);
  // builder_scopes.cpp
  Scope& enter(ScopeKind kind, NodeId node, NameId name, std::uint32_t start);
  void exit();
  void enter_function(NodeId id);
  void enter_lambda(NodeId id);
  void add_parameters(NodeId arguments);
  void enter_class(NodeId id);
  void comprehension(NodeId id, std::span<const NodeId> generators, NodeId element, NodeId value);
  void enter_comprehension(NodeId id);
  void exit_comprehension(NodeId id);
  void enter_type_parameters(NodeId id);
  void enter_type_alias(NodeId id);
  void enter_bound(NodeId id);
  void enter_type_default(NodeId id);
  void enter_type_variable(base::TextRange name, NodeId expression, std::string_view what);
  void add_format();
  void enter_parameter_annotations(NodeId function);
  void enter_annotation(NodeId annotation);
  void annotation_of_scope(NodeId annotation);
  void enter_annotations_of_scope();
  // builder_names.cpp
  // Of identifiers that the parser did not intern.
  NameId name_of(base::TextRange range) {
    const NameId name = tree_.names_.intern(source_.identifier(range, storage_));
    has_private_names_ = tree_.names_.has_private();
    return name;
  }
  // Whether names are mangled in the innermost scope.
  bool mangles() const { return has_private_names_ && frame_->private_name; }
  NameId mangled(NameId name) {
    return mangles() && tree_.names_.is_private(name) ? mangled_private(name) : name;
  }
  NameId mangled_private(NameId name);
  void make_room_for_names();
  // The slot that holds the symbol of a name in the innermost scope that is still open and mentions
  // it; 0 in it when there is none.
  std::uint32_t& innermost(NameId name);
  SymbolId known_here(NameId name);
  // The symbol of the innermost scope, which is made where there is none yet.
  SymbolId symbol_here(NameId name, NodeId node);
  SymbolId find_open(ScopeId scope, NameId name);
  SymbolId symbol_in(ScopeId scope, NameId name);
  void add_own_parameter(NameId name, std::uint16_t flags);
  void add(NodeId node, NameId name, std::uint32_t flags);
  void note(SymbolId id, NodeId node, NameId name, std::uint32_t flags);
  void add_parameter(NodeId node);
  void add_name(NodeId id);
  static void note_mention(Symbol& symbol, NodeId node, unsigned context) {
    // By context: Load, Store, Del.
    constexpr std::uint16_t kFlags[] = {kReferenced, kAssigned, kAssigned | kDeleted, 0};
    symbol.flags = static_cast<std::uint16_t>(symbol.flags | kFlags[context]);
    // None counts as the greatest.
    if (node.value - 1 < symbol.first.value - 1) {
      symbol.first = node;
    }
  }
  void named_expression(NodeId id);
  bool extend_named_expression(NodeId target);
  void special_name(NodeId id, NameId name);
  void attribute(NodeId id);
  void forbid_in_annotation(NodeId id, std::string_view what);
  void forbid_in_class_annotation(NodeId id, std::string_view what);
  void yield_seen(NodeId id);
  void yield_in_comprehension(base::TextRange range);
  void error(diag::Code code, base::TextRange range, std::string message);

  std::string_view name_text(NameId name) const { return tree_.names_.text(name); }
  Scope& here() { return tree_.scopes_[frame_->scope.value]; }
  bool before(unsigned minor) const { return version_.minor < minor; }
  std::uint32_t scope_start(NodeId id) const { return source_.range(id).start; }

  const syntax::Tree& source_;
  syntax::PythonVersion version_;
  ScopeTree& tree_;
  SymbolStore& store_;
  const syntax::Node* nodes_;
  const NodeId* extra_;
  bool has_private_names_;
  std::string_view text_;
  base::PodVector<Work> work_;
  base::PodVector<Frame> frames_;
  Frame* frame_ = nullptr;  // the last of frames_
  // By name: the symbol that was made last, and by symbol the one of the same name that had been
  // there before, in a scope around. Those of scopes that have been left are dropped when met.
  base::PodVector<std::uint32_t> current_;
  base::PodVector<std::uint32_t> shadow_;
  base::PodVector<bool> left_;  // by scope
  base::PodVector<NodeId> annotations_;
  struct BarrierName {
    NodeId function;
    ScopeId scope;
    Barrier barrier;
  };
  base::PodVector<BarrierName> barriers_;
  std::string storage_;
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_BUILDER_H_
