#include "mends/code_writer.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace graphmend::mends {

void CodeWriter::begin_line(std::uint32_t original_line, std::optional<std::int32_t> shift) {
  written_.lines.push_back({original_line, shift});
  written_.text.append(level_, ' ');
}

void CodeWriter::line(std::string_view text, base::TextRange anchor) {
  begin_line(line_index_->line(anchor.start), std::nullopt);
  written_.text += text;
  written_.text += '\n';
}

void CodeWriter::edited(std::string_view prefix, base::TextRange range, const edit::EditSet& edits,
                        std::string_view suffix) {
  if (edits.empty()) {
    copy(prefix, range, suffix);
    return;
  }
  const auto patched = edits.apply(tree_->source(), range);
  GM_CHECK(patched.ok());
  begin_line(line_index_->line(range.start), std::nullopt);
  written_.text += prefix;
  append_patched(*patched);
  written_.text += suffix;
  written_.text += '\n';
}

void CodeWriter::append_patched(const edit::PatchedText& patched) {
  const std::size_t line_end = written_.text.rfind('\n');
  std::size_t line_start = line_end == std::string::npos ? 0 : line_end + 1;
  std::uint32_t expected = 0;  // the original offset, if this byte goes on a kept stretch
  bool one_shift = true;
  for (std::uint32_t i = 0; i < patched.text.size(); ++i) {
    const bool kept = patched.map.is_kept(i);
    const std::uint32_t original = patched.map.to_original(i);
    LineOrigin& line = written_.lines.back();
    if (kept && original != expected && one_shift) {
      const source::Position position = line_index_->position(original);
      const auto shift = static_cast<std::int32_t>(position.column) -
                         static_cast<std::int32_t>(written_.text.size() - line_start);
      one_shift = position.line == line.line && line.column_shift.value_or(shift) == shift;
      line.column_shift = one_shift ? std::optional(shift) : std::nullopt;
    }
    expected = kept ? original + 1 : 0;
    written_.text += patched.text[i];
    if (patched.text[i] == '\n') {
      written_.lines.push_back({line_index_->line(original + 1), std::nullopt});
      line_start = written_.text.size();
      expected = 0;
      one_shift = true;
    }
  }
}

void CodeWriter::append_original(base::TextRange range) {
  std::uint32_t line = line_index_->line(range.start);
  std::uint32_t start = range.start;
  while (true) {
    const base::TextRange whole = line_index_->line_range(line);
    const std::uint32_t end = std::min(range.end, whole.end);
    written_.text += tree_->text({start, std::max(start, end)});
    const std::uint32_t next = line_index_->line_start(line + 1);
    if (next >= range.end || line >= line_index_->line_count()) {
      return;
    }
    written_.text += '\n';
    ++line;
    written_.lines.push_back({line, 0});
    start = next;
  }
}

void CodeWriter::copy(base::TextRange range) {
  copy({}, range, {});
}

void CodeWriter::copy(std::string_view prefix, base::TextRange range, std::string_view suffix) {
  const source::Position original = line_index_->position(range.start);
  const auto written_column = static_cast<std::int32_t>(level_ + prefix.size());
  begin_line(original.line, static_cast<std::int32_t>(original.column) - written_column);
  written_.text += prefix;
  append_original(range);
  written_.text += suffix;
  written_.text += '\n';
}

void CodeWriter::copy_statement(syntax::NodeId statement, const edit::EditSet& edits) {
  const base::TextRange whole = tree_->range_with_decorators(statement);
  const std::string_view base_indentation = tree_->indentation_at(whole.start);
  const std::vector<std::uint32_t> starts = tree_->logical_line_starts(whole);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    // The first logical line may start in the middle of a physical one (after `;` or a colon).
    const bool first = i == 0;
    const std::string_view indentation = tree_->indentation_at(starts[i]);
    const auto own = static_cast<std::uint32_t>(
        first ? 0 : indentation.size() - std::min(indentation.size(), base_indentation.size()));
    const std::uint32_t text_start =
        first ? whole.start : starts[i] + static_cast<std::uint32_t>(indentation.size()) - own;
    std::uint32_t text_end = i + 1 < starts.size() ? starts[i + 1] : whole.end;
    // Leave out the line end itself, and comment or blank lines before the next logical line.
    // A backslash before an empty line goes with it.
    int line_ends = 0;
    while (text_end > text_start && i + 1 < starts.size()) {
      const char last = tree_->source()[text_end - 1];
      if (last != '\n' && last != '\r' && (last != '\\' || line_ends < 2)) {
        break;
      }
      line_ends = last == '\\' ? 0 : line_ends + (last == '\n' ? 1 : 0);
      --text_end;
    }
    // The own part of the indentation is already in the piece.
    edited({}, {text_start, text_end}, edits, {});
  }
}

WrittenText CodeWriter::take() {
  return std::exchange(written_, {});
}

}  // namespace graphmend::mends
