// Text edits: collected in any order, applied in one pass, with a map back to the original.
#ifndef GRAPHMEND_EDIT_EDIT_SET_H_
#define GRAPHMEND_EDIT_EDIT_SET_H_

#include "base/result.h"
#include "base/text_range.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::edit {

// Replaces the bytes of `range` by `replacement`; an empty range inserts.
struct Edit {
  base::TextRange range;
  std::string replacement;
};

// Why edits can't be applied: the two that overlap, by their ranges.
struct Overlap {
  base::TextRange first;
  base::TextRange second;
};

// From offsets of a patched text to offsets of the original. Method: one entry a stretch that was
// kept as it was; what lies in a replacement maps to the start of the range it replaced.
class OffsetMap {
 public:
  // The stretch of `length` bytes at `patched` stands at `original` in the source.
  void add(std::uint32_t patched, std::uint32_t original, std::uint32_t length, bool kept);
  // The original offset of a patched one.
  [[nodiscard]] std::uint32_t to_original(std::uint32_t patched) const;
  // True when the byte at `patched` was kept from the original.
  [[nodiscard]] bool is_kept(std::uint32_t patched) const;

 private:
  struct Stretch {
    std::uint32_t patched;
    std::uint32_t original;
    std::uint32_t length;
    bool kept;
  };
  [[nodiscard]] const Stretch* find(std::uint32_t patched) const;
  std::vector<Stretch> stretches_;  // in the order of `patched`
};

// A text after its edits.
struct PatchedText {
  std::string text;
  OffsetMap map;
};

// Edits of one source.
class EditSet {
 public:
  // Adds an edit. Insertions at one offset keep the order in which they were added.
  void replace(base::TextRange range, std::string replacement);
  [[nodiscard]] bool empty() const { return edits_.empty(); }
  [[nodiscard]] std::size_t size() const { return edits_.size(); }

  // Applies the edits that lie in `window` to `source` and returns that window's new text; offsets
  // of the map are relative to its start on the patched side, absolute on the original side.
  // Errors: two edits overlap.
  [[nodiscard]] base::Result<PatchedText, Overlap> apply(std::string_view source,
                                                         base::TextRange window) const;

 private:
  std::vector<Edit> edits_;
};

}  // namespace graphmend::edit

#endif  // GRAPHMEND_EDIT_EDIT_SET_H_
