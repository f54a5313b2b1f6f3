// Builds the graph of one function. Internal to the stage.
//
// The builder reads like a recursive compiler, but nothing recurses: what looks like a call
// (expression(), use(), jump(), ...) queues a task; the tasks that one visit queues run in the
// order of the calls, before everything that was queued earlier. So the depth of the input is never
// the depth of our stack. Only block ids are made at once.
//
// Places of steps follow CPython's compiler (3.11), so that lines are those that tracing reports.
#ifndef GRAPHMEND_FLOW_BUILDER_H_
#define GRAPHMEND_FLOW_BUILDER_H_

#include "flow/flow.h"
#include "flow/state.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace graphmend::flow {

class Builder {
 public:
  // As an offset: the current location, which the last visit may have moved. As the location
  // itself: no line.
  static constexpr std::uint32_t kHere = 0xfffffffe;
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  Builder(const syntax::Tree& tree, const scope::ScopeTree& scopes, NodeId function);
  FunctionFlow build();

 private:
  enum class Op : std::uint8_t {
    Statement,
    Statements,
    Start,
    End,
    Expression,
    Condition,
    Step,
    StepIfOpen,
    Use,
    Jump,
    Also,
    Branch,
    Close,
    SetFrame,
    SetLocation,
    SetComprehension,
    Store,
    Delete,
    Define,
    EndExceptName,
    Pattern,
    BindCaptures,
    Finally,
    FinallyRaise,
    MergeOut,
    Leave,
  };
  struct Task {
    Op op;
    std::uint8_t kind = 0;
    std::uint8_t flags = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
  };
  // What surrounds a statement: where exceptions go, and what leaving it must run.
  enum class FrameKind : std::uint8_t { Function, Loop, Catch, Finally, With, ExceptName };
  using FrameIndex = std::uint32_t;
  struct Frame {
    FrameKind kind;
    FrameIndex outer;
    BlockId handler;
    NodeId node;  // For or While, Try, WithItem, ExceptHandler
    BlockId break_to;
    BlockId continue_to;
    NodeId with;     // the With of a WithItem
    BlockId merged;  // Finally: the copy that some ways share when there are too many
  };

  // ---------------------------------------------------------------- tasks (builder.cpp)
  void run();
  void execute(const Task& task);
  void queue(const Task& task) { pending_.push_back(task); }
  void statement(NodeId node) { queue({Op::Statement, 0, 0, node.value}); }
  void statements(std::span<const NodeId> list);
  void expression(NodeId node) { queue({Op::Expression, 0, 0, node.value}); }
  void expressions(std::span<const NodeId> list) {
    for (NodeId node : list) {
      if (node) {
        expression(node);
      }
    }
  }
  // Tests a condition; goes to one of the blocks, both to be placed by the caller.
  void condition(NodeId node, BlockId if_true, BlockId if_false) {
    queue({Op::Condition, 0, 0, node.value, if_true.value, if_false.value});
  }
  // Records where a statement starts, or ends if it does.
  void record_start(NodeId node) { queue({Op::Start, 0, 0, node.value}); }
  void record_end(NodeId node) { queue({Op::End, 0, 0, node.value}); }
  void step(StepKind kind, NodeId node, std::uint8_t flags, std::uint32_t offset) {
    queue({Op::Step, static_cast<std::uint8_t>(kind), flags, node.value, 0, offset});
  }
  void step_if_open(StepKind kind, NodeId node, std::uint8_t flags, std::uint32_t offset) {
    queue({Op::StepIfOpen, static_cast<std::uint8_t>(kind), flags, node.value, 0, offset});
  }
  void mark(NodeId node) { step(StepKind::Mark, node, 0, start(node)); }
  // Places a block; what was open goes on there.
  void use(BlockId block) { queue({Op::Use, 0, 0, block.value}); }
  void jump(BlockId block, EdgeKind kind = EdgeKind::Normal) {
    queue({Op::Jump, static_cast<std::uint8_t>(kind), 0, block.value});
  }
  // An edge to a block; what is open stays open.
  void also(BlockId block) { queue({Op::Also, 0, 0, block.value}); }
  void branch(BlockId if_true, BlockId if_false) {
    queue({Op::Branch, 0, 0, if_true.value, if_false.value});
  }
  void close() { queue({Op::Close}); }
  void set_frame(FrameIndex frame) { queue({Op::SetFrame, 0, 0, frame}); }
  void set_location(std::uint32_t offset) { queue({Op::SetLocation, 0, 0, offset}); }
  void set_comprehension(NodeId node) { queue({Op::SetComprehension, 0, 0, node.value}); }
  // Stores what was evaluated into a target; binds what names are in it.
  void store(NodeId target, DefKind kind, NodeId value, bool unpacked = false) {
    queue({Op::Store, static_cast<std::uint8_t>(kind), unpacked, target.value, value.value});
  }
  void delete_target(NodeId target) { queue({Op::Delete, 0, 0, target.value}); }
  // Binds the symbol that a node mentions.
  void define(NodeId node, DefKind kind, NodeId value, std::uint32_t offset) {
    queue({Op::Define, static_cast<std::uint8_t>(kind), 0, node.value, value.value, offset});
  }
  void end_except_name(NodeId handler) { queue({Op::EndExceptName, 0, 0, handler.value}); }
  void leave(NodeId node, NodeId loop) { queue({Op::Leave, 0, 0, node.value, loop.value}); }

  // ---------------------------------------------------------------- graph (builder.cpp)
  BlockId new_block();
  FrameIndex new_frame(Frame frame);
  BlockId handler_of(FrameIndex frame) const { return frames_[frame].handler; }
  void open();
  void place(BlockId block);
  void add_edge(BlockId to, EdgeKind kind);
  void emit(const Step& step);
  Point here();
  void finish_block();
  FunctionFlow finish();
  void finish_edges();
  void finish_order();
  void finish_definitions();
  void finish_deferred();

  // ---------------------------------------------------------------- names (builder.cpp)
  VariableId variable(SymbolId mention);
  VariableId add_variable(SymbolId symbol);
  bool is_own(scope::ScopeId scope) const;
  // The definition that a node makes, none when no symbol is known for it.
  DefId definition_for(NodeId node, DefKind kind, NodeId value, bool unpacked);
  DefId add_definition(VariableId variable, const Definition& definition);
  void bind(NodeId node, DefKind kind, NodeId value, bool unpacked, std::uint32_t offset,
            std::uint8_t flags = 0);
  void unbind(NodeId node, DefKind kind, std::uint8_t flags);
  void load(NodeId node);

  // ---------------------------------------------------------------- statements
  void visit_body();
  void visit_parameters(NodeId arguments);
  bool is_no_code(NodeId statement) const;
  void visit_statement(NodeId node);
  void visit_function(NodeId node);
  void visit_class(NodeId node);
  void visit_assign(NodeId node);
  void visit_delete(NodeId node);
  void visit_aug_assign(NodeId node);
  void visit_ann_assign(NodeId node);
  void visit_if(NodeId node);
  void visit_while(NodeId node);
  void visit_for(NodeId node);
  void visit_assert(NodeId node);
  void visit_raise(NodeId node);
  void visit_return(NodeId node);
  void visit_break(NodeId node, bool is_continue);
  void visit_import(NodeId node);
  void store_target(const Task& task);
  void delete_now(NodeId target);
  void evaluate_default_arguments(NodeId function, NodeId arguments);
  void evaluate_annotations(NodeId function);
  void evaluate_annotation(NodeId owner, NodeId annotation);
  // try, with (build_try.cpp)
  void visit_try(NodeId node);
  void try_except(NodeId node, FrameIndex outer);
  void visit_with(NodeId node);
  void exit_with(NodeId with, NodeId item);
  void run_finally(const Task& task);
  void raise_after_finally(FrameIndex index);
  // Leaves the frames from the current one to `end` (excluded), running what they must run. The
  // caller sets the frame back.
  void unwind(FrameIndex end);
  bool over_budget() const { return graph_.steps_.size() > steps_budget_; }
  // match (build_match.cpp)
  void visit_match(NodeId node);
  void visit_pattern(NodeId pattern, BlockId fail);
  void match_step(NodeId pattern, BlockId fail, bool raises);
  void bind_captures(NodeId pattern);

  // ---------------------------------------------------------------- expressions
  void visit_expression(NodeId node);
  void visit_condition(const Task& task);
  bool visit_format(NodeId node);
  void visit_bool_op(NodeId node);
  void visit_compare(NodeId node);
  void visit_compare_chain(NodeId node, BlockId if_true, BlockId if_false);
  void visit_call(NodeId node);
  void call_arguments(NodeId node, std::uint32_t offset);
  void visit_dict(NodeId node);
  void visit_comprehension(NodeId node);
  void generator_loops(NodeId node, NodeId consumer);
  bool consumes_generator(NodeId call) const;
  // Elements of a list, set, tuple or of a call's arguments.
  void elements(NodeId node, std::span<const NodeId> list, std::size_t pushed);
  void evaluate(NodeId node) { evaluate(node, start(node)); }
  void evaluate(NodeId node, std::uint32_t offset) {
    step(StepKind::Evaluate, node, kMayRaise | kRunsCode, offset);
  }
  bool is_constant(NodeId node) const { return constant_[node.value - base_] != Constness::No; }
  bool is_text(NodeId node) const;  // a string or bytes constant
  bool all_constant(std::span<const NodeId> list) const;
  // The truth of a constant expression; nothing when it isn't one.
  std::optional<bool> truth(NodeId node) const;
  void find_constants();
  bool on_one_line(std::uint32_t from, std::uint32_t to) const;

  std::uint32_t start(NodeId node) const { return tree_.range(node).start; }
  const syntax::Tree& tree_;
  const scope::ScopeTree& scopes_;
  NodeId function_;
  scope::ScopeId scope_;
  bool is_function_ = false;  // a function's scope: names are unbound at its entry
  std::unique_ptr<FunctionFlow::State> state_;
  Graph& graph_;

  std::vector<Task> stack_;
  std::vector<Task> pending_;
  std::vector<Frame> frames_;
  FrameIndex frame_ = 0;
  std::uint32_t location_ = 0;
  NodeId comprehension_;
  NodeId current_statement_;
  BlockId current_;  // the open block, or none
  std::vector<NodeId> captures_;
  enum class Constness : std::uint8_t { No, Number, Other, MayRaise };
  std::vector<Constness> constant_;
  std::uint32_t base_ = 0;  // the first node of the function's subtree
  // Generator expressions and comprehensions that run here, beside those with the scope kinds.
  std::vector<scope::ScopeId> own_generators_;

  struct ProtoEdge {
    BlockId from;
    BlockId to;
    EdgeKind kind;
  };
  std::vector<ProtoEdge> edges_;
  std::vector<std::pair<NodeId, Point>> starts_;
  std::vector<std::pair<NodeId, Point>> ends_;
  std::vector<VariableId> definition_variables_;
  std::vector<DefId> definition_by_node_;  // of nodes visited before (copies of `finally`)
  std::vector<std::pair<FrameIndex, BlockId>> merged_ways_;  // where shared copies go on
  std::size_t steps_budget_ = 0;
  std::size_t parameters_ = 0;  // steps that bind them
};

}  // namespace graphmend::flow

#endif  // GRAPHMEND_FLOW_BUILDER_H_
