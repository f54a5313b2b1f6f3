// Dominators of blocks.
#ifndef GRAPHMEND_FLOW_DOMINATORS_H_
#define GRAPHMEND_FLOW_DOMINATORS_H_

#include "flow/graph.h"

#include <cstdint>
#include <vector>

namespace graphmend::flow {

// The dominator tree of the reachable blocks; questions about others answer false.
class DominatorTree {
 public:
  static DominatorTree of(const Graph& graph);
  // The closest block that all ways to `block` lead through; none for the root.
  BlockId immediate(BlockId block) const { return parent_[block.value]; }
  // Reflexive.
  bool dominates(BlockId above, BlockId below) const {
    return enter_[below.value] != 0 && enter_[above.value] != 0 &&
           enter_[above.value] <= enter_[below.value] && leave_[below.value] <= leave_[above.value];
  }

 private:
  void number(BlockId root);
  std::vector<BlockId> parent_;
  // Times of a walk through the tree, from 1.
  std::vector<std::uint32_t> enter_;
  std::vector<std::uint32_t> leave_;
};

}  // namespace graphmend::flow

#endif  // GRAPHMEND_FLOW_DOMINATORS_H_
