#include "flow/builder.h"

#include <algorithm>
#include <string_view>

namespace graphmend::flow {

using scope::ScopeKind;
using syntax::NodeKind;

namespace {

// Copies of `finally` bodies are made while there are fewer steps than this many a node.
constexpr std::size_t kStepsPerNode = 8;
constexpr std::size_t kFreeSteps = 4096;

}  // namespace

Builder::Builder(const syntax::Tree& tree, const scope::ScopeTree& scopes, NodeId function)
    : tree_(tree),
      scopes_(scopes),
      function_(function),
      scope_(scopes.scope_of(function)),
      state_(std::make_unique<FunctionFlow::State>()),
      graph_(state_->graph) {
  NodeKind kind = tree.kind(function);
  GM_CHECK(kind == NodeKind::Module || kind == NodeKind::FunctionDef ||
           kind == NodeKind::ClassDef || kind == NodeKind::Lambda ||
           kind == NodeKind::GeneratorExp);
  is_function_ = kind != NodeKind::Module && kind != NodeKind::ClassDef;
  base_ = tree.subtree_begin(function).value;
  std::size_t nodes = function.value - base_ + 1;
  definition_by_node_.resize(nodes);
  steps_budget_ = nodes * kStepsPerNode + kFreeSteps;
  state_->tree = &tree;
  state_->scopes = &scopes;
  state_->function = function;
  state_->scope = scope_;
  state_->variables.emplace_back();
  state_->definitions.emplace_back();
  definition_variables_.emplace_back();
  graph_.blocks_.emplace_back();
}

FunctionFlow Builder::build() {
  find_constants();
  BlockId entry = new_block();
  BlockId exit = new_block();
  BlockId raise_exit = new_block();
  new_frame({FrameKind::Function, 0, raise_exit, function_, {}, {}, {}, {}});
  place(entry);
  location_ = start(function_);
  visit_body();
  jump(exit);
  run();
  return finish();
}

void Builder::visit_body() {
  switch (tree_.kind(function_)) {
    case NodeKind::Module:
      statements(syntax::ModuleView(tree_, function_).body());
      break;
    case NodeKind::ClassDef: {
      syntax::ClassDefView view(tree_, function_);
      step(StepKind::Mark, function_, 0, tree_.range_with_decorators(function_).start);
      statements(view.body());
      break;
    }
    case NodeKind::FunctionDef: {
      syntax::FunctionDefView view(tree_, function_);
      visit_parameters(view.args());
      std::span<const NodeId> body = view.body();
      // A docstring is no code.
      body = body.subspan(tree_.docstring(body) ? 1 : 0);
      statements(body);
      if (std::all_of(body.begin(), body.end(), [&](NodeId node) { return is_no_code(node); })) {
        // The return at the end has no other line.
        step(StepKind::Mark, function_, 0, tree_.range_with_decorators(function_).start);
      }
      break;
    }
    case NodeKind::Lambda: {
      syntax::LambdaView view(tree_, function_);
      visit_parameters(view.args());
      expression(view.body());
      mark(function_);
      break;
    }
    default:
      generator_loops(function_, NodeId());
      break;
  }
}

void Builder::visit_parameters(NodeId arguments) {
  for (NodeId param : syntax::ArgumentsView(tree_, arguments).params()) {
    bind(param, DefKind::Parameter, syntax::ParamView(tree_, param).default_value(), false,
         start(param), kNoLine);
  }
  parameters_ = graph_.steps_.size();
}

bool Builder::is_no_code(NodeId statement) const {
  switch (tree_.kind(statement)) {
    case NodeKind::Global:
    case NodeKind::Nonlocal:
      return true;
    case NodeKind::AnnAssign:
      return !syntax::AnnAssignView(tree_, statement).value() &&
             tree_.has_flag(statement, syntax::kSimple);
    default:
      return false;
  }
}

// ------------------------------------------------------------------- tasks

void Builder::statements(std::span<const NodeId> list) {
  if (!list.empty()) {
    auto place = static_cast<std::uint32_t>(list.data() - tree_.extra().data());
    queue({Op::Statements, 0, 0, place, static_cast<std::uint32_t>(list.size())});
  }
}

void Builder::run() {
  while (true) {
    // What the last visit queued comes first.
    stack_.insert(stack_.end(), pending_.rbegin(), pending_.rend());
    pending_.clear();
    if (stack_.empty()) {
      return;
    }
    Task task = stack_.back();
    stack_.pop_back();
    execute(task);
  }
}

void Builder::execute(const Task& task) {
  NodeId node(task.a);
  switch (task.op) {
    case Op::Statement:
      visit_statement(node);
      break;
    case Op::Statements:
      statement(tree_.extra()[task.a]);
      if (task.b > 1) {
        queue({Op::Statements, 0, 0, task.a + 1, task.b - 1});
      }
      break;
    case Op::Start:
      starts_.emplace_back(node, here());
      break;
    case Op::End:
      if (current_) {
        ends_.emplace_back(node, here());
      }
      break;
    case Op::Expression:
      visit_expression(node);
      break;
    case Op::Condition:
      visit_condition(task);
      break;
    case Op::StepIfOpen:
      if (!current_) {
        break;
      }
      [[fallthrough]];
    case Op::Step: {
      Step made{node, static_cast<StepKind>(task.kind), task.flags, task.b, task.c};
      if (made.offset == kHere) {
        made.offset = location_;
      }
      if (made.offset == kNowhere) {
        made.offset = start(node);
        made.flags |= kNoLine;
      }
      emit(made);
      break;
    }
    case Op::Use: {
      BlockId block(task.a);
      if (current_) {
        add_edge(block, EdgeKind::Normal);
      }
      place(block);
      break;
    }
    case Op::Jump:
      if (current_) {
        add_edge(BlockId(task.a), static_cast<EdgeKind>(task.kind));
        finish_block();
      }
      break;
    case Op::Also:
      if (current_) {
        add_edge(BlockId(task.a), EdgeKind::Normal);
      }
      break;
    case Op::Branch:
      if (current_) {
        add_edge(BlockId(task.a), EdgeKind::True);
        add_edge(BlockId(task.b), EdgeKind::False);
        finish_block();
      }
      break;
    case Op::Close:
      finish_block();
      break;
    case Op::SetFrame:
      frame_ = task.a;
      break;
    case Op::SetLocation:
      location_ = task.a;
      break;
    case Op::SetComprehension:
      comprehension_ = node;
      break;
    case Op::Store:
      store_target(task);
      break;
    case Op::Delete:
      delete_now(node);
      break;
    case Op::Define:
      bind(node, static_cast<DefKind>(task.kind), NodeId(task.b), false, task.c);
      break;
    case Op::EndExceptName:
      if (current_) {
        unbind(node, DefKind::ExceptEnd, kNoLine);
      }
      break;
    case Op::Pattern:
      visit_pattern(node, BlockId(task.b));
      break;
    case Op::BindCaptures:
      bind_captures(node);
      break;
    case Op::Finally:
      run_finally(task);
      break;
    case Op::FinallyRaise:
      raise_after_finally(task.a);
      break;
    case Op::MergeOut:
      if (current_) {
        for (const auto& [frame, block] : merged_ways_) {
          if (frame == task.a) {
            add_edge(block, EdgeKind::Normal);
          }
        }
        finish_block();
      }
      break;
    case Op::Leave:
      if (current_) {
        state_->leaves.push_back({node, NodeId(task.b), here()});
      }
      break;
  }
}

// ------------------------------------------------------------------- graph

BlockId Builder::new_block() {
  graph_.blocks_.emplace_back();
  return BlockId(static_cast<std::uint32_t>(graph_.blocks_.size() - 1));
}

Builder::FrameIndex Builder::new_frame(Frame frame) {
  frames_.push_back(frame);
  return static_cast<FrameIndex>(frames_.size() - 1);
}

void Builder::place(BlockId block) {
  finish_block();
  current_ = block;
  Block& placed = graph_.blocks_[block.value];
  placed.first_step = static_cast<std::uint32_t>(graph_.steps_.size());
  placed.handler = handler_of(frame_);
  placed.comprehension = comprehension_;
}

void Builder::finish_block() {
  current_ = BlockId();
}

void Builder::add_edge(BlockId to, EdgeKind kind) {
  edges_.push_back({current_, to, kind});
}

// Makes sure that a block is open, for steps of the current frame.
void Builder::open() {
  if (!current_) {
    place(new_block());
    return;
  }
  Block& block = graph_.blocks_[current_.value];
  if (block.handler == handler_of(frame_) && block.comprehension == comprehension_) {
    return;
  }
  if (block.step_count == 0) {
    block.handler = handler_of(frame_);
    block.comprehension = comprehension_;
    return;
  }
  BlockId next = new_block();
  add_edge(next, EdgeKind::Normal);
  place(next);
}

Point Builder::here() {
  open();
  return {current_, graph_.blocks_[current_.value].step_count};
}

void Builder::emit(const Step& step) {
  open();
  if (step.may_raise() && graph_.blocks_[current_.value].first_bind != kNoStep) {
    BlockId next = new_block();
    add_edge(next, EdgeKind::Normal);
    place(next);
  }
  Block& block = graph_.blocks_[current_.value];
  block.may_raise = block.may_raise || step.may_raise();
  if (step.runs_code() && block.first_code == kNoStep) {
    block.first_code = block.step_count;
  }
  bool binds = step.kind == StepKind::Bind || step.kind == StepKind::Unbind;
  if (binds && block.first_bind == kNoStep) {
    block.first_bind = block.step_count;
  }
  ++block.step_count;
  graph_.steps_.push_back(step);
}

// ------------------------------------------------------------------- names

// Comprehensions run in the function that holds them, and generator expressions that are known to
// be used up at once.
bool Builder::is_own(scope::ScopeId scope) const {
  while (scope && scope != scope_) {
    ScopeKind kind = scopes_.scope(scope).kind;
    bool inside =
        kind == ScopeKind::ListComp || kind == ScopeKind::SetComp || kind == ScopeKind::DictComp ||
        (kind == ScopeKind::GeneratorExp &&
         std::find(own_generators_.begin(), own_generators_.end(), scope) != own_generators_.end());
    if (!inside) {
      return false;
    }
    scope = scopes_.parent(scope);
  }
  return static_cast<bool>(scope);
}

VariableId Builder::variable(SymbolId mention) {
  SymbolId symbol = state_->canonical(mention);
  if (!symbol) {
    return VariableId();
  }
  VariableId found = state_->find_variable(symbol);
  return found ? found : add_variable(symbol);
}

VariableId Builder::add_variable(SymbolId symbol) {
  VariableId id(static_cast<std::uint32_t>(state_->variables.size()));
  Variable variable;
  variable.symbol = symbol;
  variable.own = is_own(scopes_.symbol(symbol).scope) &&
                 scopes_.symbol(symbol).binding != scope::Binding::GlobalExplicit;
  state_->variables.push_back(variable);
  state_->insert_variable(id);
  Definition at_entry;
  at_entry.symbol = symbol;
  at_entry.kind = variable.own ? DefKind::Unbound : DefKind::Outside;
  DefId def = add_definition(id, at_entry);
  (variable.own ? state_->variables.back().unbound : state_->variables.back().outside) = def;
  return id;
}

DefId Builder::add_definition(VariableId variable, const Definition& definition) {
  state_->definitions.push_back(definition);
  definition_variables_.push_back(variable);
  return DefId(static_cast<std::uint32_t>(state_->definitions.size() - 1));
}

DefId Builder::definition_for(NodeId node, DefKind kind, NodeId value, bool unpacked) {
  VariableId id = variable(scopes_.resolve(node));
  if (!id) {
    return DefId();
  }
  DefId& known = definition_by_node_[node.value - base_];
  // A handler binds its name and unbinds it: two definitions at one node, kept apart by kind.
  if (known && state_->definitions[known.value].kind == kind) {
    return known;
  }
  if (known && kind == DefKind::ExceptEnd) {
    // Made right after the binding (see below).
    return DefId(known.value + 1);
  }
  Definition definition;
  definition.symbol = state_->variables[id.value].symbol;
  definition.kind = kind;
  definition.unpacked = unpacked;
  definition.node = node;
  definition.value = value;
  if (kind != DefKind::Parameter) {
    NodeId statement = node;
    while (statement != function_ && !tree_.is_statement(statement)) {
      statement = tree_.parent(statement);
    }
    definition.statement = statement != function_ ? statement : NodeId();
  }
  known = add_definition(id, definition);
  DefId result = known;
  if (kind == DefKind::ExceptName) {
    definition.kind = DefKind::ExceptEnd;
    definition.value = NodeId();
    add_definition(id, definition);
  }
  return result;
}

void Builder::bind(NodeId node, DefKind kind, NodeId value, bool unpacked, std::uint32_t offset,
                   std::uint8_t flags) {
  DefId def = definition_for(node, kind, value, unpacked);
  emit({node, def ? StepKind::Bind : StepKind::Mark, flags, def.value, offset});
}

void Builder::unbind(NodeId node, DefKind kind, std::uint8_t flags) {
  DefId def = definition_for(node, kind, NodeId(), false);
  emit({node, def ? StepKind::Unbind : StepKind::Mark, flags, def.value, start(node)});
}

void Builder::load(NodeId node) {
  VariableId id = variable(scopes_.resolve(node));
  emit({node, StepKind::Load, kMayRaise, id.value, start(node)});
}

}  // namespace graphmend::flow
