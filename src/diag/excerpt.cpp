#include "diag/excerpt.h"

#include "base/utf8.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace graphmend::diag {

namespace {

constexpr std::size_t kBefore = 60;  // columns shown before the place, at most
constexpr std::size_t kWidth = 96;   // columns shown in all

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "error";
}

// The first and last code point of each range that terminals show in two columns.
struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr Range kWide[] = {
    {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1faff}, {0x20000, 0x3fffd},
};
constexpr Range kCombining[] = {
    {0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};

template <std::size_t kSize>
bool in(const Range (&ranges)[kSize], std::uint32_t value) {
  return std::any_of(std::begin(ranges), std::end(ranges), [value](const Range& range) {
    return range.first <= value && value <= range.last;
  });
}

// One character as it is shown.
struct Shown {
  std::string_view text;
  std::size_t columns;
  std::size_t size;  // bytes of the source
};

Shown show(std::string_view text) {
  const base::CodePoint point = base::decode_utf8(text);
  if (point.value == '\t') {
    return {" ", 1, 1};
  }
  // C0 and C1 controls, and what reorders the text around it.
  if (point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0) ||
      point.value == base::kBadCodePoint || (point.value >= 0x202a && point.value <= 0x202e) ||
      (point.value >= 0x2066 && point.value <= 0x2069)) {
    return {"?", 1, point.size};
  }
  const std::size_t columns = in(kCombining, point.value) ? 0 : in(kWide, point.value) ? 2 : 1;
  return {text.substr(0, point.size), columns, point.size};
}

}  // namespace

std::string excerpt(const Diagnostic& diagnostic, const source::SourceFile& file) {
  const source::LineIndex& lines = file.lines();
  const std::string_view text = file.text();
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::uint32_t start = std::min(diagnostic.range.start, size);
  const source::Position position = lines.position_code_points(start);
  base::TextRange line = lines.line_range(position.line);
  if (position.line == 1) {
    line.start = std::min(line.end, line.start + file.bom_size());
  }
  std::string out =
      fmt::format("{}:{}:{}: {}: {}\n", file.path(), position.line, position.column + 1,
                  severity_name(diagnostic.severity), diagnostic.message);

  // Where the shown part of the line starts: kBefore characters before the place.
  std::uint32_t from = std::clamp(start, line.start, line.end);
  for (std::size_t back = 0; back < kBefore && from > line.start; ++back) {
    do {
      --from;
    } while (from > line.start && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80);
  }
  std::string shown = from > line.start ? "..." : "";
  std::size_t column = shown.size();
  std::size_t caret = column;
  std::size_t caret_end = column;
  std::uint32_t at = from;
  while (at < line.end && column < kWidth) {
    const Shown next = show(text.substr(at, line.end - at));
    if (at <= start) {
      caret = caret_end = column;
    }
    shown += next.text;
    column += next.columns;
    at += static_cast<std::uint32_t>(next.size);
    if (at <= diagnostic.range.end) {
      caret_end = column;
    }
  }
  if (start >= at) {
    caret = caret_end = column;
  }
  if (at < line.end) {
    shown += "...";
  }
  const std::string number = std::to_string(position.line);
  out += fmt::format("  {} | {}\n", number, shown);
  out += fmt::format("  {:{}} | {:{}}{}\n", "", number.size(), "", caret,
                     std::string(std::max<std::size_t>(1, caret_end - caret), '^'));
  if (!diagnostic.hint.empty()) {
    out += fmt::format("  help: {}\n", diagnostic.hint);
  }
  return out;
}

}  // namespace graphmend::diag
