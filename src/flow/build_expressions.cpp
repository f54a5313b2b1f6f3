// Expressions and conditions.
#include "flow/builder.h"

#include <algorithm>
#include <string_view>

namespace graphmend::flow {

using syntax::ConstantKind;
using syntax::NodeKind;

// ---------------------------------------------------------------- constants

// Marks the expressions that CPython's compiler folds to one constant, when it can.
void Builder::find_constants() {
  constant_.assign(function_.value - base_ + 1, Constness::No);
  auto at = [&](NodeId node) { return constant_[node.value - base_]; };
  for (std::uint32_t i = base_; i <= function_.value; ++i) {
    NodeId node(i);
    Constness& result = constant_[i - base_];
    switch (tree_.kind(node)) {
      case NodeKind::Constant: {
        ConstantKind kind = syntax::ConstantView(tree_, node).constant_kind();
        bool number = kind == ConstantKind::Int || kind == ConstantKind::Float ||
                      kind == ConstantKind::Imaginary;
        result = number ? Constness::Number : Constness::Other;
        break;
      }
      case NodeKind::Tuple: {
        std::span<const NodeId> items = syntax::TupleView(tree_, node).elts();
        if (tree_.context(node) == syntax::ExprContext::Load && all_constant(items)) {
          bool raises = std::any_of(items.begin(), items.end(),
                                    [&](NodeId item) { return at(item) == Constness::MayRaise; });
          result = raises ? Constness::MayRaise : Constness::Other;
        }
        break;
      }
      case NodeKind::UnaryOp: {
        syntax::UnaryOpView view(tree_, node);
        Constness operand = at(view.operand());
        if (operand == Constness::No) {
          break;
        }
        bool is_not = view.op() == syntax::UnaryOperator::Not;
        bool sign =
            view.op() == syntax::UnaryOperator::USub || view.op() == syntax::UnaryOperator::UAdd;
        result = is_not && operand != Constness::MayRaise ? Constness::Other
                 : sign && operand == Constness::Number   ? Constness::Number
                                                          : Constness::MayRaise;
        break;
      }
      case NodeKind::BinOp: {
        syntax::BinOpView view(tree_, node);
        if (at(view.left()) == Constness::No || at(view.right()) == Constness::No ||
            (view.op() == syntax::Operator::Mod && is_text(view.left()))) {
          break;
        }
        bool safe = at(view.left()) == Constness::Number && at(view.right()) == Constness::Number &&
                    (view.op() == syntax::Operator::Add || view.op() == syntax::Operator::Sub ||
                     view.op() == syntax::Operator::Mult);
        result = safe ? Constness::Number : Constness::MayRaise;
        break;
      }
      default:
        break;
    }
  }
}

bool Builder::is_text(NodeId node) const {
  if (tree_.kind(node) != NodeKind::Constant) {
    return false;
  }
  ConstantKind kind = syntax::ConstantView(tree_, node).constant_kind();
  return kind == ConstantKind::Str || kind == ConstantKind::Bytes;
}

bool Builder::all_constant(std::span<const NodeId> list) const {
  return std::all_of(list.begin(), list.end(), [&](NodeId node) { return is_constant(node); });
}

std::optional<bool> Builder::truth(NodeId node) const {
  bool negated = false;
  while (tree_.kind(node) == NodeKind::UnaryOp) {
    syntax::UnaryOpView view(tree_, node);
    if (view.op() != syntax::UnaryOperator::Not) {
      return std::nullopt;
    }
    negated = !negated;
    node = view.operand();
  }
  if (tree_.kind(node) != NodeKind::Constant) {
    return std::nullopt;
  }
  switch (syntax::ConstantView(tree_, node).constant_kind()) {
    case ConstantKind::None:
    case ConstantKind::False:
      return negated;
    case ConstantKind::True:
    case ConstantKind::Ellipsis:
      return !negated;
    case ConstantKind::Int: {
      // Zero in any base: no digit but 0 after the base's letter.
      std::string_view text = tree_.text(node);
      text.remove_prefix(text.find_first_not_of('0') == 1 && text.size() > 2 ? 2 : 0);
      return (text.find_first_not_of("0_") != std::string_view::npos) != negated;
    }
    case ConstantKind::Str:
    case ConstantKind::Bytes:
      return !tree_.string_value(node).empty() != negated;
    default:
      return std::nullopt;
  }
}

// --------------------------------------------------------------- conditions

void Builder::visit_condition(const Task& task) {
  NodeId node(task.a);
  BlockId if_true(task.b);
  BlockId if_false(task.c);
  if (std::optional<bool> known = truth(node)) {
    mark(node);
    jump(*known ? if_true : if_false);
    return;
  }
  switch (tree_.kind(node)) {
    case NodeKind::UnaryOp: {
      syntax::UnaryOpView view(tree_, node);
      if (view.op() == syntax::UnaryOperator::Not) {
        condition(view.operand(), if_false, if_true);
        return;
      }
      break;
    }
    case NodeKind::BoolOp: {
      syntax::BoolOpView view(tree_, node);
      std::span<const NodeId> values = view.values();
      bool is_and = view.op() == syntax::BoolOperator::And;
      for (NodeId value : values.first(values.size() - 1)) {
        BlockId next = new_block();
        condition(value, is_and ? next : if_true, is_and ? if_false : next);
        use(next);
      }
      condition(values.back(), if_true, if_false);
      return;
    }
    case NodeKind::IfExp: {
      syntax::IfExpView view(tree_, node);
      BlockId body = new_block();
      BlockId otherwise = new_block();
      condition(view.test(), body, otherwise);
      use(body);
      condition(view.body(), if_true, if_false);
      use(otherwise);
      condition(view.orelse(), if_true, if_false);
      return;
    }
    case NodeKind::Compare:
      location_ = start(node);
      if (syntax::CompareView(tree_, node).op_count() > 1) {
        visit_compare_chain(node, if_true, if_false);
        return;
      }
      break;
    default:
      break;
  }
  expression(node);
  step(StepKind::Test, node, kMayRaise | kRunsCode, location_);
  branch(if_true, if_false);
}

void Builder::visit_compare_chain(NodeId node, BlockId if_true, BlockId if_false) {
  syntax::CompareView view(tree_, node);
  expression(view.left());
  std::span<const NodeId> comparators = view.comparators();
  for (std::size_t i = 0; i < comparators.size(); ++i) {
    bool last = i + 1 == comparators.size();
    BlockId next = last ? if_true : new_block();
    expression(comparators[i]);
    evaluate(node);
    step(StepKind::Test, node, kMayRaise | kRunsCode, start(node));
    branch(next, if_false);
    if (!last) {
      use(next);
    }
  }
}

// -------------------------------------------------------------- expressions

void Builder::visit_expression(NodeId node) {
  if (is_constant(node)) {
    // An operator on constants is left to the run time when it fails.
    bool raises = constant_[node.value - base_] == Constness::MayRaise;
    step(raises ? StepKind::Evaluate : StepKind::Mark, node,
         static_cast<std::uint8_t>(raises ? kMayRaise : 0), start(node));
    return;
  }
  switch (tree_.kind(node)) {
    case NodeKind::Name:
      load(node);
      break;
    case NodeKind::BoolOp:
      visit_bool_op(node);
      break;
    case NodeKind::NamedExpr: {
      syntax::NamedExprView view(tree_, node);
      expression(view.value());
      mark(node);
      store(view.target(), DefKind::Walrus, view.value());
      break;
    }
    case NodeKind::BinOp: {
      if (visit_format(node)) {
        break;
      }
      syntax::BinOpView view(tree_, node);
      expression(view.left());
      expression(view.right());
      evaluate(node);
      break;
    }
    case NodeKind::UnaryOp:
      expression(syntax::UnaryOpView(tree_, node).operand());
      evaluate(node);
      break;
    case NodeKind::Lambda:
      evaluate_default_arguments(node, syntax::LambdaView(tree_, node).args());
      mark(node);
      break;
    case NodeKind::IfExp: {
      syntax::IfExpView view(tree_, node);
      BlockId body = new_block();
      BlockId otherwise = new_block();
      BlockId end = new_block();
      std::uint32_t location = location_;
      set_location(start(node));
      condition(view.test(), body, otherwise);
      use(body);
      expression(view.body());
      jump(end);
      use(otherwise);
      expression(view.orelse());
      use(end);
      set_location(location);
      break;
    }
    case NodeKind::Dict:
      visit_dict(node);
      break;
    case NodeKind::Set:
      elements(node, syntax::SetView(tree_, node).elts(), 0);
      evaluate(node);
      break;
    case NodeKind::List:
      elements(node, syntax::ListView(tree_, node).elts(), 0);
      break;
    case NodeKind::Tuple:
      elements(node, syntax::TupleView(tree_, node).elts(), 0);
      break;
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      visit_comprehension(node);
      break;
    case NodeKind::Await:
      expression(syntax::AwaitView(tree_, node).value());
      step(StepKind::Suspend, node, kMayRaise | kRunsCode, start(node));
      break;
    case NodeKind::Yield:
      if (NodeId value = syntax::YieldView(tree_, node).value()) {
        expression(value);
      }
      step(StepKind::Suspend, node, kMayRaise | kRunsCode, start(node));
      break;
    case NodeKind::YieldFrom:
      expression(syntax::YieldFromView(tree_, node).value());
      step(StepKind::Suspend, node, kMayRaise | kRunsCode, start(node));
      break;
    case NodeKind::Compare:
      visit_compare(node);
      break;
    case NodeKind::Call:
      visit_call(node);
      break;
    case NodeKind::FormattedValue: {
      syntax::FormattedValueView view(tree_, node);
      expression(view.value());
      if (view.format_spec()) {
        expression(view.format_spec());
      }
      break;
    }
    case NodeKind::Interpolation: {
      syntax::InterpolationView view(tree_, node);
      expression(view.value());
      if (view.format_spec()) {
        expression(view.format_spec());
      }
      break;
    }
    case NodeKind::JoinedStr:
    case NodeKind::TemplateStr:
      // Parts are placed where the whole string starts.
      for (NodeId part : tree_.kind(node) == NodeKind::JoinedStr
                             ? syntax::JoinedStrView(tree_, node).values()
                             : syntax::TemplateStrView(tree_, node).values()) {
        if (tree_.kind(part) == NodeKind::Constant) {
          step(StepKind::Mark, part, 0, start(node));
        } else {
          expression(part);
          evaluate(part, start(node));
        }
      }
      step(StepKind::Mark, node, 0, start(node));
      break;
    case NodeKind::Attribute: {
      syntax::AttributeView view(tree_, node);
      expression(view.value());
      evaluate(node, view.attr_start());
      break;
    }
    case NodeKind::Subscript: {
      syntax::SubscriptView view(tree_, node);
      expression(view.value());
      expression(view.slice());
      evaluate(node);
      break;
    }
    case NodeKind::Starred:
      expression(syntax::StarredView(tree_, node).value());
      evaluate(node);
      break;
    case NodeKind::Slice: {
      syntax::SliceView view(tree_, node);
      for (NodeId part : {view.lower(), view.upper(), view.step()}) {
        if (part) {
          expression(part);
        }
      }
      mark(node);
      break;
    }
    default:  // ErrorExpression: anything
      evaluate(node);
      break;
  }
}

namespace {

// The number of arguments of a format of %s, %r and %a only; nothing for other formats.
std::optional<std::size_t> simple_format(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      continue;
    }
    i = text.find_first_not_of("-+ #0123456789.", i + 1);
    if (i == std::string_view::npos) {
      return std::nullopt;
    }
    if (text[i] == '%') {
      continue;
    }
    if (text[i] != 's' && text[i] != 'r' && text[i] != 'a') {
      return std::nullopt;
    }
    ++count;
  }
  return count;
}

}  // namespace

// "..." % (a, b), which CPython compiles as an f-string when it can.
bool Builder::visit_format(NodeId node) {
  syntax::BinOpView view(tree_, node);
  if (view.op() != syntax::Operator::Mod || !is_text(view.left()) ||
      tree_.kind(view.right()) != NodeKind::Tuple || is_constant(view.right()) ||
      syntax::ConstantView(tree_, view.left()).constant_kind() != ConstantKind::Str) {
    return false;
  }
  std::span<const NodeId> values = syntax::TupleView(tree_, view.right()).elts();
  bool starred = std::any_of(values.begin(), values.end(),
                             [&](NodeId value) { return tree_.kind(value) == NodeKind::Starred; });
  if (starred || simple_format(tree_.string_value(view.left())) != values.size()) {
    return false;
  }
  if (is_function_ && graph_.steps_.size() == parameters_ &&
      !tree_.string_value(view.left()).starts_with('%')) {
    // The text before the first value has no line of its own: it gets that of the function.
    step(StepKind::Mark, node, 0, tree_.range_with_decorators(function_).start);
  }
  for (NodeId value : values) {
    expression(value);
    evaluate(value);
  }
  mark(node);
  return true;
}

void Builder::visit_bool_op(NodeId node) {
  syntax::BoolOpView view(tree_, node);
  std::span<const NodeId> values = view.values();
  bool is_and = view.op() == syntax::BoolOperator::And;
  BlockId end = new_block();
  for (NodeId value : values.first(values.size() - 1)) {
    BlockId next = new_block();
    expression(value);
    step(StepKind::Test, value, kMayRaise | kRunsCode, start(node));
    branch(is_and ? next : end, is_and ? end : next);
    use(next);
  }
  expression(values.back());
  use(end);
}

void Builder::visit_compare(NodeId node) {
  syntax::CompareView view(tree_, node);
  std::span<const NodeId> comparators = view.comparators();
  BlockId end = new_block();
  expression(view.left());
  for (NodeId comparator : comparators.first(comparators.size() - 1)) {
    BlockId next = new_block();
    expression(comparator);
    evaluate(node);
    step(StepKind::Test, node, kMayRaise | kRunsCode, start(node));
    branch(next, end);
    use(next);
  }
  expression(comparators.back());
  evaluate(node);
  use(end);
}

}  // namespace graphmend::flow
