// Reaching definitions: which bindings a name's value may come from. Forward, a set of definitions
// a block, in lanes of 64.
#include "flow/solver.h"
#include "flow/state.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace graphmend::flow {

namespace {

constexpr std::uint32_t kLaneBits = 64;

std::uint64_t bit(std::uint32_t index) {
  return std::uint64_t{1} << (index % kLaneBits);
}

// The bits of lane `lane` that lie in [first, first + count).
std::uint64_t lane_mask(std::uint32_t lane, std::uint32_t first, std::uint32_t count) {
  std::uint64_t begin = std::max<std::uint64_t>(first, std::uint64_t{lane} * kLaneBits);
  std::uint64_t end =
      std::min<std::uint64_t>(std::uint64_t{first} + count, (std::uint64_t{lane} + 1) * kLaneBits);
  if (begin >= end) {
    return 0;
  }
  std::uint64_t width = end - begin;
  std::uint64_t ones = width == kLaneBits ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return ones << (begin % kLaneBits);
}

struct Reaching {
  using Value = std::uint64_t;
  static constexpr Direction direction = Direction::Forward;

  const Graph& graph;
  std::uint64_t at_entry;
  std::uint64_t outside;  // bound by other code at each step that runs any
  std::vector<std::uint64_t> gen;
  std::vector<std::uint64_t> kill;

  Value bottom() const { return 0; }
  Value boundary(BlockId block) const { return block == graph.entry() ? at_entry : 0; }
  void join(Value& into, Value from) const { into |= from; }
  Value exception(BlockId block, Value in) const {
    return graph.block(block).first_code == kNoStep ? in : in | outside;
  }
  Value transfer(BlockId block, Value in) const {
    return (exception(block, in) & ~kill[block.value]) | gen[block.value];
  }
};

}  // namespace

void FunctionFlow::State::index_sites() {
  if (have_sites) {
    return;
  }
  have_sites = true;
  std::size_t count = variables.size();
  binds.starts.assign(count + 1, 0);
  loads.starts.assign(count + 1, 0);
  // The variable of a definition.
  std::vector<std::uint32_t> owner(definitions.size(), 0);
  for (std::uint32_t i = 1; i < count; ++i) {
    for (std::uint32_t k = 0; k < variables[i].def_count; ++k) {
      owner[variables[i].first_def.value + k] = i;
    }
  }
  auto each_step = [&](auto&& fn) {
    for (std::uint32_t i = 1; i < graph.size(); ++i) {
      std::span<const Step> steps = graph.steps(BlockId(i));
      for (std::uint32_t k = 0; k < steps.size(); ++k) {
        const Step& step = steps[k];
        Site site{step.node, BlockId(i), k, DefId()};
        if (step.kind == StepKind::Bind || step.kind == StepKind::Unbind) {
          site.def = DefId(step.payload);
          fn(binds, owner[step.payload], site);
          if (step.may_raise()) {  // `del x` reads x
            fn(loads, owner[step.payload], site);
          }
        } else if (step.kind == StepKind::Load && step.payload != 0) {
          fn(loads, step.payload, site);
        }
      }
    }
  };
  each_step(
      [](SiteTable& table, std::uint32_t variable, const Site&) { ++table.starts[variable + 1]; });
  for (SiteTable* table : {&binds, &loads}) {
    std::partial_sum(table->starts.begin(), table->starts.end(), table->starts.begin());
    table->sites.resize(table->starts.back());
  }
  std::vector<std::uint32_t> next_bind(binds.starts);
  std::vector<std::uint32_t> next_load(loads.starts);
  each_step([&](SiteTable& table, std::uint32_t variable, const Site& site) {
    std::vector<std::uint32_t>& next = &table == &binds ? next_bind : next_load;
    table.sites[next[variable]++] = site;
  });
  for (std::uint32_t i = 1; i < count; ++i) {
    auto first = loads.sites.begin() + loads.starts[i];
    auto last = loads.sites.begin() + loads.starts[i + 1];
    std::stable_sort(first, last,
                     [](const Site& left, const Site& right) { return left.node < right.node; });
    for (auto site = first; site != last; ++site) {
      load_nodes.emplace_back(site->node, VariableId(i));
    }
  }
  for (const Deferred& later : deferred) {
    for (NodeId node : scopes->uses(later.symbol)) {
      if (tree->kind(node) == syntax::NodeKind::Name &&
          tree->context(node) != syntax::ExprContext::Store) {
        load_nodes.emplace_back(node, later.variable);
      }
    }
  }
  std::sort(load_nodes.begin(), load_nodes.end());
  load_nodes.erase(std::unique(load_nodes.begin(), load_nodes.end()), load_nodes.end());
  std::size_t def_lanes = definitions.size() / kLaneBits + 1;
  std::size_t variable_lanes = count / kLaneBits + 1;
  reaching.resize(def_lanes);
  live.resize(variable_lanes);
  unassigned.resize(variable_lanes);
  uses.resize(count);
}

const FunctionFlow::State::Lane& FunctionFlow::State::reaching_lane(std::uint32_t lane) {
  index_sites();
  if (reaching[lane]) {
    return *reaching[lane];
  }
  std::vector<std::uint64_t> zeros(graph.size(), 0);
  Reaching problem{graph, 0, 0, zeros, zeros};
  // The variables that have definitions in the lane.
  auto first =
      std::partition_point(variables.begin() + 1, variables.end(), [&](const Variable& variable) {
        return variable.first_def.value + variable.def_count <= lane * kLaneBits;
      });
  for (auto i = static_cast<std::uint32_t>(first - variables.begin()); i < variables.size(); ++i) {
    const Variable& variable = variables[i];
    std::uint64_t mask = lane_mask(lane, variable.first_def.value, variable.def_count);
    if (mask == 0) {
      break;
    }
    auto in_lane = [&](DefId def) {
      return def && def.value / kLaneBits == lane ? bit(def.value) : 0;
    };
    problem.at_entry |= in_lane(variable.own ? variable.unbound : variable.outside);
    problem.outside |= variable.written ? in_lane(variable.outside) : 0;
    // Sites are in the order of steps within each block: the last one wins.
    for (const Site& site : binds.of(VariableId(i))) {
      std::uint64_t& gen = problem.gen[site.block.value];
      problem.kill[site.block.value] |= mask;
      gen = (gen & ~mask) | in_lane(site.def);
    }
  }
  Solution<std::uint64_t> solution = solve(graph, problem);
  reaching[lane] = Lane{std::move(solution.in), std::move(solution.out)};
  return *reaching[lane];
}

void FunctionFlow::State::reaching_at(Point point, VariableId id, std::vector<DefId>& out) {
  if (!reachable(point)) {
    return;
  }
  const Variable& variable = variables[id.value];
  const Block& block = graph.block(point.block);
  std::span<const Step> steps = graph.steps(point.block);
  // A binding in the block before the point hides what came in.
  if (block.first_bind != kNoStep) {
    for (std::uint32_t i = point.step; i-- > block.first_bind;) {
      bool binds_or_not = steps[i].kind == StepKind::Bind || steps[i].kind == StepKind::Unbind;
      if (binds_or_not && steps[i].payload - variable.first_def.value < variable.def_count) {
        out.emplace_back(steps[i].payload);
        return;
      }
    }
  }
  std::uint32_t first = variable.first_def.value;
  std::uint32_t last = first + variable.def_count;
  for (std::uint32_t lane = first / kLaneBits; lane * kLaneBits < last; ++lane) {
    std::uint64_t bits =
        reaching_lane(lane).start[point.block.value] & lane_mask(lane, first, variable.def_count);
    if (variable.written && block.first_code < point.step &&
        variable.outside.value / kLaneBits == lane) {
      bits |= bit(variable.outside.value);
    }
    for (; bits != 0; bits &= bits - 1) {
      out.emplace_back(lane * kLaneBits + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
}

namespace {

void sort_unique(std::vector<DefId>& ids, std::size_t from) {
  auto begin = ids.begin() + static_cast<std::ptrdiff_t>(from);
  std::sort(begin, ids.end());
  ids.erase(std::unique(begin, ids.end()), ids.end());
}

}  // namespace

const VariableUses& FunctionFlow::State::uses_of(VariableId id) {
  index_sites();
  if (uses[id.value]) {
    return *uses[id.value];
  }
  auto result = std::make_unique<VariableUses>();
  const Variable& variable = variables[id.value];
  std::span<const Site> sites = loads.of(id);
  for (std::size_t i = 0; i < sites.size();) {
    // A load may stand in several copies of a `finally`.
    NodeId node = sites[i].node;
    result->loads.push_back(node);
    std::size_t from = result->defs.size();
    result->starts.push_back(static_cast<std::uint32_t>(from));
    for (; i < sites.size() && sites[i].node == node; ++i) {
      reaching_at({sites[i].block, sites[i].step}, id, result->defs);
    }
    // What was unbound reads as unbound, however it came to be.
    for (std::size_t k = from; k < result->defs.size(); ++k) {
      DefKind kind = definitions[result->defs[k].value].kind;
      if ((kind == DefKind::Delete || kind == DefKind::ExceptEnd) && variable.unbound) {
        result->defs[k] = variable.unbound;
      }
    }
    sort_unique(result->defs, from);
  }
  result->starts.push_back(static_cast<std::uint32_t>(result->defs.size()));
  // Loads that run later see any definition.
  std::vector<NodeId> later;
  for (const Deferred& entry : deferred) {
    if (entry.variable == id) {
      for (NodeId node : scopes->uses(entry.symbol)) {
        if (tree->kind(node) == syntax::NodeKind::Name &&
            tree->context(node) != syntax::ExprContext::Store) {
          later.push_back(node);
        }
      }
    }
  }
  std::sort(later.begin(), later.end());
  later.erase(std::unique(later.begin(), later.end()), later.end());
  std::erase_if(later, [&](NodeId node) {
    return std::binary_search(result->loads.begin(), result->loads.end(), node);
  });
  // The reverse: first the loads here, then those that run later, sorted together.
  std::vector<std::vector<NodeId>> by_def(variable.def_count);
  for (std::size_t i = 0; i < result->loads.size(); ++i) {
    for (std::uint32_t k = result->starts[i]; k < result->starts[i + 1]; ++k) {
      by_def[result->defs[k].value - variable.first_def.value].push_back(result->loads[i]);
    }
  }
  for (std::uint32_t k = 0; k < variable.def_count; ++k) {
    DefKind kind = definitions[variable.first_def.value + k].kind;
    std::vector<NodeId>& list = by_def[k];
    if (kind != DefKind::Delete && kind != DefKind::ExceptEnd && !later.empty()) {
      list.insert(list.end(), later.begin(), later.end());
      std::sort(list.begin(), list.end());
    }
    result->use_starts.push_back(static_cast<std::uint32_t>(result->uses.size()));
    result->uses.insert(result->uses.end(), list.begin(), list.end());
  }
  result->use_starts.push_back(static_cast<std::uint32_t>(result->uses.size()));
  uses[id.value] = std::move(result);
  return *uses[id.value];
}

VariableId FunctionFlow::State::load_variable(NodeId node) {
  index_sites();
  auto found = std::lower_bound(load_nodes.begin(), load_nodes.end(), node,
                                [](const auto& left, NodeId right) { return left.first < right; });
  return found != load_nodes.end() && found->first == node ? found->second : VariableId();
}

std::span<const DefId> FunctionFlow::reaching_definitions(NodeId name_load) const {
  VariableId id = state_->load_variable(name_load);
  if (!id) {
    return {};
  }
  const VariableUses& uses = state_->uses_of(id);
  auto found = std::lower_bound(uses.loads.begin(), uses.loads.end(), name_load);
  if (found != uses.loads.end() && *found == name_load) {
    auto index = static_cast<std::size_t>(found - uses.loads.begin());
    return {uses.defs.data() + uses.starts[index], uses.defs.data() + uses.starts[index + 1]};
  }
  const Variable& variable = state_->variables[id.value];
  return {state_->definition_ids.data() + variable.first_def.value, variable.def_count};
}

std::span<const NodeId> FunctionFlow::uses(DefId definition) const {
  VariableId id = state_->variable_of(this->definition(definition).symbol);
  if (!id) {
    return {};
  }
  const VariableUses& uses = state_->uses_of(id);
  std::uint32_t index = definition.value - state_->variables[id.value].first_def.value;
  return {uses.uses.data() + uses.use_starts[index], uses.uses.data() + uses.use_starts[index + 1]};
}

std::vector<DefId> FunctionFlow::reaching_before(NodeId statement, SymbolId symbol) const {
  std::vector<DefId> result;
  if (VariableId id = state_->variable_of(symbol)) {
    state_->index_sites();
    for (Point point : starts(statement)) {
      state_->reaching_at(point, id, result);
    }
    sort_unique(result, 0);
  }
  return result;
}

std::vector<DefId> FunctionFlow::reaching_after(NodeId statement, SymbolId symbol) const {
  std::vector<DefId> result;
  if (VariableId id = state_->variable_of(symbol)) {
    state_->index_sites();
    for (Point point : ends(statement)) {
      state_->reaching_at(point, id, result);
    }
    sort_unique(result, 0);
  }
  return result;
}

}  // namespace graphmend::flow
