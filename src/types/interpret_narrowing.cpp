// What a test tells about the values it looks at.
#include "types/interpreter.h"

#include <algorithm>
#include <string_view>

namespace graphmend::types {
namespace {

using scope::SymbolId;
using syntax::CompareOperator;
using syntax::NodeKind;

}  // namespace

void Interpreter::refine(NodeId expression, const Value& value, Env& env) {
  if (value.is_bottom()) {
    env.dead = true;
    return;
  }
  const Module& module = *here().module;
  const auto symbol_of = [&](NodeId name) {
    const SymbolId mention = module.scopes().resolve(name);
    return mention ? module.scopes().follow(mention) : SymbolId();
  };
  if (tree().kind(expression) == NodeKind::Name) {
    const SymbolId symbol = symbol_of(expression);
    if (symbol && module.owner(symbol) == here().scope && !env.slots.empty()) {
      env.slots[module.slot(symbol)] = value;
    }
    return;
  }
  NodeId root = expression;
  while (tree().kind(root) == NodeKind::Attribute) {
    root = syntax::AttributeView(tree(), root).value();
  }
  if (tree().kind(expression) != NodeKind::Attribute || tree().kind(root) != NodeKind::Name) {
    return;
  }
  const TextId chain = heap_.text(tree().text(expression));
  const std::string below = std::string(tree().text(expression)) + ".";
  std::erase_if(env.members, [&](const Member& member) {
    return member.chain == chain || heap_.text(member.chain).starts_with(below);
  });
  env.members.push_back({chain, symbol_of(root), value});
}

std::optional<ValueMask> Interpreter::mask_of_class(
    const Value& cls) {  // NOLINT(misc-no-recursion)
  const Object& object = heap_.get(cls.object);
  if (object.kind == ObjectKind::Class) {
    return kInstance;
  }
  if (object.kind == ObjectKind::Sequence) {
    ValueMask mask = 0;
    for (const Value& one : object.values) {
      const auto part = mask_of_class(one);
      if (!part) {
        return std::nullopt;
      }
      mask |= *part;
    }
    return mask;
  }
  const std::string_view name = heap_.external_name(cls);
  struct Row {
    std::string_view name;
    ValueMask mask;
  };
  static constexpr std::array<Row, 27> kRows = {{
      {"builtins.int", kInt | kBool},
      {"builtins.bool", kBool},
      {"builtins.float", kFloat},
      {"builtins.complex", kComplex},
      {"builtins.str", kStr},
      {"builtins.bytes", kBytes},
      {"builtins.tuple", kTuple},
      {"builtins.list", kList},
      {"builtins.dict", kDict},
      {"builtins.set", kSet},
      {"builtins.frozenset", kSet},
      {"builtins.slice", kSlice},
      {"builtins.type", kStatic},
      {"torch.Tensor", kTensor},
      {"torch.FloatTensor", kTensor},
      {"torch.LongTensor", kTensor},
      {"torch.IntTensor", kTensor},
      {"torch.BoolTensor", kTensor},
      {"torch.nn.Parameter", kTensor},
      {"torch.device", kMeta},
      {"torch.dtype", kMeta},
      {"torch.Size", kTuple},
      {"numpy.ndarray", kArray},
      {"collections.OrderedDict", kDict},
      {"collections.abc.Callable", kStatic | kInstance | kOther},
      {"numbers.Number", kNumber | kComplex},
      {"numbers.Integral", kInt | kBool},
  }};
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.mask;
    }
  }
  if (name.starts_with("torch.nn.")) {
    return kInstance;
  }
  return std::nullopt;
}

Truth Interpreter::is_instance(const Value& value, const Value& cls) {
  const auto mask = mask_of_class(cls);
  if (!mask || value.is_bottom()) {
    return Truth::Unknown;
  }
  if (!value.may_be(*mask)) {
    // Tuples and dicts of classes with fields are instances to us; so are modules' containers.
    return value.may_be(kOther | kInstance) ? Truth::Unknown : Truth::False;
  }
  if (!value.is(*mask) || heap_.external_name(cls) == "torch.nn.Parameter") {
    return Truth::Unknown;
  }
  if ((*mask & kInstance) == 0) {
    return Truth::True;
  }
  const Object& object = heap_.get(value.object);
  if (value.is(kInstance) && object.kind == ObjectKind::Instance &&
      heap_.kind(cls.object) == ObjectKind::Class) {
    if (derives_from(ObjectId(object.a), cls.object)) {
      return Truth::True;
    }
    // An annotation names a class; what comes may be of a class below it.
    return object.open || class_info(ObjectId(object.a)).unknown_base ? Truth::Unknown
                                                                      : Truth::False;
  }
  return Truth::Unknown;
}

Value Interpreter::narrow_class(const Value& value, const Value& cls, bool holds) {
  const auto mask = mask_of_class(cls);
  if (!mask) {
    return value;
  }
  if (!holds) {
    return (*mask & (kInstance | kOther)) == 0 && heap_.external_name(cls) != "torch.nn.Parameter"
               ? value.narrowed(~*mask)
               : value;
  }
  Value result = value.narrowed(*mask);
  if (result.is_bottom()) {
    return value.may_be(kOther | kInstance) ? of_mask(*mask) : result;
  }
  if (heap_.kind(cls.object) == ObjectKind::Class && !result.object) {
    return abstract_instance(cls);
  }
  if (value.is_unknown()) {
    result.flags = 0;
  }
  return result;
}

void Interpreter::narrow(NodeId test, bool holds, Env& env) {  // NOLINT(misc-no-recursion)
  switch (tree().kind(test)) {
    case NodeKind::UnaryOp: {
      const syntax::UnaryOpView view(tree(), test);
      if (view.op() == syntax::UnaryOperator::Not) {
        narrow(view.operand(), !holds, env);
      }
      return;
    }
    case NodeKind::BoolOp: {
      const syntax::BoolOpView view(tree(), test);
      if ((view.op() == syntax::BoolOperator::And) == holds) {
        for (const NodeId value : view.values()) {
          narrow(value, holds, env);
        }
      }
      return;
    }
    case NodeKind::Compare: {
      const syntax::CompareView view(tree(), test);
      if (view.op_count() != 1 ||
          (view.op(0) != CompareOperator::Is && view.op(0) != CompareOperator::IsNot)) {
        return;
      }
      const NodeId right = view.comparators()[0];
      if (tree().kind(right) != NodeKind::Constant ||
          syntax::ConstantView(tree(), right).constant_kind() != syntax::ConstantKind::None) {
        return;
      }
      const bool none = (view.op(0) == CompareOperator::Is) == holds;
      const Value value = eval(view.left(), env);
      NodeId target = view.left();
      if (tree().kind(target) == NodeKind::NamedExpr) {
        target = syntax::NamedExprView(tree(), target).target();
      }
      refine(target, value.narrowed(none ? kNone : ~kNone), env);
      return;
    }
    case NodeKind::Call: {
      const syntax::CallView view(tree(), test);
      const Value callee = here().value(view.func());
      const std::string_view name = heap_.external_name(callee);
      const auto arguments = view.arguments();
      if (name == "builtins.isinstance" && arguments.size() == 2) {
        const Value value = eval(arguments[0], env);
        refine(arguments[0], narrow_class(value, eval(arguments[1], env), holds), env);
      } else if (name == "torch.is_tensor" && arguments.size() == 1) {
        const Value value = eval(arguments[0], env);
        refine(arguments[0], value.narrowed(holds ? kTensor : ~kTensor), env);
      }
      return;
    }
    case NodeKind::NamedExpr:
      narrow(syntax::NamedExprView(tree(), test).target(), holds, env);
      return;
    case NodeKind::Name:
    case NodeKind::Attribute: {
      const Value value = eval(test, env);
      if (holds) {
        if (value.may_be(kNone)) {
          refine(test, value.narrowed(~kNone), env);
        }
        if (value.is(kBool)) {
          refine(test, of_bool(true), env);
        }
      } else if (value.is(kBool)) {
        refine(test, of_bool(false), env);
      } else if (value.is(kNone | kInstance | kStatic) && value.may_be(kNone)) {
        refine(test, of_mask(kNone), env);
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace graphmend::types
