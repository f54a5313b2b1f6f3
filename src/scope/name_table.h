// Interned names: each distinct identifier once, addressed by id.
#ifndef GRAPHMEND_SCOPE_NAME_TABLE_H_
#define GRAPHMEND_SCOPE_NAME_TABLE_H_

#include "base/ids.h"
#include "base/pod_vector.h"

#include <cstdint>
#include <string_view>

namespace graphmend::scope {

struct NameTag;
using NameId = base::Id<NameTag>;

// Owns the texts: views stay valid until a name is added.
class NameTable {
 public:
  // Makes room for about `count` names.
  explicit NameTable(std::size_t count = 0);

  NameId intern(std::string_view text);
  // The same for a text that must be ASCII; none, and nothing done, when it is not.
  NameId intern_ascii(std::string_view text);
  // None when the name was never interned.
  NameId find(std::string_view text) const;
  std::string_view text(NameId id) const {
    const Entry& entry = entries_[id.value];
    return {texts_.data() + entry.start, entry.size};
  }
  // Whether a class would mangle it: two underscores in front, and not at the end.
  bool is_private(NameId id) const { return entries_[id.value].is_private; }
  // Number of ids, the placeholder included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::size_t memory() const {
    return texts_.capacity() + entries_.capacity() * sizeof(Entry) +
           slots_.capacity() * sizeof(std::uint32_t);
  }

 private:
  struct Entry {
    std::uint64_t head;  // the first eight bytes, zeros after the end
    std::uint32_t start;
    std::uint32_t size;
    std::uint32_t hash;
    bool is_private;
  };
  // A text in words.
  struct Words {
    std::uint64_t head;
    std::uint32_t hash;
    bool is_ascii;
  };
  static Words words_of(std::string_view text);
  std::uint32_t slot_of(std::string_view text, const Words& words) const;
  NameId intern(std::string_view text, const Words& words);
  NameId add(std::string_view text, const Words& words, std::uint32_t slot);
  void grow();

  base::PodVector<char> texts_;
  base::PodVector<Entry> entries_;
  base::PodVector<std::uint32_t> slots_;  // ids, 0 for an empty slot; a power of two
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_NAME_TABLE_H_
