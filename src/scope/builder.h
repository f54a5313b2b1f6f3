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

// Names that the compiler itself uses, and names of functions that are barriers. The first ones, up
// to `super`, have the first ids.
struct KnownNames {
  explicit KnownNames(NameTable& names);
  NameId locals, vars, dir, exec, eval, globals, super;
  NameId top, lambda, listcomp, setcomp, dictcomp, genexpr;
  NameId dunder_class, dunder_classdict, conditional_annotations, dunder_annotate;
  NameId annotation, first_iterable, format, type_params, generic_base, dunder_type_params;
  NameId defaults, kwdefaults;
};

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
    AnnotationsOfScope,
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
    NodeId node;
    Action action;
    std::uint32_t begin;  // the first id of the node's subtree where that is known, else 0
  };
  // A scope that has been entered.
  struct Frame {
    ScopeId scope;
    ScopeKind kind = ScopeKind::Module;
    bool function_like = false;
    bool in_target = false;                // in the target of a comprehension's `for`
    bool skip_names = false;               // in an annotation that is thrown away
    bool plain = false;                    // expressions can be scanned: see Builder::scan
    bool conditional_annotations = false;  // noted already
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
  bool scan(NodeId root, std::uint32_t begin);
  void visit_statement(NodeId id, std::uint32_t begin);
  void visit_expression(NodeId id);
  void visit_part(NodeId id, std::uint32_t begin);
  void push(NodeId id, std::uint32_t begin = 0) {
    if (id) {
      work_.push_back({id, Action::Visit, begin});
    }
  }
  void push(NodeId id, Action action) { work_.push_back({id, action, 0}); }
  void push_list(std::span<const NodeId> list, std::uint32_t begin = 0);
  void push_children(NodeId id, std::uint32_t begin = 0);
  // Where the subtree of a node starts that follows `id`.
  static std::uint32_t after(NodeId id) { return id.value + 1; }

  // builder_statements.cpp
  void function_def(NodeId id);
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
  ScopeId enter(ScopeKind kind, NodeId node, NameId name, std::uint32_t start);
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
  NameId name_of(base::TextRange range) {
    const NameId name = tree_.names_.intern_ascii({text_.data() + range.start, range.size()});
    return name ? name : normalized_name(range);
  }
  NameId normalized_name(base::TextRange range);
  NameId mangled(NameId name) {
    return frame_->private_name && tree_.names_.is_private(name) ? mangled_private(name) : name;
  }
  NameId mangled_private(NameId name);
  void make_room_for_names();
  // The symbol of the innermost scope.
  SymbolId symbol_here(NameId name, NodeId node) {
    if (name.value >= current_.size()) [[unlikely]] {
      make_room_for_names();
    }
    const std::uint32_t symbol = current_.data()[name.value];
    return symbol != 0 && tree_.symbols_.data()[symbol].scope == frame_->scope
               ? SymbolId(symbol)
               : new_symbol_here(name, node);
  }
  SymbolId new_symbol_here(NameId name, NodeId node);
  SymbolId symbol_in(ScopeId scope, NameId name);
  void add(NodeId node, NameId name, std::uint32_t flags);
  void note(SymbolId id, NodeId node, NameId name, std::uint32_t flags);
  void add_name(NodeId id);
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
  KnownNames known_;
  const syntax::Node* nodes_;
  std::string_view text_;
  base::PodVector<Work> work_;
  std::vector<Frame> frames_;
  Frame* frame_ = nullptr;                  // the last of frames_
  base::PodVector<std::uint32_t> current_;  // by name: its symbol in the innermost scope entered
  base::PodVector<std::uint32_t> shadow_;   // by symbol: the same name's one in a scope around
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
