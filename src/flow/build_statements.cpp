// Statements but for try, with and match.
#include "flow/builder.h"

namespace graphmend::flow {

using syntax::NodeKind;

void Builder::visit_statement(NodeId node) {
  location_ = start(node);
  starts_.emplace_back(node, here());
  switch (tree_.kind(node)) {
    case NodeKind::FunctionDef:
      visit_function(node);
      break;
    case NodeKind::ClassDef:
      visit_class(node);
      break;
    case NodeKind::Return:
      visit_return(node);
      break;
    case NodeKind::Delete:
      visit_delete(node);
      break;
    case NodeKind::Assign:
      visit_assign(node);
      break;
    case NodeKind::TypeAlias: {
      syntax::TypeAliasView view(tree_, node);
      mark(node);
      define(view.name(), DefKind::TypeAlias, view.value(), start(node));
      break;
    }
    case NodeKind::AugAssign:
      visit_aug_assign(node);
      break;
    case NodeKind::AnnAssign:
      visit_ann_assign(node);
      break;
    case NodeKind::For:
      visit_for(node);
      break;
    case NodeKind::While:
      visit_while(node);
      break;
    case NodeKind::If:
      visit_if(node);
      break;
    case NodeKind::With:
      visit_with(node);
      break;
    case NodeKind::Match:
      visit_match(node);
      break;
    case NodeKind::Raise:
      visit_raise(node);
      break;
    case NodeKind::Try:
      visit_try(node);
      break;
    case NodeKind::Assert:
      visit_assert(node);
      break;
    case NodeKind::Import:
    case NodeKind::ImportFrom:
      visit_import(node);
      break;
    case NodeKind::Global:
    case NodeKind::Nonlocal:
      break;
    case NodeKind::Expr:
      if (NodeId value = syntax::ExprView(tree_, node).value();
          tree_.kind(value) == NodeKind::Constant) {
        mark(node);
      } else {
        expression(value);
      }
      break;
    case NodeKind::Pass:
      mark(node);
      break;
    case NodeKind::Break:
    case NodeKind::Continue:
      visit_break(node, tree_.kind(node) == NodeKind::Continue);
      break;
    default:  // ErrorStatement: anything
      evaluate(node);
      break;
  }
  record_end(node);
}

// ------------------------------------------------------------- definitions

// Annotations that are evaluated by this code itself, not later and not never.
void Builder::evaluate_annotation(NodeId owner, NodeId annotation) {
  if (annotation && is_own(scopes_.enclosing_scope(annotation))) {
    mark(owner);
    expression(annotation);
  }
}

void Builder::evaluate_default_arguments(NodeId function, NodeId arguments) {
  std::span<const NodeId> params = syntax::ArgumentsView(tree_, arguments).params();
  for (bool keyword_only : {false, true}) {
    bool any = false;
    for (NodeId param : params) {
      syntax::ParamView view(tree_, param);
      bool is_keyword_only = view.param_kind() == syntax::ParamKind::KeywordOnly;
      if (view.default_value() && is_keyword_only == keyword_only) {
        expression(view.default_value());
        any = true;
      }
    }
    if (any) {
      mark(function);
    }
  }
}

void Builder::evaluate_annotations(NodeId function) {
  syntax::FunctionDefView view(tree_, function);
  std::span<const NodeId> params = syntax::ArgumentsView(tree_, view.args()).params();
  using syntax::ParamKind;
  // In CPython's order.
  for (ParamKind kind : {ParamKind::Positional, ParamKind::PositionalOnly, ParamKind::VarArgs,
                         ParamKind::KeywordOnly, ParamKind::KwArgs}) {
    for (NodeId param : params) {
      syntax::ParamView part(tree_, param);
      if (part.param_kind() == kind) {
        evaluate_annotation(function, part.annotation());
      }
    }
  }
  evaluate_annotation(function, view.returns());
}

void Builder::visit_function(NodeId node) {
  syntax::FunctionDefView view(tree_, node);
  expressions(view.decorators());
  evaluate_default_arguments(node, view.args());
  evaluate_annotations(node);
  mark(node);
  for (std::size_t i = view.decorators().size(); i-- > 0;) {
    evaluate(view.decorators()[i]);
  }
  define(node, DefKind::Function, NodeId(), start(node));
}

void Builder::visit_class(NodeId node) {
  syntax::ClassDefView view(tree_, node);
  expressions(view.decorators());
  mark(node);
  if (view.type_params().empty()) {
    for (NodeId argument : view.arguments()) {
      expression(tree_.kind(argument) == NodeKind::Keyword
                     ? syntax::KeywordView(tree_, argument).value()
                     : argument);
    }
  }
  evaluate(node);
  for (std::size_t i = view.decorators().size(); i-- > 0;) {
    evaluate(view.decorators()[i]);
  }
  define(node, DefKind::Class, NodeId(), start(node));
}

void Builder::visit_import(NodeId node) {
  bool from = tree_.kind(node) == NodeKind::ImportFrom;
  std::span<const NodeId> names =
      from ? syntax::ImportFromView(tree_, node).names() : syntax::ImportView(tree_, node).names();
  if (from) {
    evaluate(node);
  }
  for (NodeId alias : names) {
    evaluate(alias, start(node));
    if (!syntax::AliasView(tree_, alias).is_star()) {
      define(alias, DefKind::Import, NodeId(), start(node));
    }
  }
}

// -------------------------------------------------------------- assignments

void Builder::visit_assign(NodeId node) {
  syntax::AssignView view(tree_, node);
  expression(view.value());
  std::span<const NodeId> targets = view.targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i + 1 < targets.size()) {
      mark(node);
    }
    store(targets[i], DefKind::Assign, view.value());
  }
}

void Builder::visit_aug_assign(NodeId node) {
  syntax::AugAssignView view(tree_, node);
  NodeId target = view.target();
  switch (tree_.kind(target)) {
    case NodeKind::Name:
      load(target);
      expression(view.value());
      evaluate(node);
      define(target, DefKind::AugAssign, view.value(), start(target));
      break;
    case NodeKind::Attribute: {
      syntax::AttributeView attribute(tree_, target);
      expression(attribute.value());
      evaluate(target, attribute.attr_start());
      expression(view.value());
      evaluate(node);
      evaluate(target, attribute.attr_start());
      break;
    }
    case NodeKind::Subscript: {
      syntax::SubscriptView subscript(tree_, target);
      expression(subscript.value());
      expression(subscript.slice());
      evaluate(target);
      expression(view.value());
      evaluate(node);
      evaluate(target);
      break;
    }
    default:
      evaluate(node);
      break;
  }
}

void Builder::visit_ann_assign(NodeId node) {
  syntax::AnnAssignView view(tree_, node);
  NodeId target = view.target();
  if (view.value()) {
    expression(view.value());
    store(target, DefKind::Assign, view.value());
  } else if (tree_.kind(target) == NodeKind::Attribute) {
    expression(syntax::AttributeView(tree_, target).value());
  } else if (tree_.kind(target) == NodeKind::Subscript) {
    expression(syntax::SubscriptView(tree_, target).value());
    expression(syntax::SubscriptView(tree_, target).slice());
  }
  if (!is_function_) {
    evaluate_annotation(node, view.annotation());
    if (tree_.has_flag(node, syntax::kSimple) &&
        is_own(scopes_.enclosing_scope(view.annotation()))) {
      step(StepKind::Evaluate, node, kMayRaise, start(node));
    } else if (tree_.has_flag(node, syntax::kSimple)) {
      mark(node);
    }
  }
}

void Builder::store_target(const Task& task) {
  NodeId target(task.a);
  auto kind = static_cast<DefKind>(task.kind);
  NodeId value(task.b);
  switch (tree_.kind(target)) {
    case NodeKind::Name:
      bind(target, kind, value, task.flags != 0, start(target));
      break;
    case NodeKind::Tuple:
    case NodeKind::List:
      evaluate(target);
      for (NodeId element : tree_.kind(target) == NodeKind::Tuple
                                ? syntax::TupleView(tree_, target).elts()
                                : syntax::ListView(tree_, target).elts()) {
        store(element, kind, value, true);
      }
      break;
    case NodeKind::Starred:
      store(syntax::StarredView(tree_, target).value(), kind, value, true);
      break;
    case NodeKind::Attribute: {
      syntax::AttributeView view(tree_, target);
      expression(view.value());
      evaluate(target, view.attr_start());
      break;
    }
    case NodeKind::Subscript: {
      syntax::SubscriptView view(tree_, target);
      expression(view.value());
      expression(view.slice());
      evaluate(target);
      break;
    }
    default:
      evaluate(target);
      break;
  }
}

void Builder::visit_delete(NodeId node) {
  for (NodeId target : syntax::DeleteView(tree_, node).targets()) {
    delete_target(target);
  }
}

void Builder::delete_now(NodeId target) {
  switch (tree_.kind(target)) {
    case NodeKind::Name:
      unbind(target, DefKind::Delete, kMayRaise);
      break;
    case NodeKind::Tuple:
    case NodeKind::List:
      for (NodeId element : tree_.kind(target) == NodeKind::Tuple
                                ? syntax::TupleView(tree_, target).elts()
                                : syntax::ListView(tree_, target).elts()) {
        delete_target(element);
      }
      break;
    case NodeKind::Attribute: {
      syntax::AttributeView view(tree_, target);
      expression(view.value());
      evaluate(target, view.attr_start());
      break;
    }
    case NodeKind::Subscript: {
      syntax::SubscriptView view(tree_, target);
      expression(view.value());
      expression(view.slice());
      evaluate(target);
      break;
    }
    default:
      evaluate(target);
      break;
  }
}

// ----------------------------------------------------------- control flow

void Builder::visit_if(NodeId node) {
  syntax::IfView view(tree_, node);
  BlockId then = new_block();
  BlockId end = new_block();
  BlockId otherwise = view.orelse().empty() ? end : new_block();
  condition(view.test(), then, otherwise);
  use(then);
  statements(view.body());
  if (!view.orelse().empty()) {
    set_location(kNowhere);
    jump(end);
    use(otherwise);
    statements(view.orelse());
  }
  use(end);
}

void Builder::visit_while(NodeId node) {
  syntax::WhileView view(tree_, node);
  BlockId header = new_block();
  BlockId body = new_block();
  BlockId otherwise = new_block();
  BlockId end = new_block();
  FrameIndex loop =
      new_frame({FrameKind::Loop, frame_, handler_of(frame_), node, end, header, {}, {}});
  use(header);
  condition(view.test(), body, otherwise);
  use(body);
  set_frame(loop);
  statements(view.body());
  set_location(start(node));
  jump(header, EdgeKind::Back);
  set_frame(frame_);
  use(otherwise);
  statements(view.orelse());
  use(end);
}

void Builder::visit_for(NodeId node) {
  syntax::ForView view(tree_, node);
  BlockId header = new_block();
  BlockId body = new_block();
  BlockId otherwise = new_block();
  BlockId end = new_block();
  FrameIndex loop =
      new_frame({FrameKind::Loop, frame_, handler_of(frame_), node, end, header, {}, {}});
  expression(view.iter());
  evaluate(node);
  use(header);
  step(view.is_async() ? StepKind::Suspend : StepKind::Next, node, kMayRaise | kRunsCode,
       start(node));
  branch(body, otherwise);
  use(body);
  set_frame(loop);
  store(view.target(), DefKind::For, view.iter());
  statements(view.body());
  set_location(kNowhere);
  jump(header, EdgeKind::Back);
  set_frame(frame_);
  use(otherwise);
  if (view.is_async()) {
    mark(view.iter());
  }
  statements(view.orelse());
  use(end);
}

void Builder::visit_assert(NodeId node) {
  syntax::AssertView view(tree_, node);
  BlockId fails = new_block();
  BlockId end = new_block();
  condition(view.test(), end, fails);
  use(fails);
  mark(node);
  if (view.msg()) {
    expression(view.msg());
  }
  step(StepKind::Raise, node, kMayRaise | kRunsCode, start(node));
  close();
  use(end);
}

void Builder::visit_raise(NodeId node) {
  syntax::RaiseView view(tree_, node);
  if (view.exc()) {
    expression(view.exc());
  }
  if (view.cause()) {
    expression(view.cause());
  }
  step(StepKind::Raise, node, kMayRaise | kRunsCode, start(node));
  close();
}

void Builder::visit_return(NodeId node) {
  NodeId value = syntax::ReturnView(tree_, node).value();
  FrameIndex frame = frame_;
  if (value) {
    expression(value);
  }
  bool plain = true;
  for (FrameIndex f = frame; f != 0; f = frames_[f].outer) {
    plain = plain && frames_[f].kind != FrameKind::With && frames_[f].kind != FrameKind::Finally;
  }
  if (!value || plain || !on_one_line(start(node), start(value))) {
    mark(node);
  }
  unwind(0);
  leave(node, NodeId());
  jump(graph_.exit());
  set_frame(frame);
}

void Builder::visit_break(NodeId node, bool is_continue) {
  FrameIndex frame = frame_;
  FrameIndex loop = frame;
  while (loop != 0 && frames_[loop].kind != FrameKind::Loop) {
    loop = frames_[loop].outer;
  }
  mark(node);
  if (loop == 0) {
    return;  // a syntax error
  }
  unwind(loop);
  leave(node, frames_[loop].node);
  if (is_continue) {
    jump(frames_[loop].continue_to, EdgeKind::Back);
  } else {
    jump(frames_[loop].break_to);
  }
  set_frame(frame);
}

bool Builder::on_one_line(std::uint32_t from, std::uint32_t to) const {
  return tree_.source().substr(from, to - from).find_first_of("\r\n") == std::string_view::npos;
}

}  // namespace graphmend::flow
