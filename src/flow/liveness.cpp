// Liveness (backward) and definite assignment (forward), a set of variables a block, in lanes
// of 64.
#include "flow/solver.h"
#include "flow/state.h"

#include <algorithm>

namespace graphmend::flow {

namespace {

constexpr std::uint32_t kLaneBits = 64;

std::uint64_t bit(VariableId id) {
  return std::uint64_t{1} << (id.value % kLaneBits);
}

struct Liveness {
  using Value = std::uint64_t;
  static constexpr Direction direction = Direction::Backward;

  const Graph& graph;
  std::uint64_t seen;  // read by other code: at steps that run any, and after the end
  std::vector<std::uint64_t> gen;
  std::vector<std::uint64_t> kill;

  Value bottom() const { return 0; }
  Value boundary(BlockId block) const {
    return block == graph.exit() || block == graph.raise_exit() ? seen : 0;
  }
  void join(Value& into, Value from) const { into |= from; }
  Value transfer(BlockId block, Value in) const {
    // Loads and other code come before bindings in each block.
    std::uint64_t code = graph.block(block).first_code == kNoStep ? 0 : seen;
    return (in & ~kill[block.value]) | gen[block.value] | code;
  }
  void join_exception(BlockId, Value& out, Value handler) const { out |= handler; }
};

struct Unassigned {
  using Value = std::uint64_t;
  static constexpr Direction direction = Direction::Forward;

  const Graph& graph;
  std::uint64_t at_entry;
  std::vector<std::uint64_t> gen;
  std::vector<std::uint64_t> kill;

  Value bottom() const { return 0; }
  Value boundary(BlockId block) const { return block == graph.entry() ? at_entry : 0; }
  void join(Value& into, Value from) const { into |= from; }
  Value exception(BlockId, Value in) const { return in; }
  Value transfer(BlockId block, Value in) const {
    return (in & ~kill[block.value]) | gen[block.value];
  }
};

}  // namespace

const FunctionFlow::State::Lane& FunctionFlow::State::live_lane(std::uint32_t lane) {
  index_sites();
  if (live[lane]) {
    return *live[lane];
  }
  std::vector<std::uint64_t> zeros(graph.size(), 0);
  Liveness problem{graph, 0, zeros, zeros};
  std::uint32_t end =
      std::min<std::uint32_t>((lane + 1) * kLaneBits, static_cast<std::uint32_t>(variables.size()));
  for (std::uint32_t i = std::max(1U, lane * kLaneBits); i < end; ++i) {
    VariableId id(i);
    problem.seen |= variables[i].seen ? bit(id) : 0;
    for (const Site& site : binds.of(id)) {
      problem.kill[site.block.value] |= bit(id);
    }
    for (const Site& site : loads.of(id)) {
      problem.gen[site.block.value] |= bit(id);
    }
  }
  Solution<std::uint64_t> solution = solve(graph, problem);
  live[lane] = Lane{std::move(solution.out), std::move(solution.in)};
  return *live[lane];
}

const FunctionFlow::State::Lane& FunctionFlow::State::unassigned_lane(std::uint32_t lane) {
  index_sites();
  if (unassigned[lane]) {
    return *unassigned[lane];
  }
  std::vector<std::uint64_t> zeros(graph.size(), 0);
  Unassigned problem{graph, 0, zeros, zeros};
  std::uint32_t end =
      std::min<std::uint32_t>((lane + 1) * kLaneBits, static_cast<std::uint32_t>(variables.size()));
  for (std::uint32_t i = std::max(1U, lane * kLaneBits); i < end; ++i) {
    VariableId id(i);
    problem.at_entry |= variables[i].own ? bit(id) : 0;
    for (const Site& site : binds.of(id)) {
      std::uint64_t& gen = problem.gen[site.block.value];
      problem.kill[site.block.value] |= bit(id);
      bool unbinds = graph.steps(site.block)[site.step].kind == StepKind::Unbind;
      gen = unbinds ? gen | bit(id) : gen & ~bit(id);
    }
  }
  Solution<std::uint64_t> solution = solve(graph, problem);
  unassigned[lane] = Lane{std::move(solution.in), std::move(solution.out)};
  return *unassigned[lane];
}

bool FunctionFlow::State::live_at(Point point, VariableId id) {
  const Variable& variable = variables[id.value];
  const Lane& lane = live_lane(id.value / kLaneBits);
  const Block& block = graph.block(point.block);
  std::span<const Step> steps = graph.steps(point.block);
  bool raises = false;
  for (std::size_t i = point.step; i < steps.size(); ++i) {
    const Step& step = steps[i];
    raises = raises || step.may_raise();
    bool binds_or_not = step.kind == StepKind::Bind || step.kind == StepKind::Unbind;
    bool mine = binds_or_not ? step.payload - variable.first_def.value < variable.def_count
                             : step.kind == StepKind::Load && step.payload == id.value;
    if ((mine && (!binds_or_not || step.may_raise())) || (variable.seen && step.runs_code())) {
      return true;
    }
    if (mine) {
      return raises && (lane.start[block.handler.value] & bit(id)) != 0;
    }
  }
  return (lane.end[point.block.value] & bit(id)) != 0 ||
         (raises && (lane.start[block.handler.value] & bit(id)) != 0);
}

bool FunctionFlow::State::unassigned_at(Point point, VariableId id) {
  if (!reachable(point)) {
    return false;
  }
  const Variable& variable = variables[id.value];
  std::span<const Step> steps = graph.steps(point.block);
  std::uint32_t first_bind = graph.block(point.block).first_bind;
  for (std::uint32_t i = point.step; i > first_bind; --i) {
    const Step& step = steps[i - 1];
    bool binds_or_not = step.kind == StepKind::Bind || step.kind == StepKind::Unbind;
    if (binds_or_not && step.payload - variable.first_def.value < variable.def_count) {
      return step.kind == StepKind::Unbind;
    }
  }
  return (unassigned_lane(id.value / kLaneBits).start[point.block.value] & bit(id)) != 0;
}

bool FunctionFlow::definitely_assigned(NodeId statement, SymbolId symbol) const {
  VariableId id = state_->variable_of(symbol);
  if (!id) {
    return true;
  }
  state_->index_sites();
  std::span<const Point> points = starts(statement);
  return std::none_of(points.begin(), points.end(),
                      [&](Point point) { return state_->unassigned_at(point, id); });
}

bool FunctionFlow::definitely_assigned_after(NodeId statement, SymbolId symbol) const {
  VariableId id = state_->variable_of(symbol);
  if (!id) {
    return true;
  }
  state_->index_sites();
  std::span<const Point> points = ends(statement);
  return std::none_of(points.begin(), points.end(),
                      [&](Point point) { return state_->unassigned_at(point, id); });
}

bool FunctionFlow::live_after(NodeId statement, SymbolId symbol) const {
  VariableId id = state_->variable_of(symbol);
  if (!id) {
    return true;
  }
  std::span<const Point> points = ends(statement);
  return std::any_of(points.begin(), points.end(),
                     [&](Point point) { return state_->live_at(point, id); });
}

bool FunctionFlow::live_before(NodeId statement, SymbolId symbol) const {
  VariableId id = state_->variable_of(symbol);
  if (!id) {
    return true;
  }
  std::span<const Point> points = starts(statement);
  return std::any_of(points.begin(), points.end(), [&](Point point) {
    return state_->reachable(point) && state_->live_at(point, id);
  });
}

std::vector<NodeId> FunctionFlow::uses_after(NodeId statement, SymbolId symbol) const {
  std::vector<NodeId> result;
  VariableId id = state_->variable_of(symbol);
  if (!id) {
    return result;
  }
  state_->index_sites();
  const Graph& graph = state_->graph;
  const Variable& variable = state_->variables[id.value];
  bool later = false;
  std::vector<bool> seen(graph.size(), false);
  std::vector<BlockId> work;
  auto run = [&](BlockId block, std::uint32_t start) {
    std::span<const Step> steps = graph.steps(block);
    bool raises = false;
    bool rebound = false;
    for (std::size_t i = start; i < steps.size() && !rebound; ++i) {
      const Step& step = steps[i];
      raises = raises || step.may_raise();
      later = later || (variable.seen && step.runs_code());
      if (step.kind == StepKind::Load && step.payload == id.value) {
        result.push_back(step.node);
      } else if ((step.kind == StepKind::Bind || step.kind == StepKind::Unbind) &&
                 step.payload - variable.first_def.value < variable.def_count) {
        rebound = true;
        if (step.may_raise()) {
          result.push_back(step.node);
        }
      }
    }
    for (const Edge& edge : graph.successors(block)) {
      bool open = edge.kind == EdgeKind::Exception ? raises : !rebound;
      if (open && !seen[edge.to.value]) {
        seen[edge.to.value] = true;
        work.push_back(edge.to);
      }
    }
  };
  for (Point point : ends(statement)) {
    run(point.block, point.step);
  }
  while (!work.empty()) {
    BlockId block = work.back();
    work.pop_back();
    later = later || (variable.seen && (block == graph.exit() || block == graph.raise_exit()));
    run(block, 0);
  }
  if (later) {
    for (const State::Deferred& entry : state_->deferred) {
      if (entry.variable != id) {
        continue;
      }
      for (NodeId node : state_->scopes->uses(entry.symbol)) {
        if (tree().kind(node) == syntax::NodeKind::Name &&
            tree().context(node) != syntax::ExprContext::Store) {
          result.push_back(node);
        }
      }
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace graphmend::flow
