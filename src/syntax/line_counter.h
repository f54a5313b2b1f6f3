// Line numbers of places in a text, for messages.
#ifndef GRAPHMEND_SYNTAX_LINE_COUNTER_H_
#define GRAPHMEND_SYNTAX_LINE_COUNTER_H_

#include <cstddef>
#include <string_view>

namespace graphmend::syntax {

// Counts from the place that was asked about last. Places that come in order, or nearly so, cost
// the length of the text once, however many they are.
class LineCounter {
 public:
  // The line of an offset, from 1. The text must always be the same one, or a beginning of it that
  // holds the byte at the offset where there is one.
  std::size_t line(std::string_view text, std::size_t offset) {
    for (; at_ < offset; ++at_) {
      line_ += ends_line(text, at_);
    }
    while (at_ > offset) {
      line_ -= ends_line(text, --at_);
    }
    return line_;
  }

 private:
  static std::size_t ends_line(std::string_view text, std::size_t at) {
    const bool line_feed_follows = at + 1 < text.size() && text[at + 1] == '\n';
    return text[at] == '\n' || (text[at] == '\r' && !line_feed_follows) ? 1 : 0;
  }

  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_LINE_COUNTER_H_
