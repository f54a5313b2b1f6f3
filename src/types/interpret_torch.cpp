// Calls of torch: its functions, its modules, methods of tensors. What the stubs declare, and the
// few functions whose meaning for tracing is not in their signature.
#include "types/interpreter.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::types {
namespace {

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Functions that give a tensor of truth values, whatever they are given.
constexpr auto kBoolOperators = std::to_array<std::string_view>(
    {"all",        "any",         "eq",   "ge",    "greater",     "gt",
     "isclose",    "isfinite",    "isin", "isinf", "isnan",       "isneginf",
     "isposinf",   "isreal",      "le",   "less",  "logical_and", "logical_not",
     "logical_or", "logical_xor", "lt",   "ne",    "not_equal",   "signbit"});
constexpr auto kIntOperators = std::to_array<std::string_view>(
    {"argmax", "argmin", "argsort", "argwhere", "bincount", "bucketize", "count_nonzero", "int",
     "long", "multinomial", "nonzero", "randint", "randperm", "searchsorted", "short"});
constexpr auto kFloatOperators =
    std::to_array<std::string_view>({"bfloat16", "double", "float", "half", "log", "mean", "rand",
                                     "randn", "sigmoid", "softmax", "sqrt", "tanh"});
// Reductions: of no dimension given, a tensor of one element.
constexpr auto kReductions = std::to_array<std::string_view>(
    {"all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "median",
     "min", "nansum", "norm", "prod", "std", "sum", "var"});
// The dtype of the operand is that of the result.
constexpr auto kSameDType = std::to_array<std::string_view>(
    {"abs",       "amax",       "amin",         "broadcast_to", "cat",     "chunk",     "clamp",
     "clone",     "contiguous", "cumsum",       "detach",       "expand",  "expand_as", "flatten",
     "flip",      "gather",     "index_select", "masked_fill",  "max",     "min",       "narrow",
     "neg",       "ones_like",  "permute",      "repeat",       "reshape", "roll",      "select",
     "squeeze",   "stack",      "sum",          "transpose",    "tril",    "triu",      "unsqueeze",
     "view",      "view_as",    "zeros_like",   "unbind",       "split",   "sort",      "movedim",
     "new_zeros", "new_ones"});

bool compatible(const Value& value, StubType type) {
  switch (type) {
    case 'T':
      return value.may_be(kTensor);
    case 'U':
      return value.may_be(kTensor | kNone);
    case 'i':
      return value.may_be(kInt | kBool);
    case 'f':
    case 'n':
      return value.may_be(kNumber | kComplex);
    case 'b':
      return value.may_be(kBool);
    case 's':
      return value.may_be(kStr);
    case 'd':
      return value.may_be(kMeta | kStr | kNone | kInt | kOther);
    case 'S':
    case 'l':
      return value.may_be(kTuple | kList | kInt);
    default:
      return true;
  }
}

}  // namespace

Value Interpreter::stub_value(StubType type) {
  switch (type) {
    case 'T':
      return tensor();
    case 'U':
      return of_mask(kTensor | kNone);
    case 'i':
      return of_mask(kInt);
    case 'f':
      return of_mask(kFloat);
    case 'n':
      return of_mask(kNumber);
    case 'b':
      return of_mask(kBool);
    case 's':
      return of_mask(kStr);
    case 'd':
      return of_mask(kMeta);
    case 'S':
    case 'l':
      return heap_.container(kTuple, of_mask(kInt));
    case 'N':
      return of_mask(kNone);
    case 'L':
      return heap_.container(kList, tensor());
    case 'V':
      return heap_.container(kTuple, tensor());
    default:
      if (type >= '2' && type <= '9') {
        return heap_.sequence(kTuple,
                              std::vector<Value>(static_cast<std::size_t>(type - '0'), tensor()));
      }
      return of_mask(kAnything, kHint);
  }
}

// Picks the overloads that the arguments fit; `receiver` is the first argument of a method.
Value Interpreter::declared(std::string_view name, const Arguments& arguments,
                            const Value* receiver) {
  (void)receiver;
  const auto* overloads = stubs_.find(name);
  if (overloads == nullptr) {
    return kNothing;
  }
  Value result;
  for (const StubOverload& overload : *overloads) {
    std::size_t next = 0;
    bool fits = true;
    std::size_t named = 0;
    for (const StubParameter& parameter : overload.parameters) {
      if (parameter.variadic) {
        next = arguments.positional.size();
        continue;
      }
      if (!parameter.keyword_only && next < arguments.positional.size()) {
        fits = fits && compatible(arguments.positional[next], parameter.type);
        ++next;
        // `size: _size` may be spelt as separate numbers.
        if (parameter.type == 'l' && arguments.positional[next - 1].is(kNumber)) {
          while (next < arguments.positional.size() && arguments.positional[next].is(kNumber)) {
            ++next;
          }
        }
        continue;
      }
      if (const Value* value = keyword(arguments, parameter.name)) {
        fits = fits && compatible(*value, parameter.type);
        ++named;
        continue;
      }
      fits = fits && (parameter.has_default || arguments.rest || arguments.keyword_rest);
    }
    fits = fits && next >= arguments.positional.size() && named == arguments.keywords.size();
    if (fits) {
      const Value value = stub_value(overload.result);
      result = result.is_bottom() ? value : heap_.join(result, value);
    }
  }
  if (!result.is_bottom()) {
    return result;
  }
  // Spelt in a way that the stubs don't show: what all of them give.
  for (const StubOverload& overload : *overloads) {
    result = heap_.join(result, stub_value(overload.result));
  }
  return result;
}

Value Interpreter::refined_operator(std::string_view name, const Value& result,
                                    const Value& operand, const Arguments& arguments,
                                    std::size_t given) {
  if (!result.is_tensor()) {
    return result;
  }
  Value value = result;
  if (contains(kBoolOperators, name)) {
    value.dtype = DType::Bool;
  } else if (contains(kIntOperators, name)) {
    value.dtype = DType::Int;
  } else if (contains(kFloatOperators, name)) {
    value.dtype = DType::Float;
  } else if (contains(kSameDType, name)) {
    value.dtype = operand.is_tensor() ? operand.dtype : DType::Unknown;
    if (name == "sum" && value.dtype == DType::Bool) {
      value.dtype = DType::Int;
    }
  }
  if (keyword(arguments, "dtype") != nullptr) {
    value.dtype = DType::Unknown;
  }
  if (contains(kReductions, name) && given == 0 && keyword(arguments, "dim") == nullptr &&
      keyword(arguments, "axis") == nullptr) {
    value.flags = static_cast<ValueFlags>(value.flags | kOneElement);
    value.rank = 0;
  }
  return value;
}

Value Interpreter::call_tensor_method(const Value& receiver, std::string_view name,
                                      const Arguments& arguments) {
  const auto assumed = static_cast<ValueFlags>(receiver.flags & kAssumed);
  if (name == "item") {
    return of_mask(receiver.dtype == DType::Bool    ? kBool
                   : receiver.dtype == DType::Int   ? kInt
                   : receiver.dtype == DType::Float ? kFloat
                                                    : kNumber);
  }
  if (name == "tolist") {
    return of_mask(receiver.rank == 0 ? kNumber : kList | kNumber);
  }
  if (name == "numpy") {
    return of_mask(kArray);
  }
  if (name == "size") {
    return arguments.count() == 0 ? heap_.container(kTuple, of_mask(kInt)) : of_mask(kInt);
  }
  if (name == "stride") {
    return arguments.count() == 0 ? heap_.container(kTuple, of_mask(kInt)) : of_mask(kInt);
  }
  if (name == "type") {
    return arguments.count() == 0 ? of_mask(kStr) : tensor().with(assumed);
  }
  if (name == "nonzero") {
    const Value* as_tuple = keyword(arguments, "as_tuple");
    return as_tuple != nullptr && as_tuple->constant == kTrueConstant
               ? heap_.container(kTuple, tensor(DType::Int, 1))
               : tensor(DType::Int, 2);
  }
  if (name == "split" || name == "unbind" || name == "chunk" || name == "tensor_split") {
    return heap_.container(kTuple, tensor(receiver.dtype).with(assumed));
  }
  if (name == "unique") {
    return arguments.count() == 0 ? tensor(receiver.dtype) : of_mask(kTensor | kTuple);
  }
  if (name == "to" || name == "type_as") {
    return tensor().with(assumed);
  }
  const Value found = declared("Tensor." + std::string(name), arguments, &receiver);
  if (found.is_bottom()) {
    return name.ends_with('_') && !name.ends_with("__") ? tensor() : of_mask(kAnything, kHint);
  }
  const Value value =
      refined_operator(name, found, receiver, arguments, arguments.positional.size());
  return value.is_tensor() ? value.with(assumed) : value;
}

Value Interpreter::call_torch(std::string_view name,
                              const Arguments& arguments,  // NOLINT(misc-no-recursion)
                              NodeId site) {
  const Value& first = argument(arguments, 0);
  static constexpr auto kTrue =
      std::to_array<std::string_view>({"_dynamo.is_compiling", "compiler.is_compiling",
                                       "compiler.is_dynamo_compiling", "_utils.is_compiling"});
  static constexpr auto kFalse = std::to_array<std::string_view>(
      {"jit.is_scripting", "jit.is_tracing", "_C._get_tracing_state", "onnx.is_in_onnx_export",
       "compiler.is_exporting", "fx._symbolic_trace.is_fx_tracing"});
  if (contains(kTrue, name)) {
    return of_bool(true).with(kTracing);
  }
  if (contains(kFalse, name)) {
    return of_bool(false);
  }
  if (name == "is_tensor") {
    return first.is_tensor() ? of_bool(true)
                             : (first.may_be(kTensor) ? of_mask(kBool) : of_bool(false));
  }
  if (name == "utils.checkpoint.checkpoint") {
    Arguments passed = arguments;
    if (passed.positional.empty()) {
      return unknown_call(arguments);
    }
    passed.positional.erase(passed.positional.begin());
    std::erase_if(passed.keywords, [&](const auto& one) {
      return heap_.text(one.first) == "use_reentrant" ||
             heap_.text(one.first) == "preserve_rng_state";
    });
    return call(first, passed, site);
  }
  if (name == "compile" || name == "jit.script" || name == "jit.ignore" || name == "jit.unused" ||
      name == "compiler.allow_in_graph" || name == "_dynamo.allow_in_graph") {
    return first.is_bottom() ? heap_.external("graphmend.same") : first;
  }
  if (name == "compiler.disable" || name == "_dynamo.disable") {
    return first.is(kStatic) ? heap_.external_instance("torch.compiler.disabled", first)
                             : heap_.external_instance("torch.compiler.disable");
  }
  if (name == "nn.Parameter" || name == "nn.parameter.Parameter" || name == "nn.Buffer") {
    Value value = tensor(first.dtype);
    value.grad = name == "nn.Buffer" ? Grad::No : Grad::Yes;
    return value;
  }
  if (name == "where" && arguments.positional.size() == 1 && arguments.keywords.empty()) {
    return heap_.container(kTuple, tensor(DType::Int, 1));
  }
  if (name == "nonzero") {
    return call_tensor_method(first, "nonzero", arguments);
  }
  if (name == "split" || name == "unbind" || name == "chunk" || name == "meshgrid" ||
      name == "broadcast_tensors") {
    return heap_.container(kTuple, tensor(first.dtype));
  }
  if (name == "device" || name == "dtype" || name == "finfo" || name == "iinfo" ||
      name == "get_default_dtype") {
    return of_mask(kMeta);
  }
  if (name == "Size") {
    return heap_.container(kTuple, of_mask(kInt));
  }
  if (name == "Tensor" || name == "FloatTensor" || name == "LongTensor" || name == "BoolTensor") {
    return tensor(name == "LongTensor"   ? DType::Int
                  : name == "BoolTensor" ? DType::Bool
                                         : DType::Float);
  }
  if (name == "Generator" || name == "no_grad" || name == "enable_grad" ||
      name == "inference_mode" || name == "set_grad_enabled" || name == "autocast" ||
      name == "cuda.Stream" || name == "cuda.Event" || name.starts_with("amp.") ||
      name.starts_with("cuda.amp.") || name.starts_with("profiler.") ||
      name.starts_with("autograd.profiler.") || name.starts_with("nn.attention.")) {
    return heap_.external_instance("torch." + std::string(name));
  }
  if (name.starts_with("nn.functional.")) {
    const std::string_view function = name.substr(14);
    const Value found = declared("F." + std::string(function), arguments, nullptr);
    if (found.is_bottom()) {
      return tensor();
    }
    return found.is_tensor() || found.has(kHint)
               ? tensor(function == "one_hot" ? DType::Int : DType::Unknown)
               : found;
  }
  if (name.starts_with("nn.init.")) {
    return tensor();
  }
  if (name.starts_with("nn.utils.") || name.starts_with("nn.parallel.")) {
    return first.is(kInstance) ? first : unknown_call(arguments);
  }
  if (name.starts_with("nn.")) {
    return new_torch_module(name, arguments);
  }
  if (name.starts_with("linalg.") || name.starts_with("fft.") || name.starts_with("special.")) {
    static constexpr auto kPairs = std::to_array<std::string_view>(
        {"linalg.eig", "linalg.eigh", "linalg.lu", "linalg.qr", "linalg.slogdet", "linalg.svd"});
    return contains(kPairs, name) ? heap_.container(kTuple, tensor()) : tensor();
  }
  if (name.starts_with("cuda.is_") || name.starts_with("distributed.is_") ||
      name.starts_with("backends.") || name == "is_grad_enabled" ||
      name == "is_inference_mode_enabled" || name.starts_with("is_autocast")) {
    return of_mask(kBool);
  }
  if (name.starts_with("_check") || name == "manual_seed" || name.starts_with("_assert")) {
    return of_mask(kNone);
  }
  const Value found = declared("torch." + std::string(name), arguments, nullptr);
  if (found.is_bottom()) {
    return name.find('.') == std::string_view::npos ? of_mask(kAnything, kHint)
                                                    : unknown_call(arguments);
  }
  Value operand = first;
  if (operand.is(kSequence)) {
    operand = element_of(operand);
  }
  const std::size_t given = arguments.positional.empty() ? 0 : arguments.positional.size() - 1;
  Value value = refined_operator(name, found, operand, arguments, given);
  // Stubs of Python functions that are not annotated: most of torch's give tensors.
  return value.is_unknown() ? value.with(kHint) : value;
}

Value Interpreter::new_torch_module(std::string_view name, const Arguments& arguments) {
  const std::string full = "torch." + std::string(name);
  if (name == "nn.Sequential" || name == "nn.ModuleList") {
    Value held;
    std::vector<Value> parts = arguments.positional;
    if (name == "nn.ModuleList" && !parts.empty()) {
      held = element_of(parts[0]);
    } else {
      if (parts.size() == 1 && parts[0].is(kDict)) {
        parts = {element_of(parts[0])};
      }
      held = heap_.join(parts);
    }
    if (arguments.rest) {
      held = heap_.join(held, *arguments.rest);
    }
    return heap_.external_instance(
        full, held.is_bottom() ? heap_.external_instance("torch.nn.Module") : held);
  }
  if (name == "nn.ModuleDict") {
    const Value held =
        arguments.positional.empty() ? kNothing : element_of(arguments.positional[0]);
    return heap_.external_instance(
        full, held.is_bottom() ? heap_.external_instance("torch.nn.Module") : held);
  }
  if (name == "nn.ParameterList" || name == "nn.ParameterDict") {
    return heap_.external_instance(full, tensor());
  }
  return heap_.external_instance(full);
}

Value Interpreter::call_external_instance(const Value& callee,
                                          const Arguments& arguments,  // NOLINT(misc-no-recursion)
                                          NodeId site) {
  const Object& object = heap_.get(callee.object);
  if (object.kind != ObjectKind::ExternalInstance) {
    return unknown_call(arguments);
  }
  const std::string_view name = heap_.text(object.text);
  if (name == "torch.compiler.disabled") {
    // Runs outside of the graph: only what it gives matters.
    ++quiet_;
    const Value value = call(object.values[0], arguments, site);
    --quiet_;
    return value;
  }
  if (name == "torch.compiler.disable") {
    return heap_.external_instance("torch.compiler.disabled", argument(arguments, 0));
  }
  if (!name.starts_with("torch.nn.")) {
    // A context manager that decorates (`@torch.no_grad()`).
    const Value& first = argument(arguments, 0);
    return name.starts_with("torch.") && first.is(kStatic) ? first : unknown_call(arguments);
  }
  const std::string_view cls = name.substr(9);
  if (cls == "Sequential" && !object.values.empty()) {
    // Each of its modules takes what the one before gave.
    Arguments passed = arguments;
    Value value = call(object.values[0], passed, site);
    if (object.values[0].object && heap_.kind(object.values[0].object) == ObjectKind::Union) {
      passed.positional.assign(1, value);
      value = call(object.values[0], passed, site);
    }
    return value;
  }
  if (cls == "Module") {
    return unknown_call(arguments);
  }
  if (cls == "LSTM" || cls == "GRU" || cls == "RNN") {
    const Value state = cls == "LSTM" ? heap_.sequence(kTuple, {tensor(), tensor()}) : tensor();
    return heap_.sequence(kTuple, {tensor(), state});
  }
  if (cls == "MultiheadAttention") {
    return heap_.sequence(kTuple, {tensor(), of_mask(kTensor | kNone)});
  }
  if (cls == "LSTMCell") {
    return heap_.sequence(kTuple, {tensor(), tensor()});
  }
  const Value found = declared("nn." + std::string(cls), arguments, nullptr);
  return found.is_bottom() || found.has(kHint) ? tensor() : found;
}

}  // namespace graphmend::types
