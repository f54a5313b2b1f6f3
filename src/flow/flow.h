// What is known of one function's control and data flow: the graph, and questions to it.
//
//   FunctionFlow flow = build_flow(tree, scopes, function);
//   if (!flow.live_after(statement, symbol)) ...
//
// Analyses run at the first question that needs them, for the symbols asked about; answers are
// kept. So a FunctionFlow may be used by one thread at a time.
//
// Names are followed exactly as far as one function goes. What others see (cells, globals, names of
// the module) counts as read, and where others bind it as rebound (DefKind::Outside), by every step
// that may run other code: a call, an operator, an attribute, a yield.
// Comprehensions (generator expressions excepted) belong to the function that holds them. Lambdas,
// generator expressions after their first iterable, and inner functions run later: what they read
// counts as read at any time after.
#ifndef GRAPHMEND_FLOW_FLOW_H_
#define GRAPHMEND_FLOW_FLOW_H_

#include "flow/graph.h"
#include "scope/scope_tree.h"
#include "source/line_index.h"
#include "syntax/tree.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace graphmend::flow {

using scope::SymbolId;
using syntax::NodeId;

enum class DefKind : std::uint8_t {
  // At the entry.
  Unbound,    // not bound yet
  Parameter,  // node: Param
  Outside,    // bound elsewhere: by the caller's module, an enclosing or an inner function
  // Bindings. node: the Name, or what else holds the name.
  Assign,  // target of Assign, or of AnnAssign with a value
  AugAssign,
  For,  // target of a `for`
  Comprehension,
  With,  // `as` of a WithItem
  Walrus,
  Import,        // node: Alias
  Function,      // node: FunctionDef
  Class,         // node: ClassDef
  ExceptName,    // node: ExceptHandler
  MatchCapture,  // node: MatchAs, MatchStar, MatchMapping
  TypeAlias,
  TypeParameter,
  // Unbindings: loads never see them, but after them the name may be unbound.
  Delete,
  ExceptEnd,  // the end of `except ... as name`; node: ExceptHandler
};

struct Definition {
  SymbolId symbol;
  DefKind kind;
  // For Assign and With: the target is a part of a tuple or list, value is what is unpacked.
  bool unpacked = false;
  NodeId node;
  // The statement that binds: the closest one around the node; none for Unbound, Outside,
  // Parameter.
  NodeId statement;
  // The expression whose value (or whose item, when unpacked; for For and Comprehension the
  // iterable; for With the context expression; for AugAssign the right side; for Parameter the
  // default) is bound; none when there is none.
  NodeId value;
};

// Two lines of the source, the second of which may be run after the first.
struct LineEdge {
  std::uint32_t from;
  std::uint32_t to;
  bool exception;
  friend auto operator<=>(const LineEdge&, const LineEdge&) = default;
};

class FunctionFlow {
 public:
  FunctionFlow(FunctionFlow&&) noexcept;
  FunctionFlow& operator=(FunctionFlow&&) noexcept;
  FunctionFlow(const FunctionFlow&) = delete;
  FunctionFlow& operator=(const FunctionFlow&) = delete;
  ~FunctionFlow();

  const syntax::Tree& tree() const;
  // The FunctionDef, Lambda, ClassDef, GeneratorExp or Module.
  NodeId function() const;
  const Graph& graph() const;

  // ------------------------------------------------------------- statements
  // Where a statement (or a MatchCase, ExceptHandler) starts; several places in a `finally`.
  std::span<const Point> starts(NodeId statement) const;
  // Where it ends normally; empty when it never does. For `return`, `break`, ...: empty.
  std::span<const Point> ends(NodeId statement) const;
  // Some path from the entry reaches the statement.
  bool reachable(NodeId statement) const;
  // Some path leads from the start of `from` to the start of `to` (by at least one step of it: a
  // statement reaches itself in a loop only).
  bool may_reach(NodeId from, NodeId to) const;
  // No path leaves the statements of `body` (one list of the tree) but by an exception: neither at
  // their end nor by return, break or continue. False for an empty list.
  bool always_raises(std::span<const NodeId> body) const;
  // The statement can end normally.
  bool may_complete(NodeId statement) const { return !ends(statement).empty(); }
  // Every path from the entry to `statement` starts `dominator` before (or they are the same).
  bool dominates(NodeId dominator, NodeId statement) const;
  // Every path from `statement` that leaves the function starts `other` on its way. Exceptions
  // count as paths only if `with_exceptions`.
  bool post_dominates(NodeId other, NodeId statement, bool with_exceptions = true) const;

  // ------------------------------------------------------------------ names
  // The symbol is bound on every path when the statement starts. True for names of other scopes
  // (globals, builtins, cells of enclosing functions) that are never unbound here, and where the
  // statement can't be reached.
  bool definitely_assigned(NodeId statement, SymbolId symbol) const;
  // The same, where the statement ends normally.
  bool definitely_assigned_after(NodeId statement, SymbolId symbol) const;
  // The value that the symbol has when the statement ends normally may be read (or unbound by
  // `del`) later, before it is rebound. Names that others see count as read by any code that may
  // run, and after the function has ended.
  bool live_after(NodeId statement, SymbolId symbol) const;
  // The same when the statement starts.
  bool live_before(NodeId statement, SymbolId symbol) const;
  // The loads of the symbol that its value at the normal end of the statement may reach, in order
  // of the text; loads in inner scopes that run later included.
  std::vector<NodeId> uses_after(NodeId statement, SymbolId symbol) const;

  // Definition ids: 1 .. definitions().size() - 1, those of one symbol side by side.
  std::span<const Definition> definitions() const;
  const Definition& definition(DefId id) const { return definitions()[id.value]; }
  // All definitions of the symbol here, Unbound and Outside included where they exist.
  std::span<const DefId> definitions_of(SymbolId symbol) const;
  // The definition made at a node (a Name in Store context, a Param, an Alias, ...); none
  // otherwise.
  DefId definition_at(NodeId node) const;
  // The definitions whose value a load may read: a Name in Load context, or the target of an
  // AugAssign or `del`. Unbound is among them when the name may be unbound. For a load in an inner
  // scope that runs later: all definitions of the symbol. Empty where the load can't be reached and
  // for names that are not bound here at all (builtins).
  std::span<const DefId> reaching_definitions(NodeId name_load) const;
  // The loads that may read the definition's value, in order of the text.
  std::span<const NodeId> uses(DefId definition) const;
  // The definitions whose value the symbol may have when the statement starts (or ends normally).
  std::vector<DefId> reaching_before(NodeId statement, SymbolId symbol) const;
  std::vector<DefId> reaching_after(NodeId statement, SymbolId symbol) const;
  // All symbols that the function reads or binds, those of its comprehensions included.
  std::span<const SymbolId> symbols() const;
  // Others can read the symbol while or after the function runs (cells, globals, `locals()` here).
  bool seen_outside(SymbolId symbol) const;

  // ------------------------------------------------------------------ lines
  // Steps from line to line as `sys.settrace` reports them (CPython 3.11), exceptions included;
  // sorted, each once. Pairs of one line with itself are left out. Lines count from 1.
  // `frame`: none for the function, or one of comprehensions(), which have frames of their own;
  // those but the generator expressions only if not `inlined` (from Python 3.12 on).
  std::vector<LineEdge> line_edges(const source::LineIndex& lines, NodeId frame = {},
                                   bool inlined = false) const;
  // Lines at which execution may begin.
  std::vector<std::uint32_t> entry_lines(const source::LineIndex& lines, NodeId frame = {},
                                         bool inlined = false) const;
  // The comprehensions, and generator expressions used up at once, that run in the function.
  std::vector<NodeId> comprehensions() const;
  // The one of them that holds another, none when the function itself does.
  NodeId outer_comprehension(NodeId comprehension) const;

 private:
  friend class Builder;
  struct State;
  explicit FunctionFlow(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Builds the flow of a FunctionDef, Lambda, ClassDef, GeneratorExp (its body) or Module. Tree and
// scopes must outlive the result.
FunctionFlow build_flow(const syntax::Tree& tree, const scope::ScopeTree& scopes, NodeId function);

}  // namespace graphmend::flow

#endif  // GRAPHMEND_FLOW_FLOW_H_
