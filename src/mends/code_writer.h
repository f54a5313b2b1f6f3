// Writes the text of mended code line by line, and where each line comes from.
#ifndef GRAPHMEND_MENDS_CODE_WRITER_H_
#define GRAPHMEND_MENDS_CODE_WRITER_H_

#include "base/text_range.h"
#include "edit/edit_set.h"
#include "source/line_index.h"
#include "syntax/tree.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::mends {

// The origin of one line of written text.
struct LineOrigin {
  std::uint32_t line;  // of the original, from 1
  // Original column = written column + shift (bytes); none for lines that stand nowhere in the
  // original.
  std::optional<std::int32_t> column_shift;
};

// Text with the origin of each of its lines.
struct WrittenText {
  std::string text;
  std::vector<LineOrigin> lines;
};

// Builds a WrittenText. Levels of indentation are written as one space each, so that deep nesting
// stays narrow.
class CodeWriter {
 public:
  CodeWriter(const syntax::Tree& tree, const source::LineIndex& lines)
      : tree_(&tree), line_index_(&lines) {}

  void indent() { ++level_; }
  void dedent() { --level_; }

  // A line that stands nowhere in the original; it counts as part of the line of `anchor`.
  void line(std::string_view text, base::TextRange anchor);
  // `prefix`, the original's `range` after `edits`, `suffix`. Edits must not overlap.
  void edited(std::string_view prefix, base::TextRange range, const edit::EditSet& edits,
              std::string_view suffix);
  // A piece of the original: physical lines after the first are copied as they are.
  void copy(base::TextRange range);
  // A piece of the original between two texts of ours: `prefix` range `suffix`.
  void copy(std::string_view prefix, base::TextRange range, std::string_view suffix);
  // A whole statement of the original, its logical lines moved to the present indentation.
  void copy_statement(syntax::NodeId statement) { copy_statement(statement, {}); }
  // The same after `edits`, which must not overlap.
  void copy_statement(syntax::NodeId statement, const edit::EditSet& edits);

  // What was written; the writer is empty afterwards.
  WrittenText take();

 private:
  void begin_line(std::uint32_t original_line, std::optional<std::int32_t> shift);
  // Appends text that may hold line ends; each further line starts at column 0 of the next original
  // line.
  void append_original(base::TextRange range);
  // The same for a patched piece of the original. A line whose kept bytes all moved by the same
  // number of columns has that shift.
  void append_patched(const edit::PatchedText& patched);

  const syntax::Tree* tree_;
  const source::LineIndex* line_index_;
  std::uint32_t level_ = 0;
  WrittenText written_;
};

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_CODE_WRITER_H_
