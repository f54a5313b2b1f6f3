// Scopes and bindings of a tree, as CPython's symtable has them for the version asked for.
//
// Each scope has its own symbol for each name that it mentions, also for a name bound elsewhere:
// Symbol::origin leads to the symbol of the scope that binds it. What differs from CPython's table:
//   - comprehensions keep their scope in every version. From 3.12 on most are `inlined`: the table
//     has no entry for them and shows their names in the scope around (symbols flagged kInlined).
//   - annotations that are never evaluated have scopes too, flagged `unevaluated`; the table of the
//     scope around knows nothing of their names.
#ifndef GRAPHMEND_SCOPE_SCOPE_TREE_H_
#define GRAPHMEND_SCOPE_SCOPE_TREE_H_

#include "base/ids.h"
#include "base/pod_vector.h"
#include "diag/diagnostic.h"
#include "scope/names.h"
#include "syntax/tree.h"
#include "syntax/version.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace graphmend::scope {

using syntax::NodeId;

struct ScopeTag;
struct SymbolTag;
using ScopeId = base::Id<ScopeTag>;
using SymbolId = base::Id<SymbolTag>;

enum class ScopeKind : std::uint8_t {
  Module,
  Function,  // def; lambda has its own kind
  Lambda,
  Class,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  Annotation,      // annotations kept apart: of a function, class or module (3.14), or unevaluated
  TypeVariable,    // a bound, constraint or default of a type parameter
  TypeAlias,       // the value of a `type` statement
  TypeParameters,  // [T, ...] of a def, class or type statement
  Enclosing,       // build_block: all scopes around the block, which are not seen
};

// Where a name that a scope mentions lives.
enum class Binding : std::uint8_t {
  Unknown,         // only in trees with errors
  Local,           // in this scope
  GlobalExplicit,  // declared global
  GlobalImplicit,  // bound in no scope around but the module's, or in none: a builtin, or unbound
  Free,            // a cell of a scope around
  Cell,            // in this scope, and captured by a scope inside
};

// Bits of Symbol::flags. The first twelve have the values of CPython's symtable.
enum SymbolFlag : std::uint16_t {
  kDeclaredGlobal = 1 << 0,
  kAssigned = 1 << 1,
  kParameter = 1 << 2,
  kNonlocal = 1 << 3,
  kReferenced = 1 << 4,
  kNamespace = 1 << 5,  // bound by def or class (a bit that symtable does not use)
  kFreeClass = 1 << 6,  // known to a class, and free in a scope inside that sees past the class
  kImported = 1 << 7,
  kAnnotated = 1 << 8,
  kIteration = 1 << 9,  // target of a comprehension's `for`
  kTypeParameter = 1 << 10,
  kCompCell = 1 << 11,     // captured inside an inlined comprehension
  kDeleted = 1 << 12,      // target of `del`, or the name of an except clause
  kInlined = 1 << 13,      // here only because an inlined comprehension mentions it
  kModuleScope = 1 << 14,  // a symbol of the module's scope
  kGiven = 1 << 15,        // in the Enclosing scope: one of BlockContext::free_names
};
inline constexpr std::uint16_t kBoundFlags = kAssigned | kParameter | kImported | kTypeParameter;
inline constexpr std::uint16_t kSymtableFlags = 0xfff & ~kNamespace;

struct Symbol {
  NameId name;  // mangled
  ScopeId scope;
  // The first node of the scope that mentions it; none for names that only scopes inside mention,
  // and for names that the compiler adds (`.0`, `__class__` where super is used, ...).
  NodeId first;
  // The symbol that this one refers to: itself when bound here; for a free name the cell's symbol
  // (none for the `__class__` that a class provides); for a global name the module's symbol, none
  // when the module binds none. For a name that an annotation scope finds in the class around it,
  // the class's symbol.
  SymbolId origin;
  std::uint16_t flags = 0;
  Binding binding = Binding::Unknown;

  bool has(SymbolFlag flag) const { return (flags & flag) != 0; }
  bool is_bound() const { return (flags & kBoundFlags) != 0; }
  // As the methods of the same names of symtable.Symbol.
  bool is_local() const {
    return binding == Binding::Local || binding == Binding::Cell ||
           (has(kModuleScope) && is_bound());
  }
  bool is_global() const {
    return binding == Binding::GlobalImplicit || binding == Binding::GlobalExplicit ||
           (has(kModuleScope) && is_bound());
  }
  bool is_declared_global() const { return binding == Binding::GlobalExplicit; }
  bool is_nonlocal() const { return has(kNonlocal); }
  bool is_free() const { return binding == Binding::Free; }
  bool is_cell() const { return binding == Binding::Cell; }
  bool is_parameter() const { return has(kParameter); }
  bool is_type_parameter() const { return has(kTypeParameter); }
  bool is_imported() const { return has(kImported); }
  bool is_assigned() const { return has(kAssigned); }
  bool is_referenced() const { return has(kReferenced); }
  bool is_annotated() const { return has(kAnnotated); }
  // Differs from symtable, which goes by names: true when bound by def or class here.
  bool is_namespace() const { return has(kNamespace); }
};

// What may read or write the names of a scope without naming them.
enum Barrier : std::uint8_t {
  kLocalsCall = 1 << 0,   // locals(), vars() or dir() without arguments
  kExecCall = 1 << 1,     // exec(...)
  kEvalCall = 1 << 2,     // eval(...)
  kGlobalsCall = 1 << 3,  // globals(): reads and writes the module's names
  kStarImport = 1 << 4,
  kFrameAccess = 1 << 5,  // ..._getframe(...), ...currentframe()
};

struct Scope {
  ScopeKind kind = ScopeKind::Module;
  std::uint8_t barriers = 0;  // bits of Barrier, of calls in this scope itself
  bool nested : 1 = false;    // inside a function
  bool inlined : 1 = false;   // a comprehension that runs in its parent's frame
  bool unevaluated : 1 = false;
  bool is_async : 1 = false;
  bool is_generator : 1 = false;     // has `yield`, or is a generator expression
  bool has_varargs : 1 = false;      // *args
  bool has_varkeywords : 1 = false;  // **kwargs
  bool returns_value : 1 = false;
  bool needs_class_closure : 1 = false;  // a class: a method uses __class__ or super
  bool needs_classdict : 1 = false;      // a class: an annotation scope inside sees its names
  bool sees_class_scope : 1 = false;     // an annotation scope directly inside a class
  ScopeId parent;
  // The node that opens it: Module, FunctionDef, Lambda, ClassDef, a comprehension, TypeAlias; for
  // TypeParameters the statement that has them; for TypeVariable the expression that is evaluated
  // in it; for Annotation the statement, or the annotation when it is unevaluated.
  NodeId node;
  NameId name;  // as the source has it, not mangled; "lambda", "listcomp", ... as in symtable
  std::uint32_t start = 0;  // byte offset of the place that symtable reports the line of
  std::uint32_t children_begin = 0;
  std::uint32_t children_count = 0;
  std::uint32_t symbols_begin = 0;
  std::uint32_t symbols_count = 0;
  std::uint32_t parameters_begin = 0;
  std::uint32_t parameters_count = 0;

  bool is_comprehension() const {
    return kind >= ScopeKind::ListComp && kind <= ScopeKind::GeneratorExp;
  }
  // Names bound here are visible in scopes inside.
  bool is_function_like() const { return kind != ScopeKind::Module && kind != ScopeKind::Class; }
};

// What names mean is computed by build(); the indexes for uses(), find() and scope_of() are made
// when one of these is first asked. All accessors are const, cheap and safe from several threads.
class ScopeTree {
 public:
  // The scope of the Module node: the module's, or for a block the Enclosing one.
  ScopeId root() const { return ScopeId(1); }
  // Number of ids, the placeholder included. A scope's id is greater than its parent's.
  std::uint32_t scope_count() const { return static_cast<std::uint32_t>(scopes_.size()); }
  const Scope& scope(ScopeId id) const { return scopes_[id.value]; }
  std::span<const Scope> scopes() const { return scopes_; }
  ScopeId parent(ScopeId id) const { return scopes_[id.value].parent; }
  // In the order in which CPython enters them; unevaluated ones and inlined ones included.
  std::span<const ScopeId> children(ScopeId id) const {
    const Scope& scope = scopes_[id.value];
    return {children_.data() + scope.children_begin, scope.children_count};
  }
  std::string_view scope_name(ScopeId id) const { return names_.text(scopes_[id.value].name); }
  // Its symbols by the statement of their first mention; those that come from scopes inside are
  // last.
  std::span<const SymbolId> symbols(ScopeId id) const {
    const Scope& scope = scopes_[id.value];
    return {scope_symbols_.data() + scope.symbols_begin, scope.symbols_count};
  }
  // Symbols of the parameters in the order of co_varnames.
  std::span<const SymbolId> parameters(ScopeId id) const {
    const Scope& scope = scopes_[id.value];
    return {parameters_.data() + scope.parameters_begin, scope.parameters_count};
  }

  std::uint32_t symbol_count() const { return static_cast<std::uint32_t>(symbols_.size()); }
  const Symbol& symbol(SymbolId id) const { return symbols_[id.value]; }
  std::string_view symbol_name(SymbolId id) const { return names_.text(symbols_[id.value].name); }
  // The nodes that mention a symbol, by id: Name, Param, Identifier, and the nodes that bind a
  // token (FunctionDef, ClassDef, Alias, ExceptHandler, MatchAs, MatchStar, MatchMapping, TypeVar,
  // ParamSpec, TypeVarTuple). The target of an augmented assignment is one node with a Store.
  std::span<const NodeId> uses(SymbolId id) const;
  // The symbol of a name in one scope, that is in its table; none when it isn't mentioned there.
  SymbolId find(ScopeId scope, NameId name) const;
  SymbolId find(ScopeId scope, std::string_view name) const;
  // What a name would mean if it were read in the scope, looking outward as Python does: the symbol
  // that binds it, none for a builtin or an unbound name. `name` is mangled already.
  SymbolId look_up(ScopeId scope, NameId name) const;

  // The symbol that a node mentions, in the scope that it mentions it from; none for other nodes.
  // follow(resolve(node)) is the symbol that is bound.
  SymbolId resolve(NodeId node) const { return SymbolId(node_symbols_[node.value]); }
  SymbolId follow(SymbolId id) const { return symbols_[id.value].origin; }
  // The scope whose code evaluates a node: for a def statement the one around it; for a Param the
  // function's; for a default, a decorator or the first iterable of a comprehension the one
  // outside.
  ScopeId enclosing_scope(NodeId node) const { return ScopeId(node_scopes_[node.value]); }
  // The scope that a Module, FunctionDef, Lambda, ClassDef, comprehension or TypeAlias opens; none
  // for other nodes.
  ScopeId scope_of(NodeId node) const;
  // The TypeParameters scope of a def, class or type statement; none when it has none.
  ScopeId type_parameters_scope(NodeId statement) const;

  // Whether names of the scope can be read or written without being named: by calls in it, or in
  // comprehensions that are inlined into it.
  bool has_barrier(ScopeId id) const { return scopes_[id.value].barriers != 0; }

  const Names& names() const { return names_; }
  std::string_view name_text(NameId id) const { return names_.text(id); }
  // None when no scope mentions the name.
  NameId find_name(std::string_view text) const { return names_.find(text); }

  // `from __future__ import annotations` is in force.
  bool has_future_annotations() const { return future_annotations_; }
  // What CPython's symtable and future statements report, with its messages; the first is the one
  // that CPython stops at. `ast.parse` reports none of these.
  std::span<const diag::Diagnostic> errors() const { return errors_; }

  std::size_t memory() const;

 private:
  friend class SymbolStore;
  friend class Builder;
  friend class Analyzer;

  // Made at first use.
  struct Indexes {
    std::once_flag uses_made;
    base::PodVector<std::uint32_t> uses_begin;  // by symbol, and one more
    base::PodVector<NodeId> uses;
    std::once_flag symbols_made;
    base::PodVector<std::uint32_t> symbols;  // by scope and name
    std::once_flag openers_made;
    base::PodVector<std::uint64_t> openers;  // node and scope, sorted
  };
  void index_uses() const;
  void index_symbols() const;
  void index_openers() const;

  Names names_;
  std::vector<Scope> scopes_;
  base::PodVector<Symbol> symbols_;
  base::PodVector<ScopeId> children_;
  base::PodVector<SymbolId> scope_symbols_;
  base::PodVector<SymbolId> parameters_;
  base::PodVector<std::uint32_t> node_symbols_;
  base::PodVector<std::uint32_t> node_scopes_;
  std::unique_ptr<Indexes> indexes_ = std::make_unique<Indexes>();
  std::vector<diag::Diagnostic> errors_;
  bool future_annotations_ = false;
};

// The scopes of a whole module.
ScopeTree build(const syntax::Tree& tree, syntax::PythonVersion version);

// What is known of the surroundings of a block that is read alone.
struct BlockContext {
  // The free variables of the block's live code object (co_freevars): the names that are bound in
  // functions around it, `__class__` included.
  std::span<const std::string_view> free_names;
  // The class whose body holds the block, for private names.
  std::optional<std::string_view> class_name;
  bool future_annotations = false;
};
// The scopes of a tree of syntax::parse_block, most often one function. All scopes around it are
// one scope of kind Enclosing, in which free_names are bound; every other name that the block does
// not bind is global.
ScopeTree build_block(const syntax::Tree& tree, syntax::PythonVersion version,
                      const BlockContext& context);

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_SCOPE_TREE_H_
