// Expressions.
#include "types/interpreter.h"

#include <algorithm>
#include <charconv>

namespace graphmend::types {
namespace {

using scope::SymbolId;
using syntax::ConstantKind;
using syntax::NodeKind;

constexpr int kMaxDepth = 400;

}  // namespace

void Interpreter::record(NodeId node, const Value& value) {
  Activation& activation = here();
  if (node.value >= activation.begin && node.value - activation.begin < activation.values.size()) {
    Value& place = activation.values[node.value - activation.begin];
    place = place.is_bottom() ? value : heap_.join(place, value);
  }
}

Value Interpreter::eval(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  ++work_;
  if (++depth_ > kMaxDepth) {
    --depth_;
    return kUnknown;
  }
  const Value value = eval_now(node, env);
  --depth_;
  record(node, value);
  return value;
}

Value Interpreter::eval_now(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  switch (tree().kind(node)) {
    case NodeKind::Constant:
      return eval_constant(*here().module, node);
    case NodeKind::Name:
      return eval_name(node, env);
    case NodeKind::Attribute:
      return eval_attribute(node, env);
    case NodeKind::Subscript:
      return eval_subscript(node, env);
    case NodeKind::Call:
      return eval_call(node, env);
    case NodeKind::Compare:
      return eval_compare(node, env);
    case NodeKind::BoolOp:
      return eval_bool_op(node, env);
    case NodeKind::BinOp: {
      const syntax::BinOpView view(tree(), node);
      const Value left = eval(view.left(), env);
      return binary(view.op(), left, eval(view.right(), env));
    }
    case NodeKind::UnaryOp: {
      const syntax::UnaryOpView view(tree(), node);
      const Value operand = eval(view.operand(), env);
      if (view.op() == syntax::UnaryOperator::Not) {
        const Truth truth = heap_.truth(operand);
        return truth == Truth::Unknown ? of_mask(kBool) : of_bool(truth == Truth::False);
      }
      if (const auto number = heap_.number_of(operand.constant);
          number && view.op() == syntax::UnaryOperator::USub) {
        return heap_.integer(-*number);
      }
      return operand.without_constant();
    }
    case NodeKind::IfExp: {
      const syntax::IfExpView view(tree(), node);
      const Truth truth = heap_.truth(eval(view.test(), env));
      Value result;
      if (truth != Truth::False) {
        Env taken = env;
        narrow(view.test(), true, taken);
        if (!taken.dead) {
          result = eval(view.body(), taken);
        }
      }
      if (truth != Truth::True) {
        Env taken = env;
        narrow(view.test(), false, taken);
        if (!taken.dead) {
          result = heap_.join(result, eval(view.orelse(), taken));
        }
      }
      return result;
    }
    case NodeKind::NamedExpr: {
      const syntax::NamedExprView view(tree(), node);
      const Value value = eval(view.value(), env);
      assign(view.target(), value, env);
      return value;
    }
    case NodeKind::Tuple:
      return eval_elements(syntax::TupleView(tree(), node).elts(), kTuple, env);
    case NodeKind::List:
      return eval_elements(syntax::ListView(tree(), node).elts(), kList, env);
    case NodeKind::Set:
      return heap_.container(
          kSet, element_of(eval_elements(syntax::SetView(tree(), node).elts(), kList, env)));
    case NodeKind::Dict:
      return eval_dict(node, env);
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      return eval_comprehension(node, env);
    case NodeKind::Lambda:
      return function_object(*here().module, node, &env);
    case NodeKind::JoinedStr:
      for (const NodeId part : syntax::JoinedStrView(tree(), node).values()) {
        if (tree().kind(part) == NodeKind::FormattedValue) {
          const syntax::FormattedValueView view(tree(), part);
          record(part, eval(view.value(), env));
          if (view.format_spec()) {
            eval(view.format_spec(), env);
          }
        }
      }
      return of_mask(kStr);
    case NodeKind::Starred:
      return eval(syntax::StarredView(tree(), node).value(), env);
    case NodeKind::Slice: {
      const syntax::SliceView view(tree(), node);
      for (const NodeId part : {view.lower(), view.upper(), view.step()}) {
        if (part) {
          eval(part, env);
        }
      }
      return of_mask(kSlice);
    }
    case NodeKind::Yield: {
      const syntax::YieldView view(tree(), node);
      const Value value = view.value() ? eval(view.value(), env) : of_mask(kNone);
      here().yielded = heap_.join(here().yielded, value);
      return kUnknown;
    }
    case NodeKind::YieldFrom:
      here().yielded = heap_.join(
          here().yielded, element_of(eval(syntax::YieldFromView(tree(), node).value(), env)));
      return kUnknown;
    case NodeKind::Await:
      eval(syntax::AwaitView(tree(), node).value(), env);
      return kUnknown;
    default:
      return kUnknown;
  }
}

Value Interpreter::eval_constant(const Module& module, NodeId node) {
  const syntax::Tree& source = module.tree();
  const syntax::ConstantView view(source, node);
  switch (view.constant_kind()) {
    case ConstantKind::None:
      return of_mask(kNone);
    case ConstantKind::True:
      return of_bool(true);
    case ConstantKind::False:
      return of_bool(false);
    case ConstantKind::Int: {
      const std::string_view text = source.text(node);
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      return error == std::errc() && end == text.data() + text.size() ? heap_.integer(number)
                                                                      : of_mask(kInt);
    }
    case ConstantKind::Float:
      return of_mask(kFloat);
    case ConstantKind::Imaginary:
      return of_mask(kComplex);
    case ConstantKind::Str: {
      const std::uint64_t key = base::pair_key(module.id(), node.value);
      if (const Value* const known = texts_.find(key)) {
        return *known;
      }
      const Value value = heap_.str(source.string_value(node));
      texts_[key] = value;
      return value;
    }
    case ConstantKind::Bytes:
      return of_mask(kBytes);
    case ConstantKind::Ellipsis:
      return of_mask(kOther);
  }
  return kUnknown;
}

Interpreter::Memo& Interpreter::memo(const Module& module) {
  if (memos_.size() <= module.id()) {
    memos_.resize(module.id() + 1);
  }
  Memo& memo = memos_[module.id()];
  if (memo.texts.empty()) {
    memo.texts.resize(module.tree().size());
    memo.chains.resize(module.tree().size());
    memo.names.resize(module.scopes().names().size());
  }
  return memo;
}

TextId Interpreter::text_at(const Module& module, NodeId node, std::string_view text) {
  TextId& place = memo(module).texts[node.value];
  if (!place) {
    place = heap_.text(text);
  }
  return place;
}

Value Interpreter::global_name(const Module& module, NodeId node, SymbolId mention) {
  const std::string_view text = tree().text(node);
  if (!mention || text.starts_with("__")) {
    return module_name(module, text);
  }
  const std::uint32_t name = module.scopes().symbol(mention).name.value;
  const Value known = memo(module).names[name];
  if (!known.is_bottom()) {
    return known;
  }
  const Value value = module_name(module, text);
  if (is_settled()) {
    memo(module).names[name] = value;
  }
  return value;
}

Value Interpreter::eval_name(NodeId node, Env& env) {
  const Module& module = *here().module;
  const SymbolId mention = module.scopes().resolve(node);
  const SymbolId symbol = mention ? module.scopes().follow(mention) : SymbolId();
  if (!symbol || module.scopes().symbol(symbol).has(scope::kModuleScope) ||
      (mention && module.scopes().symbol(mention).is_global())) {
    return global_name(module, node, mention);
  }
  if (module.owner(symbol) == here().scope && !env.slots.empty()) {
    const Value value = env.slots[module.slot(symbol)];
    return value.is_bottom() ? kUnknown : value;
  }
  const Object& function = heap_.get(here().object);
  if (function.kind == ObjectKind::Function) {
    for (std::size_t i = 0; i < function.texts.size(); ++i) {
      if (function.texts[i].value == symbol.value) {
        return function.values[i].is_bottom() ? kUnknown : function.values[i];
      }
    }
  }
  return kUnknown;
}

Value Interpreter::eval_attribute(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::AttributeView view(tree(), node);
  const Value base = eval(view.value(), env);
  here().current = node;
  if (!env.members.empty()) {
    TextId& chain = memo(*here().module).chains[node.value];
    if (!chain) {
      chain = heap_.text(tree().text(node));
    }
    for (const Member& member : env.members) {
      if (member.chain == chain) {
        return member.value;
      }
    }
  }
  return attribute(base, text_at(*here().module, node, view.attr_text()));
}

Value Interpreter::eval_elements(std::span<const NodeId> list,  // NOLINT(misc-no-recursion)
                                 ValueMask mask, Env& env) {
  std::vector<Value> elements;
  bool known = true;
  for (const NodeId item : list) {
    const Value value = eval(item, env);
    if (tree().kind(item) != NodeKind::Starred) {
      elements.push_back(value);
    } else if (const auto parts = heap_.elements(value)) {
      elements.insert(elements.end(), parts->begin(), parts->end());
    } else {
      elements.push_back(element_of(value));
      known = false;
    }
  }
  return known ? heap_.sequence(mask, std::move(elements))
               : heap_.container(mask, heap_.join(elements));
}

Value Interpreter::eval_dict(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const auto items = syntax::DictView(tree(), node).items();
  std::vector<TextId> keys;
  std::vector<Value> values;
  bool open = false;
  Value all;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const Value key = items[i] ? eval(items[i], env) : kNothing;
    const Value value = eval(items[i + 1], env);
    const auto text = heap_.text_of(key.constant);
    if (!items[i]) {
      const Object& other = heap_.get(value.object);
      if (other.kind == ObjectKind::Record) {
        keys.insert(keys.end(), other.texts.begin(), other.texts.end());
        values.insert(values.end(), other.values.begin(), other.values.end());
        open = open || other.open;
      } else {
        open = true;
        all = heap_.join(all, element_of(value));
      }
    } else if (text) {
      keys.push_back(heap_.text(*text));
      values.push_back(value);
    } else {
      open = true;
      all = heap_.join(all, value);
    }
  }
  if (!all.is_bottom() || keys.size() > 24) {
    return heap_.container(kDict, heap_.join(all, heap_.join(values)));
  }
  return heap_.record(std::move(keys), std::move(values), open);
}

Value Interpreter::eval_comprehension(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  NodeId element;
  NodeId key;
  ValueMask mask = kList;
  std::span<const NodeId> generators;
  switch (tree().kind(node)) {
    case NodeKind::ListComp:
      element = syntax::ListCompView(tree(), node).elt();
      generators = syntax::ListCompView(tree(), node).generators();
      break;
    case NodeKind::SetComp:
      element = syntax::SetCompView(tree(), node).elt();
      generators = syntax::SetCompView(tree(), node).generators();
      mask = kSet;
      break;
    case NodeKind::GeneratorExp:
      element = syntax::GeneratorExpView(tree(), node).elt();
      generators = syntax::GeneratorExpView(tree(), node).generators();
      mask = kIterator;
      break;
    default:
      key = syntax::DictCompView(tree(), node).key();
      element = syntax::DictCompView(tree(), node).value();
      generators = syntax::DictCompView(tree(), node).generators();
      mask = kDict;
      break;
  }
  Env inner = env;
  for (const NodeId generator : generators) {
    const syntax::ComprehensionView view(tree(), generator);
    const Value item = element_of(eval(view.iter(), inner));
    if (item.is_bottom()) {
      return heap_.container(mask, kNothing);
    }
    assign(view.target(), item, inner);
    for (const NodeId test : view.ifs()) {
      if (heap_.truth(eval(test, inner)) == Truth::False) {
        return heap_.container(mask, kNothing);
      }
      narrow(test, true, inner);
    }
  }
  if (key) {
    eval(key, inner);
  }
  return heap_.container(mask, eval(element, inner));
}

Value Interpreter::eval_bool_op(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::BoolOpView view(tree(), node);
  const bool is_and = view.op() == syntax::BoolOperator::And;
  Env inner = env;
  Value result;
  const auto values = view.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value value = eval(values[i], inner);
    const Truth truth = heap_.truth(value);
    const bool last = i + 1 == values.size();
    const bool stops = truth == (is_and ? Truth::False : Truth::True);
    const bool passes = truth == (is_and ? Truth::True : Truth::False);
    if (last || stops) {
      const bool alone = result.is_bottom();
      result = heap_.join(result, value);
      if (is_and && !alone) {
        // What stands before may be false while code is traced.
        result.flags &= static_cast<ValueFlags>(~kTracing);
      }
      break;
    }
    if (!passes) {
      Value left = value;
      if (!is_and) {
        left.mask &= ~kNone;
        if (left.is(kBool)) {
          left = of_bool(true);
        }
      } else if (value.is(kBool)) {
        left = of_bool(false);
      }
      result = heap_.join(result, left);
    }
    narrow(values[i], is_and, inner);
    if (inner.dead) {
      break;
    }
  }
  return result;
}

Value Interpreter::eval_compare(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::CompareView view(tree(), node);
  Value left = eval(view.left(), env);
  Value result;
  for (std::size_t i = 0; i < view.op_count(); ++i) {
    const Value right = eval(view.comparators()[i], env);
    const Value one = compare_values(view.op(i), left, right);
    result = i == 0 ? one : heap_.join(result, one);
    left = right;
  }
  return result;
}

Value Interpreter::eval_subscript(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::SubscriptView view(tree(), node);
  const Value base = eval(view.value(), env);
  const Value index = eval(view.slice(), env);
  return subscript(base, index, view.slice());
}

}  // namespace graphmend::types
