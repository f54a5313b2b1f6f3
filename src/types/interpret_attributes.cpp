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

Value Interpreter::method(const Value& receiver, std::string_view name) {
  Object object;
  object.kind = ObjectKind::ExternalMethod;
  object.text = heap_.text(name);
  object.values = {receiver};
  // On an object of which nothing is known it may as well be data.
  const ValueMask mask = receiver.may_be(kInstance | kOther) ? kAnything : kStatic;
  Value value = of_object(mask, heap_.intern(std::move(object)));
  value.flags = static_cast<ValueFlags>(receiver.flags & kHint);
  return value;
}

Value Interpreter::bind_method(const Value& function, const Value& self) {
  Object object;
  object.kind = ObjectKind::Bound;
  object.a = function.object.value;
  object.values = {self};
  return of_object(kStatic, heap_.intern(std::move(object)));
}

Value Interpreter::tensor_attribute(const Value& base, std::string_view name) {
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
  return method(base, name);
}

Value Interpreter::attribute(const Value& base,
                             std::string_view name) {  // NOLINT(misc-no-recursion)
  if (base.is_bottom()) {
    return kUnknown;
  }
  if (base.is(kTensor | kNone) && base.may_be(kTensor)) {
    return tensor_attribute(base, name);
  }
  if (base.object) {
    const Value value = attribute_of_object(base, name);
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
    return method(base, name);
  }
  if (!base.may_be(kTensor) && base.is(kInstance | kOther | kNone)) {
    return method(kUnknown, name);
  }
  return method(base, name);
}

Value Interpreter::attribute_of_object(const Value& base,  // NOLINT(misc-no-recursion)
                                       std::string_view name) {
  const Object& object = heap_.get(base.object);
  switch (object.kind) {
    case ObjectKind::External:
      return external_attribute(heap_.text(object.text), name);
    case ObjectKind::Module:
      return module_attribute(module(object.a), name);
    case ObjectKind::Class:
      return class_attribute(of_object(kStatic, base.object), name, kNothing);
    case ObjectKind::Instance:
      return instance_attribute(of_object(kInstance, base.object), name);
    case ObjectKind::ExternalInstance:
      return external_instance_attribute(of_object(kInstance, base.object), name);
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
            if (const auto found = member(class_info(cls.object), name, self, false)) {
              return *found;
            }
          } else {
            return method(self, name);
          }
        }
        after = after || cls.object.value == object.a;
      }
      return method(self, name);
    }
    case ObjectKind::Union: {
      Value result;
      for (const Value& one : std::vector<Value>(object.values)) {
        result = heap_.join(result, attribute(one, name));
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
      return attribute(of_mask(kAnything, static_cast<ValueFlags>(base.flags & kHint)), name);
    default:
      return method(of_object(base.mask, base.object), name);
  }
}

std::optional<Value> Interpreter::member(const ClassInfo& info,  // NOLINT(misc-no-recursion)
                                         std::string_view name, const Value& self, bool skip_own) {
  (void)skip_own;
  const auto found = info.members.find(name);
  if (found == info.members.end()) {
    return std::nullopt;
  }
  const NodeId node = found->second;
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

Value Interpreter::class_attribute(const Value& cls,
                                   std::string_view name,  // NOLINT(misc-no-recursion)
                                   const Value& self) {
  const ClassInfo& info = class_info(cls.object);
  for (const Value& one : info.order) {
    if (heap_.kind(one.object) == ObjectKind::Class) {
      if (const auto found = member(class_info(one.object), name, self, false)) {
        return *found;
      }
    } else if (info.is_torch_module || !info.unknown_base) {
      break;
    }
  }
  if (name == "__name__" || name == "__qualname__" || name == "__module__") {
    return of_mask(kStr);
  }
  return method(self.is_bottom() ? cls : self, name);
}

Value Interpreter::instance_attribute(const Value& self,
                                      std::string_view name) {  // NOLINT(misc-no-recursion)
  const ObjectId cls(heap_.get(self.object).a);
  const ClassInfo& info = class_info(cls);
  // Properties and methods of the class come first where the name is bound in a class only.
  State& state = state_of(self.object);
  const auto found = state.attributes.find(name);
  if (found != state.attributes.end()) {
    Value value = found->second;
    if (!constructing_.contains(self.object.value)) {
      for (const Value& one : info.order) {
        if (heap_.kind(one.object) == ObjectKind::Class &&
            class_info(one.object).assigned.contains(name)) {
          value = value.is(kNone) ? kUnknown : value.without_constant();
          break;
        }
      }
    }
    return value;
  }
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
    if (const auto value = member(holder, name, self, false)) {
      return *value;
    }
  }
  for (const Value& one : info.order) {
    if (heap_.kind(one.object) == ObjectKind::Class &&
        class_info(one.object).assigned.contains(name)) {
      return kUnknown;
    }
  }
  if (info.is_torch_module && !info.unknown_base) {
    return method(self, name);
  }
  return method(kUnknown, name);
}

Value Interpreter::external_attribute(std::string_view dotted, std::string_view name) {
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

Value Interpreter::external_instance_attribute(const Value& base, std::string_view name) {
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
      return method(base, name);  // any module: nothing is known of its attributes
    }
    if (name.ends_with("_features") || name.ends_with("_channels") || name.ends_with("_dim") ||
        name == "padding_idx" || name == "num_heads" || name == "hidden_size") {
      return of_mask(kInt);
    }
    return method(base, name);
  }
  if (cls == "torch.compiler.disabled") {
    return kUnknown;
  }
  return method(base, name);
}

}  // namespace graphmend::types
