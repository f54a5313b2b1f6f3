// A hash map from 64-bit keys to small values, in one array.
#ifndef GRAPHMEND_BASE_FLAT_MAP_H_
#define GRAPHMEND_BASE_FLAT_MAP_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace graphmend::base {

// A key from two ids.
[[nodiscard]] constexpr std::uint64_t pair_key(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

// Open addressing in a power of two; nothing is ever removed but everything. The key ~0 is none.
// References are valid until something is added.
template <class V>
class FlatMap {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const V* find(std::uint64_t key) const {
    if (slots_.empty()) {
      return nullptr;
    }
    const Slot& slot = slots_[place(key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  [[nodiscard]] V* find(std::uint64_t key) {
    return const_cast<V*>(std::as_const(*this).find(key));  // NOLINT(*-const-cast): the same map
  }
  [[nodiscard]] bool contains(std::uint64_t key) const { return find(key) != nullptr; }
  V& operator[](std::uint64_t key) {
    if (4 * (size_ + 1) > 3 * slots_.size()) {
      grow();
    }
    Slot& slot = slots_[place(key)];
    if (slot.key != key) {
      slot.key = key;
      ++size_;
    }
    return slot.value;
  }
  void clear() {
    if (size_ > 0) {
      slots_.assign(slots_.size(), Slot());
      size_ = 0;
    }
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kNone;
    V value{};
  };

  // The slot of a key, or the one where it is to be put.
  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15) >> shift_);
    while (slots_[at].key != key && slots_[at].key != kNone) {
      at = (at + 1) & mask;
    }
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    shift_ = 64 - std::countr_zero(slots_.size());
    for (Slot& slot : old) {
      if (slot.key != kNone) {
        slots_[place(slot.key)] = std::move(slot);
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  int shift_ = 0;
};

}  // namespace graphmend::base

#endif  // GRAPHMEND_BASE_FLAT_MAP_H_
