// Operators, comparisons, subscripts, and the elements of containers.
#include "types/interpreter.h"

#include <algorithm>

namespace graphmend::types {
namespace {

using syntax::CompareOperator;
using syntax::NodeKind;
using syntax::Operator;

DType promoted(DType left, DType right) {
  if (left == DType::Unknown || right == DType::Unknown) {
    return DType::Unknown;
  }
  return std::max(left, right);
}

// The dtype that a Python number brings into arithmetic with a tensor.
DType dtype_of(const Value& value) {
  if (value.may_be(kTensor)) {
    return value.dtype;
  }
  if (value.is(kBool)) {
    return DType::Bool;
  }
  if (value.is(kBool | kInt)) {
    return DType::Int;
  }
  return value.is(kFloat) ? DType::Float : DType::Unknown;
}

}  // namespace

Value Interpreter::compare_values(CompareOperator op, const Value& left, const Value& right) {
  const bool negative = op == CompareOperator::IsNot || op == CompareOperator::NotEq;
  switch (op) {
    case CompareOperator::Is:
    case CompareOperator::IsNot:
      if (right.is(kNone) || left.is(kNone)) {
        const Value& other = right.is(kNone) ? left : right;
        if (!other.may_be(kNone)) {
          return of_bool(negative);
        }
        if (other.is(kNone)) {
          return of_bool(!negative);
        }
      }
      return of_mask(kBool);
    case CompareOperator::In:
    case CompareOperator::NotIn:
      if (right.is(kDict) && heap_.kind(right.object) == ObjectKind::Record) {
        if (const auto key = heap_.text_of(left.constant)) {
          const Object& record = heap_.get(right.object);
          const bool found = std::find(record.texts.begin(), record.texts.end(),
                                       heap_.text(*key)) != record.texts.end();
          if (found || !record.open) {
            return of_bool(found == (op == CompareOperator::In));
          }
        }
      }
      return of_mask(kBool);
    default:
      break;
  }
  const auto text = [](const Value& value) {
    return value.is(kNone | kStr | kBytes | kMeta | kStatic | kTuple | kList | kDict);
  };
  if (text(left) || text(right)) {
    if (left.constant && right.constant && left.is(kStr | kBool) && right.is(kStr | kBool) &&
        (op == CompareOperator::Eq || op == CompareOperator::NotEq)) {
      return of_bool((left.constant == right.constant) != negative);
    }
    return of_mask(kBool);
  }
  if (left.is_tensor() || right.is_tensor()) {
    Value result = tensor(DType::Bool);
    const bool scalar = (left.is_tensor() ? left.has(kOneElement) : !left.may_be(kTensor)) &&
                        (right.is_tensor() ? right.has(kOneElement) : !right.may_be(kTensor));
    result.flags = static_cast<ValueFlags>((left.flags | right.flags) & kAssumed);
    return scalar ? result.with(kOneElement) : result;
  }
  if (!left.may_be(kTensor) && !right.may_be(kTensor)) {
    const auto a = heap_.number_of(left.constant);
    const auto b = heap_.number_of(right.constant);
    if (a && b) {
      switch (op) {
        case CompareOperator::Eq:
          return of_bool(*a == *b);
        case CompareOperator::NotEq:
          return of_bool(*a != *b);
        case CompareOperator::Lt:
          return of_bool(*a < *b);
        case CompareOperator::LtE:
          return of_bool(*a <= *b);
        case CompareOperator::Gt:
          return of_bool(*a > *b);
        case CompareOperator::GtE:
          return of_bool(*a >= *b);
        default:
          break;
      }
    }
    return left.may_be(kArray) || right.may_be(kArray) ? of_mask(kBool | kArray) : of_mask(kBool);
  }
  const auto flags = static_cast<ValueFlags>((left.flags | right.flags) & (kAssumed | kHint));
  // Where nothing speaks for tensors, nothing is claimed either.
  const bool evidence = (flags & kHint) != 0 || !left.may_be(kOther) || !right.may_be(kOther);
  const bool numbers = left.is(kNumber) || right.is(kNumber);
  const bool silent = (flags & kHint) == 0 && (numbers || !evidence);
  Value result = of_mask(silent ? kBool | kTensor | kOther : kBool | kTensor, flags);
  result.dtype = DType::Bool;
  const bool tensor_or_none = left.is(kTensor | kNone) || right.is(kTensor | kNone);
  if (tensor_or_none) {
    return tensor(DType::Bool).with(result.flags);
  }
  return result;
}

Value Interpreter::binary(Operator op, const Value& left, const Value& right) {
  const auto known_sequence = [&](const Value& value) { return value.is(kSequence); };
  if (known_sequence(left) && known_sequence(right) && op == Operator::Add) {
    const auto a = heap_.elements(left);
    const auto b = heap_.elements(right);
    const ValueMask mask = left.mask | right.mask;
    if (a && b) {
      std::vector<Value> all(a->begin(), a->end());
      all.insert(all.end(), b->begin(), b->end());
      return heap_.sequence(mask, std::move(all));
    }
    return heap_.container(mask, heap_.join(element_of(left), element_of(right)));
  }
  if (op == Operator::Mult && (known_sequence(left) || known_sequence(right))) {
    const Value& sequence = known_sequence(left) ? left : right;
    return heap_.container(sequence.mask, element_of(sequence));
  }
  if (left.is(kStr | kBytes) &&
      (op == Operator::Mod || op == Operator::Add || op == Operator::Mult)) {
    return of_mask(left.mask);
  }
  if (left.is(kTensor | kNone) || right.is(kTensor | kNone)) {
    if (left.is(kNone) && right.is(kNone)) {
      return kUnknown;
    }
    DType dtype = promoted(dtype_of(left), dtype_of(right));
    if (op == Operator::Div && dtype != DType::Complex && dtype != DType::Unknown) {
      dtype = DType::Float;
    }
    Value result = tensor(dtype);
    const bool scalar = (left.may_be(kTensor) ? left.has(kOneElement) : left.is(kNumber)) &&
                        (right.may_be(kTensor) ? right.has(kOneElement) : right.is(kNumber));
    result.flags = static_cast<ValueFlags>((left.flags | right.flags) & kAssumed);
    return scalar ? result.with(kOneElement) : result;
  }
  if (left.is(kNumber) && right.is(kNumber)) {
    const ValueMask both = left.mask | right.mask;
    if (op == Operator::Div) {
      return of_mask(kFloat);
    }
    if ((both & kFloat) != 0) {
      return of_mask((both & ~kFloat) == 0 || left.is(kFloat) || right.is(kFloat) ? kFloat
                                                                                  : kFloat | kInt);
    }
    if (left.is(kBool) && right.is(kBool) &&
        (op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor)) {
      return of_mask(kBool);
    }
    return of_mask(op == Operator::Pow ? kInt | kFloat : kInt);
  }
  if (op == Operator::BitOr && (left.is(kDict) || right.is(kDict))) {
    return heap_.container(kDict, heap_.join(element_of(left), element_of(right)));
  }
  if (left.may_be(kArray) || right.may_be(kArray)) {
    if (!left.may_be(kTensor) && !right.may_be(kTensor)) {
      return of_mask(left.is(kArray | kNumber) && right.is(kArray | kNumber) ? kArray : kHost);
    }
  }
  if (!left.may_be(kTensor) && !right.may_be(kTensor)) {
    return of_mask(kHost);
  }
  return of_mask(kAnything,
                 static_cast<ValueFlags>((left.flags | right.flags) & (kAssumed | kHint)));
}

Value Interpreter::element_of(const Value& container) {
  if (container.is_bottom()) {
    return kNothing;
  }
  const Object& object = heap_.get(container.object);
  if (container.is(kTuple | kList | kSet | kIterator | kDict | kNone)) {
    switch (object.kind) {
      case ObjectKind::Sequence:
        return heap_.join(object.values);
      case ObjectKind::Elements:
        return object.values[0];
      case ObjectKind::Record: {
        const Value joined = heap_.join(object.values);
        return object.open ? heap_.join(joined, kUnknown) : joined;
      }
      default:
        return kUnknown;
    }
  }
  if (container.is(kTensor | kNone)) {
    return tensor(container.dtype).with(static_cast<ValueFlags>(container.flags & kAssumed));
  }
  if (container.is(kStr)) {
    return of_mask(kStr);
  }
  if (object.kind == ObjectKind::ExternalInstance) {
    return object.values.empty() ? kUnknown : object.values[0];
  }
  if (!container.may_be(kTensor) && container.is(kNumber | kArray | kMeta)) {
    return of_mask(kHost);
  }
  return of_mask(kAnything, static_cast<ValueFlags>(container.flags & kHint));
}

Value Interpreter::subscript(const Value& base, const Value& index, NodeId index_node) {
  const bool slice = tree().kind(index_node) == NodeKind::Slice;
  if (base.is(kTensor | kNone)) {
    return tensor(base.dtype).with(static_cast<ValueFlags>(base.flags & kAssumed));
  }
  const Object& object = heap_.get(base.object);
  if (base.is(kSequence) || base.is(kSequence | kNone)) {
    if (slice) {
      return heap_.container(base.mask & kSequence, element_of(base));
    }
    if (object.kind == ObjectKind::Sequence) {
      if (auto number = heap_.number_of(index.constant)) {
        const auto size = static_cast<std::int64_t>(object.values.size());
        *number += *number < 0 ? size : 0;
        if (*number >= 0 && *number < size) {
          return object.values[static_cast<std::size_t>(*number)];
        }
      }
    }
    return element_of(base);
  }
  if (base.is(kDict | kNone)) {
    if (object.kind == ObjectKind::Record) {
      if (const auto key = heap_.text_of(index.constant)) {
        const auto found = std::find(object.texts.begin(), object.texts.end(), heap_.text(*key));
        if (found != object.texts.end()) {
          return object.values[static_cast<std::size_t>(found - object.texts.begin())];
        }
        return kUnknown;
      }
    }
    return element_of(base);
  }
  if (base.is(kStr)) {
    return of_mask(kStr);
  }
  switch (object.kind) {
    case ObjectKind::ExternalInstance: {
      const std::string_view name = heap_.instance_name(base);
      if (slice) {
        return base;
      }
      if (name.starts_with("torch.nn.")) {
        return object.values.empty() ? heap_.external_instance("torch.nn.Module")
                                     : object.values[0];
      }
      return object.values.empty() ? kUnknown : object.values[0];
    }
    case ObjectKind::Instance: {
      const Value getter = attribute(base, "__getitem__");
      if (getter.object && heap_.kind(getter.object) == ObjectKind::Bound) {
        Arguments arguments;
        arguments.positional.push_back(index);
        return call(getter, arguments, index_node);
      }
      // Fields of a result that is a tuple of its fields.
      const ClassInfo& info = class_info(ObjectId(object.a));
      if (info.is_dataclass) {
        Value all;
        for (const Value& value : state_of(base.object).values) {
          all = heap_.join(all, value);
        }
        return all.is_bottom() ? kUnknown : all;
      }
      return kUnknown;
    }
    default:
      break;
  }
  if (!base.may_be(kTensor)) {
    return base.is(kArray) ? of_mask(kArray | kNumber) : kUnknown;
  }
  const bool hint = base.has(kHint) || (index.may_be(kTensor) && !index.is_unknown());
  return of_mask(kAnything, hint ? kHint : ValueFlags{0});
}

}  // namespace graphmend::types
