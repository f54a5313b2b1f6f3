// The walk: an explicit stack of nodes and steps.
#include "scope/builder.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

Builder::Builder(const Tree& source, PythonVersion version, ScopeTree& tree, SymbolStore& store)
    : source_(source),
      version_(version),
      tree_(tree),
      store_(store),
      nodes_(source.nodes().data()),
      extra_(source.extra().data()),
      has_private_names_(tree.names_.has_private()),
      text_(source.source()) {
  const std::size_t count = source.size();
  std::memset(tree_.node_symbols_.extend(count), 0, count * sizeof(std::uint32_t));
  // Every node of a valid tree is visited.
  std::uint32_t* const scopes = tree_.node_scopes_.extend(count);
  std::memset(scopes, 0, (source.ok() ? 1 : count) * sizeof(std::uint32_t));
  shadow_.reserve(count / 4);
  shadow_.push_back(0);
  left_.push_back(false);
  make_room_for_names();
  frames_.push_back({});
  frame_ = &frames_.back();
}

void Builder::walk_module(bool future_annotations) {
  tree_.future_annotations_ = future_annotations;
  const NodeId root = source_.root();
  enter(ScopeKind::Module, root, known::top, 0);
  run();
}

void Builder::walk_block(const BlockContext& context) {
  tree_.future_annotations_ = context.future_annotations;
  const NodeId root = source_.root();
  enter(ScopeKind::Enclosing, root, known::top, 0);
  for (const std::string_view name : context.free_names) {
    const SymbolId symbol = symbol_here(tree_.names_.intern(name), NodeId());
    tree_.symbols_[symbol.value].flags |= kAssigned | kGiven;
  }
  if (context.class_name) {
    frame_->private_name = tree_.names_.intern(*context.class_name);
  }
  run();
}

void Builder::run() {
  const NodeId root = source_.root();
  tree_.node_scopes_[root.value] = tree_.root().value;
  push(NodeId(), Action::Exit);
  push_statements(ModuleView(source_, root).body(), 1);
  while (!work_.empty()) {
    const Work work = work_.back();
    work_.pop_back();
    if (work.action == Action::Statements) [[likely]] {
      statements(work.node.value, work.count, work.begin);
    } else if (work.action == Action::Visit) {
      visit(work.node, work.begin);
    } else {
      act(work);
    }
  }
}

void Builder::act(Work work) {
  switch (work.action) {
    case Action::Visit:
      return visit(work.node, work.begin);
    case Action::Statements:
      return statements(work.node.value, work.count, work.begin);
    case Action::Exit:
      return exit();
    case Action::EnterFunction:
      return enter_function(work.node);
    case Action::EnterLambda:
      return enter_lambda(work.node);
    case Action::EnterClass:
      return enter_class(work.node);
    case Action::EnterComprehension:
      return enter_comprehension(work.node);
    case Action::ExitComprehension:
      return exit_comprehension(work.node);
    case Action::EnterTypeParameters:
      return enter_type_parameters(work.node);
    case Action::EnterTypeAlias:
      return enter_type_alias(work.node);
    case Action::EnterBound:
      return enter_bound(work.node);
    case Action::EnterTypeDefault:
      return enter_type_default(work.node);
    case Action::EnterParameterAnnotations:
      return enter_parameter_annotations(work.node);
    case Action::EnterAnnotation:
      return enter_annotation(work.node);
    case Action::TargetBegin:
      frame_->in_target = true;
      return;
    case Action::TargetEnd:
      frame_->in_target = false;
      return;
    case Action::IterableBegin:
      frame_->iterables += 1;
      return;
    case Action::IterableEnd:
      frame_->iterables -= 1;
      return;
    case Action::ConditionalEnd:
      frame_->conditionals -= 1;
      return;
    case Action::YieldEnd:
      return yield_seen(work.node);
    case Action::BindHandler:
      return add(work.node, name_of(ExceptHandlerView(source_, work.node).name()),
                 kAssigned | kDeleted);
    case Action::BindPattern: {
      const bool mapping = source_.kind(work.node) == NodeKind::MatchMapping;
      const TokenId token = mapping ? MatchMappingView(source_, work.node).rest_token()
                                    : MatchAsView(source_, work.node).name_token();
      if (token) {
        add(work.node, name_of(source_.token_range(token)), kAssigned);
      }
      return;
    }
  }
}

// Items of one list, which lie one after the other; `begin` is where the first one starts.
void Builder::push_list(std::span<const NodeId> list, std::uint32_t begin) {
  const std::size_t count = list.size();
  Work* place = work_.extend(count) + count;
  std::size_t skipped = 0;
  for (const NodeId id : list) {
    if (!id) [[unlikely]] {
      ++skipped;
      continue;
    }
    *--place = {id, Action::Visit, begin, 0};
    begin = begin == 0 ? 0 : after(id);
  }
  if (skipped != 0) [[unlikely]] {
    std::memmove(static_cast<void*>(place - skipped), place, (count - skipped) * sizeof(Work));
    work_.truncate(work_.size() - skipped);
  }
}

// All children, so that they are visited in source order.
void Builder::push_children(NodeId id, std::uint32_t begin) {
  const std::size_t bottom = work_.size();
  for_each_child(source_, id, [&](NodeId child) {
    push(child, begin);
    begin = begin == 0 ? 0 : after(child);
  });
  std::reverse(work_.begin() + bottom, work_.end());
}

namespace {

// What a node means to a sweep over a range of them.
enum class Sweep : std::uint8_t {
  Nothing,
  Name,
  Attribute,
  Yield,
  Await,     // refused in annotations
  Eventful,  // does more than mention names
};
constexpr auto kSweep = [] {
  std::array<Sweep, kNodeKindCount> table{};
  const auto set = [&](NodeKind kind, Sweep sweep) {
    table[static_cast<std::size_t>(kind)] = sweep;
  };
  set(NodeKind::Name, Sweep::Name);
  set(NodeKind::Attribute, Sweep::Attribute);
  set(NodeKind::Yield, Sweep::Yield);
  set(NodeKind::YieldFrom, Sweep::Yield);
  set(NodeKind::Await, Sweep::Await);
  for (const NodeKind kind : {NodeKind::NamedExpr, NodeKind::Lambda, NodeKind::ListComp,
                              NodeKind::SetComp, NodeKind::DictComp, NodeKind::GeneratorExp}) {
    set(kind, Sweep::Eventful);
  }
  return table;
}();

// Statements that hold nothing but expressions, and need no step of their own.
constexpr auto kSimple = [] {
  std::array<bool, kNodeKindCount> table{};
  for (const NodeKind kind :
       {NodeKind::Expr, NodeKind::Assign, NodeKind::AugAssign, NodeKind::Delete, NodeKind::Raise,
        NodeKind::Assert, NodeKind::Return, NodeKind::Pass, NodeKind::Break, NodeKind::Continue}) {
    table[static_cast<std::size_t>(kind)] = true;
  }
  return table;
}();

}  // namespace

// Handles a whole subtree, or several in a row, in one sweep over the ids, if it only mentions
// names. It runs backwards, so that a node comes before what is inside it. False when it does more;
// then the subtree is to be visited, to which it makes no difference that some names have been
// added already.
bool Builder::scan(NodeId root, std::uint32_t begin) {
  const ScopeId scope = frame_->scope;
  const Node* const nodes = nodes_;
  std::uint32_t* const scopes = tree_.node_scopes_.data();
  std::uint32_t* const mentions = tree_.node_symbols_.data();
  // The parser interned all names that are nodes: there is room for them.
  const std::uint32_t* const current = current_.data();
  const bool mangles = this->mangles();
  for (std::uint32_t i = root.value; i >= begin; --i) {
    scopes[i] = scope.value;
    const Node& node = nodes[i];
    const Sweep sweep = kSweep[static_cast<std::size_t>(node.kind)];
    if (sweep == Sweep::Nothing) {
      continue;
    }
    if (sweep == Sweep::Name) [[likely]] {
      // As add_name, of which this is the frequent case.
      const NameId name(node.a);
      const unsigned context = node.flags & kContextMask;
      if (name <= known::super || mangles || mentions[i] != 0) [[unlikely]] {
        add_name(NodeId(i));
        continue;
      }
      std::uint32_t symbol = current[name.value];
      if (symbol == 0 || tree_.symbols_.data()[symbol].scope != scope) {
        symbol = symbol_here(name, NodeId(i)).value;
      }
      note_mention(tree_.symbols_.data()[symbol], NodeId(i), context);
      mentions[i] = symbol;
    } else if (sweep == Sweep::Attribute) {
      const std::uint32_t size = node.end - node.b;
      if (size == kGetFrame.size() || size == kCurrentFrame.size()) {
        attribute(NodeId(i));
      }
    } else if (sweep == Sweep::Eventful || !frame_->plain) {
      return false;
    } else if (sweep == Sweep::Yield) {
      here().is_generator = true;
    }
  }
  return true;
}

// The statements of a list, up to one that cannot be done at once.
void Builder::statements(std::uint32_t index, std::uint32_t count, std::uint32_t begin) {
  const NodeId* at = extra_ + index;
  const NodeId* const end = at + count;
  while (at != end) {
    const NodeId id = *at++;
    const Node& node = nodes_[id.value];
    const bool simple = kSimple[static_cast<std::size_t>(node.kind)];
    if (simple) {
      if (node.kind == NodeKind::Return) {
        here().returns_value |= node.a != 0;
      }
      if (scan(id, begin)) [[likely]] {
        begin = after(id);
        continue;
      }
    }
    push_statements({at, end}, after(id));
    if (simple) {
      return visit_expression(id);
    }
    tree_.node_scopes_[id.value] = frame_->scope.value;
    return visit_statement(id, begin);
  }
}

void Builder::visit(NodeId id, std::uint32_t begin) {
  tree_.node_scopes_[id.value] = frame_->scope.value;
  const Node& node = nodes_[id.value];
  if (node.kind == NodeKind::Name) {
    return frame_->skip_names ? void() : add_name(id);
  }
  if (category(node.kind) != NodeCategory::Expression) {
    return visit_part(id, begin);
  }
  if (begin == 0 || !frame_->plain || !scan(id, begin)) {
    visit_expression(id);
  }
}

// A statement with a header, which ends with the node `last`, and one or two lists of statements.
void Builder::loop_or_branch(NodeId id, NodeId last, std::uint32_t begin,
                             std::span<const NodeId> body, std::span<const NodeId> orelse) {
  conditional_statement();
  push_statements(orelse, after_list(body, after(last)));
  push_statements(body, after(last));
  if (!scan(last, begin)) {
    if (nodes_[id.value].kind == NodeKind::For) {
      push(last);
      push(ForView(source_, id).target());
    } else {
      push(last);
    }
  }
}

void Builder::with_statement(NodeId id, std::uint32_t begin) {
  const WithView view(source_, id);
  conditional_statement();
  push_statements(view.body(), after_list(view.items(), begin));
  if (!scan_list(view.items(), begin)) {
    push_list(view.items());
  }
}

void Builder::visit_statement(NodeId id, std::uint32_t begin) {
  switch (nodes_[id.value].kind) {
    case NodeKind::FunctionDef:
      return function_def(id, begin);
    case NodeKind::ClassDef:
      return class_def(id, begin);
    case NodeKind::TypeAlias:
      return type_alias(id);
    case NodeKind::AnnAssign:
      return annotated_assignment(id);
    case NodeKind::Try:
      conditional_statement();
      return try_statement(id, begin);
    case NodeKind::Global:
      return declaration(id, GlobalView(source_, id).names(), true);
    case NodeKind::Nonlocal:
      return declaration(id, NonlocalView(source_, id).names(), false);
    case NodeKind::Import:
      return import_names(ImportView(source_, id).names());
    case NodeKind::ImportFrom:
      return import_names(ImportFromView(source_, id).names());
    case NodeKind::If: {
      const IfView view(source_, id);
      return loop_or_branch(id, view.test(), begin, view.body(), view.orelse());
    }
    case NodeKind::While: {
      const WhileView view(source_, id);
      return loop_or_branch(id, view.test(), begin, view.body(), view.orelse());
    }
    case NodeKind::For: {
      const ForView view(source_, id);
      return loop_or_branch(id, view.iter(), begin, view.body(), view.orelse());
    }
    case NodeKind::With:
      return with_statement(id, begin);
    case NodeKind::Match:
      conditional_statement();
      return push_children(id, begin);
    default:
      return push_children(id, begin);
  }
}

// Expressions that are not scanned, and statements that hold one.
void Builder::visit_expression(NodeId id) {
  switch (nodes_[id.value].kind) {
    case NodeKind::Call:
      push_arguments(CallView(source_, id).arguments());
      return push(CallView(source_, id).func());
    case NodeKind::Attribute:
      attribute(id);
      return push(AttributeView(source_, id).value());
    case NodeKind::NamedExpr:
      return named_expression(id);
    case NodeKind::Lambda: {
      const LambdaView view(source_, id);
      forbid_in_class_annotation(id, "lambda");
      push(id, Action::Exit);
      push(view.body());
      push(id, Action::EnterLambda);
      return push_defaults(ArgumentsView(source_, view.args()).params());
    }
    case NodeKind::IfExp: {
      const IfExpView view(source_, id);
      push(view.orelse());
      push(view.body());
      return push(view.test());
    }
    case NodeKind::Dict: {
      const std::span<const NodeId> items = DictView(source_, id).items();
      for (std::size_t i = items.size() / 2; i-- > 0;) {
        push(items[2 * i + 1]);
      }
      for (std::size_t i = items.size() / 2; i-- > 0;) {
        push(items[2 * i]);
      }
      return;
    }
    case NodeKind::ListComp:
      return comprehension(id, ListCompView(source_, id).generators(),
                           ListCompView(source_, id).elt(), NodeId());
    case NodeKind::SetComp:
      return comprehension(id, SetCompView(source_, id).generators(),
                           SetCompView(source_, id).elt(), NodeId());
    case NodeKind::GeneratorExp:
      return comprehension(id, GeneratorExpView(source_, id).generators(),
                           GeneratorExpView(source_, id).elt(), NodeId());
    case NodeKind::DictComp:
      return comprehension(id, DictCompView(source_, id).generators(),
                           DictCompView(source_, id).key(), DictCompView(source_, id).value());
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
      forbid_in_annotation(id, "yield expression");
      push(id, Action::YieldEnd);
      return push_children(id);
    case NodeKind::Await:
      forbid_in_annotation(id, "await expression");
      return push_children(id);
    default:
      return push_children(id);
  }
}

// Patterns and parts.
void Builder::visit_part(NodeId id, std::uint32_t begin) {
  const auto bind = [&](TokenId token) {
    if (token) {
      add(id, name_of(source_.token_range(token)), kAssigned);
    }
  };
  switch (nodes_[id.value].kind) {
    case NodeKind::Comprehension: {
      const ComprehensionView view(source_, id);
      here().is_async |= view.is_async();
      push_list(view.ifs());
      push(id, Action::IterableEnd);
      push(view.iter());
      push(id, Action::IterableBegin);
      push(id, Action::TargetEnd);
      push(view.target());
      return push(id, Action::TargetBegin);
    }
    case NodeKind::ExceptHandler: {
      const ExceptHandlerView view(source_, id);
      push_statements(view.body(), view.type() ? after(view.type()) : begin);
      if (view.has_name()) {
        push(id, Action::BindHandler);
      }
      return push(view.type(), begin);
    }
    case NodeKind::MatchCase: {
      const MatchCaseView view(source_, id);
      push_statements(view.body(), after(view.guard() ? view.guard() : view.pattern()));
      push(view.guard(), after(view.pattern()));
      return push(view.pattern(), begin);
    }
    case NodeKind::MatchStar:
      return bind(MatchStarView(source_, id).name_token());
    case NodeKind::MatchAs: {
      const MatchAsView view(source_, id);
      if (!view.pattern()) {
        return bind(view.name_token());
      }
      push(id, Action::BindPattern);
      return push(view.pattern());
    }
    case NodeKind::MatchMapping: {
      const MatchMappingView view(source_, id);
      const std::span<const NodeId> items = view.items();
      push(id, Action::BindPattern);
      for (std::size_t i = items.size() / 2; i-- > 0;) {
        push(items[2 * i + 1]);
      }
      for (std::size_t i = items.size() / 2; i-- > 0;) {
        push(items[2 * i]);
      }
      return;
    }
    case NodeKind::TypeVar: {
      const TypeVarView view(source_, id);
      return type_parameter(id, view.name(), view.bound(), view.default_value());
    }
    case NodeKind::ParamSpec: {
      const ParamSpecView view(source_, id);
      return type_parameter(id, view.name(), NodeId(), view.default_value());
    }
    case NodeKind::TypeVarTuple: {
      const TypeVarTupleView view(source_, id);
      return type_parameter(id, view.name(), NodeId(), view.default_value());
    }
    default:
      return push_children(id, begin);
  }
}

}  // namespace graphmend::scope
