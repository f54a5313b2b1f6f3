// Starts of lines: blank lines, indentation, and where a block ends.
#include "syntax/byte_class.h"
#include "syntax/lexer_impl.h"

#include <string>

namespace graphmend::syntax {

// Called at the start of a physical line outside of brackets. Passes over blank and comment lines;
// returns where the first token of the next logical line is, its Indent or Dedents pushed.
Lexer::Bytes Lexer::lex_line_start(Bytes p) {
  for (;;) {
    Bytes line = p;
    p = skip_spaces(p);
    std::uint32_t column = static_cast<std::uint32_t>(p - line);
    std::uint32_t alternative = column;
    std::uint32_t continued_column = 0;
    for (;; ++p) {
      if (*p == ' ') {
        ++column;
        ++alternative;
      } else if (*p == '\t') {
        column = (column / 8 + 1) * 8;
        ++alternative;
      } else if (*p == '\f') {
        column = 0;
        alternative = 0;
      } else if (*p == '\\' && (p[1] == '\n' || p[1] == '\r') && version_.minor >= 9) {
        // A continued line of white space: the first part that is not empty sets the indentation.
        Bytes backslash = p;
        p += p[1] == '\r' && p[2] == '\n' ? 2 : 1;
        if (p + 1 == end_) {
          error(diag::Code::BadContinuation, backslash, backslash + 1,
                "unexpected EOF while parsing");
          break;
        }
        continued_column = continued_column != 0 ? continued_column : column;
      } else {
        break;
      }
    }
    if (continued_column != 0) {
      column = alternative = continued_column;
    }
    std::uint8_t c = *p;
    if (c == '#') {
      Bytes start = p;
      p = find_line_end(p);
      while (*p == 0 && p != end_) {
        p = find_line_end(p + 1);
      }
      tokens.push_comment({offset(start), offset(p)});
      c = *p;
    }
    if (c == '\n') {
      ++p;
      continue;
    }
    if (c == '\r') {
      p += p[1] == '\n' ? 2 : 1;
      continue;
    }
    if (c == 0 && p == end_) {
      return p;
    }
    if (indent_count_ != 0 && column == indents_[indent_count_ - 1].column &&
        alternative == indents_[indent_count_ - 1].alternative && !block_) [[likely]] {
      return p;
    }
    switch (handle_indentation(p, column, alternative)) {
      case Line::Begun:
        return p;
      case Line::Abandoned:
        return give_up(p);
      case Line::Foreign:
        block_ended = true;
        end_ = line;
        buffer_[static_cast<std::size_t>(line - begin_)] = 0;
        return line;
    }
    return p;
  }
}

// Pushes the Indent or the Dedents that a line at this column brings.
Lexer::Line Lexer::handle_indentation(Bytes p, std::uint32_t column, std::uint32_t alternative) {
  if (indent_count_ == 0) {
    // The first logical line: level 0, or in block mode the statement's own level.
    indents_[0] = block_ ? Indent{column, alternative} : Indent{0, 0};
    indent_count_ = 1;
    last_was_decorator_ = *p == '@';
    if (block_) {
      return Line::Begun;
    }
  } else if (block_ && column <= indents_[0].column) {
    if (block_is_over(p, column)) {
      return Line::Foreign;
    }
    last_was_decorator_ = *p == '@';
  }
  Indent top = indents_[indent_count_ - 1];
  if (column == top.column) {
    if (alternative != top.alternative) {
      error(diag::Code::InconsistentTabs, p, p,
            "inconsistent use of tabs and spaces in indentation");
    }
    return Line::Begun;
  }
  if (column > top.column) {
    if (alternative <= top.alternative) {
      error(diag::Code::InconsistentTabs, p, p,
            "inconsistent use of tabs and spaces in indentation");
    }
    if (indent_count_ >= kMaxIndents) {
      error(diag::Code::TooManyIndents, p, p, "too many levels of indentation");
      return Line::Abandoned;
    }
    indents_[indent_count_++] = {column, alternative};
    push(TokenKind::Indent, p, p);
    return Line::Begun;
  }
  while (indent_count_ > 1 && column < indents_[indent_count_ - 1].column) {
    --indent_count_;
    push(TokenKind::Dedent, p, p);
  }
  top = indents_[indent_count_ - 1];
  if (column != top.column) {
    error(diag::Code::InconsistentDedent, p, p,
          "unindent does not match any outer indentation level");
  } else if (alternative != top.alternative) {
    error(diag::Code::InconsistentTabs, p, p, "inconsistent use of tabs and spaces in indentation");
  }
  return Line::Begun;
}

// Block mode, at a line no deeper than the statement: does the statement go on? It does after a
// decorator, and with the clauses that continue a compound statement.
bool Lexer::block_is_over(Bytes p, std::uint32_t column) {
  if (column < indents_[0].column) {
    return true;
  }
  if (last_was_decorator_) {
    return false;
  }
  Bytes end = skip_ascii_name(p);
  std::string_view word(reinterpret_cast<const char*>(p), static_cast<std::size_t>(end - p));
  return word != "else" && word != "elif" && word != "except" && word != "finally";
}

}  // namespace graphmend::syntax
