// The one solver of dataflow problems over a Graph.
#ifndef GRAPHMEND_FLOW_SOLVER_H_
#define GRAPHMEND_FLOW_SOLVER_H_

#include "flow/graph.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace graphmend::flow {

enum class Direction : std::uint8_t { Forward, Backward };

// The values of a solved problem, by block id: those that come into a block in the direction of the
// problem (for Backward: at the block's end, the exception edge left out).
template <class Value>
struct Solution {
  std::vector<Value> in;
  std::vector<Value> out;
};

// A problem gives:
//   using Value;                                    a lattice element, cheap to copy, ==
//   static constexpr Direction direction;
//   Value bottom();                                 the neutral element of join
//   Value boundary(BlockId block);                  what comes into the entry, or into an exit
//   void join(Value& into, const Value& from);
//   Value transfer(BlockId block, const Value& in);
//   Forward:  Value exception(BlockId block, const Value& in)      what leaves by the exception
//   edge Backward: void join_exception(BlockId block, Value& out, const Value& handler)
//             adds to a block's result what its handler expects at its start
// All are const, and must be monotone, with finitely high chains.
//
// Iterates over the reachable blocks in (reverse) reverse postorder, those only whose input
// changed, until nothing changes: for gen-kill problems about as many rounds as loops nest.
template <class Problem>
Solution<typename Problem::Value> solve(const Graph& graph, const Problem& problem) {
  using Value = typename Problem::Value;
  constexpr bool kForward = Problem::direction == Direction::Forward;
  Solution<Value> solution;
  solution.in.assign(graph.size(), problem.bottom());
  solution.out.assign(graph.size(), problem.bottom());
  std::span<const BlockId> order = graph.order();
  std::vector<std::uint8_t> dirty(graph.size(), 1);
  bool again = true;
  while (again) {
    again = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      BlockId block = kForward ? order[i] : order[order.size() - 1 - i];
      if (dirty[block.value] == 0) {
        continue;
      }
      dirty[block.value] = 0;
      Value in = problem.boundary(block);
      Value out = problem.bottom();
      if constexpr (kForward) {
        for (const Edge& edge : graph.predecessors(block)) {
          if (!graph.reachable(edge.to)) {
            continue;
          }
          if (edge.kind == EdgeKind::Exception) {
            problem.join(in, problem.exception(edge.to, solution.in[edge.to.value]));
          } else {
            problem.join(in, solution.out[edge.to.value]);
          }
        }
        out = problem.transfer(block, in);
      } else {
        for (const Edge& edge : graph.successors(block)) {
          if (edge.kind != EdgeKind::Exception) {
            problem.join(in, solution.out[edge.to.value]);
          }
        }
        out = problem.transfer(block, in);
        if (graph.block(block).may_raise) {
          problem.join_exception(block, out, solution.out[graph.block(block).handler.value]);
        }
      }
      bool changed = !(out == solution.out[block.value]);
      if constexpr (kForward) {
        changed = changed || !(in == solution.in[block.value]);
      }
      solution.in[block.value] = std::move(in);
      if (!changed) {
        continue;
      }
      solution.out[block.value] = std::move(out);
      std::span<const Edge> next = kForward ? graph.successors(block) : graph.predecessors(block);
      for (const Edge& edge : next) {
        dirty[edge.to.value] = 1;
        // A block that this round has passed already needs another round.
        bool passed = kForward ? graph.order_of(edge.to) <= graph.order_of(block)
                               : graph.order_of(edge.to) >= graph.order_of(block);
        again = again || (passed && graph.reachable(edge.to));
      }
    }
  }
  return solution;
}

}  // namespace graphmend::flow

#endif  // GRAPHMEND_FLOW_SOLVER_H_
