// The control-flow graph of one function, class body or module.
//
// Blocks hold steps: what happens at one place of one expression or statement, in the order in
// which Python does it. A step is found twice (or more often) where Python runs one text on several
// ways: a `finally` has a copy for each way that leads through it.
//
// In each block all steps that may raise come before all steps that bind or unbind names. So an
// exception leaves a block with the names as they were at its start, and one exception edge a block
// (to Block::handler) says all.
#ifndef GRAPHMEND_FLOW_GRAPH_H_
#define GRAPHMEND_FLOW_GRAPH_H_

#include "base/ids.h"
#include "base/pod_vector.h"
#include "syntax/tree.h"

#include <cstdint>
#include <span>
#include <vector>

namespace graphmend::flow {

struct BlockTag;
using BlockId = base::Id<BlockTag>;
struct DefTag;
using DefId = base::Id<DefTag>;
struct VariableTag;
// A symbol that the function reads or binds, numbered within the function.
using VariableId = base::Id<VariableTag>;

enum class StepKind : std::uint8_t {
  Mark,      // nothing but a place (a line that Python stops at)
  Load,      // reads a name; step.payload: VariableId
  Bind,      // binds a name; step.payload: DefId
  Unbind,    // `del name`, or the end of `except ... as name`; step.payload: DefId
  Evaluate,  // the work of an expression or statement itself, its operands done
  Test,      // truth of the node's value
  Next,      // the next item of a `for` or of a comprehension
  Enter,     // __enter__ of a WithItem
  Exit,      // __exit__ of a WithItem, after its body or on the way out
  Match,     // a test of a pattern, or of an ExceptHandler's type
  Suspend,   // yield, yield from, await
  Raise,     // raise, a failed assert, or an exception going on
};

enum StepFlag : std::uint8_t {
  kMayRaise = 1,  // may leave by the exception edge
  kRunsCode = 2,  // may run any code: reads and writes names that others see (implies kMayRaise)
  kNoLine = 4,    // Python does not stop for it
};

struct Step {
  syntax::NodeId node;
  StepKind kind;
  std::uint8_t flags;
  std::uint32_t payload;  // VariableId or DefId by kind, else 0
  std::uint32_t offset;   // where in the text: its line is where Python says that it is
  bool may_raise() const { return (flags & kMayRaise) != 0; }
  bool runs_code() const { return (flags & kRunsCode) != 0; }
};
static_assert(sizeof(Step) == 16);

enum class EdgeKind : std::uint8_t {
  Normal,
  True,       // the test held; a `for` has a next item; a pattern or a handler's type matches
  False,      // it did not
  Back,       // to the start of a loop
  Exception,  // from a block's start state (see above)
};

struct Edge {
  BlockId to;  // in Graph::predecessors(): the block that it comes from
  EdgeKind kind;
};

inline constexpr std::uint32_t kNoStep = 0xffffffff;

struct Block {
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
  // Where exceptions of its steps go; set also when no step may raise (then there is no edge).
  BlockId handler;
  bool may_raise = false;
  // Relative to first_step; kNoStep when there is none.
  std::uint32_t first_code = kNoStep;  // the first step that may run other code
  std::uint32_t first_bind = kNoStep;  // the first Bind or Unbind
  // The comprehension that the block belongs to, none outside of them (it has a frame of its own
  // before Python 3.12, and always for a generator expression).
  syntax::NodeId comprehension;
};

// A place before a step (or at the end of a block, when step == step_count).
struct Point {
  BlockId block;
  std::uint32_t step;  // relative to the block's first
};

class Graph {
 public:
  BlockId entry() const { return BlockId(1); }
  // Where the function ends by `return` or at its end. No steps.
  BlockId exit() const { return BlockId(2); }
  // Where it ends by an exception. No steps.
  BlockId raise_exit() const { return BlockId(3); }
  // Number of block ids, the placeholder 0 included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  const Block& block(BlockId id) const { return blocks_[id.value]; }
  std::span<const Step> steps(BlockId id) const {
    const Block& block = blocks_[id.value];
    return {steps_.data() + block.first_step, block.step_count};
  }
  std::span<const Step> steps() const { return steps_; }
  // All edges, the exception edge included, each pair (block, kind) once.
  std::span<const Edge> successors(BlockId id) const {
    return {successors_.data() + successor_starts_[id.value],
            successors_.data() + successor_starts_[id.value + 1]};
  }
  std::span<const Edge> predecessors(BlockId id) const {
    return {predecessors_.data() + predecessor_starts_[id.value],
            predecessors_.data() + predecessor_starts_[id.value + 1]};
  }
  bool reachable(BlockId id) const { return order_of_[id.value] != 0; }
  // The reachable blocks in reverse postorder from the entry.
  std::span<const BlockId> order() const { return order_; }
  // The place of a block in order(), counted from 1; 0 when it can't be reached.
  std::uint32_t order_of(BlockId id) const { return order_of_[id.value]; }

 private:
  friend class Builder;
  std::vector<Block> blocks_;
  base::PodVector<Step> steps_;
  std::vector<Edge> successors_;
  std::vector<Edge> predecessors_;
  std::vector<std::uint32_t> successor_starts_;
  std::vector<std::uint32_t> predecessor_starts_;
  std::vector<BlockId> order_;
  std::vector<std::uint32_t> order_of_;
};

}  // namespace graphmend::flow

#endif  // GRAPHMEND_FLOW_GRAPH_H_
