// From byte offsets to lines and columns.
#ifndef GRAPHMEND_SOURCE_LINE_INDEX_H_
#define GRAPHMEND_SOURCE_LINE_INDEX_H_

#include "base/text_range.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace graphmend::source {

// A place as people and editors count it. Lines start at 1, columns at 0, as in CPython's `ast`.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 0;
  friend bool operator==(Position, Position) = default;
};

// Starts of the physical lines of a text: after "\n", "\r\n" and a lone "\r". Keeps a view of the
// text, which must outlive it. A byte order mark is not counted in the columns of line 1.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  std::uint32_t line_count() const { return static_cast<std::uint32_t>(starts_.size()); }
  // The line (from 1) that holds the offset; offsets past the end are in the last line.
  std::uint32_t line(std::uint32_t offset) const;
  // The offset of the first byte of a line (from 1); lines past the end give the end of the text.
  std::uint32_t line_start(std::uint32_t line) const;
  // The bytes of a line, its line end excluded.
  base::TextRange line_range(std::uint32_t line) const;
  // Columns in bytes, as `col_offset` of CPython's ast.
  Position position(std::uint32_t offset) const;
  // Columns in code points.
  Position position_code_points(std::uint32_t offset) const;
  // Columns in UTF-16 units, as editors count them.
  Position position_utf16(std::uint32_t offset) const;
  // The offset of a line (from 1) and a column in bytes, clamped to that line.
  std::uint32_t offset(Position position) const;

 private:
  std::string_view text_;
  std::vector<std::uint32_t> starts_;
  std::uint32_t bom_size_ = 0;
};

}  // namespace graphmend::source

#endif  // GRAPHMEND_SOURCE_LINE_INDEX_H_
