#include "types/heap.h"

#include <algorithm>
#include <array>
#include <utility>

#include <xxhash.h>

namespace graphmend::types {
namespace {

// Longer sequences are described by the join of their elements.
constexpr std::size_t kMaxElements = 16;
constexpr std::size_t kMaxAlternatives = 6;
// The constant of -1, the one number that is no key of the map.
constexpr std::uint32_t kMinusOne = 3;
constexpr ValueMask kObjectBits = kTuple | kList | kDict | kSet | kIterator | kStatic | kInstance;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash ^= word + 0x9e37'79b9'7f4a'7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51'afd7'ed55'8ccd;
}

std::uint64_t hash_of(const ObjectView& object) {
  std::uint64_t hash = static_cast<std::uint64_t>(object.kind) << 1 | (object.open ? 1U : 0U);
  hash = mix(hash, std::uint64_t{object.a} << 32 | object.b);
  hash = mix(hash, object.text.value);
  for (const TextId text : object.texts) {
    hash = mix(hash, text.value);
  }
  for (const Value& value : object.values) {
    hash = mix(hash, std::uint64_t{value.mask} << 32 | value.object.value);
    hash = mix(hash, std::uint64_t{value.constant.value} << 32 |
                         static_cast<std::uint64_t>(value.dtype) << 24 |
                         std::uint64_t{static_cast<std::uint8_t>(value.rank)} << 16 |
                         std::uint64_t{value.flags} << 8 | static_cast<std::uint64_t>(value.grad));
  }
  return hash;
}

ObjectView view_of(const Object& object) {
  return {object.kind, object.open, object.a, object.b, object.text, object.texts, object.values};
}

// By bit of a mask.
constexpr std::array<std::string_view, 19> kNames = {
    "None",     "bool",  "int",     "float", "complex", "str",      "bytes",
    "tuple",    "list",  "dict",    "set",   "slice",   "iterator", "callable",
    "instance", "dtype", "ndarray", "other", "Tensor"};

bool is_container(ObjectKind kind) {
  return kind == ObjectKind::Sequence || kind == ObjectKind::Elements || kind == ObjectKind::Record;
}

}  // namespace

template <class Same>
std::uint32_t Heap::Index::find(std::uint64_t hash, Same&& same) const {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t at = hash & mask; slots[at] != 0; at = (at + 1) & mask) {
    if (hashes[slots[at]] == hash && same(slots[at])) {
      return slots[at];
    }
  }
  return 0;
}

void Heap::Index::place(std::uint64_t hash, std::uint32_t id) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (slots[at] != 0) {
    at = (at + 1) & mask;
  }
  slots[at] = id;
}

void Heap::Index::add(std::uint64_t hash) {
  const auto id = static_cast<std::uint32_t>(hashes.size());
  hashes.push_back(hash);
  if (2 * hashes.size() > slots.size()) {
    slots.assign(2 * slots.size(), 0);
    for (std::uint32_t known = 1; known < id; ++known) {
      place(hashes[known], known);
    }
  }
  place(hash, id);
}

Heap::Heap() {
  texts_.emplace_back();
  text_index_.hashes.push_back(0);
  objects_.emplace_back();
  object_index_.hashes.push_back(0);
  constants_.resize(3);
  constants_.push_back({false, -1, {}});
}

TextId Heap::text(std::string_view text) {
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
  const std::uint32_t known =
      text_index_.find(hash, [&](std::uint32_t id) { return texts_[id] == text; });
  if (known != 0) {
    return TextId(known);
  }
  texts_.emplace_back(text);
  text_index_.add(hash);
  return TextId(static_cast<std::uint32_t>(texts_.size() - 1));
}

std::uint32_t Heap::find(const ObjectView& object, std::uint64_t hash) const {
  return object_index_.find(hash, [&](std::uint32_t id) {
    const Object& known = objects_[id];
    return known.kind == object.kind && known.open == object.open && known.a == object.a &&
           known.b == object.b && known.text == object.text &&
           std::equal(known.texts.begin(), known.texts.end(), object.texts.begin(),
                      object.texts.end()) &&
           std::equal(known.values.begin(), known.values.end(), object.values.begin(),
                      object.values.end());
  });
}

ObjectId Heap::intern(Object object) {
  const ObjectView view = view_of(object);
  const std::uint64_t hash = hash_of(view);
  if (const std::uint32_t known = find(view, hash); known != 0) {
    return ObjectId(known);
  }
  objects_.push_back(std::move(object));
  object_index_.add(hash);
  return ObjectId(static_cast<std::uint32_t>(objects_.size() - 1));
}

ObjectId Heap::intern(const ObjectView& object) {
  const std::uint64_t hash = hash_of(object);
  if (const std::uint32_t known = find(object, hash); known != 0) {
    return ObjectId(known);
  }
  objects_.push_back({object.kind,
                      object.open,
                      object.a,
                      object.b,
                      object.text,
                      {object.texts.begin(), object.texts.end()},
                      {object.values.begin(), object.values.end()}});
  object_index_.add(hash);
  return ObjectId(static_cast<std::uint32_t>(objects_.size() - 1));
}

ConstantId Heap::constant(std::string_view text) {
  const TextId id = this->text(text);
  std::uint32_t& place = text_constants_[id.value];
  if (place == 0) {
    place = static_cast<std::uint32_t>(constants_.size());
    constants_.push_back({true, 0, id});
  }
  return ConstantId(place);
}

ConstantId Heap::constant(std::int64_t number) {
  if (number == -1) {
    return ConstantId(kMinusOne);  // the one key that the map can't hold
  }
  std::uint32_t& place = number_constants_[static_cast<std::uint64_t>(number)];
  if (place == 0) {
    place = static_cast<std::uint32_t>(constants_.size());
    constants_.push_back({false, number, {}});
  }
  return ConstantId(place);
}

std::optional<std::string_view> Heap::text_of(ConstantId id) const {
  if (id.value < 3 || !constants_[id.value].is_text) {
    return std::nullopt;
  }
  return text(constants_[id.value].text);
}

std::optional<std::int64_t> Heap::number_of(ConstantId id) const {
  if (id.value < 3 || constants_[id.value].is_text) {
    return std::nullopt;
  }
  return constants_[id.value].number;
}

Value Heap::external(std::string_view dotted) {
  ObjectView object;
  object.kind = ObjectKind::External;
  object.text = text(dotted);
  return of_object(kStatic, intern(object));
}

Value Heap::external_instance(std::string_view dotted, Value held) {
  ObjectView object;
  object.kind = ObjectKind::ExternalInstance;
  object.text = text(dotted);
  if (!held.is_bottom()) {
    object.values = {&held, 1};
  }
  return of_object(kInstance, intern(object));
}

Value Heap::str(std::string_view text) {
  Value value = of_mask(kStr);
  if (text.size() <= 64) {
    value.constant = constant(text);
  }
  return value;
}

Value Heap::integer(std::int64_t number) {
  Value value = of_mask(kInt);
  value.constant = constant(number);
  return value;
}

Value Heap::sequence(ValueMask mask, std::vector<Value> elements) {
  if (elements.size() > kMaxElements) {
    return container(mask, join(elements));
  }
  Object object;
  object.kind = ObjectKind::Sequence;
  object.values = std::move(elements);
  return of_object(mask, intern(std::move(object)));
}

Value Heap::container(ValueMask mask, Value element) {
  ObjectView object;
  object.kind = ObjectKind::Elements;
  object.values = {&element, 1};
  return of_object(mask, intern(object));
}

Value Heap::record(std::vector<TextId> keys, std::vector<Value> values, bool open) {
  Object object;
  object.kind = ObjectKind::Record;
  object.texts = std::move(keys);
  object.values = std::move(values);
  object.open = open;
  return of_object(kDict, intern(std::move(object)));
}

std::string_view Heap::external_name(const Value& value) const {
  return kind(value.object) == ObjectKind::External ? text(get(value.object).text)
                                                    : std::string_view();
}

std::string_view Heap::instance_name(const Value& value) const {
  return kind(value.object) == ObjectKind::ExternalInstance ? text(get(value.object).text)
                                                            : std::string_view();
}

std::optional<std::span<const Value>> Heap::elements(const Value& value) const {
  if (kind(value.object) != ObjectKind::Sequence || !value.is(kSequence | kIterator)) {
    return std::nullopt;
  }
  return std::span<const Value>(get(value.object).values);
}

ObjectId Heap::join_objects(const Value& left, const Value& right) {  // NOLINT(misc-no-recursion)
  if (left.object == right.object) {
    return left.object;
  }
  const bool left_static = left.object && !is_container(kind(left.object));
  const bool right_static = right.object && !is_container(kind(right.object));
  if (!left.object || !right.object) {
    const Value& with = left.object ? left : right;
    const Value& without = left.object ? right : left;
    // A candidate stays one beside values that have no details, as long as those can be told apart.
    if ((without.mask & kObjectBits) == 0 || left_static || right_static) {
      return with.object;
    }
    return {};
  }
  if (left_static != right_static) {
    return {};
  }
  if (!left_static) {
    const Object& a = get(left.object);
    const Object& b = get(right.object);
    if (a.kind == b.kind && a.texts == b.texts && a.values.size() == b.values.size()) {
      Object joined = a;
      joined.open = a.open || b.open;
      for (std::size_t i = 0; i < joined.values.size(); ++i) {
        joined.values[i] = join(joined.values[i], Value(get(right.object).values[i]));
      }
      return intern(std::move(joined));
    }
    const Value element =
        join(join(std::span<const Value>(a.values)), join(std::span<const Value>(b.values)));
    return element.is_bottom() && !a.values.empty() ? ObjectId() : container(kList, element).object;
  }
  std::vector<Value> alternatives;
  for (const Value& side : {left, right}) {
    const Object& object = get(side.object);
    if (object.kind == ObjectKind::Union) {
      alternatives.insert(alternatives.end(), object.values.begin(), object.values.end());
    } else {
      alternatives.push_back(of_object(side.mask & (kStatic | kInstance), side.object));
    }
  }
  std::sort(alternatives.begin(), alternatives.end(),
            [](const Value& a, const Value& b) { return a.object < b.object; });
  alternatives.erase(
      std::unique(alternatives.begin(), alternatives.end(),
                  [](const Value& a, const Value& b) { return a.object == b.object; }),
      alternatives.end());
  if (alternatives.size() > kMaxAlternatives) {
    return {};
  }
  Object object;
  object.kind = ObjectKind::Union;
  object.values = std::move(alternatives);
  return intern(std::move(object));
}

Value Heap::join(const Value& left, const Value& right) {  // NOLINT(misc-no-recursion)
  if (left.is_bottom() || left == right) {
    return right;
  }
  if (right.is_bottom()) {
    return left;
  }
  Value value;
  value.mask = left.mask | right.mask;
  value.flags = static_cast<ValueFlags>((left.flags | right.flags) & (kAssumed | kHint));
  if (left.is(kBool) && right.is(kBool)) {
    value.flags |= static_cast<ValueFlags>((left.flags | right.flags) & kTracing);
  }
  const bool left_tensor = left.may_be(kTensor);
  const bool right_tensor = right.may_be(kTensor);
  if (left_tensor && right_tensor) {
    value.dtype = left.dtype == right.dtype ? left.dtype : DType::Unknown;
    value.rank = left.rank == right.rank ? left.rank : std::int8_t{-1};
    value.grad = left.grad == right.grad ? left.grad : Grad::Unknown;
    value.flags = static_cast<ValueFlags>(value.flags | (left.flags & right.flags & kOneElement));
  } else if (left_tensor || right_tensor) {
    const Value& side = left_tensor ? left : right;
    value.dtype = side.dtype;
    value.rank = side.rank;
    value.grad = side.grad;
    value.flags = static_cast<ValueFlags>(value.flags | (side.flags & kOneElement));
  }
  if (left.constant == right.constant && left.mask == right.mask) {
    value.constant = left.constant;
  }
  if (left.object || right.object) {
    value.object = join_objects(left, right);
  }
  return value;
}

Value Heap::join(std::span<const Value> values) {  // NOLINT(misc-no-recursion)
  Value result;
  for (const Value& value : values) {
    result = join(result, value);
  }
  return result;
}

Truth Heap::truth(const Value& value) const {
  if (value.is(kNone)) {
    return Truth::False;
  }
  if (value.constant && value.is(kBool | kInt | kStr)) {
    if (value.constant == kTrueConstant || value.constant == kFalseConstant) {
      return value.constant == kTrueConstant ? Truth::True : Truth::False;
    }
    if (const auto number = number_of(value.constant)) {
      return *number != 0 ? Truth::True : Truth::False;
    }
    if (const auto text = text_of(value.constant)) {
      return !text->empty() ? Truth::True : Truth::False;
    }
  }
  if (value.has(kTracing) && value.is(kBool)) {
    return Truth::True;
  }
  if (value.is(kSequence) && kind(value.object) == ObjectKind::Sequence) {
    return get(value.object).values.empty() ? Truth::False : Truth::True;
  }
  if (value.is(kStatic) && value.object) {
    return kind(value.object) == ObjectKind::ExternalMethod ? Truth::Unknown : Truth::True;
  }
  return Truth::Unknown;
}

std::vector<std::string_view> Heap::kinds(const Value& value) {
  std::vector<std::string_view> names;
  for (std::size_t bit = 0; bit < kNames.size() && !value.is_unknown(); ++bit) {
    if (value.may_be(1U << bit)) {
      names.push_back(kNames[bit]);
    }
  }
  return names;
}

std::string Heap::describe(const Value& value, int depth) const {  // NOLINT(misc-no-recursion)
  if (value.is_bottom()) {
    return "never";
  }
  if ((value.mask & kAnything) == kAnything) {
    return value.has(kHint) ? "unknown (from tensors)" : "unknown";
  }
  if (value.mask == kHost) {
    return "a Python value";
  }
  std::string text;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((value.mask & (1U << bit)) == 0) {
      continue;
    }
    if (!text.empty()) {
      text += " | ";
    }
    const ValueMask one = 1U << bit;
    const ObjectKind object = kind(value.object);
    if (one == kTensor) {
      static constexpr std::array<std::string_view, 5> kTypes = {"", "bool", "int", "float",
                                                                 "complex"};
      std::string details(kTypes[static_cast<std::size_t>(value.dtype)]);
      if (value.rank >= 0) {
        details += (details.empty() ? "rank " : ", rank ") + std::to_string(value.rank);
      } else if (value.has(kOneElement)) {
        details += details.empty() ? "one element" : ", one element";
      }
      text += details.empty() ? "Tensor" : "Tensor[" + details + "]";
    } else if ((one & (kTuple | kList | kDict | kSet | kIterator)) != 0 && is_container(object) &&
               depth < 2) {
      text += kNames[bit];
      text += '[';
      bool first = true;
      const Object& held = get(value.object);
      for (std::size_t i = 0; i < held.values.size(); ++i) {
        text += first ? "" : ", ";
        first = false;
        if (held.kind == ObjectKind::Record) {
          text += std::string(this->text(held.texts[i])) + ": ";
        }
        text += describe(held.values[i], depth + 1);
      }
      text += object == ObjectKind::Elements ? ", ...]" : "]";
    } else if ((one & (kStatic | kInstance)) != 0 &&
               (object == ObjectKind::External || object == ObjectKind::ExternalInstance)) {
      text += this->text(get(value.object).text);
    } else {
      text += kNames[bit];
    }
  }
  if (value.constant == kTrueConstant || value.constant == kFalseConstant) {
    text += value.constant == kTrueConstant ? " = True" : " = False";
  } else if (const auto number = number_of(value.constant)) {
    text += " = " + std::to_string(*number);
  }
  return value.has(kAssumed) ? text + " (assumed)" : text;
}

}  // namespace graphmend::types
