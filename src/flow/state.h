// What a FunctionFlow holds. Internal to the stage.
#ifndef GRAPHMEND_FLOW_STATE_H_
#define GRAPHMEND_FLOW_STATE_H_

#include "flow/dominators.h"
#include "flow/flow.h"
#include "flow/graph.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace graphmend::flow {

// Points by statement.
struct PointTable {
  std::vector<NodeId> nodes;  // sorted, with repetitions
  std::vector<Point> points;  // parallel
  std::span<const Point> find(NodeId node) const {
    auto [first, last] = std::equal_range(nodes.begin(), nodes.end(), node);
    return {points.data() + (first - nodes.begin()), static_cast<std::size_t>(last - first)};
  }
};

// Where `return`, `break` and `continue` go on after everything between has been left.
struct Leave {
  NodeId statement;
  NodeId loop;  // none for return
  Point point;
};

struct Variable {
  SymbolId symbol;
  // The symbol is bound in this function's own scope or a comprehension's in it.
  bool own = false;
  // Other code may read it, or bind it.
  bool seen = false;
  bool written = false;
  bool parameter = false;
  DefId first_def;
  std::uint32_t def_count = 0;
  DefId unbound;
  DefId outside;
};

// A step that binds, unbinds or reads a variable.
struct Site {
  NodeId node;
  BlockId block;
  std::uint32_t step;
  DefId def;  // of a Bind or Unbind
};

// Sites by variable.
struct SiteTable {
  std::vector<std::uint32_t> starts;  // by variable id
  std::vector<Site> sites;
  std::span<const Site> of(VariableId variable) const {
    return {sites.data() + starts[variable.value], sites.data() + starts[variable.value + 1]};
  }
};

// What reaches the loads of one variable, and the reverse.
struct VariableUses {
  std::vector<NodeId> loads;  // sorted
  std::vector<std::uint32_t> starts;
  std::vector<DefId> defs;
  std::vector<std::uint32_t> use_starts;  // by definition, relative to the variable's first
  std::vector<NodeId> uses;
};

struct FunctionFlow::State {
  const syntax::Tree* tree = nullptr;
  const scope::ScopeTree* scopes = nullptr;
  NodeId function;
  scope::ScopeId scope;
  Graph graph;
  PointTable starts;
  PointTable ends;
  std::vector<Leave> leaves;                              // sorted by statement
  std::vector<std::pair<NodeId, NodeId>> comprehensions;  // each with the one around it; sorted
  std::vector<Definition> definitions;
  std::vector<DefId> definition_ids;  // definition_ids[i] == DefId(i)
  std::vector<Variable> variables;
  std::vector<SymbolId> symbols;
  std::vector<std::uint32_t> variable_slots;  // hash table of variable ids, 0 for empty
  // Symbols of inner scopes that run later, with the variable they refer to; sorted by variable.
  struct Deferred {
    VariableId variable;
    SymbolId symbol;
  };
  std::vector<Deferred> deferred;

  // Computed at first use.
  bool have_sites = false;
  SiteTable binds;
  SiteTable loads;
  std::vector<std::pair<NodeId, DefId>> definition_nodes;
  std::vector<std::pair<NodeId, VariableId>> load_nodes;
  // By lane of 64 bits: values at the start of each block, and at its end.
  struct Lane {
    std::vector<std::uint64_t> start;
    std::vector<std::uint64_t> end;
  };
  std::vector<std::optional<Lane>> reaching;    // bits are definitions
  std::vector<std::optional<Lane>> live;        // bits are variables
  std::vector<std::optional<Lane>> unassigned;  // bits are variables
  std::vector<std::unique_ptr<VariableUses>> uses;
  std::optional<DominatorTree> dominators;

  // The variable of a symbol of any scope; none when the function has nothing to do with it.
  VariableId variable_of(SymbolId symbol) const;
  // The symbol under which a mention is followed; none for a name that nothing here binds.
  SymbolId canonical(SymbolId symbol) const;
  // As variable_of, for a symbol that is canonical.
  VariableId find_variable(SymbolId symbol) const;
  void insert_variable(VariableId id);
  void index_sites();
  const Lane& reaching_lane(std::uint32_t lane);
  const Lane& live_lane(std::uint32_t lane);
  const Lane& unassigned_lane(std::uint32_t lane);
  // Definitions of a variable that reach a point, appended to `out`.
  void reaching_at(Point point, VariableId id, std::vector<DefId>& out);
  bool live_at(Point point, VariableId id);
  bool unassigned_at(Point point, VariableId id);
  const VariableUses& uses_of(VariableId id);
  VariableId load_variable(NodeId node);
  bool reachable(Point point) const { return graph.reachable(point.block); }
  // All blocks that some point of `from` leads to (by an edge or more).
  std::vector<bool> blocks_after(std::span<const Point> from) const;
};

}  // namespace graphmend::flow

#endif  // GRAPHMEND_FLOW_STATE_H_
