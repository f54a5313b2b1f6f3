#include "syntax/name_table.h"

#include <algorithm>
#include <bit>

namespace graphmend::syntax {
namespace {

constexpr std::size_t kFewestSlots = 64;

}  // namespace

NameTable NameTable::with_known_names(std::size_t count) {
  static const NameTable kKnownOnly = [] {
    NameTable table;
    for (const std::string_view name : kKnown) {
      table.intern(name);
    }
    return table;
  }();
  NameTable table;
  count += std::size(kKnown);
  table.entries_.reserve(count + 1);
  table.texts_.reserve(count * 8);
  const std::size_t entries = kKnownOnly.entries_.size();
  std::memcpy(table.entries_.extend(entries), kKnownOnly.entries_.data(), entries * sizeof(Entry));
  const std::size_t bytes = kKnownOnly.texts_.size();
  std::memcpy(table.texts_.extend(bytes), kKnownOnly.texts_.data(), bytes);
  table.fill_slots(std::bit_ceil(count * 2));
  return table;
}

NameId NameTable::add(std::string_view text, const Words& words) {
  if (text.empty()) {
    return {};
  }
  if (entries_.empty()) {
    entries_.push_back({});
  }
  const auto id = static_cast<std::uint32_t>(entries_.size());
  const auto start = static_cast<std::uint32_t>(texts_.size());
  std::memcpy(texts_.extend(text.size()), text.data(), text.size());
  const bool is_private = text.starts_with("__") && !text.ends_with("__");
  has_private_ |= is_private;
  entries_.push_back(
      {words.head, start, static_cast<std::uint32_t>(text.size()), words.hash, is_private});
  if (entries_.size() * 2 > slots_.size()) [[unlikely]] {
    fill_slots(std::max(kFewestSlots, slots_.size() * 2));
  } else {
    slots_[slot_of(text, words)] = id;
  }
  return NameId(id);
}

void NameTable::fill_slots(std::size_t size) {
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

}  // namespace graphmend::syntax
