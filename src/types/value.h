// What is known of a value without running the program: what it may be, and the details that
// decide whether Dynamo can trace what is done with it.
#ifndef GRAPHMEND_TYPES_VALUE_H_
#define GRAPHMEND_TYPES_VALUE_H_

#include "base/ids.h"

#include <cstdint>

namespace graphmend::types {

struct ObjectTag;
using ObjectId = base::Id<ObjectTag>;
struct ConstantTag;
using ConstantId = base::Id<ConstantTag>;

// What a value may be: one bit a class of Python values.
using ValueMask = std::uint32_t;
inline constexpr ValueMask kNone = 1U << 0;
inline constexpr ValueMask kBool = 1U << 1;
inline constexpr ValueMask kInt = 1U << 2;
inline constexpr ValueMask kFloat = 1U << 3;
inline constexpr ValueMask kComplex = 1U << 4;
inline constexpr ValueMask kStr = 1U << 5;
inline constexpr ValueMask kBytes = 1U << 6;
inline constexpr ValueMask kTuple = 1U << 7;
inline constexpr ValueMask kList = 1U << 8;
inline constexpr ValueMask kDict = 1U << 9;
inline constexpr ValueMask kSet = 1U << 10;
inline constexpr ValueMask kSlice = 1U << 11;
inline constexpr ValueMask kIterator = 1U << 12;
inline constexpr ValueMask kStatic = 1U << 13;    // a module, class or function
inline constexpr ValueMask kInstance = 1U << 14;  // an object of a class
inline constexpr ValueMask kMeta = 1U << 15;      // torch.dtype, torch.device, layout, finfo
inline constexpr ValueMask kArray = 1U << 16;     // a numpy array
inline constexpr ValueMask kOther = 1U << 17;     // any other Python value
inline constexpr ValueMask kTensor = 1U << 18;
inline constexpr ValueMask kAnything = (1U << 19) - 1;
inline constexpr ValueMask kHost = kAnything & ~kTensor;  // some Python value, no tensor
inline constexpr ValueMask kNumber = kBool | kInt | kFloat;
inline constexpr ValueMask kSequence = kTuple | kList;

enum class DType : std::uint8_t { Unknown, Bool, Int, Float, Complex };
// Whether a tensor requires a gradient.
enum class Grad : std::uint8_t { Unknown, No, Yes };

using ValueFlags = std::uint8_t;
// Rests on what programs of this kind mean, not on what the text says (the first argument of
// `forward` is a tensor).
inline constexpr ValueFlags kAssumed = 1;
// Not known to be a tensor, but it came out of work on tensors.
inline constexpr ValueFlags kHint = 2;
// A tensor of exactly one element.
inline constexpr ValueFlags kOneElement = 4;
// Comes from a question whether the code is being traced; a function that answers it may have other
// answers for machines where nothing is.
inline constexpr ValueFlags kTracing = 8;

inline constexpr ConstantId kNoConstant{0};
inline constexpr ConstantId kTrueConstant{1};
inline constexpr ConstantId kFalseConstant{2};

// A set of values, described. The empty mask stands for no value at all: code that is never
// reached, a name that is not bound.
struct Value {
  ValueMask mask = 0;
  ObjectId object;      // details of a container, class, function or instance
  ConstantId constant;  // the one value that it is
  DType dtype = DType::Unknown;
  std::int8_t rank = -1;  // of a tensor; -1 when not known
  ValueFlags flags = 0;
  Grad grad = Grad::Unknown;

  [[nodiscard]] bool is_bottom() const { return mask == 0; }
  [[nodiscard]] bool is(ValueMask bits) const { return mask != 0 && (mask & ~bits) == 0; }
  [[nodiscard]] bool may_be(ValueMask bits) const { return (mask & bits) != 0; }
  [[nodiscard]] bool is_tensor() const { return mask == kTensor; }
  [[nodiscard]] bool is_unknown() const { return mask == kAnything; }
  [[nodiscard]] bool has(ValueFlags flag) const { return (flags & flag) != 0; }
  [[nodiscard]] Value with(ValueFlags flag) const {
    Value copy = *this;
    copy.flags = static_cast<ValueFlags>(copy.flags | flag);
    return copy;
  }
  [[nodiscard]] Value without_constant() const {
    Value copy = *this;
    copy.constant = {};
    return copy;
  }
  // The same value, known to be among `bits`; empty when it can't be.
  [[nodiscard]] Value narrowed(ValueMask bits) const {
    Value copy = *this;
    copy.mask &= bits;
    return copy;
  }
  friend bool operator==(const Value&, const Value&) = default;
};
static_assert(sizeof(Value) == 16);

[[nodiscard]] constexpr Value of_mask(ValueMask mask, ValueFlags flags = 0) {
  Value value;
  value.mask = mask;
  value.flags = flags;
  return value;
}
inline constexpr Value kUnknown = of_mask(kAnything);
inline constexpr Value kNothing = of_mask(0);

[[nodiscard]] constexpr Value tensor(DType dtype = DType::Unknown, int rank = -1) {
  Value value = of_mask(kTensor);
  value.dtype = dtype;
  value.rank = static_cast<std::int8_t>(rank);
  if (rank == 0) {
    value.flags = kOneElement;
  }
  return value;
}
[[nodiscard]] constexpr Value of_bool(bool value) {
  Value result = of_mask(kBool);
  result.constant = value ? kTrueConstant : kFalseConstant;
  return result;
}
[[nodiscard]] constexpr Value of_object(ValueMask mask, ObjectId object) {
  Value result = of_mask(mask);
  result.object = object;
  return result;
}

// Whether a test of the value holds.
enum class Truth : std::uint8_t { Unknown, True, False };

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_VALUE_H_
