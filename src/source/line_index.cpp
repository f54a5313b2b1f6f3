#include "source/line_index.h"

#include <algorithm>

namespace graphmend::source {

LineIndex::LineIndex(std::string_view text) : text_(text) {
  starts_.reserve(text.size() / 32 + 1);
  starts_.push_back(0);
  // Most texts have no carriage return: then one search for one byte finds each line.
  const bool only_newlines = text.find('\r') == std::string_view::npos;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = only_newlines ? text.find('\n', i) : text.find_first_of("\r\n", i);
    if (end == std::string_view::npos) {
      break;
    }
    i = end + (text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n' ? 2 : 1);
    starts_.push_back(static_cast<std::uint32_t>(i));
  }
  bom_size_ = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
}

std::uint32_t LineIndex::line(std::uint32_t offset) const {
  auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<std::uint32_t>(after - starts_.begin());
}

std::uint32_t LineIndex::line_start(std::uint32_t line) const {
  if (line == 0) {
    return 0;
  }
  return line <= starts_.size() ? starts_[line - 1] : static_cast<std::uint32_t>(text_.size());
}

base::TextRange LineIndex::line_range(std::uint32_t line) const {
  std::uint32_t start = line_start(line);
  std::uint32_t end = line_start(line + 1);
  while (end > start && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) {
    --end;
  }
  return {start, end};
}

Position LineIndex::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  std::uint32_t number = line(offset);
  std::uint32_t start = starts_[number - 1];
  if (number == 1) {
    start = std::min(bom_size_, offset);
  }
  return {number, offset - start};
}

Position LineIndex::position_code_points(std::uint32_t offset) const {
  Position bytes = position(offset);
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  std::uint32_t column = 0;
  for (std::uint32_t i = offset - bytes.column; i < offset; ++i) {
    column += (static_cast<unsigned char>(text_[i]) & 0xc0) != 0x80;
  }
  return {bytes.line, column};
}

Position LineIndex::position_utf16(std::uint32_t offset) const {
  Position bytes = position(offset);
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  std::uint32_t column = 0;
  for (std::uint32_t i = offset - bytes.column; i < offset; ++i) {
    unsigned char byte = static_cast<unsigned char>(text_[i]);
    column += (byte & 0xc0) != 0x80;
    column += byte >= 0xf0;  // a pair of surrogates
  }
  return {bytes.line, column};
}

std::uint32_t LineIndex::offset(Position position) const {
  base::TextRange range = line_range(position.line);
  std::uint32_t start = position.line == 1 ? std::min(bom_size_, range.end) : range.start;
  return std::min(start + position.column, range.end);
}

}  // namespace graphmend::source
