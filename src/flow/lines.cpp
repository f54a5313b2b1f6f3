// Steps from line to line, as tracing sees them.
#include "flow/state.h"

#include <algorithm>
#include <utility>

namespace graphmend::flow {

namespace {

using syntax::NodeKind;

class LineWalk {
 public:
  LineWalk(const FunctionFlow& flow, const source::LineIndex& lines, NodeId frame, bool inlined)
      : flow_(flow), graph_(flow.graph()), lines_(lines), frame_(frame), inlined_(inlined) {}

  std::vector<std::uint32_t> first_lines(BlockId from);
  std::vector<LineEdge> edges();
  std::vector<std::uint32_t> entries();

 private:
  // The steps of the block belong to the frame asked about.
  bool is_here(BlockId block) const {
    NodeId at = graph_.block(block).comprehension;
    while (inlined_ && at && at != frame_ && flow_.tree().kind(at) != NodeKind::GeneratorExp) {
      at = flow_.outer_comprehension(at);
    }
    return at == frame_;
  }
  bool visible(const Step& step) const { return (step.flags & kNoLine) == 0; }

  const FunctionFlow& flow_;
  const Graph& graph_;
  const source::LineIndex& lines_;
  NodeId frame_;
  bool inlined_;
};

// The lines at which Python may stop first when it goes on at a block.
std::vector<std::uint32_t> LineWalk::first_lines(BlockId from) {
  std::vector<std::uint32_t> result;
  std::vector<BlockId> seen;
  std::vector<BlockId> work{from};
  auto add = [&](BlockId block) {
    if (std::find(seen.begin(), seen.end(), block) == seen.end()) {
      seen.push_back(block);
      work.push_back(block);
    }
  };
  seen.push_back(from);
  while (!work.empty()) {
    BlockId block = work.back();
    work.pop_back();
    bool here = is_here(block);
    bool stopped = false;
    bool raises = false;
    for (const Step& step : graph_.steps(block)) {
      if (here && visible(step)) {
        result.push_back(lines_.line(step.offset));
        stopped = true;
        break;
      }
      raises = raises || (here && step.may_raise());
    }
    for (const Edge& edge : graph_.successors(block)) {
      if (edge.kind == EdgeKind::Exception ? raises : !stopped) {
        add(edge.to);
      }
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<LineEdge> LineWalk::edges() {
  std::vector<LineEdge> result;
  std::vector<std::vector<std::uint32_t>> known(graph_.size());
  std::vector<bool> have(graph_.size(), false);
  auto first = [&](BlockId block) -> const std::vector<std::uint32_t>& {
    if (!have[block.value]) {
      have[block.value] = true;
      known[block.value] = first_lines(block);
    }
    return known[block.value];
  };
  auto add = [&](std::uint32_t from, std::uint32_t to, bool exception) {
    if (from != to) {
      result.push_back({from, to, exception});
    }
  };
  for (BlockId block : graph_.order()) {
    if (!is_here(block)) {
      continue;
    }
    std::uint32_t line = 0;
    BlockId handler = graph_.block(block).handler;
    for (const Step& step : graph_.steps(block)) {
      if (visible(step)) {
        std::uint32_t next = lines_.line(step.offset);
        if (line != 0) {
          add(line, next, false);
        }
        line = next;
      }
      if (line != 0 && step.may_raise()) {
        for (std::uint32_t to : first(handler)) {
          add(line, to, true);
        }
      }
    }
    if (line == 0) {
      continue;
    }
    for (const Edge& edge : graph_.successors(block)) {
      if (edge.kind != EdgeKind::Exception) {
        for (std::uint32_t to : first(edge.to)) {
          add(line, to, false);
        }
      }
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<std::uint32_t> LineWalk::entries() {
  if (!frame_) {
    return first_lines(graph_.entry());
  }
  std::vector<std::uint32_t> result;
  for (BlockId block : graph_.order()) {
    if (is_here(block)) {
      continue;
    }
    for (const Edge& edge : graph_.successors(block)) {
      if (edge.kind != EdgeKind::Exception && is_here(edge.to)) {
        std::vector<std::uint32_t> lines = first_lines(edge.to);
        result.insert(result.end(), lines.begin(), lines.end());
      }
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::vector<LineEdge> FunctionFlow::line_edges(const source::LineIndex& lines, NodeId frame,
                                               bool inlined) const {
  return LineWalk(*this, lines, frame, inlined).edges();
}

std::vector<std::uint32_t> FunctionFlow::entry_lines(const source::LineIndex& lines, NodeId frame,
                                                     bool inlined) const {
  return LineWalk(*this, lines, frame, inlined).entries();
}

std::vector<NodeId> FunctionFlow::comprehensions() const {
  std::vector<NodeId> result;
  for (const auto& [inner, outer] : state_->comprehensions) {
    result.push_back(inner);
  }
  return result;
}

NodeId FunctionFlow::outer_comprehension(NodeId comprehension) const {
  const auto& all = state_->comprehensions;
  auto found = std::lower_bound(all.begin(), all.end(), std::pair(comprehension, NodeId()));
  return found != all.end() && found->first == comprehension ? found->second : NodeId();
}

}  // namespace graphmend::flow
