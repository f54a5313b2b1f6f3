// The objects that values refer to: classes, functions, containers, instances. Each distinct
// description is stored once, so that values compare by their bytes.
#ifndef GRAPHMEND_TYPES_HEAP_H_
#define GRAPHMEND_TYPES_HEAP_H_

#include "base/flat_map.h"
#include "types/value.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::types {

struct TextTag;
// An interned text: a name, a key, a dotted path.
using TextId = base::Id<TextTag>;

enum class ObjectKind : std::uint8_t {
  None,
  External,  // text: dotted name of a module, class or function outside the analysed sources
  Module,    // a: module
  Function,  // a: module, b: node; texts: symbols of the captured names, values: theirs
  Class,     // a: module, b: node
  Instance,  // a: ObjectId of the class; values: of its constructor's arguments in order of
             // the parameters, empty when they are not known
  ExternalInstance,  // text: dotted class; values: [0] what it holds, for containers
  Bound,             // a: ObjectId of the function; values: [0] self
  ExternalMethod,    // text: method; values: [0] the receiver
  Super,             // a: ObjectId of the class; values: [0] self
  Sequence,          // values: the elements of a tuple or list
  Elements,          // values: [0] the join of the elements of any container
  Record,            // texts: keys, values: theirs; of a dict with known keys
  Partial,           // values: [0] the callable, then positional arguments; texts: keywords of the
                     // last values
  Union,             // values: alternatives, each with an object
};

struct Object {
  ObjectKind kind = ObjectKind::None;
  bool open = false;  // Record: there may be other keys; Instance: arguments are not known
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  TextId text;
  std::vector<TextId> texts;
  std::vector<Value> values;
  friend bool operator==(const Object&, const Object&) = default;
};

// The same without memory of its own: what is looked up before it is stored.
struct ObjectView {
  ObjectKind kind = ObjectKind::None;
  bool open = false;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  TextId text;
  std::span<const TextId> texts;
  std::span<const Value> values;
};

class Heap {
 public:
  Heap();

  TextId text(std::string_view text);
  [[nodiscard]] std::string_view text(TextId id) const { return texts_[id.value]; }

  ObjectId intern(Object object);
  ObjectId intern(const ObjectView& object);
  [[nodiscard]] const Object& get(ObjectId id) const { return objects_[id.value]; }
  [[nodiscard]] ObjectKind kind(ObjectId id) const { return objects_[id.value].kind; }

  // Constants: texts and whole numbers; others have none.
  ConstantId constant(std::string_view text);
  ConstantId constant(std::int64_t number);
  [[nodiscard]] std::optional<std::string_view> text_of(ConstantId id) const;
  [[nodiscard]] std::optional<std::int64_t> number_of(ConstantId id) const;

  Value external(std::string_view dotted);
  Value external_instance(std::string_view dotted, Value held = kNothing);
  Value str(std::string_view text);
  Value integer(std::int64_t number);
  // A tuple or list of known elements; long ones keep only their join.
  Value sequence(ValueMask mask, std::vector<Value> elements);
  Value container(ValueMask mask, Value element);
  Value record(std::vector<TextId> keys, std::vector<Value> values, bool open);

  // The dotted name of an External, empty for others.
  [[nodiscard]] std::string_view external_name(const Value& value) const;
  // The dotted class of an ExternalInstance, empty for others.
  [[nodiscard]] std::string_view instance_name(const Value& value) const;
  // Elements where they are known one by one.
  [[nodiscard]] std::optional<std::span<const Value>> elements(const Value& value) const;

  // Either of two values.
  Value join(const Value& left, const Value& right);
  Value join(std::span<const Value> values);
  [[nodiscard]] Truth truth(const Value& value) const;

  // "Tensor", "None", ...: the classes of Python values that it may be; none when nothing is known.
  [[nodiscard]] static std::vector<std::string_view> kinds(const Value& value);
  // "Tensor[bool, rank 0]", "int | None", "list[Tensor]": for people.
  [[nodiscard]] std::string describe(const Value& value, int depth = 0) const;

 private:
  struct ConstantEntry {
    bool is_text;
    std::int64_t number;
    TextId text;
  };
  // What is stored already, by hash: open addressing in a power of two.
  struct Index {
    std::vector<std::uint32_t> slots = std::vector<std::uint32_t>(256);
    std::vector<std::uint64_t> hashes;  // by id
    // The id of what `same` knows; 0 when it is not stored.
    template <class Same>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Same&& same) const;
    void add(std::uint64_t hash);
    void place(std::uint64_t hash, std::uint32_t id);
  };
  ObjectId join_objects(const Value& left, const Value& right);
  [[nodiscard]] std::uint32_t find(const ObjectView& object, std::uint64_t hash) const;

  std::deque<std::string> texts_;
  Index text_index_;
  std::deque<Object> objects_;
  Index object_index_;
  std::vector<ConstantEntry> constants_;
  base::FlatMap<std::uint32_t> text_constants_;
  base::FlatMap<std::uint32_t> number_constants_;
};

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_HEAP_H_
