#include "edit/edit_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphmend::edit {

void OffsetMap::add(std::uint32_t patched, std::uint32_t original, std::uint32_t length,
                    bool kept) {
  if (length > 0) {
    stretches_.push_back({patched, original, length, kept});
  }
}

const OffsetMap::Stretch* OffsetMap::find(std::uint32_t patched) const {
  const auto after = std::upper_bound(
      stretches_.begin(), stretches_.end(), patched,
      [](std::uint32_t offset, const Stretch& stretch) { return offset < stretch.patched; });
  return after == stretches_.begin() ? nullptr : &*std::prev(after);
}

std::uint32_t OffsetMap::to_original(std::uint32_t patched) const {
  const Stretch* stretch = find(patched);
  if (stretch == nullptr) {
    return 0;
  }
  return stretch->kept ? stretch->original + (patched - stretch->patched) : stretch->original;
}

bool OffsetMap::is_kept(std::uint32_t patched) const {
  const Stretch* stretch = find(patched);
  return stretch != nullptr && stretch->kept && patched - stretch->patched < stretch->length;
}

void EditSet::replace(base::TextRange range, std::string replacement) {
  edits_.push_back({range, std::move(replacement)});
}

base::Result<PatchedText, Overlap> EditSet::apply(std::string_view source,
                                                  base::TextRange window) const {
  std::vector<const Edit*> ordered;
  for (const Edit& edit : edits_) {
    if (window.contains(edit.range)) {
      ordered.push_back(&edit);
    }
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const Edit* left, const Edit* right) {
    return std::pair(left->range.start, left->range.end) <
           std::pair(right->range.start, right->range.end);
  });

  PatchedText patched;
  std::uint32_t done = window.start;
  const auto offset = [&] { return static_cast<std::uint32_t>(patched.text.size()); };
  const auto keep_until = [&](std::uint32_t end) {
    patched.map.add(offset(), done, end - done, true);
    patched.text += source.substr(done, end - done);
    done = end;
  };
  base::TextRange previous{window.start, window.start};
  for (const Edit* edit : ordered) {
    if (edit->range.start < done) {
      return base::failure(Overlap{previous, edit->range});
    }
    keep_until(edit->range.start);
    patched.map.add(offset(), edit->range.start,
                    static_cast<std::uint32_t>(edit->replacement.size()), false);
    patched.text += edit->replacement;
    done = edit->range.end;
    previous = edit->range;
  }
  keep_until(window.end);
  return patched;
}

}  // namespace graphmend::edit
