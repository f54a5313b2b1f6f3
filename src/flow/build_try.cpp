// try and with: what must run on the way out.
#include "flow/builder.h"

#include <string_view>

namespace graphmend::flow {

void Builder::visit_try(NodeId node) {
  syntax::TryView view(tree_, node);
  mark(node);
  if (view.finalbody().empty()) {
    try_except(node, frame_);
    return;
  }
  FrameIndex outer = frame_;
  BlockId raised = new_block();
  BlockId end = new_block();
  FrameIndex frame = new_frame({FrameKind::Finally, outer, raised, node, {}, {}, {}, {}});
  set_frame(frame);
  if (view.handlers().empty()) {
    statements(view.body());
    statements(view.orelse());
  } else {
    try_except(node, frame);
  }
  set_frame(outer);
  queue({Op::Finally, 0, 0, frame, end.value});
  use(raised);
  queue({Op::FinallyRaise, 0, 0, frame});
  use(end);
}

// The copy of a finally body for what is open now, which goes on at block b.
void Builder::run_finally(const Task& task) {
  if (!current_) {
    return;
  }
  Frame& frame = frames_[task.a];
  if (!over_budget()) {
    statements(syntax::TryView(tree_, frame.node).finalbody());
    jump(BlockId(task.b));
    return;
  }
  if (!frame.merged) {
    frame.merged = new_block();
  }
  merged_ways_.emplace_back(task.a, BlockId(task.b));
  jump(frame.merged);
}

// The copy for exceptions; and the shared one, which comes last because all ways are known then.
void Builder::raise_after_finally(FrameIndex index) {
  NodeId node = frames_[index].node;
  FrameIndex outer = frames_[index].outer;
  BlockId reraise = new_block();
  BlockId raised = new_block();
  // An exception in the copy goes on outside; Python 3.11 stops for it where the copy ends.
  set_frame(new_frame({FrameKind::Catch, outer, raised, node, {}, {}, {}, {}}));
  queue({Op::Finally, 0, 0, index, reraise.value});
  set_frame(outer);
  use(reraise);
  step(StepKind::Raise, node, kMayRaise, kHere);
  close();
  use(raised);
  step(StepKind::Raise, node, kMayRaise, kHere);
  close();
  // Over budget now, the copy above is the shared one (the budget never grows); else another way
  // may have asked for it.
  if (over_budget() && !frames_[index].merged) {
    frames_[index].merged = new_block();
  }
  if (frames_[index].merged) {
    use(frames_[index].merged);
    statements(syntax::TryView(tree_, node).finalbody());
    queue({Op::MergeOut, 0, 0, index});
  }
}

void Builder::unwind(FrameIndex end) {
  for (FrameIndex index = frame_; index != end; index = frames_[index].outer) {
    const Frame frame = frames_[index];
    switch (frame.kind) {
      case FrameKind::With:
        set_frame(frame.outer);
        exit_with(frame.with, frame.node);
        break;
      case FrameKind::Finally: {
        set_frame(frame.outer);
        BlockId after = new_block();
        queue({Op::Finally, 0, 0, index, after.value});
        use(after);
        break;
      }
      case FrameKind::ExceptName:
        set_frame(frame.outer);
        end_except_name(frame.node);
        break;
      case FrameKind::Function:
      case FrameKind::Loop:
      case FrameKind::Catch:
        break;
    }
  }
  set_frame(end);
}

// The body, the handlers and the else part, in the frame `outer`.
void Builder::try_except(NodeId node, FrameIndex outer) {
  syntax::TryView view(tree_, node);
  bool star = tree_.has_flag(node, syntax::kStar);
  BlockId dispatch = new_block();
  BlockId end = new_block();
  set_frame(new_frame({FrameKind::Catch, outer, dispatch, node, {}, {}, {}, {}}));
  statements(view.body());
  set_frame(outer);
  statements(view.orelse());
  jump(end);
  use(dispatch);
  set_location(kNowhere);
  bool open = true;  // exceptions that no handler has taken go on
  for (NodeId id : view.handlers()) {
    syntax::ExceptHandlerView handler(tree_, id);
    BlockId next = new_block();
    record_start(id);
    if (handler.type()) {
      BlockId body = new_block();
      expression(handler.type());
      step(StepKind::Match, id, kMayRaise | kRunsCode, start(id));
      branch(body, next);
      use(body);
    } else {
      mark(id);
      open = false;
    }
    BlockId raised = new_block();
    bool named = handler.has_name();
    if (named) {
      define(id, DefKind::ExceptName, handler.type(), start(id));
    }
    if (named || star) {
      set_frame(new_frame(
          {named ? FrameKind::ExceptName : FrameKind::Catch, outer, raised, id, {}, {}, {}, {}}));
    }
    statements(handler.body());
    set_frame(outer);
    if (named) {
      end_except_name(id);
    }
    record_end(id);
    jump(star ? next : end);
    if (named || star) {
      use(raised);
      if (named) {
        end_except_name(id);
      }
      if (star) {
        // Collected; the other handlers see the rest of the group.
        jump(next);
      } else {
        step(StepKind::Raise, id, kMayRaise | kNoLine, start(id));
        close();
      }
    }
    if (handler.type()) {
      use(next);
    }
  }
  if (star) {
    BlockId reraise = new_block();
    BlockId marked = new_block();
    BlockId collected = new_block();
    // Python stops at the last handler's line on the way only where it came from another one.
    step(StepKind::Test, node, kNoLine, start(node));
    branch(marked, collected);
    use(marked);
    mark(view.handlers().back());
    jump(collected);
    use(collected);
    step(StepKind::Test, node, kNoLine, start(node));
    branch(end, reraise);
    use(reraise);
  }
  if (open) {
    step(StepKind::Raise, node, kMayRaise | kNoLine, start(node));
    close();
  }
  set_location(kNowhere);
  use(end);
}

void Builder::exit_with(NodeId with, NodeId item) {
  bool is_async = syntax::WithView(tree_, with).is_async();
  step_if_open(StepKind::Exit, item, kMayRaise | kRunsCode, start(with));
  if (is_async) {
    step_if_open(StepKind::Suspend, item, kMayRaise | kRunsCode, start(with));
  }
}

void Builder::visit_with(NodeId node) {
  syntax::WithView view(tree_, node);
  std::span<const NodeId> items = view.items();
  std::vector<FrameIndex> frames;
  FrameIndex outer = frame_;
  for (NodeId item : items) {
    syntax::WithItemView part(tree_, item);
    expression(part.context_expr());
    step(StepKind::Enter, item, kMayRaise | kRunsCode, start(node));
    if (view.is_async()) {
      step(StepKind::Suspend, item, kMayRaise | kRunsCode, start(node));
    }
    outer = new_frame({FrameKind::With, outer, new_block(), item, {}, {}, node, {}});
    frames.push_back(outer);
    set_frame(outer);
    if (part.optional_vars()) {
      store(part.optional_vars(), DefKind::With, part.context_expr());
    }
  }
  statements(view.body());
  for (std::size_t i = items.size(); i-- > 0;) {
    const Frame frame = frames_[frames[i]];
    BlockId end = new_block();
    BlockId reraise = new_block();
    set_frame(frame.outer);
    set_location(start(node));
    exit_with(node, items[i]);
    jump(end);
    use(frame.handler);
    exit_with(node, items[i]);
    // Whether __exit__ swallows the exception.
    step(StepKind::Test, items[i], kMayRaise | kRunsCode | kNoLine, start(node));
    branch(end, reraise);
    use(reraise);
    step(StepKind::Raise, items[i], kMayRaise | kNoLine, start(node));
    close();
    use(end);
  }
}

}  // namespace graphmend::flow
