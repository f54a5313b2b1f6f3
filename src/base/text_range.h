// A half-open range of byte offsets.
#ifndef GRAPHMEND_BASE_TEXT_RANGE_H_
#define GRAPHMEND_BASE_TEXT_RANGE_H_

#include <algorithm>
#include <cstdint>

namespace graphmend::base {

// Bytes [start, end) of a source text.
struct TextRange {
  std::uint32_t start = 0;
  std::uint32_t end = 0;

  constexpr std::uint32_t size() const { return end - start; }
  constexpr bool empty() const { return start == end; }
  constexpr bool contains(std::uint32_t offset) const { return start <= offset && offset < end; }
  constexpr bool contains(TextRange other) const {
    return start <= other.start && other.end <= end;
  }
  constexpr bool overlaps(TextRange other) const { return start < other.end && other.start < end; }
  // The smallest range that holds both.
  constexpr TextRange cover(TextRange other) const {
    return {std::min(start, other.start), std::max(end, other.end)};
  }
  friend constexpr bool operator==(TextRange, TextRange) = default;
};

}  // namespace graphmend::base

#endif  // GRAPHMEND_BASE_TEXT_RANGE_H_
