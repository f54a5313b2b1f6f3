// Typed 32-bit identifiers: indexes into the flat vectors of one output structure.
#ifndef GRAPHMEND_BASE_IDS_H_
#define GRAPHMEND_BASE_IDS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace graphmend::base {

// An index into a vector of things of the kind `Tag`. Value 0 means "none": every vector that is
// addressed by ids keeps its first element as an unused placeholder.
template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : value(index) {}

  // True when the id names something.
  constexpr explicit operator bool() const { return value != 0; }
  constexpr std::size_t index() const { return value; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr std::strong_ordering operator<=>(Id, Id) = default;
};

}  // namespace graphmend::base

template <class Tag>
struct std::hash<graphmend::base::Id<Tag>> {
  std::size_t operator()(graphmend::base::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>()(id.value);
  }
};

#endif  // GRAPHMEND_BASE_IDS_H_
