// Interned names: each distinct identifier once, addressed by id.
#ifndef GRAPHMEND_SYNTAX_NAME_TABLE_H_
#define GRAPHMEND_SYNTAX_NAME_TABLE_H_

#include "base/ids.h"
#include "base/pod_vector.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace graphmend::syntax {

struct NameTag;
using NameId = base::Id<NameTag>;

// Owns the texts: views stay valid until a name is added.
class NameTable {
 public:
  // Names that every table made by with_known_names() holds from the start, with the ids 1, 2, ...
  static constexpr std::string_view kKnown[] = {
#define GM_KNOWN_NAME(name, text) text,
#include "syntax/known_names.def"
  };

  // An empty one, which holds nothing until a name is added.
  NameTable() = default;
  // One that holds the known names, with room for about `count` others.
  static NameTable with_known_names(std::size_t count);

  NameId intern(std::string_view text) { return intern(text, words_of(text)); }
  // The same for a text that must be ASCII; none, and nothing done, when it is not.
  NameId intern_ascii(std::string_view text) {
    const Words words = words_of(text);
    return words.is_ascii ? intern(text, words) : NameId();
  }
  // None when the name was never interned.
  NameId find(std::string_view text) const {
    return slots_.empty() ? NameId() : NameId(slots_[slot_of(text, words_of(text))]);
  }
  std::string_view text(NameId id) const {
    const Entry& entry = entries_[id.value];
    return {texts_.data() + entry.start, entry.size};
  }
  // Whether a class would mangle it: two underscores in front, and not at the end.
  bool is_private(NameId id) const { return entries_[id.value].is_private; }
  // Whether any name is.
  bool has_private() const { return has_private_; }
  // Number of ids, the placeholder included; 0 for an empty table.
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
  NameId add(std::string_view text, const Words& words);
  void fill_slots(std::size_t size);

  base::PodVector<char> texts_;
  base::PodVector<Entry> entries_;
  base::PodVector<std::uint32_t> slots_;  // ids, 0 for an empty slot; a power of two
  bool has_private_ = false;
};

// The id of a known name.
namespace known {
enum Number : std::uint32_t {
  kPlaceholder,
#define GM_KNOWN_NAME(name, text) name##_number,
#include "syntax/known_names.def"
};
#define GM_KNOWN_NAME(name, text) inline constexpr NameId name{name##_number};
#include "syntax/known_names.def"
}  // namespace known

// ------------------------------------------------------------------ short, and called for each
// name

inline NameTable::Words NameTable::words_of(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
  const auto load = [bytes = text.data()](std::size_t at) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    return word;
  };
  const std::size_t size = text.size();
  if (size >= 8) {
    const std::uint64_t head = load(0);
    std::uint64_t hash = (head ^ size) * kMultiplier;
    std::uint64_t all = head;
    if (size > 8) {
      for (std::size_t i = 8; i + 8 < size; i += 8) {
        const std::uint64_t word = load(i);
        all |= word;
        hash = (hash ^ hash >> 32 ^ word) * kMultiplier;
      }
      const std::uint64_t tail = load(size - 8);
      all |= tail;
      hash = (hash ^ hash >> 32 ^ tail) * kMultiplier;
    }
    return {head, static_cast<std::uint32_t>(hash >> 32), (all & kHighBits) == 0};
  }
  const auto byte = [bytes = text.data()](std::size_t at) {
    return std::uint64_t{static_cast<unsigned char>(bytes[at])};
  };
  std::uint64_t head = 0;
  if (size >= 4) {
    std::uint32_t first;
    std::uint32_t last;
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + size - 4, sizeof last);
    head = first | std::uint64_t{last} << (size - 4) * 8;
  } else if (size != 0) {
    head = byte(0) | byte(size / 2) << size / 2 * 8 | byte(size - 1) << (size - 1) * 8;
  }
  const std::uint64_t hash = (head ^ size) * kMultiplier;
  return {head, static_cast<std::uint32_t>(hash >> 32), (head & kHighBits) == 0};
}

inline std::uint32_t NameTable::slot_of(std::string_view text, const Words& words) const {
  const auto mask = static_cast<std::uint32_t>(slots_.size() - 1);
  const std::uint32_t* const slots = slots_.data();
  const Entry* const entries = entries_.data();
  std::uint32_t slot = words.hash & mask;
  while (const std::uint32_t id = slots[slot]) {
    const Entry& entry = entries[id];
    if (entry.head == words.head && entry.size == text.size()) {
      // Up to eight bytes the head is all there is.
      if (text.size() <= 8 ||
          (entry.hash == words.hash &&
           std::memcmp(texts_.data() + entry.start + 8, text.data() + 8, text.size() - 8) == 0)) {
        break;
      }
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

inline NameId NameTable::intern(std::string_view text, const Words& words) {
  if (!slots_.empty()) [[likely]] {
    if (const std::uint32_t id = slots_.data()[slot_of(text, words)]; id != 0) [[likely]] {
      return NameId(id);
    }
  }
  return add(text, words);
}

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_NAME_TABLE_H_
