// Attributes of values.
#include "types/interpreter.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::types {
namespace {

using syntax::NodeKind;

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

constexpr auto kBoolAttributes = std::to_array<std::string_view>(
    {"is_cpu", "is_cuda", "is_leaf", "is_meta", "is_mps", "is_nested", "is_quantized", "is_sparse",
     "is_sparse_csr", "is_xla", "is_xpu", "requires_grad", "retains_grad"});
constexpr auto kTensorAttributes =
    std::to_array<std::string_view>({"H", "T", "data", "imag", "mH", "mT", "real"});
constexpr auto kDTypes = std::to_array<std::string_view>(
    {"bfloat16",        "bool",       "cdouble",   "cfloat",
     "channels_last",   "complex128", "complex64", "contiguous_format",
     "double",          "float",      "float16",   "float32",
     "float64",         "half",       "int",       "int16",
     "int32",           "int64",      "int8",      "long",
     "preserve_format", "short",      "strided",   "uint8"});

static_assert(std::is_sorted(kBoolAttributes.begin(), kBoolAttributes.end()));
static_assert(std::is_sorted(kTensorAttributes.begin(), kTensorAttributes.end()));
static_assert(std::is_sorted(kDTypes.begin(), kDTypes.end()));

}  // namespace

Value Interpreter::method(const Value& receiver, TextId name) {
  ObjectView object;
  object.kind = ObjectKind::ExternalMethod;
  object.text = name;
  object.values = {&receiver, 1};
  // On an object of which nothing is known it may as well be data.
  const ValueMask mask = receiver.may_be(kInstance | kOther) ? kAnything : kStatic;
  Value value = of_object(mask, heap_.intern(object));
  value.flags = static_cast<ValueFlags>(receiver.flags & kHint);
  return value;
}

Value Interpreter::bind_method(const Value& function, const Value& self) {
  ObjectView object;
  object.kind = ObjectKind::Bound;
  object.a = function.object.value;
  object.values = {&self, 1};
  return of_object(kStatic, heap_.intern(object));
}

Value Interpreter::tensor_attribute(const Value& base, TextId id) {
  const std::string_view name = heap_.text(id);
  if (name == "shape") {
    return heap_.container(kTuple, of_mask(kInt));
  }
  if (name == "dtype" || name == "device" || name == "layout") {
    return of_mask(kMeta);
  }
  if (name == "ndim" || name == "nbytes" || name == "itemsize") {
    return of_mask(kInt);
  }
  if (contains(kBoolAttributes, name)) {
    return of_mask(kBool);
  }
  if (contains(kTensorAttributes, name)) {
    return tensor(base.dtype);
  }
  if (name == "grad") {
    return of_mask(kTensor | kNone);
  }
  if (name == "grad_fn") {
    return of_mask(kNone | kOther);
  }
  return method(base, id);
}

Value Interpreter::attribute(const Value& base, TextId id) {  // NOLINT(misc-no-recursion)
  if (base.is_bottom()) {
    return kUnknown;
  }
  if (base.is(kTensor | kNone) && base.may_be(kTensor)) {
    return tensor_attribute(base, id);
  }
  const std::string_view name = heap_.text(id);
  if (base.object) {
    const Value value = attribute_of_object(base, id);
    return base.may_be(kOther | kTensor) && !value.is_unknown() && value.object == ObjectId()
               ? of_mask(kAnything)
               : value;
  }
  if (base.is(kMeta)) {
    if (name == "type") {
      return of_mask(kStr);
    }
    if (name == "min" || name == "max" || name == "eps" || name == "tiny") {
      return of_mask(kFloat | kInt);
    }
    if (name == "index" || name == "bits" || name == "itemsize") {
      return of_mask(kInt | kNone);
    }
    return of_mask(kBool);
  }
  if (base.is_unknown()) {
    if (name == "shape") {
      return heap_.container(kTuple, of_mask(kInt));
    }
    if (name == "device" || name == "dtype") {
      return of_mask(kMeta);
    }
    return method(base, id);
  }
  if (!base.may_be(kTensor) && base.is(kInstance | kOther | kNone)) {
    return method(kUnknown, id);
  }
  return method(base, id);
}

Value Interpreter::attribute_of_object(const Value& base,  // NOLINT(misc-no-recursion)
                                       TextId id) {
  const std::string_view name = heap_.text(id);
  const Object& object = heap_.get(base.object);
  switch (object.kind) {
    case ObjectKind::External:
      return external_attribute(object.text, id);
    case ObjectKind::Module:
      return module_attribute(module(object.a), name);
    case ObjectKind::Class:
      return class_attribute(of_object(kStatic, base.object), id, kNothing);
    case ObjectKind::Instance:
      return instance_attribute(of_object(kInstance, base.object), id);
    case ObjectKind::ExternalInstance:
      return external_instance_attribute(of_object(kInstance, base.object), id);
    case ObjectKind::Super: {
      const Value self = object.values[0];
      ObjectId start = heap_.kind(self.object) == ObjectKind::Instance
                           ? ObjectId(heap_.get(self.object).a)
                           : ObjectId(object.a);
      const ClassInfo& info = class_info(start);
      bool after = false;
      for (const Value& cls : info.order) {
        if (after) {
          if (heap_.kind(cls.object) == ObjectKind::Class) {
            if (const auto found = member(class_info(cls.object), id, self)) {
              return *found;
            }
          } else {
            return method(self, id);
          }
        }
        after = after || cls.object.value == object.a;
      }
      return method(self, id);
    }
    case ObjectKind::Union: {
      Value result;
      for (const Value& one : object.values) {
        result = heap_.join(result, attribute(one, id));
      }
      return result;
    }
    case ObjectKind::Function:
    case ObjectKind::Bound:
    case ObjectKind::Partial:
      if (name == "__name__" || name == "__qualname__") {
        return of_mask(kStr);
      }
      if (name == "__call__" || name == "__func__") {
        return of_object(kStatic, base.object);
      }
      return kUnknown;
    case ObjectKind::ExternalMethod:
      // An attribute of an attribute of which nothing is known.
      return attribute(of_mask(kAnything, static_cast<ValueFlags>(base.flags & kHint)), id);
    default:
      return method(of_object(base.mask, base.object), id);
  }
}

std::optional<Value> Interpreter::member(const ClassInfo& info,  // NOLINT(misc-no-recursion)
                                         TextId name, const Value& self) {
  const NodeId* const found = info.members.find(name.value);
  if (found == nullptr) {
    return std::nullopt;
  }
  const NodeId node = *found;
  const syntax::Tree& source = info.module->tree();
  if (source.kind(node) == NodeKind::FunctionDef) {
    const Value function = decorated_member(*info.module, node);
    bool is_static = false;
    bool is_class = false;
    bool is_property = false;
    for (const NodeId decorator : syntax::FunctionDefView(source, node).decorators()) {
      const std::string_view text = source.text(decorator);
      is_static = is_static || text == "staticmethod";
      is_class = is_class || text == "classmethod";
      is_property = is_property || text == "property" || text.ends_with("cached_property") ||
                    text.ends_with(".getter");
    }
    if (is_static || (self.is_bottom() && !is_class)) {
      return function;
    }
    if (is_class) {
      return bind_method(function, heap_.kind(self.object) == ObjectKind::Instance
                                       ? of_object(kStatic, ObjectId(heap_.get(self.object).a))
                                       : class_object(*info.module, info.node));
    }
    if (is_property) {
      Arguments arguments;
      arguments.positional.push_back(self);
      return call(function, arguments, here().current);
    }
    return bind_method(function, self);
  }
  if (source.kind(node) == NodeKind::ClassDef) {
    return class_object(*info.module, node);
  }
  if (source.kind(node) == NodeKind::AnnAssign) {
    const syntax::AnnAssignView view(source, node);
    const Value type = annotated(*info.module, view.annotation());
    if (!view.value()) {
      return type;
    }
    const Value value = generalised(module_expression(*info.module, view.value()));
    return type.is_unknown() ? value : heap_.join(type, value.is_unknown() ? kNothing : value);
  }
  if (source.kind(node) == NodeKind::Assign) {
    const syntax::AssignView view(source, node);
    const Value value = module_expression(*info.module, view.value());
    if (heap_.kind(value.object) == ObjectKind::Function && !self.is_bottom() &&
        value.is(kStatic)) {
      return bind_method(value, self);
    }
    return generalised(value);
  }
  return kUnknown;
}

Value Interpreter::class_attribute(const Value& cls, TextId id,  // NOLINT(misc-no-recursion)
                                   const Value& self) {
  const ClassInfo& info = class_info(cls.object);
  for (const Value& one : info.order) {
    if (heap_.kind(one.object) == ObjectKind::Class) {
      if (const auto found = member(class_info(one.object), id, self)) {
        return *found;
      }
    } else if (info.is_torch_module || !info.unknown_base) {
      break;
    }
  }
  const std::string_view name = heap_.text(id);
  if (name == "__name__" || name == "__qualname__" || name == "__module__") {
    return of_mask(kStr);
  }
  return method(self.is_bottom() ? cls : self, id);
}

Value Interpreter::instance_attribute(const Value& self, TextId key) {  // NOLINT(misc-no-recursion)
  const ObjectId cls(heap_.get(self.object).a);
  const ClassInfo& info = class_info(cls);
  // Properties and methods of the class come first where the name is bound in a class only.
  State& state = state_of(self.object);
  if (const Value* const found = state.find(key)) {
    Value value = *found;
    if (!constructing_.contains(self.object.value)) {
      for (const Value& one : info.order) {
        if (heap_.kind(one.object) == ObjectKind::Class &&
            class_info(one.object).assigned.contains(key.value)) {
          value = value.is(kNone) ? kUnknown : value.without_constant();
          break;
        }
      }
    }
    return value;
  }
  const std::string_view name = heap_.text(key);
  if (name == "__class__") {
    return of_object(kStatic, cls);
  }
  if (name == "__dict__") {
    return of_mask(kDict);
  }
  if (info.is_torch_module && name == "training") {
    return of_mask(kBool);
  }
  for (const Value& one : info.order) {
    if (heap_.kind(one.object) != ObjectKind::Class) {
      continue;
    }
    const ClassInfo& holder = class_info(one.object);
    if (const auto value = member(holder, key, self)) {
      return *value;
    }
  }
  for (const Value& one : info.order) {
    if (heap_.kind(one.object) == ObjectKind::Class &&
        class_info(one.object).assigned.contains(key.value)) {
      return kUnknown;
    }
  }
  return method(info.is_torch_module && !info.unknown_base ? self : kUnknown, key);
}

Value Interpreter::external_attribute(TextId dotted, TextId name) {
  const std::uint64_t key = base::pair_key(dotted.value, name.value);
  if (const Value* const known = external_attributes_.find(key)) {
    return *known;
  }
  const Value value = new_external_attribute(heap_.text(dotted), heap_.text(name));
  external_attributes_[key] = value;
  return value;
}

Value Interpreter::new_external_attribute(std::string_view dotted, std::string_view name) {
  const std::string full = std::string(dotted) + "." + std::string(name);
  if (dotted == "torch" && contains(kDTypes, name)) {
    return of_mask(kMeta);
  }
  if (dotted == "torch" && (name == "inf" || name == "nan" || name == "pi" || name == "e")) {
    return of_mask(kFloat);
  }
  if (dotted == "math" && (name == "pi" || name == "inf" || name == "nan" || name == "e")) {
    return of_mask(kFloat);
  }
  if (dotted == "numpy" && (name == "pi" || name == "inf" || name == "nan" || name == "e")) {
    return of_mask(kFloat);
  }
  if (full == "typing.TYPE_CHECKING") {
    return of_bool(false);
  }
  if (name == "__version__" || full == "sys.platform" || name == "__name__") {
    return of_mask(kStr);
  }
  return heap_.external(full);
}

Value Interpreter::external_instance_attribute(const Value& base, TextId id) {
  const std::string_view name = heap_.text(id);
  const std::string_view cls = heap_.instance_name(base);
  if (cls.starts_with("torch.nn.")) {
    if (name == "weight" || name == "running_mean" || name == "running_var" ||
        name == "num_batches_tracked" || name == "in_proj_weight") {
      return tensor(name == "num_batches_tracked" ? DType::Int : DType::Unknown);
    }
    if (name == "bias" || name.ends_with("_bias")) {
      return of_mask(kTensor | kNone);
    }
    if (name == "training" || name == "inplace" || name == "batch_first" || name == "affine") {
      return of_mask(kBool);
    }
    if (cls == "torch.nn.Module") {
      return method(base, id);  // any module: nothing is known of its attributes
    }
    if (name.ends_with("_features") || name.ends_with("_channels") || name.ends_with("_dim") ||
        name == "padding_idx" || name == "num_heads" || name == "hidden_size") {
      return of_mask(kInt);
    }
    return method(base, id);
  }
  if (cls == "torch.compiler.disabled") {
    return kUnknown;
  }
  return method(base, id);
}

}  // namespace graphmend::types
