#include "flow/dominators.h"

#include <span>
#include <utility>

namespace graphmend::flow {

// After Cooper, Harvey and Kennedy: parents move up in reverse postorder until none changes.
DominatorTree DominatorTree::of(const Graph& graph) {
  DominatorTree tree;
  tree.parent_.assign(graph.size(), BlockId());
  tree.enter_.assign(graph.size(), 0);
  tree.leave_.assign(graph.size(), 0);
  std::vector<BlockId>& parent = tree.parent_;
  std::span<const BlockId> order = graph.order();
  parent[graph.entry().value] = graph.entry();
  bool changed = true;
  while (changed) {
    changed = false;
    for (BlockId block : order) {
      if (block == graph.entry()) {
        continue;
      }
      BlockId meet;
      for (const Edge& edge : graph.predecessors(block)) {
        BlockId other = edge.to;
        if (!graph.reachable(other) || !parent[other.value]) {
          continue;
        }
        if (!meet) {
          meet = other;
          continue;
        }
        while (meet != other) {
          while (graph.order_of(meet) > graph.order_of(other)) {
            meet = parent[meet.value];
          }
          while (graph.order_of(other) > graph.order_of(meet)) {
            other = parent[other.value];
          }
        }
      }
      if (parent[block.value] != meet) {
        parent[block.value] = meet;
        changed = true;
      }
    }
  }
  parent[graph.entry().value] = BlockId();
  tree.number(graph.entry());
  return tree;
}

void DominatorTree::number(BlockId root) {
  std::vector<std::uint32_t> first(parent_.size(), 0);
  std::vector<std::uint32_t> next(parent_.size(), 0);
  for (std::uint32_t i = 1; i < parent_.size(); ++i) {
    if (std::uint32_t above = parent_[i].value; above != 0) {
      next[i] = std::exchange(first[above], i);
    }
  }
  std::uint32_t time = 0;
  std::vector<std::uint32_t> path{root.value};
  enter_[root.value] = ++time;
  while (!path.empty()) {
    std::uint32_t top = path.back();
    if (std::uint32_t child = first[top]; child != 0) {
      first[top] = next[child];
      enter_[child] = ++time;
      path.push_back(child);
    } else {
      leave_[top] = ++time;
      path.pop_back();
    }
  }
}

}  // namespace graphmend::flow
