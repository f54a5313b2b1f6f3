// NFKC of identifiers, after Unicode Standard Annex 15.
#include "syntax/identifiers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace graphmend::syntax {

namespace {

struct Decomposition {
  std::uint32_t code_point;
  std::uint16_t offset;  // into kDecompositionPool
  std::uint8_t size;
};
struct CombiningClass {
  std::uint32_t code_point;
  std::uint8_t value;
};
struct Composition {
  std::uint32_t first;
  std::uint32_t second;
  std::uint32_t composed;
};

#include "syntax/normal_forms.inc"

constexpr std::uint32_t kHangulBase = 0xac00;
constexpr std::uint32_t kHangulCount = 11172;
constexpr std::uint32_t kLeadBase = 0x1100;
constexpr std::uint32_t kVowelBase = 0x1161;
constexpr std::uint32_t kTailBase = 0x11a7;
constexpr std::uint32_t kLeadCount = 19;
constexpr std::uint32_t kVowelCount = 21;
constexpr std::uint32_t kTailCount = 28;

std::uint8_t combining_class(std::uint32_t point) {
  const CombiningClass* found = std::lower_bound(
      std::begin(kCombiningClasses), std::end(kCombiningClasses), point,
      [](const CombiningClass& entry, std::uint32_t value) { return entry.code_point < value; });
  return found != std::end(kCombiningClasses) && found->code_point == point ? found->value
                                                                            : std::uint8_t{0};
}

void append_decomposed(std::vector<std::uint32_t>& out, std::uint32_t point) {
  if (point - kHangulBase < kHangulCount) {
    std::uint32_t index = point - kHangulBase;
    out.push_back(kLeadBase + index / (kVowelCount * kTailCount));
    out.push_back(kVowelBase + index / kTailCount % kVowelCount);
    if (index % kTailCount != 0) {
      out.push_back(kTailBase + index % kTailCount);
    }
    return;
  }
  const Decomposition* found = std::lower_bound(
      std::begin(kDecompositions), std::end(kDecompositions), point,
      [](const Decomposition& entry, std::uint32_t value) { return entry.code_point < value; });
  if (found == std::end(kDecompositions) || found->code_point != point) {
    out.push_back(point);
    return;
  }
  for (std::uint8_t i = 0; i < found->size; ++i) {
    out.push_back(kDecompositionPool[found->offset + i]);
  }
}

// The composed form of two code points; 0 when there is none.
std::uint32_t compose(std::uint32_t first, std::uint32_t second) {
  if (first - kLeadBase < kLeadCount && second - kVowelBase < kVowelCount) {
    return kHangulBase + ((first - kLeadBase) * kVowelCount + (second - kVowelBase)) * kTailCount;
  }
  if (first - kHangulBase < kHangulCount && (first - kHangulBase) % kTailCount == 0 &&
      second > kTailBase && second < kTailBase + kTailCount) {
    return first + (second - kTailBase);
  }
  const Composition* found = std::lower_bound(
      std::begin(kCompositions), std::end(kCompositions), std::pair(first, second),
      [](const Composition& entry, const std::pair<std::uint32_t, std::uint32_t>& value) {
        return std::pair(entry.first, entry.second) < value;
      });
  return found != std::end(kCompositions) && found->first == first && found->second == second
             ? found->composed
             : 0;
}

}  // namespace

std::string normalize_identifier(std::string_view text) {
  std::vector<std::uint32_t> points;
  for (std::size_t at = 0; at < text.size();) {
    CodePoint point = decode_utf8(text.substr(at));
    append_decomposed(points, point.value == kBadCodePoint ? 0xfffd : point.value);
    at += point.size;
  }
  // Canonical order: runs of combining characters sorted by class.
  for (std::size_t start = 0; start < points.size();) {
    if (combining_class(points[start]) == 0) {
      ++start;
      continue;
    }
    std::size_t end = start;
    while (end < points.size() && combining_class(points[end]) != 0) {
      ++end;
    }
    std::stable_sort(
        points.begin() + static_cast<std::ptrdiff_t>(start),
        points.begin() + static_cast<std::ptrdiff_t>(end),
        [](std::uint32_t a, std::uint32_t b) { return combining_class(a) < combining_class(b); });
    start = end;
  }
  // Composition with the last starter, unless a character between blocks it.
  std::vector<std::uint32_t> composed;
  std::size_t starter = points.size();
  std::uint8_t last_class = 0;
  for (std::uint32_t point : points) {
    std::uint8_t point_class = combining_class(point);
    if (starter < composed.size()) {
      bool adjacent = composed.size() == starter + 1;
      bool blocked = !adjacent && (last_class == 0 || last_class >= point_class);
      std::uint32_t whole = blocked ? 0 : compose(composed[starter], point);
      if (whole != 0) {
        composed[starter] = whole;
        continue;
      }
    }
    if (point_class == 0) {
      starter = composed.size();
    }
    last_class = point_class;
    composed.push_back(point);
  }
  std::string out;
  for (std::uint32_t point : composed) {
    append_utf8(out, point);
  }
  return out;
}

}  // namespace graphmend::syntax
