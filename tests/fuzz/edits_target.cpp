// Edits: applied in one pass as one by one, and the map leads back from what was kept.
#include "edit/edit_set.h"
#include "property.h"

#include <algorithm>
#include <string>
#include <vector>

namespace edit = graphmend::edit;
using graphmend::base::TextRange;
using graphmend::fuzz::Reader;
using graphmend::fuzz::require;

namespace {

// Whether two of the edits touch the same bytes, or one inserts inside of what another replaces.
// Insertions at an edge of a replaced range lie beside it.
bool any_overlap(const std::vector<edit::Edit>& edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    for (std::size_t j = i + 1; j < edits.size(); ++j) {
      const TextRange a = edits[i].range;
      const TextRange b = edits[j].range;
      if (a.start < b.end && b.start < a.end && !(a.empty() && b.empty())) {
        return true;
      }
    }
  }
  return false;
}

// The edits one after the other, the last place first.
std::string apply_one_by_one(std::string text, std::vector<edit::Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const edit::Edit& a, const edit::Edit& b) {
    return a.range.start != b.range.start ? a.range.start < b.range.start
                                          : a.range.end < b.range.end;
  });
  for (std::size_t i = edits.size(); i-- > 0;) {
    text.replace(edits[i].range.start, edits[i].range.size(), edits[i].replacement);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader reader(data, size);
  const std::size_t count = reader.byte() % 9;
  std::vector<std::uint8_t> shape;
  for (std::size_t i = 0; i < 4 * count + 2; ++i) {
    shape.push_back(reader.byte());
  }
  const std::string replacements(reader.take(reader.left() / 2));
  const std::string source(reader.take(reader.left()));
  const auto length = static_cast<std::uint32_t>(source.size());
  Reader numbers(shape.data(), shape.size());

  TextRange window;
  window.start = numbers.byte() % (length + 1);
  window.end = window.start + numbers.byte() % (length - window.start + 1);
  if (size % 2 == 0) {
    window = {0, length};
  }
  edit::EditSet set;
  std::vector<edit::Edit> inside;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t start = numbers.byte() % (length + 1);
    const std::uint32_t end = start + numbers.byte() % std::min(length - start + 1, 16U);
    const std::size_t from = numbers.byte() % (replacements.size() + 1);
    const edit::Edit next{{start, end}, replacements.substr(from, numbers.byte() % 8)};
    set.replace(next.range, next.replacement);
    if (window.contains(next.range)) {
      inside.push_back(next);
    }
  }
  const auto patched = set.apply(source, window);
  require(patched.ok() != any_overlap(inside), "edits are refused where they overlap");
  if (!patched) {
    require(patched.error().first.start <= patched.error().second.start, "the first comes first");
    return 0;
  }
  for (edit::Edit& each : inside) {
    each.range = {each.range.start - window.start, each.range.end - window.start};
  }
  const std::string expected = apply_one_by_one(source.substr(window.start, window.size()), inside);
  require(patched->text == expected, "one pass does what single steps do");

  // What is kept is what no edit replaces, in order, and the map finds each byte of it.
  std::vector<bool> replaced(window.size());
  for (const edit::Edit& each : inside) {
    std::fill(replaced.begin() + each.range.start, replaced.begin() + each.range.end, true);
  }
  std::uint32_t next = window.start;
  for (std::uint32_t i = 0; i < patched->text.size(); ++i) {
    const std::uint32_t original = patched->map.to_original(i);
    require(original >= window.start && original <= window.end, "the map leads into the window");
    if (!patched->map.is_kept(i)) {
      continue;
    }
    while (next < window.end && replaced[next - window.start]) {
      ++next;
    }
    require(original == next, "kept bytes come in order, none left out");
    require(patched->text[i] == source[original], "a kept byte is the byte that it came from");
    ++next;
  }
  while (next < window.end && replaced[next - window.start]) {
    ++next;
  }
  require(next == window.end, "all that no edit replaces is kept");
  return 0;
}
