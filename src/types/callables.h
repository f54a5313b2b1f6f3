// What is known of builtins and of torch's operators by their names.
#ifndef GRAPHMEND_TYPES_CALLABLES_H_
#define GRAPHMEND_TYPES_CALLABLES_H_

#include <cstdint>
#include <string_view>

namespace graphmend::types {

// What is known of a callable by the name of its last component, wherever a call on a value or on
// the `torch` namespace uses that name. A name that is not listed has no facts: a call to it may do
// anything.
//
// Source of the facts: the operator documentation of PyTorch 2.13 and the derivative formulas in
// its `derivatives.yaml` (for `gradient_safe`).
struct CallableFacts {
  std::string_view name;
  // Writes nothing, draws no random number, does no input or output.
  bool pure = false;
  // Raises for no value of its tensor operands. Errors that depend on metadata alone (dtype, shape)
  // are raised while tracing, before anything has run.
  bool total = false;
  // Elementwise, a reduction, or metadata: worth running even where its value is thrown away.
  bool cheap = false;
  // Its gradient is finite zero wherever the incoming gradient is zero, also at NaN and infinite
  // operands.
  bool gradient_safe = false;
};

// Facts of the operator or tensor method `name` (`any`, `clamp`, `isinf`); nullptr when nothing is
// known.
[[nodiscard]] const CallableFacts* find_tensor_callable(std::string_view name);

// True for an operator of the torch namespace that makes a value without a tensor operand (`zeros`,
// `finfo`).
[[nodiscard]] bool is_creation(std::string_view name);

// True for a builtin function that neither writes nor prints, given plain Python values (`len`,
// `hasattr`, `int`).
[[nodiscard]] bool is_pure_builtin(std::string_view name);

// True for a method of the builtin containers, strings and numbers that only reads (`get`, `items`,
// `split`).
[[nodiscard]] bool is_pure_method(std::string_view name);

// True for a tensor method that brings values to the host and changes nothing (`item`, `tolist`).
[[nodiscard]] bool is_host_read(std::string_view name);

// True for a standard module all of whose functions are pure (`math`, `operator`, `cmath`).
[[nodiscard]] bool is_pure_module(std::string_view name);

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_CALLABLES_H_
