// Objects of classes, annotations, decorators.
#include "types/interpreter.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

namespace graphmend::types {
namespace {

using syntax::NodeKind;

constexpr int kMaxNormalDepth = 3;

}  // namespace

Value Interpreter::generalised(const Value& value) {
  if (value.is(kStr | kNumber)) {
    return value.without_constant();
  }
  return value;
}

Value Interpreter::normalised(const Value& value, int depth) {  // NOLINT(misc-no-recursion)
  Value result = value;
  if (result.constant && result.constant != kTrueConstant && result.constant != kFalseConstant) {
    const auto text = heap_.text_of(result.constant);
    if (!text || text->size() > 32) {
      result.constant = {};
    }
  }
  if (!result.object) {
    return result;
  }
  const Object& object = heap_.get(result.object);
  switch (object.kind) {
    case ObjectKind::Sequence:
    case ObjectKind::Elements:
    case ObjectKind::Record: {
      if (depth >= kMaxNormalDepth) {
        result.object = {};
        return result;
      }
      Object changed = object;
      for (Value& part : changed.values) {
        part = normalised(part, depth + 1);
      }
      result.object = heap_.intern(std::move(changed));
      return result;
    }
    case ObjectKind::Bound:
    case ObjectKind::Partial:
    case ObjectKind::Function:
    case ObjectKind::Instance:
      return depth >= 12 ? value.narrowed(value.mask) : result;
    default:
      return result;
  }
}

// --------------------------------------------------------------------------------- annotations

Value Interpreter::instance_of_class(const Value& cls) {
  const Object& object = heap_.get(cls.object);
  if (object.kind == ObjectKind::Class) {
    return abstract_instance(cls);
  }
  const std::string_view name = heap_.external_name(cls);
  if (name == "torch.FloatTensor") {
    return tensor(DType::Float);
  }
  if (name == "torch.LongTensor" || name == "torch.IntTensor") {
    return tensor(DType::Int);
  }
  if (name == "torch.BoolTensor") {
    return tensor(DType::Bool);
  }
  if (name == "torch.Size") {
    return heap_.container(kTuple, of_mask(kInt));
  }
  if (name == "typing.Callable" || name == "collections.abc.Callable") {
    return of_mask(kStatic | kInstance);
  }
  if (name == "typing.List" || name == "typing.Sequence") {
    return of_mask(kList | kTuple);
  }
  if (name == "typing.Dict" || name == "typing.Mapping") {
    return of_mask(kDict);
  }
  if (name == "typing.Tuple") {
    return of_mask(kTuple);
  }
  if (name == "builtins.float") {
    return of_mask(kFloat | kInt);
  }
  if (name == "builtins.int") {
    return of_mask(kInt);
  }
  if (name == "builtins.object" || name == "typing.Any") {
    return kUnknown;
  }
  if (name.starts_with("torch.nn.") || name == "torch.Generator") {
    return name == "torch.nn.Parameter" ? tensor() : heap_.external_instance(name);
  }
  if (const auto mask = mask_of_class(cls)) {
    return of_mask(*mask);
  }
  if (cls.is(kNone)) {
    return cls;
  }
  if (name.starts_with("logging.")) {
    return heap_.external_instance(name);
  }
  return kUnknown;
}

Value Interpreter::subscripted_annotation(const Module& module,  // NOLINT(misc-no-recursion)
                                          NodeId annotation) {
  const syntax::SubscriptView view(module.tree(), annotation);
  const Value base = module_expression(module, view.value());
  const std::string_view name = heap_.external_name(base);
  std::vector<NodeId> parts;
  if (module.tree().kind(view.slice()) == NodeKind::Tuple) {
    const auto elts = syntax::TupleView(module.tree(), view.slice()).elts();
    parts.assign(elts.begin(), elts.end());
  } else {
    parts.push_back(view.slice());
  }
  const auto part = [&](std::size_t index) {
    return index < parts.size() ? annotated(module, parts[index]) : kUnknown;
  };
  if (name == "typing.Optional") {
    return heap_.join(part(0), of_mask(kNone));
  }
  if (name == "typing.Union") {
    Value result;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      result = heap_.join(result, part(i));
    }
    return result;
  }
  if (name == "typing.Literal") {
    Value result;
    for (const NodeId literal : parts) {
      result = heap_.join(result, generalised(module_expression(module, literal)));
    }
    return result;
  }
  if (name == "typing.Annotated" || name == "typing.Final" || name == "typing.ClassVar" ||
      name == "typing.Required" || name == "typing.NotRequired") {
    return part(0);
  }
  if (name == "typing.List" || name == "builtins.list" || name == "typing.Sequence" ||
      name == "collections.abc.Sequence") {
    return heap_.container(name.ends_with("equence") ? kList | kTuple : kList, part(0));
  }
  if (name == "typing.Tuple" || name == "builtins.tuple") {
    std::vector<Value> elements;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (module.text(parts[i]) == "...") {
        return heap_.container(kTuple, part(0));
      }
      elements.push_back(part(i));
    }
    // Annotations of one element stand for any number of them in practice.
    return elements.size() == 1 ? heap_.container(kTuple, elements[0])
                                : heap_.sequence(kTuple, std::move(elements));
  }
  if (name == "typing.Dict" || name == "builtins.dict" || name == "typing.Mapping") {
    return heap_.container(kDict, part(1));
  }
  if (name == "typing.Set" || name == "builtins.set") {
    return heap_.container(kSet, part(0));
  }
  if (name == "typing.Iterable" || name == "typing.Iterator" ||
      name == "collections.abc.Iterable" || name == "collections.abc.Iterator") {
    return heap_.container(kIterator | kList | kTuple, part(0));
  }
  if (name == "typing.Callable" || name == "collections.abc.Callable") {
    return of_mask(kStatic | kInstance);
  }
  if (name == "typing.Type" || name == "builtins.type") {
    return of_mask(kStatic);
  }
  // Float[Tensor, "b n"] and its like.
  const Value first = part(0);
  if (first.is_tensor()) {
    return first;
  }
  if (heap_.kind(base.object) == ObjectKind::Class) {
    return abstract_instance(base);
  }
  return kUnknown;
}

Value Interpreter::annotated_text(const Module& module, std::string_view text) {
  // "torch.Tensor", "Optional[Tensor]", "Cache": an annotation written as a string.
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  for (const std::string_view prefix : {"Optional[", "typing.Optional["}) {
    if (text.starts_with(prefix) && text.ends_with("]")) {
      const auto inner = text.substr(prefix.size(), text.size() - prefix.size() - 1);
      return heap_.join(annotated_text(module, inner), of_mask(kNone));
    }
  }
  const std::size_t bar = text.find(" | ");
  if (bar != std::string_view::npos && text.find('[') == std::string_view::npos) {
    return heap_.join(annotated_text(module, text.substr(0, bar)),
                      annotated_text(module, text.substr(bar + 3)));
  }
  if (text == "None") {
    return of_mask(kNone);
  }
  std::size_t start = 0;
  Value value;
  while (start <= text.size()) {
    const std::size_t dot = std::min(text.find('.', start), text.size());
    const std::string_view name = text.substr(start, dot - start);
    value = start == 0 ? module_name(module, name) : attribute(value, name);
    start = dot + 1;
  }
  return value.object ? instance_of_class(of_object(kStatic, value.object)) : kUnknown;
}

Value Interpreter::annotated(const Module& module,
                             NodeId annotation) {  // NOLINT(misc-no-recursion)
  const syntax::Tree& source = module.tree();
  const std::uint64_t key = base::pair_key(module.id(), annotation.value);
  if (const Value* const known = annotations_.find(key)) {
    return *known;
  }
  if (++depth_ > 200) {
    --depth_;
    return kUnknown;
  }
  Value result = kUnknown;
  switch (source.kind(annotation)) {
    case NodeKind::Constant:
      if (syntax::ConstantView(source, annotation).constant_kind() == syntax::ConstantKind::None) {
        result = of_mask(kNone);
      } else if (syntax::ConstantView(source, annotation).constant_kind() ==
                 syntax::ConstantKind::Str) {
        result = annotated_text(module, source.string_value(annotation));
      }
      break;
    case NodeKind::BinOp: {
      const syntax::BinOpView view(source, annotation);
      result = heap_.join(annotated(module, view.left()), annotated(module, view.right()));
      break;
    }
    case NodeKind::Subscript:
      result = subscripted_annotation(module, annotation);
      break;
    case NodeKind::Name:
    case NodeKind::Attribute: {
      const Value cls = module_expression(module, annotation);
      if (cls.object && heap_.kind(cls.object) != ObjectKind::ExternalMethod) {
        result = instance_of_class(of_object(kStatic, cls.object));
      }
      break;
    }
    default:
      break;
  }
  --depth_;
  if (is_settled() && depth_ < 100) {
    annotations_[key] = result;
  }
  return result;
}

// ------------------------------------------------------------------------------------- objects

Value Interpreter::abstract_instance(const Value& cls) {
  const ClassInfo& info = class_info(cls.object);
  Object object;
  object.kind = ObjectKind::Instance;
  object.open = true;
  object.a = cls.object.value;
  for (const Value& base : info.order) {
    const std::string_view name = heap_.external_name(base);
    if (name.ends_with("enum.Enum") || name == "typing.TypedDict") {
      return name == "typing.TypedDict" ? of_mask(kDict) : of_mask(kHost);
    }
  }
  return of_object(kInstance, heap_.intern(std::move(object)));
}

Interpreter::State& Interpreter::state_of(ObjectId instance) {  // NOLINT(misc-no-recursion)
  State*& place = states_[instance.value];
  if (place != nullptr) {
    return *place;
  }
  State& state = state_storage_.emplace_back();
  place = &state;
  const Object& object = heap_.get(instance);
  const ObjectId cls(object.a);
  const ClassInfo& info = class_info(cls);
  const Value self = of_object(kInstance, instance);
  // Fields: of a class that has no constructor of its own.
  const auto constructor = [&]() -> std::optional<Value> {
    for (const Value& one : info.order) {
      if (heap_.kind(one.object) == ObjectKind::Class) {
        if (const auto found = member(class_info(one.object), heap_.text("__init__"), self)) {
          return found;
        }
      }
    }
    return std::nullopt;
  }();
  if (!constructor) {
    // The fields, bases first.
    std::vector<TextId> names;
    for (const auto& base : std::views::reverse(info.order)) {
      if (heap_.kind(base.object) != ObjectKind::Class) {
        continue;
      }
      const ClassInfo& holder = class_info(base.object);
      for (const NodeId statement :
           syntax::ClassDefView(holder.module->tree(), holder.node).body()) {
        if (holder.module->tree().kind(statement) == NodeKind::AnnAssign) {
          const syntax::AnnAssignView view(holder.module->tree(), statement);
          const TextId name = heap_.text(holder.module->text(view.target()));
          if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
          }
          Value value = annotated(*holder.module, view.annotation());
          if (view.value()) {
            value = heap_.join(value, generalised(module_expression(*holder.module, view.value())));
          }
          state.at(name) = value;
        }
      }
    }
    if (!object.open && !names.empty()) {
      for (std::size_t i = 0; i < object.values.size() && i < object.texts.size(); ++i) {
        state.at(object.texts[i]) = object.values[i];
      }
    }
    state.done = true;
    return state;
  }
  const Object& bound = heap_.get(constructor->object);
  if (bound.kind != ObjectKind::Bound || heap_.kind(ObjectId(bound.a)) != ObjectKind::Function) {
    state.done = true;
    return state;
  }
  const ObjectId function(bound.a);
  const Object& code = heap_.get(function);
  const Module& home = module(code.a);
  std::vector<Value> parameters;
  if (object.open || object.values.empty()) {
    parameters = bind(home, NodeId(code.b), function, {}, true, true);
  } else {
    parameters = object.values;
  }
  if (!parameters.empty()) {
    parameters[0] = self;
  }
  constructing_.insert(instance.value);
  ++quiet_;
  run_function(function, std::move(parameters), {});
  --quiet_;
  constructing_.erase(instance.value);
  state.done = true;
  return state;
}

Value Interpreter::fields_instance(const ClassInfo& info, ObjectId cls,
                                   const Arguments& arguments) {
  std::vector<std::string_view> names;
  for (const auto& base : std::views::reverse(info.order)) {
    if (heap_.kind(base.object) != ObjectKind::Class) {
      continue;
    }
    const ClassInfo& holder = class_info(base.object);
    for (const NodeId statement : syntax::ClassDefView(holder.module->tree(), holder.node).body()) {
      if (holder.module->tree().kind(statement) == NodeKind::AnnAssign) {
        names.push_back(
            holder.module->text(syntax::AnnAssignView(holder.module->tree(), statement).target()));
      }
    }
  }
  Object object;
  object.kind = ObjectKind::Instance;
  object.a = cls.value;
  for (std::size_t i = 0; i < arguments.positional.size() && i < names.size(); ++i) {
    object.texts.push_back(heap_.text(names[i]));
    object.values.push_back(normalised(arguments.positional[i], 1));
  }
  for (const auto& [name, value] : arguments.keywords) {
    object.texts.push_back(name);
    object.values.push_back(normalised(value, 1));
  }
  object.open = arguments.rest || arguments.keyword_rest || names.empty();
  return of_object(kInstance, heap_.intern(std::move(object)));
}

Value Interpreter::instantiate(const Value& cls, const Arguments& arguments, NodeId call_node) {
  const ClassInfo& info = class_info(cls.object);
  for (const Value& base : info.order) {
    const std::string_view name = heap_.external_name(base);
    if (name == "builtins.Exception" || name == "builtins.BaseException" ||
        name.ends_with("Error")) {
      return of_mask(kInstance);
    }
  }
  std::optional<Value> constructor;
  for (const Value& one : info.order) {
    if (heap_.kind(one.object) == ObjectKind::Class) {
      constructor = member(class_info(one.object), heap_.text("__init__"), of_mask(kInstance));
      if (constructor) {
        break;
      }
    }
  }
  (void)call_node;
  if (!constructor) {
    return fields_instance(info, cls.object, arguments);
  }
  const Object& bound = heap_.get(constructor->object);
  if (bound.kind != ObjectKind::Bound || heap_.kind(ObjectId(bound.a)) != ObjectKind::Function ||
      call_depth_ > 30) {
    return abstract_instance(cls);
  }
  const Object& code = heap_.get(ObjectId(bound.a));
  Arguments with_self = arguments;
  with_self.positional.insert(with_self.positional.begin(), of_mask(kInstance));
  Object object;
  object.kind = ObjectKind::Instance;
  object.a = cls.object.value;
  object.values = bind(module(code.a), NodeId(code.b), ObjectId(bound.a), with_self, false, true);
  for (Value& value : object.values) {
    value = normalised(value, 1);
  }
  return of_object(kInstance, heap_.intern(std::move(object)));
}

// ---------------------------------------------------------------------------------- decorators

Value Interpreter::decorated_member(const Module& module, NodeId function) {
  const std::uint64_t key = base::pair_key(module.id(), function.value);
  if (const Value* const known = decorated_.find(key)) {
    return *known;
  }
  const Value plain = function_object(module, function, nullptr);
  decorated_[key] = plain;  // while its decorators run
  const Value value = decorated(module, function, plain, nullptr);
  decorated_[key] = value;
  return value;
}

Value Interpreter::decorated(const Module& module, NodeId function, const Value& plain,
                             const Env* env) {
  Value value = plain;
  const auto decorators = syntax::FunctionDefView(module.tree(), function).decorators();
  for (const NodeId written : std::views::reverse(decorators)) {
    const std::string_view text = module.text(written);
    if (text == "property" || text == "staticmethod" || text == "classmethod" ||
        text.ends_with(".setter") || text.ends_with("no_grad()")) {
      continue;
    }
    ++quiet_;
    Value decorator;
    if (env != nullptr) {
      Env copy = *env;
      decorator = eval(written, copy);
    } else {
      decorator = module_expression(module, written);
    }
    const std::string_view name = heap_.external_name(decorator);
    const std::string_view made = heap_.instance_name(decorator);
    if (name == "torch.compiler.disable" || name == "torch._dynamo.disable" ||
        made == "torch.compiler.disable") {
      value = heap_.external_instance("torch.compiler.disabled", value);
    } else if (heap_.kind(decorator.object) == ObjectKind::Function ||
               heap_.kind(decorator.object) == ObjectKind::Bound) {
      Arguments arguments;
      arguments.positional.push_back(value);
      const Value wrapped = call(decorator, arguments, {});
      const ObjectKind kind = heap_.kind(wrapped.object);
      // What it returns is taken for the function if it is one; else the plain one is.
      if (kind == ObjectKind::Function || kind == ObjectKind::Partial ||
          kind == ObjectKind::ExternalInstance) {
        value = of_object(kStatic, wrapped.object);
      }
    }
    --quiet_;
  }
  return value;
}

}  // namespace graphmend::types
