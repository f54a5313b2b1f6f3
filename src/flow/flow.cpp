#include "flow/flow.h"

#include "flow/builder.h"
#include "flow/state.h"

#include <algorithm>
#include <utility>

namespace graphmend::flow {

FunctionFlow build_flow(const syntax::Tree& tree, const scope::ScopeTree& scopes, NodeId function) {
  return Builder(tree, scopes, function).build();
}

FunctionFlow::FunctionFlow(std::unique_ptr<State> state) : state_(std::move(state)) {}
FunctionFlow::FunctionFlow(FunctionFlow&&) noexcept = default;
FunctionFlow& FunctionFlow::operator=(FunctionFlow&&) noexcept = default;
FunctionFlow::~FunctionFlow() = default;

const syntax::Tree& FunctionFlow::tree() const {
  return *state_->tree;
}
NodeId FunctionFlow::function() const {
  return state_->function;
}
const Graph& FunctionFlow::graph() const {
  return state_->graph;
}

// ---------------------------------------------------------------- statements

std::span<const Point> FunctionFlow::starts(NodeId statement) const {
  return state_->starts.find(statement);
}

std::span<const Point> FunctionFlow::ends(NodeId statement) const {
  return state_->ends.find(statement);
}

bool FunctionFlow::reachable(NodeId statement) const {
  std::span<const Point> points = starts(statement);
  return std::any_of(points.begin(), points.end(),
                     [&](Point point) { return state_->reachable(point); });
}

std::vector<bool> FunctionFlow::State::blocks_after(std::span<const Point> from) const {
  std::vector<bool> seen(graph.size(), false);
  std::vector<BlockId> work;
  for (Point point : from) {
    work.push_back(point.block);
  }
  while (!work.empty()) {
    BlockId block = work.back();
    work.pop_back();
    for (const Edge& edge : graph.successors(block)) {
      if (!seen[edge.to.value]) {
        seen[edge.to.value] = true;
        work.push_back(edge.to);
      }
    }
  }
  return seen;
}

bool FunctionFlow::may_reach(NodeId from, NodeId to) const {
  std::span<const Point> sources = starts(from);
  std::span<const Point> targets = starts(to);
  std::vector<bool> seen = state_->blocks_after(sources);
  for (Point target : targets) {
    if (seen[target.block.value]) {
      return true;
    }
    for (Point source : sources) {
      if (source.block == target.block &&
          (source.step < target.step || (source.step == target.step && from != to &&
                                         tree().range(from).start <= tree().range(to).start))) {
        return true;
      }
    }
  }
  return false;
}

bool FunctionFlow::always_raises(std::span<const NodeId> body) const {
  if (body.empty()) {
    return false;
  }
  std::span<const Point> from = starts(body.front());
  std::vector<bool> seen = state_->blocks_after(from);
  auto reached = [&](Point point) {
    return seen[point.block.value] || std::any_of(from.begin(), from.end(), [&](Point start) {
             return start.block == point.block && start.step <= point.step;
           });
  };
  std::span<const Point> end = ends(body.back());
  if (std::any_of(end.begin(), end.end(), reached)) {
    return false;
  }
  NodeId first = tree().subtree_begin(body.front());
  const std::vector<Leave>& leaves = state_->leaves;
  auto leave =
      std::lower_bound(leaves.begin(), leaves.end(), first,
                       [](const Leave& left, NodeId right) { return left.statement < right; });
  for (; leave != leaves.end() && leave->statement <= body.back(); ++leave) {
    bool inside = leave->loop && first <= leave->loop && leave->loop <= body.back();
    if (!inside && reached(leave->point)) {
      return false;
    }
  }
  return true;
}

namespace {

// Whether every path from one of the points `from` to the start of a block for which `ends` holds
// meets one of the points `through` before. Edges of kinds that `follow` refuses are no paths.
template <class Ends, class Follow>
bool all_paths_meet(const Graph& graph, std::span<const Point> from, std::span<const Point> through,
                    Ends ends, Follow follow) {
  // The first point of `through` in each block.
  std::vector<std::uint32_t> first(graph.size(), kNoStep);
  for (Point point : through) {
    first[point.block.value] = std::min(first[point.block.value], point.step);
  }
  std::vector<bool> seen(graph.size(), false);
  std::vector<BlockId> work;
  // Follows the edges that leave a block when it is run from step `start` up to step `stop`.
  auto leave = [&](BlockId block, std::uint32_t start, std::uint32_t stop) {
    std::span<const Step> steps = graph.steps(block);
    bool raises = false;
    for (std::size_t i = start; i < std::min<std::size_t>(stop, steps.size()) && !raises; ++i) {
      raises = steps[i].may_raise();
    }
    for (const Edge& edge : graph.successors(block)) {
      bool open = edge.kind == EdgeKind::Exception ? raises : stop == kNoStep;
      if (open && follow(edge.kind) && !seen[edge.to.value]) {
        seen[edge.to.value] = true;
        work.push_back(edge.to);
      }
    }
  };
  for (Point point : from) {
    if (point.step == 0 && ends(point.block)) {
      return false;
    }
    std::uint32_t stop = kNoStep;
    for (Point other : through) {
      if (other.block == point.block && other.step >= point.step) {
        stop = std::min(stop, other.step);
      }
    }
    leave(point.block, point.step, stop);
  }
  while (!work.empty()) {
    BlockId block = work.back();
    work.pop_back();
    if (ends(block)) {
      return false;
    }
    leave(block, 0, first[block.value]);
  }
  return true;
}

}  // namespace

bool FunctionFlow::dominates(NodeId dominator, NodeId statement) const {
  if (dominator == statement) {
    return true;
  }
  std::span<const Point> above = starts(dominator);
  std::span<const Point> below = starts(statement);
  const Graph& graph = state_->graph;
  Point entry{graph.entry(), 0};
  auto dominated = [&](Point point) {
    if (!graph.reachable(point.block)) {
      return true;
    }
    for (Point other : above) {
      if (other.block == point.block && other.step <= point.step) {
        return true;
      }
    }
    if (above.size() == 1) {
      if (!state_->dominators) {
        state_->dominators = DominatorTree::of(graph);
      }
      BlockId block = above[0].block;
      if (!state_->dominators->dominates(block, point.block)) {
        return false;
      }
      if (above[0].step == 0 || !graph.block(block).may_raise) {
        return true;
      }
    }
    return all_paths_meet(
        graph, std::span(&entry, 1), above, [&](BlockId block) { return block == point.block; },
        [](EdgeKind) { return true; });
  };
  return std::all_of(below.begin(), below.end(), dominated);
}

bool FunctionFlow::post_dominates(NodeId other, NodeId statement, bool with_exceptions) const {
  if (other == statement) {
    return true;
  }
  const Graph& graph = state_->graph;
  return all_paths_meet(
      graph, starts(statement), starts(other),
      [&](BlockId block) {
        return block == graph.exit() || (with_exceptions && block == graph.raise_exit());
      },
      [&](EdgeKind kind) { return with_exceptions || kind != EdgeKind::Exception; });
}

// --------------------------------------------------------------------- names

std::span<const Definition> FunctionFlow::definitions() const {
  return state_->definitions;
}

std::span<const DefId> FunctionFlow::definitions_of(SymbolId symbol) const {
  VariableId id = state_->variable_of(symbol);
  if (!id) {
    return {};
  }
  const Variable& variable = state_->variables[id.value];
  return {state_->definition_ids.data() + variable.first_def.value, variable.def_count};
}

DefId FunctionFlow::definition_at(NodeId node) const {
  const auto& nodes = state_->definition_nodes;
  auto found = std::lower_bound(nodes.begin(), nodes.end(), node,
                                [](const auto& left, NodeId right) { return left.first < right; });
  return found != nodes.end() && found->first == node ? found->second : DefId();
}

std::span<const SymbolId> FunctionFlow::symbols() const {
  return state_->symbols;
}

bool FunctionFlow::seen_outside(SymbolId symbol) const {
  VariableId id = state_->variable_of(symbol);
  return !id || state_->variables[id.value].seen;
}

SymbolId FunctionFlow::State::canonical(SymbolId symbol) const {
  if (!symbol) {
    return symbol;
  }
  if (SymbolId origin = scopes->follow(symbol)) {
    return origin;
  }
  const scope::Symbol& facts = scopes->symbol(symbol);
  // A global name that nothing but this function binds (of a block read alone).
  SymbolId here = scopes->find(scope, facts.name);
  return here && scopes->symbol(here).is_bound() ? here : SymbolId();
}

VariableId FunctionFlow::State::variable_of(SymbolId symbol) const {
  SymbolId known = canonical(symbol);
  return known ? find_variable(known) : VariableId();
}

namespace {

std::uint32_t hash_of(SymbolId symbol) {
  return symbol.value * 0x9e3779b1U;
}

}  // namespace

VariableId FunctionFlow::State::find_variable(SymbolId symbol) const {
  if (variable_slots.empty()) {
    return VariableId();
  }
  std::size_t mask = variable_slots.size() - 1;
  for (std::size_t slot = hash_of(symbol) & mask;; slot = (slot + 1) & mask) {
    std::uint32_t id = variable_slots[slot];
    if (id == 0 || variables[id].symbol == symbol) {
      return VariableId(id);
    }
  }
}

void FunctionFlow::State::insert_variable(VariableId id) {
  auto add = [&](std::uint32_t value) {
    std::size_t mask = variable_slots.size() - 1;
    std::size_t slot = hash_of(variables[value].symbol) & mask;
    while (variable_slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    variable_slots[slot] = value;
  };
  if (variables.size() * 2 <= variable_slots.size()) {
    add(id.value);
    return;
  }
  variable_slots.assign(std::max<std::size_t>(16, variable_slots.size() * 2), 0);
  for (std::uint32_t i = 1; i < variables.size(); ++i) {
    add(i);
  }
}

}  // namespace graphmend::flow
