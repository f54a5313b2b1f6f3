// match: patterns are tested from left to right; names are bound when all of the pattern matches.
#include "flow/builder.h"

#include <algorithm>

namespace graphmend::flow {

using syntax::NodeKind;

void Builder::visit_match(NodeId node) {
  syntax::MatchView view(tree_, node);
  BlockId end = new_block();
  expression(view.subject());
  for (NodeId id : view.cases()) {
    syntax::MatchCaseView part(tree_, id);
    BlockId next = new_block();
    BlockId body = new_block();
    record_start(id);
    queue({Op::Pattern, 0, 0, part.pattern().value, next.value});
    queue({Op::BindCaptures, 0, 0, part.pattern().value});
    if (part.guard()) {
      set_location(start(part.pattern()));
      condition(part.guard(), body, next);
    }
    use(body);
    statements(part.body());
    record_end(id);
    jump(end);
    use(next);
    // Some ways of failing drop the subject here. (Unreachable after `case _:`.)
    BlockId after = new_block();
    also(after);
    BlockId drop = new_block();
    jump(drop);
    use(drop);
    step(StepKind::Mark, id, 0, start(part.pattern()));
    use(after);
  }
  use(end);
}

void Builder::match_step(NodeId pattern, BlockId fail, bool raises) {
  BlockId next = new_block();
  auto flags = static_cast<std::uint8_t>(raises ? kMayRaise | kRunsCode : 0);
  step(StepKind::Match, pattern, flags, start(pattern));
  branch(next, fail);
  use(next);
}

void Builder::visit_pattern(NodeId pattern, BlockId fail) {
  auto sub_pattern = [&](NodeId part, BlockId to) {
    queue({Op::Pattern, 0, 0, part.value, to.value});
  };
  switch (tree_.kind(pattern)) {
    case NodeKind::MatchValue:
      expression(syntax::MatchValueView(tree_, pattern).value());
      match_step(pattern, fail, true);
      break;
    case NodeKind::MatchSingleton:
      match_step(pattern, fail, false);
      break;
    case NodeKind::MatchSequence:
      match_step(pattern, fail, true);
      for (NodeId part : syntax::MatchSequenceView(tree_, pattern).patterns()) {
        sub_pattern(part, fail);
      }
      break;
    case NodeKind::MatchMapping: {
      syntax::MatchMappingView view(tree_, pattern);
      match_step(pattern, fail, true);
      std::span<const NodeId> items = view.items();
      for (std::size_t i = 0; i < items.size(); i += 2) {
        expression(items[i]);
      }
      match_step(pattern, fail, true);
      for (std::size_t i = 1; i < items.size(); i += 2) {
        sub_pattern(items[i], fail);
      }
      if (view.has_name()) {
        captures_.push_back(pattern);
      }
      break;
    }
    case NodeKind::MatchClass: {
      syntax::MatchClassView view(tree_, pattern);
      expression(view.cls());
      match_step(pattern, fail, true);
      for (NodeId part : view.arguments()) {
        sub_pattern(tree_.kind(part) == NodeKind::MatchKeyword
                        ? syntax::MatchKeywordView(tree_, part).pattern()
                        : part,
                    fail);
      }
      break;
    }
    case NodeKind::MatchStar:
      if (syntax::MatchStarView(tree_, pattern).has_name()) {
        captures_.push_back(pattern);
      }
      break;
    case NodeKind::MatchAs: {
      syntax::MatchAsView view(tree_, pattern);
      if (view.pattern()) {
        sub_pattern(view.pattern(), fail);
      } else {
        step(StepKind::Mark, pattern, 0, start(pattern));
      }
      if (view.has_name()) {
        captures_.push_back(pattern);
      }
      break;
    }
    case NodeKind::MatchOr: {
      std::span<const NodeId> parts = syntax::MatchOrView(tree_, pattern).patterns();
      BlockId matched = new_block();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        bool last = i + 1 == parts.size();
        BlockId other = new_block();
        sub_pattern(parts[i], other);
        jump(matched);
        use(other);
        if (last) {
          step(StepKind::Mark, pattern, 0, start(parts[i]));
          jump(fail);
        }
      }
      use(matched);
      step(StepKind::Mark, pattern, 0, start(parts.back()));
      break;
    }
    default:
      match_step(pattern, fail, true);
      break;
  }
}

// Binds the names collected from a pattern. A name that several alternatives bind is bound by
// exactly one of them: a fork with a way for each.
void Builder::bind_captures(NodeId pattern) {
  std::vector<NodeId> captures = std::move(captures_);
  captures_.clear();
  std::stable_sort(captures.begin(), captures.end(), [&](NodeId left, NodeId right) {
    return scopes_.resolve(left) < scopes_.resolve(right);
  });
  std::uint32_t offset = start(pattern);
  for (std::size_t i = 0; i < captures.size();) {
    std::size_t end = i + 1;
    while (end < captures.size() &&
           scopes_.resolve(captures[end]) == scopes_.resolve(captures[i])) {
      ++end;
    }
    if (end - i == 1) {
      bind(captures[i], DefKind::MatchCapture, NodeId(), false, offset);
    } else if (BlockId from = here().block) {
      BlockId joined = new_block();
      for (std::size_t k = i; k < end; ++k) {
        current_ = from;
        BlockId way = new_block();
        add_edge(way, EdgeKind::Normal);
        place(way);
        bind(captures[k], DefKind::MatchCapture, NodeId(), false, offset);
        add_edge(joined, EdgeKind::Normal);
      }
      place(joined);
    }
    i = end;
  }
}

}  // namespace graphmend::flow
