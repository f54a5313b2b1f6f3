#include "types/callables.h"

#include <algorithm>
#include <array>
#include <span>

namespace graphmend::types {
namespace {

// One row a name, sorted by name (checked at compile time). Columns: pure, total, cheap,
// gradient_safe.
constexpr auto kTensorCallables = std::to_array<CallableFacts>({
    {"abs", true, true, true, false},
    {"add", true, true, true, true},
    {"all", true, true, true, true},
    {"allclose", true, false, true, true},
    {"amax", true, true, true, false},
    {"amin", true, true, true, false},
    {"any", true, true, true, true},
    {"arange", true, false, true, true},
    {"argmax", true, true, true, true},
    {"argmin", true, true, true, true},
    {"bfloat16", true, true, true, true},
    {"bool", true, true, true, true},
    {"broadcast_to", true, true, true, true},
    {"cat", true, true, true, true},
    {"ceil", true, true, true, true},
    {"chunk", true, true, true, true},
    {"clamp", true, true, true, true},
    {"clamp_max", true, true, true, true},
    {"clamp_min", true, true, true, true},
    {"clip", true, true, true, true},
    {"clone", true, true, true, true},
    {"concat", true, true, true, true},
    {"contiguous", true, true, true, true},
    {"cos", true, true, true, false},
    {"count_nonzero", true, true, true, true},
    {"cumsum", true, true, true, true},
    {"detach", true, true, true, true},
    {"device", true, true, true, true},
    {"diff", true, true, true, true},
    {"dim", true, true, true, true},
    {"div", true, true, true, false},
    {"double", true, true, true, true},
    {"element_size", true, true, true, true},
    {"empty_like", true, true, true, true},
    {"eq", true, true, true, true},
    {"equal", true, false, true, true},
    {"erf", true, true, true, false},
    {"exp", true, true, true, false},
    {"expand", true, true, true, true},
    {"expm1", true, true, true, false},
    {"eye", true, false, true, true},
    {"finfo", true, true, true, true},
    {"flatten", true, true, true, true},
    {"flip", true, true, true, true},
    {"float", true, true, true, true},
    {"floor", true, true, true, true},
    {"full", true, false, true, true},
    {"full_like", true, true, true, true},
    {"ge", true, true, true, true},
    {"gt", true, true, true, true},
    {"half", true, true, true, true},
    {"iinfo", true, true, true, true},
    {"int", true, true, true, true},
    {"is_complex", true, true, true, true},
    {"is_contiguous", true, true, true, true},
    {"is_floating_point", true, true, true, true},
    {"is_tensor", true, true, true, true},
    {"isclose", true, true, true, true},
    {"isfinite", true, true, true, true},
    {"isinf", true, true, true, true},
    {"isnan", true, true, true, true},
    {"isneginf", true, true, true, true},
    {"isposinf", true, true, true, true},
    {"isreal", true, true, true, true},
    {"le", true, true, true, true},
    {"linspace", true, false, true, true},
    {"log", true, true, true, false},
    {"log10", true, true, true, false},
    {"log1p", true, true, true, false},
    {"log2", true, true, true, false},
    {"logical_and", true, true, true, true},
    {"logical_not", true, true, true, true},
    {"logical_or", true, true, true, true},
    {"logical_xor", true, true, true, true},
    {"logspace", true, false, true, true},
    {"long", true, true, true, true},
    {"lt", true, true, true, true},
    {"masked_fill", true, true, true, true},
    {"max", true, true, true, false},
    {"maximum", true, true, true, false},
    {"mean", true, true, true, false},
    {"min", true, true, true, false},
    {"minimum", true, true, true, false},
    {"mul", true, true, true, false},
    {"nan_to_num", true, true, true, false},
    {"ndimension", true, true, true, true},
    {"ne", true, true, true, true},
    {"neg", true, true, true, true},
    {"new_empty", true, true, true, true},
    {"new_full", true, false, true, true},
    {"new_ones", true, true, true, true},
    {"new_tensor", true, false, true, true},
    {"new_zeros", true, true, true, true},
    {"norm", true, true, true, false},
    {"numel", true, true, true, true},
    {"ones", true, true, true, true},
    {"ones_like", true, true, true, true},
    {"outer", true, true, true, false},
    {"permute", true, true, true, true},
    {"pow", true, false, true, false},
    {"prod", true, true, true, false},
    {"reciprocal", true, true, true, false},
    {"relu", true, true, true, true},
    {"reshape", true, true, true, true},
    {"round", true, true, true, true},
    {"rsqrt", true, true, true, false},
    {"sigmoid", true, true, true, false},
    {"sign", true, true, true, true},
    {"sin", true, true, true, false},
    {"size", true, true, true, true},
    {"sqrt", true, true, true, false},
    {"square", true, true, true, false},
    {"squeeze", true, true, true, true},
    {"stack", true, true, true, true},
    {"std", true, true, true, false},
    {"sub", true, true, true, true},
    {"sum", true, true, true, true},
    {"t", true, true, true, true},
    {"tanh", true, true, true, false},
    {"tensor", true, false, true, true},
    {"to", true, true, true, true},
    {"transpose", true, true, true, true},
    {"tril", true, true, true, true},
    {"triu", true, true, true, true},
    {"type_as", true, true, true, true},
    {"unsqueeze", true, true, true, true},
    {"var", true, true, true, false},
    {"view", true, true, true, true},
    {"view_as", true, true, true, true},
    {"where", true, true, true, true},
    {"zeros", true, true, true, true},
    {"zeros_like", true, true, true, true},
});

constexpr auto kPureBuiltins = std::to_array<std::string_view>({
    "abs",        "all",     "any",    "bool",      "bytes", "callable", "chr",
    "complex",    "dict",    "divmod", "enumerate", "float", "format",   "frozenset",
    "getattr",    "hasattr", "hash",   "hex",       "id",    "int",      "isinstance",
    "issubclass", "len",     "list",   "max",       "min",   "oct",      "ord",
    "pow",        "range",   "repr",   "reversed",  "round", "set",      "slice",
    "sorted",     "str",     "sum",    "tuple",     "type",  "zip",
});

constexpr auto kPureMethods = std::to_array<std::string_view>({
    "bit_length", "capitalize", "casefold", "copy",  "count",      "decode",     "encode",
    "endswith",   "find",       "format",   "get",   "index",      "is_integer", "isdigit",
    "items",      "join",       "keys",     "lower", "lstrip",     "partition",  "replace",
    "rfind",      "rsplit",     "rstrip",   "split", "splitlines", "startswith", "strip",
    "title",      "upper",      "values",   "zfill",
});

constexpr auto kPureModules = std::to_array<std::string_view>({"cmath", "math", "operator"});

constexpr bool by_name(const CallableFacts& left, const CallableFacts& right) {
  return left.name < right.name;
}

static_assert(std::is_sorted(kTensorCallables.begin(), kTensorCallables.end(), by_name));
static_assert(std::is_sorted(kPureBuiltins.begin(), kPureBuiltins.end()));
static_assert(std::is_sorted(kPureMethods.begin(), kPureMethods.end()));
static_assert(std::is_sorted(kPureModules.begin(), kPureModules.end()));

bool contains(std::span<const std::string_view> sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

constexpr auto kHostReads = std::to_array<std::string_view>({"cpu", "item", "numpy", "tolist"});

constexpr auto kCreations = std::to_array<std::string_view>({
    "arange",
    "cat",
    "concat",
    "device",
    "eye",
    "finfo",
    "full",
    "iinfo",
    "is_tensor",
    "linspace",
    "logspace",
    "ones",
    "stack",
    "tensor",
    "zeros",
});

static_assert(std::is_sorted(kCreations.begin(), kCreations.end()));
static_assert(std::is_sorted(kHostReads.begin(), kHostReads.end()));

}  // namespace

const CallableFacts* find_tensor_callable(std::string_view name) {
  const CallableFacts key{.name = name};
  const auto* found =
      std::lower_bound(kTensorCallables.begin(), kTensorCallables.end(), key, by_name);
  return found != kTensorCallables.end() && found->name == name ? found : nullptr;
}

bool is_creation(std::string_view name) {
  return contains(kCreations, name);
}

bool is_pure_builtin(std::string_view name) {
  return contains(kPureBuiltins, name);
}

bool is_pure_method(std::string_view name) {
  return contains(kPureMethods, name);
}

bool is_host_read(std::string_view name) {
  return contains(kHostReads, name);
}

bool is_pure_module(std::string_view name) {
  return contains(kPureModules, name);
}

}  // namespace graphmend::types
