// The last part of building: edges, order, definitions by symbol, names that others see.
#include "flow/builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace graphmend::flow {

using scope::ScopeId;
using scope::ScopeKind;

namespace {

PointTable make_table(std::vector<std::pair<NodeId, Point>>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  PointTable table;
  table.nodes.reserve(entries.size());
  table.points.reserve(entries.size());
  for (const auto& [node, point] : entries) {
    table.nodes.push_back(node);
    table.points.push_back(point);
  }
  return table;
}

}  // namespace

FunctionFlow Builder::finish() {
  finish_edges();
  finish_order();
  std::erase_if(ends_, [&](const auto& end) { return !graph_.reachable(end.second.block); });
  state_->starts = make_table(starts_);
  state_->ends = make_table(ends_);
  std::stable_sort(
      state_->leaves.begin(), state_->leaves.end(),
      [](const Leave& left, const Leave& right) { return left.statement < right.statement; });
  std::vector<std::pair<NodeId, NodeId>>& inner = state_->comprehensions;
  std::sort(inner.begin(), inner.end());
  inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
  finish_deferred();
  finish_definitions();
  return FunctionFlow(std::move(state_));
}

void Builder::finish_edges() {
  std::uint32_t count = graph_.size();
  for (std::uint32_t i = 1; i < count; ++i) {
    const Block& block = graph_.blocks_[i];
    if (block.may_raise) {
      edges_.push_back({BlockId(i), block.handler, EdgeKind::Exception});
    }
  }
  auto fill = [&](std::vector<std::uint32_t>& starts, std::vector<Edge>& out, auto key,
                  auto other) {
    starts.assign(count + 1, 0);
    for (const ProtoEdge& edge : edges_) {
      ++starts[key(edge).value + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    out.resize(edges_.size());
    for (const ProtoEdge& edge : edges_) {
      out[next[key(edge).value]++] = {other(edge), edge.kind};
    }
  };
  auto from = [](const ProtoEdge& edge) { return edge.from; };
  auto to = [](const ProtoEdge& edge) { return edge.to; };
  fill(graph_.successor_starts_, graph_.successors_, from, to);
  fill(graph_.predecessor_starts_, graph_.predecessors_, to, from);
}

void Builder::finish_order() {
  std::uint32_t count = graph_.size();
  std::vector<std::uint32_t> next(count, 0);
  std::vector<bool> seen(count, false);
  std::vector<BlockId> path{graph_.entry()};
  seen[graph_.entry().value] = true;
  std::vector<BlockId>& order = graph_.order_;
  while (!path.empty()) {
    BlockId top = path.back();
    std::span<const Edge> edges = graph_.successors(top);
    std::uint32_t& index = next[top.value];
    if (index == edges.size()) {
      order.push_back(top);
      path.pop_back();
      continue;
    }
    BlockId to = edges[index++].to;
    if (!seen[to.value]) {
      seen[to.value] = true;
      path.push_back(to);
    }
  }
  std::reverse(order.begin(), order.end());
  graph_.order_of_.assign(count, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    graph_.order_of_[order[i].value] = i + 1;
  }
}

// Finds out which symbols code elsewhere reads or binds.
void Builder::finish_deferred() {
  std::uint8_t barriers = scopes_.scope(scope_).barriers;
  bool function_like = scopes_.scope(scope_).is_function_like();
  // Inner scopes, those of comprehensions that run here passed through.
  std::vector<std::pair<ScopeId, bool>> work;  // a scope, and whether it runs here
  work.emplace_back(scope_, true);
  while (!work.empty()) {
    auto [scope, here] = work.back();
    work.pop_back();
    if (scopes_.scope(scope).unevaluated) {
      continue;
    }
    if (here) {
      barriers |= scopes_.scope(scope).barriers;
    } else {
      for (SymbolId symbol : scopes_.symbols(scope)) {
        if (scopes_.symbol(symbol).first) {
          if (VariableId id = state_->variable_of(symbol)) {
            Variable& variable = state_->variables[id.value];
            variable.seen = true;
            const scope::Symbol& facts = scopes_.symbol(symbol);
            variable.written = variable.written || facts.is_bound() || facts.has(scope::kDeleted);
            state_->deferred.push_back({id, symbol});
          }
        }
      }
    }
    for (ScopeId child : scopes_.children(scope)) {
      work.emplace_back(child, here && is_own(child));
    }
  }
  bool all_seen = !function_like || (barriers & (scope::kLocalsCall | scope::kExecCall |
                                                 scope::kEvalCall | scope::kFrameAccess)) != 0;
  bool all_written = (barriers & (scope::kStarImport | scope::kExecCall)) != 0 && !is_function_;
  bool globals_written =
      (barriers & scope::kGlobalsCall) != 0 && scopes_.scope(scope_).kind == ScopeKind::Module;
  for (std::uint32_t i = 1; i < state_->variables.size(); ++i) {
    Variable& variable = state_->variables[i];
    variable.seen = variable.seen || all_seen || !variable.own;
    variable.written = variable.written || all_written || globals_written || !variable.own;
    if (variable.written && !variable.outside) {
      Definition outside;
      outside.symbol = variable.symbol;
      outside.kind = DefKind::Outside;
      variable.outside = add_definition(VariableId(i), outside);
    }
  }
  std::stable_sort(
      state_->deferred.begin(), state_->deferred.end(),
      [](const auto& left, const auto& right) { return left.variable < right.variable; });
}

// Numbers the definitions anew, those of one variable side by side.
void Builder::finish_definitions() {
  std::vector<Variable>& variables = state_->variables;
  std::vector<std::uint32_t> starts(variables.size() + 1, 0);
  for (std::size_t i = 1; i < definition_variables_.size(); ++i) {
    ++starts[definition_variables_[i].value + 1];
  }
  starts[1] = 1;  // the placeholder
  std::partial_sum(starts.begin() + 1, starts.end(), starts.begin() + 1);
  for (std::uint32_t i = 1; i < variables.size(); ++i) {
    variables[i].first_def = DefId(starts[i]);
    variables[i].def_count = starts[i + 1] - starts[i];
  }
  std::vector<DefId> renamed(definition_variables_.size());
  std::vector<Definition> definitions(definition_variables_.size());
  for (std::size_t i = 1; i < definition_variables_.size(); ++i) {
    renamed[i] = DefId(starts[definition_variables_[i].value]++);
    definitions[renamed[i].value] = state_->definitions[i];
  }
  state_->definitions = std::move(definitions);
  state_->definition_ids.resize(renamed.size());
  for (std::uint32_t i = 0; i < renamed.size(); ++i) {
    state_->definition_ids[i] = DefId(i);
  }
  for (std::uint32_t i = 1; i < variables.size(); ++i) {
    variables[i].unbound = renamed[variables[i].unbound.value];
    variables[i].outside = renamed[variables[i].outside.value];
  }
  for (Step& step : graph_.steps_) {
    if (step.kind == StepKind::Bind || step.kind == StepKind::Unbind) {
      step.payload = renamed[step.payload].value;
    }
  }
  for (DefId& def : definition_by_node_) {
    def = renamed[def.value];
  }
  for (std::uint32_t i = 0; i < definition_by_node_.size(); ++i) {
    if (definition_by_node_[i]) {
      state_->definition_nodes.emplace_back(NodeId(base_ + i), definition_by_node_[i]);
    }
  }
  state_->symbols.reserve(variables.size() - 1);
  for (std::size_t i = 1; i < variables.size(); ++i) {
    state_->symbols.push_back(variables[i].symbol);
  }
}

}  // namespace graphmend::flow
