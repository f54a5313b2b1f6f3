// Calls of builtins, of the standard library, and of methods of builtin types.
#include "types/interpreter.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::types {
namespace {

// Result masks of builtins and library functions that are plain.
struct Row {
  std::string_view name;
  ValueMask mask;
};
constexpr auto kPlainBuiltins = std::to_array<Row>({
    {"all", kBool},        {"any", kBool},     {"bin", kStr},       {"bool", kBool},
    {"bytearray", kBytes}, {"bytes", kBytes},  {"callable", kBool}, {"chr", kStr},
    {"complex", kComplex}, {"delattr", kNone}, {"exec", kNone},     {"float", kFloat},
    {"format", kStr},      {"globals", kDict}, {"hash", kInt},      {"hasattr", kBool},
    {"hex", kStr},         {"id", kInt},       {"input", kStr},     {"int", kInt},
    {"issubclass", kBool}, {"len", kInt},      {"locals", kDict},   {"object", kOther},
    {"oct", kStr},         {"ord", kInt},      {"print", kNone},    {"repr", kStr},
    {"setattr", kNone},    {"slice", kSlice},  {"str", kStr},       {"vars", kDict},
});
constexpr auto kStrMethods = std::to_array<Row>({
    {"count", kInt},    {"decode", kStr}, {"encode", kBytes}, {"endswith", kBool},
    {"find", kInt},     {"format", kStr}, {"index", kInt},    {"isalpha", kBool},
    {"isdigit", kBool}, {"join", kStr},   {"lower", kStr},    {"lstrip", kStr},
    {"replace", kStr},  {"rfind", kInt},  {"rstrip", kStr},   {"startswith", kBool},
    {"strip", kStr},    {"title", kStr},  {"upper", kStr},
});

template <std::size_t kSize>
const Row* find_row(const std::array<Row, kSize>& rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

Value Interpreter::call_external(std::string_view dotted,
                                 const Arguments& arguments,  // NOLINT(misc-no-recursion)
                                 NodeId site) {
  constexpr std::string_view kBuiltins = "builtins.";
  constexpr std::string_view kTorch = "torch.";
  if (dotted.starts_with(kBuiltins)) {
    return call_builtin(dotted.substr(kBuiltins.size()), arguments, site);
  }
  if (dotted.starts_with(kTorch)) {
    return call_torch(dotted.substr(kTorch.size()), arguments, site);
  }
  return call_library(dotted, arguments, site);
}

Value Interpreter::call_builtin(std::string_view name,
                                const Arguments& arguments,  // NOLINT(misc-no-recursion)
                                NodeId site) {
  const Value& first = argument(arguments, 0);
  const Value& second = argument(arguments, 1);
  if (const Row* row = find_row(kPlainBuiltins, name)) {
    if (name == "len") {
      if (const auto parts = heap_.elements(first)) {
        return heap_.integer(static_cast<std::int64_t>(parts->size()));
      }
    }
    if (name == "bool") {
      const Truth truth = heap_.truth(first);
      return truth == Truth::Unknown ? of_mask(kBool) : of_bool(truth == Truth::True);
    }
    if (name == "hasattr" && first.is_tensor()) {
      return of_mask(kBool);
    }
    return of_mask(row->mask);
  }
  if (name == "isinstance") {
    if (arguments.positional.size() == 2) {
      const Truth truth = is_instance(first, second);
      return truth == Truth::Unknown ? of_mask(kBool) : of_bool(truth == Truth::True);
    }
    return of_mask(kBool);
  }
  if (name == "range") {
    return heap_.container(kIterator, of_mask(kInt));
  }
  if (name == "abs" || name == "round" || name == "pow" || name == "divmod") {
    Value result = first.without_constant();
    result.object = {};
    return name == "divmod" ? heap_.container(kTuple, result) : result;
  }
  if (name == "max" || name == "min" || name == "sum") {
    Value result;
    if (arguments.positional.size() == 1 || name == "sum") {
      result = element_of(first);
      if (name == "sum" && arguments.positional.size() > 1) {
        result = heap_.join(result, second);
      }
    } else {
      bool any = false;
      for (const Value& value : arguments.positional) {
        any = any || value.is_tensor();
        result = heap_.join(result, value);
      }
      if (any) {
        return tensor();
      }
    }
    if (const Value* by_default = keyword(arguments, "default")) {
      result = heap_.join(result, *by_default);
    }
    return result.is_bottom() ? of_mask(kInt) : result.without_constant();
  }
  if (name == "getattr") {
    const auto text = heap_.text_of(second.constant);
    Value result = text ? attribute(first, *text)
                        : of_mask(kAnything, static_cast<ValueFlags>(first.flags & kHint));
    if (arguments.positional.size() > 2) {
      result = heap_.join(result, arguments.positional[2].without_constant());
    }
    return result;
  }
  if (name == "super") {
    ObjectView object;
    object.kind = ObjectKind::Super;
    const NodeId cls = here().module != nullptr && here().function
                           ? here().module->class_of(here().function)
                           : NodeId();
    Value self = here().self;
    if (arguments.positional.size() == 2) {
      object.a = first.object.value;
      self = second;
    } else if (cls) {
      object.a = class_object(*here().module, cls).object.value;
    }
    if (object.a == 0 || heap_.kind(ObjectId(object.a)) != ObjectKind::Class) {
      return kUnknown;
    }
    object.values = {&self, 1};
    return of_object(kInstance, heap_.intern(object));
  }
  if (name == "type") {
    const Object& object = heap_.get(first.object);
    return object.kind == ObjectKind::Instance && first.is(kInstance)
               ? of_object(kStatic, ObjectId(object.a))
               : of_mask(kStatic);
  }
  if (name == "zip" || name == "enumerate" || name == "map") {
    std::vector<Value> parts;
    if (name == "enumerate") {
      parts.push_back(of_mask(kInt));
    }
    if (name == "map") {
      Arguments passed;
      for (std::size_t i = 1; i < arguments.positional.size(); ++i) {
        passed.positional.push_back(element_of(arguments.positional[i]));
      }
      return heap_.container(kIterator, call(first, passed, site));
    }
    for (const Value& value : arguments.positional) {
      const Value element = element_of(value);
      if (element.is_bottom()) {
        return heap_.container(kIterator, kNothing);
      }
      parts.push_back(element);
      if (name == "enumerate") {
        break;
      }
    }
    if (arguments.rest) {
      return heap_.container(kIterator, heap_.container(kTuple, element_of(*arguments.rest)));
    }
    return heap_.container(kIterator, heap_.sequence(kTuple, std::move(parts)));
  }
  if (name == "list" || name == "tuple" || name == "set" || name == "frozenset" ||
      name == "sorted" || name == "reversed" || name == "iter" || name == "filter") {
    const ValueMask mask = name == "tuple"                        ? kTuple
                           : name == "list" || name == "sorted"   ? kList
                           : name == "set" || name == "frozenset" ? kSet
                                                                  : kIterator;
    if (arguments.positional.empty()) {
      return mask == kSet ? heap_.container(kSet, kNothing) : heap_.sequence(mask, {});
    }
    if (const auto parts = heap_.elements(first);
        parts && (name == "list" || name == "tuple" || name == "iter")) {
      return heap_.sequence(mask, std::vector<Value>(parts->begin(), parts->end()));
    }
    return heap_.container(mask, element_of(name == "filter" ? second : first));
  }
  if (name == "dict") {
    if (arguments.positional.empty() && !arguments.keyword_rest) {
      std::vector<TextId> keys;
      std::vector<Value> values;
      for (const auto& [key, value] : arguments.keywords) {
        keys.push_back(key);
        values.push_back(value);
      }
      return heap_.record(std::move(keys), std::move(values), false);
    }
    return first.is(kDict) && arguments.keywords.empty() ? first : of_mask(kDict);
  }
  if (name == "next") {
    Value result = element_of(first);
    if (arguments.positional.size() > 1) {
      result = heap_.join(result, second);
    }
    return result.is_bottom() ? kUnknown : result;
  }
  if (name == "open") {
    return heap_.external_instance("io.IOBase");
  }
  if (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning") ||
      name == "StopIteration") {
    return of_mask(kInstance);
  }
  return name == "dir" ? heap_.container(kList, of_mask(kStr)) : unknown_call(arguments);
}

Value Interpreter::call_library(std::string_view dotted,
                                const Arguments& arguments,  // NOLINT(misc-no-recursion)
                                NodeId site) {
  const Value& first = argument(arguments, 0);
  if (dotted == "logging.getLogger" || dotted == "logging.LoggerAdapter") {
    return heap_.external_instance("logging.Logger");
  }
  if (dotted.starts_with("math.")) {
    const std::string_view name = dotted.substr(5);
    if (name == "prod") {
      return element_of(first).without_constant();
    }
    if (name == "ceil" || name == "floor" || name == "gcd" || name == "lcm" || name == "isqrt" ||
        name == "comb" || name == "factorial" || name == "trunc") {
      return of_mask(kInt);
    }
    return of_mask(name.starts_with("is") ? kBool : kFloat);
  }
  if (dotted == "functools.partial") {
    Object object;
    object.kind = ObjectKind::Partial;
    if (arguments.positional.empty() || arguments.rest || arguments.keyword_rest) {
      return kUnknown;
    }
    for (const Value& value : arguments.positional) {
      object.values.push_back(normalised(value, 1));
    }
    for (const auto& [key, value] : arguments.keywords) {
      object.texts.push_back(key);
      object.values.push_back(normalised(value, 1));
    }
    return of_object(kStatic, heap_.intern(std::move(object)));
  }
  if (dotted == "functools.wraps" || dotted == "functools.lru_cache" ||
      dotted == "functools.update_wrapper" || dotted == "contextlib.contextmanager") {
    // What is decorated stays what it is.
    return heap_.external("graphmend.same");
  }
  if (dotted == "graphmend.same" || dotted == "functools.cache" ||
      dotted == "dataclasses.dataclass") {
    return first.is_bottom() ? heap_.external("graphmend.same") : first;
  }
  if (dotted == "copy.copy" || dotted == "copy.deepcopy" || dotted == "typing.cast") {
    return dotted == "typing.cast" ? instance_of_class(first) : first;
  }
  if (dotted == "functools.reduce") {
    Arguments passed;
    const Value element = element_of(argument(arguments, 1));
    passed.positional = {element, element};
    return heap_.join(element, call(first, passed, site));
  }
  if (dotted.starts_with("random.")) {
    const std::string_view name = dotted.substr(7);
    if (name == "randint" || name == "randrange" || name == "getrandbits") {
      return of_mask(kInt);
    }
    return name == "choice" ? element_of(first) : of_mask(kFloat);
  }
  if (dotted.starts_with("time.")) {
    return of_mask(dotted.ends_with("_ns") ? kInt : kFloat);
  }
  if (dotted.starts_with("numpy.")) {
    const std::string_view name = dotted.substr(6);
    if (name == "prod" || name == "sqrt" || name == "log" || name == "log2" || name == "ceil" ||
        name == "floor" || name == "random.rand" || name == "random.uniform") {
      return of_mask(kArray | kNumber);
    }
    return of_mask(kArray);
  }
  if (dotted.starts_with("itertools.")) {
    const std::string_view name = dotted.substr(10);
    if (name == "chain" || name == "islice" || name == "cycle" || name == "accumulate") {
      Value element;
      for (const Value& value : arguments.positional) {
        element = heap_.join(element, element_of(value));
        if (name != "chain") {
          break;
        }
      }
      return heap_.container(kIterator, element);
    }
    if (name == "count") {
      return heap_.container(kIterator, of_mask(kInt));
    }
    return heap_.container(kIterator, kUnknown);
  }
  if (dotted == "collections.OrderedDict" || dotted == "collections.defaultdict") {
    return of_mask(kDict);
  }
  if (dotted == "collections.deque") {
    return heap_.container(kList, first.is_bottom() ? kUnknown : element_of(first));
  }
  if (dotted == "collections.namedtuple" || dotted == "typing.NamedTuple") {
    return of_mask(kStatic);
  }
  if (dotted.starts_with("os.") || dotted.starts_with("json.") || dotted.starts_with("sys.") ||
      dotted.starts_with("platform.") || dotted.starts_with("inspect.") ||
      dotted.starts_with("importlib.") || dotted.starts_with("re.") ||
      dotted.starts_with("uuid.") || dotted.starts_with("datetime.") ||
      dotted.starts_with("pathlib.")) {
    return of_mask(kHost);
  }
  if (dotted.starts_with("contextlib.") || dotted.starts_with("threading.")) {
    return heap_.external_instance(dotted);
  }
  if (dotted == "warnings.warn") {
    return of_mask(kNone);
  }
  if (dotted.starts_with("warnings.")) {
    return heap_.external_instance(dotted);
  }
  if (dotted.starts_with("operator.")) {
    return unknown_call(arguments);
  }
  return unknown_call(arguments);
}

Value Interpreter::call_method(const Value& receiver,
                               std::string_view name,  // NOLINT(misc-no-recursion)
                               const Arguments& arguments, NodeId site) {
  if (receiver.is(kTensor | kNone) && receiver.may_be(kTensor)) {
    return call_tensor_method(receiver, name, arguments);
  }
  return call_host_method(receiver, name, arguments, site);
}

Value Interpreter::call_host_method(const Value& receiver,
                                    std::string_view name,  // NOLINT(misc-no-recursion)
                                    const Arguments& arguments, NodeId site) {
  const Value& first = argument(arguments, 0);
  if (receiver.is(kStr | kBytes)) {
    if (const Row* row = find_row(kStrMethods, name)) {
      return of_mask(row->mask);
    }
    if (name.ends_with("split") || name == "splitlines") {
      return heap_.container(kList, of_mask(kStr));
    }
    return of_mask(kHost);
  }
  if (receiver.is(kDict | kList | kTuple | kSet | kIterator | kNone)) {
    const Object& object = heap_.get(receiver.object);
    if (name == "get" || name == "pop" || name == "setdefault") {
      Value missing = of_mask(kNone);
      if (arguments.positional.size() > 1) {
        missing = arguments.positional[1];
      } else if (const Value* by_default = keyword(arguments, "default")) {
        missing = *by_default;
      }
      if (receiver.is(kList | kNone)) {
        return element_of(receiver);
      }
      if (object.kind == ObjectKind::Record) {
        if (const auto key = heap_.text_of(first.constant)) {
          const auto found = std::find(object.texts.begin(), object.texts.end(), heap_.text(*key));
          if (found != object.texts.end()) {
            return object.values[static_cast<std::size_t>(found - object.texts.begin())];
          }
          return object.open ? heap_.join(kUnknown, missing) : missing;
        }
      }
      return heap_.join(element_of(receiver), missing);
    }
    if (name == "items") {
      return heap_.container(kIterator, heap_.sequence(kTuple, {kUnknown, element_of(receiver)}));
    }
    if (name == "values") {
      return heap_.container(kIterator, element_of(receiver));
    }
    if (name == "keys") {
      return heap_.container(kIterator, of_mask(kHost));
    }
    if (name == "copy") {
      return receiver;
    }
    if (name == "index" || name == "count" || name == "numel") {
      return of_mask(kInt);
    }
    if (name == "popleft" || name == "popitem") {
      return element_of(receiver);
    }
    return of_mask(kNone);
  }
  const std::string_view cls = heap_.instance_name(receiver);
  const bool torch_module = cls.starts_with("torch.nn.") ||
                            (heap_.kind(receiver.object) == ObjectKind::Instance &&
                             class_info(ObjectId(heap_.get(receiver.object).a)).is_torch_module);
  if (torch_module) {
    if (name == "parameters" || name == "buffers") {
      return heap_.container(kIterator, tensor());
    }
    if (name == "named_parameters" || name == "named_buffers") {
      return heap_.container(kIterator, heap_.sequence(kTuple, {of_mask(kStr), tensor()}));
    }
    if (name == "register_buffer" || name == "register_parameter" || name == "add_module" ||
        name == "register_module") {
      const auto text = heap_.text_of(first.constant);
      const Value* value =
          arguments.positional.size() > 1 ? &arguments.positional[1] : keyword(arguments, "tensor");
      if (text && value != nullptr && constructing_.contains(receiver.object.value)) {
        Value& place = state_of(receiver.object).at(heap_.text(*text));
        place = heap_.join(place, *value);
      }
      return of_mask(kNone);
    }
    if (name == "values") {
      return heap_.container(kIterator, element_of(receiver));
    }
    if (name == "items") {
      return heap_.container(kIterator,
                             heap_.sequence(kTuple, {of_mask(kStr), element_of(receiver)}));
    }
    if (name == "keys") {
      return heap_.container(kIterator, of_mask(kStr));
    }
    if (name == "modules" || name == "children") {
      return heap_.container(kIterator, heap_.external_instance("torch.nn.Module"));
    }
    if (name == "to" || name == "eval" || name == "train" || name == "cuda" || name == "cpu") {
      return of_object(kInstance, receiver.object);
    }
    if (name == "forward" || name == "__call__") {
      return call_external_instance(receiver, arguments, site);
    }
    return cls == "torch.nn.Module" ? unknown_call(arguments) : kUnknown;
  }
  if (cls.starts_with("logging.")) {
    return name.starts_with("is") ? of_mask(kBool) : of_mask(kNone);
  }
  if (cls == "io.IOBase") {
    return name == "write" ? of_mask(kInt) : of_mask(kStr | kBytes | kNone);
  }
  if (receiver.is(kArray)) {
    return name == "item" || name == "tolist" ? of_mask(kHost) : of_mask(kArray | kNumber);
  }
  if (receiver.is(kMeta | kNumber | kArray)) {
    return of_mask(kHost);
  }
  // Nothing is known of the receiver. A method that only tensors have speaks for a tensor.
  static constexpr auto kAmbiguous = std::to_array<std::string_view>(
      {"add",  "all",    "any",  "copy_", "count", "dim",  "get",   "index", "item",  "items",
       "keys", "max",    "mean", "min",   "pop",   "size", "sort",  "split", "sum",   "to",
       "type", "values", "view", "numpy", "train", "eval", "apply", "clear", "format"});
  const bool ambiguous = std::find(kAmbiguous.begin(), kAmbiguous.end(), name) != kAmbiguous.end();
  if (receiver.has(kHint) || !ambiguous) {
    if (stubs_.find("Tensor." + std::string(name)) != nullptr) {
      const Value result = call_tensor_method(tensor(), name, arguments);
      return result.is_tensor() ? result.with(kAssumed) : result;
    }
  }
  if (name == "item" || name == "dim" || name == "numel") {
    return of_mask(kNumber);
  }
  if (name == "size") {
    return arguments.count() == 0 ? heap_.container(kTuple, of_mask(kInt)) : of_mask(kInt);
  }
  if (name == "any" || name == "all" || name == "sum" || name == "max" || name == "min" ||
      name == "mean" || name == "view" || name == "to") {
    return of_mask(kAnything, kHint);
  }
  return unknown_call(arguments);
}

}  // namespace graphmend::types
