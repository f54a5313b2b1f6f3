#include "scope/name_table.h"

#include <bit>
#include <cstring>

namespace graphmend::scope {
namespace {

constexpr std::size_t kFewestSlots = 256;
constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(Word));
  return word;
}

// The first bytes of a text, up to eight, zeros after the end.
inline std::uint64_t head_of(const char* bytes, std::size_t size) {
  if (size >= 8) {
    return load<std::uint64_t>(bytes);
  }
  if (size >= 4) {
    return load<std::uint32_t>(bytes) | load<std::uint32_t>(bytes + size - 4) << (size - 4) * 8;
  }
  if (size == 0) {
    return 0;
  }
  const std::size_t middle = size / 2;
  return load<std::uint8_t>(bytes) | load<std::uint8_t>(bytes + middle) << middle * 8 |
         load<std::uint8_t>(bytes + size - 1) << (size - 1) * 8;
}

}  // namespace

NameTable::NameTable(std::size_t count) {
  entries_.reserve(count + 1);
  texts_.reserve(count * 8);
  entries_.push_back({});
  const std::size_t slots = std::bit_ceil(count * 2 > kFewestSlots ? count * 2 : kFewestSlots);
  std::memset(slots_.extend(slots), 0, slots * sizeof(std::uint32_t));
}

inline NameTable::Words NameTable::words_of(std::string_view text) {
  const char* bytes = text.data();
  const std::size_t size = text.size();
  const std::uint64_t head = head_of(bytes, size);
  std::uint64_t hash = (head ^ size) * kMultiplier;
  std::uint64_t all = head;
  if (size > 8) {
    for (std::size_t i = 8; i + 8 < size; i += 8) {
      const std::uint64_t word = load<std::uint64_t>(bytes + i);
      all |= word;
      hash = (hash ^ hash >> 32 ^ word) * kMultiplier;
    }
    const std::uint64_t tail = load<std::uint64_t>(bytes + size - 8);
    all |= tail;
    hash = (hash ^ hash >> 32 ^ tail) * kMultiplier;
  }
  return {head, static_cast<std::uint32_t>(hash >> 32), (all & kHighBits) == 0};
}

inline std::uint32_t NameTable::slot_of(std::string_view text, const Words& words) const {
  const auto mask = static_cast<std::uint32_t>(slots_.size() - 1);
  const std::uint32_t* slots = slots_.data();
  std::uint32_t slot = words.hash & mask;
  while (const std::uint32_t id = slots[slot]) {
    const Entry& entry = entries_.data()[id];
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

NameId NameTable::find(std::string_view text) const {
  return NameId(slots_[slot_of(text, words_of(text))]);
}

inline NameId NameTable::intern(std::string_view text, const Words& words) {
  const std::uint32_t slot = slot_of(text, words);
  if (slots_[slot] != 0) [[likely]] {
    return NameId(slots_[slot]);
  }
  return text.empty() ? NameId() : add(text, words, slot);
}

NameId NameTable::intern(std::string_view text) {
  return intern(text, words_of(text));
}

NameId NameTable::intern_ascii(std::string_view text) {
  const Words words = words_of(text);
  return words.is_ascii ? intern(text, words) : NameId();
}

NameId NameTable::add(std::string_view text, const Words& words, std::uint32_t slot) {
  const auto id = static_cast<std::uint32_t>(entries_.size());
  slots_[slot] = id;
  const auto start = static_cast<std::uint32_t>(texts_.size());
  std::memcpy(texts_.extend(text.size()), text.data(), text.size());
  const bool is_private = text.starts_with("__") && !text.ends_with("__");
  entries_.push_back(
      {words.head, start, static_cast<std::uint32_t>(text.size()), words.hash, is_private});
  if (entries_.size() * 2 > slots_.size()) {
    grow();
  }
  return NameId(id);
}

void NameTable::grow() {
  const std::size_t size = slots_.size() * 2;
  slots_.clear();
  std::memset(slots_.extend(size), 0, size * sizeof(std::uint32_t));
  for (std::uint32_t id = 1; id < entries_.size(); ++id) {
    auto slot = static_cast<std::uint32_t>(entries_[id].hash & (size - 1));
    while (slots_[slot] != 0) {
      slot = static_cast<std::uint32_t>((slot + 1) & (size - 1));
    }
    slots_[slot] = id;
  }
}

}  // namespace graphmend::scope
