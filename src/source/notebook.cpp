#include "source/notebook.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace graphmend::source {
namespace {

constexpr int kMaxDepth = 200;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// One cell as the file holds it.
struct Cell {
  bool is_code = false;
  // Pieces of its source, each with the line of the file on which it starts.
  std::vector<std::pair<std::string, std::uint32_t>> source;
};

// Reads JSON from front to back; what is not asked for is passed over.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) {
      at_ = 3;
    }
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::uint32_t line() const { return line_; }
  bool fail() {
    ok_ = false;
    return false;
  }
  // The next character that is no white space; 0 at the end.
  char peek() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
        return c;
      }
      line_ += c == '\n' ? 1 : 0;
      ++at_;
    }
    return 0;
  }
  bool take(char c) {
    if (peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }
  // Calls `use` with each key, which must read the value.
  template <class Use>
  void object(Use&& use) {
    if (!take('{')) {
      fail();
      return;
    }
    if (take('}')) {
      return;
    }
    do {
      const auto key = string();
      if (!key || !take(':')) {
        fail();
        return;
      }
      use(*key);
    } while (ok_ && take(','));
    ok_ = ok_ && take('}');
  }
  // Calls `use` at each element, which it must read.
  template <class Use>
  void array(Use&& use) {
    if (!take('[')) {
      fail();
      return;
    }
    if (take(']')) {
      return;
    }
    do {
      use();
    } while (ok_ && take(','));
    ok_ = ok_ && take(']');
  }
  std::optional<std::string> string() {
    if (!take('"')) {
      fail();
      return std::nullopt;
    }
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') {
        return out;
      }
      if (c == '\n') {
        break;
      }
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        break;
      }
    }
    fail();
    return std::nullopt;
  }
  void skip(int depth = 0) {  // NOLINT(misc-no-recursion): its depth has a bound
    if (depth > kMaxDepth) {
      fail();
      return;
    }
    switch (peek()) {
      case '{':
        object([&](const std::string&) { skip(depth + 1); });
        return;
      case '[':
        array([&] { skip(depth + 1); });
        return;
      case '"':
        (void)string();
        return;
      default: {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_word(text_[at_])) {
          ++at_;
        }
        ok_ = ok_ && at_ > begin;
      }
    }
  }
  [[nodiscard]] bool at_end() { return peek() == 0 && at_ == text_.size(); }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
           c == 'E' || c == 'N' || c == 'I';
  }
  std::optional<std::uint32_t> hex() {
    if (at_ + 4 > text_.size()) {
      return std::nullopt;
    }
    std::uint32_t code = 0;
    for (const char c : text_.substr(at_, 4)) {
      const auto digit =
          std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? c + 32 : c);
      if (digit == std::string_view::npos) {
        return std::nullopt;
      }
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    at_ += 4;
    return code;
  }
  bool escape(std::string& out) {
    if (at_ == text_.size()) {
      return false;
    }
    const char c = text_[at_++];
    constexpr std::string_view kFrom = "\"\\/bfnrt";
    constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const std::size_t index = kFrom.find(c); index != std::string_view::npos) {
      out += kTo[index];
      return true;
    }
    auto code = c == 'u' ? hex() : std::nullopt;
    if (!code) {
      return false;
    }
    if (*code >= 0xd800 && *code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t before = at_;
      at_ += 2;
      const auto low = hex();
      if (low && *low >= 0xdc00 && *low < 0xe000) {
        code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
      } else {
        at_ = before;
      }
    }
    // Half of a pair is no character.
    append_utf8(out, *code >= 0xd800 && *code < 0xe000 ? 0xfffd : *code);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool ok_ = true;
};

// What of a notebook matters here.
struct Document {
  std::vector<Cell> cells;
  bool has_cells = false;
  std::string language;
};

Cell read_cell(JsonReader& reader) {
  Cell cell;
  reader.object([&](const std::string& key) {
    if (key == "cell_type") {
      const auto type = reader.string();
      cell.is_code = type && *type == "code";
    } else if (key == "source") {
      const auto piece = [&] {
        (void)reader.peek();
        const std::uint32_t line = reader.line();
        if (auto text = reader.string()) {
          cell.source.emplace_back(*std::move(text), line);
        }
      };
      if (reader.peek() == '[') {
        reader.array(piece);
      } else {
        piece();
      }
    } else {
      reader.skip();
    }
  });
  return cell;
}

void read_language(JsonReader& reader, Document& document) {
  if (reader.peek() != '{') {
    reader.skip();
    return;
  }
  reader.object([&](const std::string& key) {
    if ((key != "kernelspec" && key != "language_info") || reader.peek() != '{') {
      reader.skip();
      return;
    }
    reader.object([&](const std::string& inner) {
      const bool names = inner == (key == "kernelspec" ? "language" : "name");
      if (names && reader.peek() == '"') {
        document.language = reader.string().value_or("");
      } else {
        reader.skip();
      }
    });
  });
}

std::optional<Document> read_document(std::string_view json) {
  JsonReader reader(json);
  Document document;
  reader.object([&](const std::string& key) {
    if (key == "cells" && reader.peek() == '[') {
      document.has_cells = true;
      reader.array([&] { document.cells.push_back(read_cell(reader)); });
    } else if (key == "metadata") {
      read_language(reader, document);
    } else {
      reader.skip();
    }
  });
  return reader.ok() && reader.at_end() ? std::optional(std::move(document)) : std::nullopt;
}

// ------------------------------------------------------------------------------------ magics

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
    line.remove_prefix(1);
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Cell magics whose cell is Python all the same.
bool is_python_magic(std::string_view line) {
  constexpr std::array<std::string_view, 8> kMagics = {"capture", "debug",  "mprun", "memit",
                                                       "prun",    "python", "time",  "timeit"};
  line.remove_prefix(2);
  const std::string_view name =
      line.substr(0, static_cast<std::size_t>(
                         std::find_if_not(line.begin(), line.end(), is_name_byte) - line.begin()));
  return std::find(kMagics.begin(), kMagics.end(), name) != kMagics.end() || name == "python3";
}

// `name?`, `module.name??`
bool asks_for_help(std::string_view line) {
  if (line.starts_with('?')) {
    return true;
  }
  const std::size_t mark = line.find('?');
  return mark != std::string_view::npos && mark > 0 &&
         line.find_first_not_of('?', mark) == std::string_view::npos &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(mark),
                     [](char c) { return is_name_byte(c) || c == '.' || c == '*'; });
}

// Where the right side of `name = !command` or `name = %magic` starts.
std::optional<std::size_t> magic_value(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0 ||
      !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(equals),
                   [](char c) { return is_name_byte(c) || c == '.' || c == ',' || c == ' '; })) {
    return std::nullopt;
  }
  const std::size_t value = line.find_first_not_of(' ', equals + 1);
  return value != std::string_view::npos && (line[value] == '!' || line[value] == '%')
             ? std::optional(value)
             : std::nullopt;
}

// Follows a text far enough to tell the lines on which a statement may start.
class Continuation {
 public:
  [[nodiscard]] bool inside() const { return depth_ > 0 || quote_ != 0 || backslash_; }
  void line(std::string_view text) {
    backslash_ = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote_ != 0) {
        in_string(text, i);
      } else if (c == '#') {
        return;
      } else if (c == '"' || c == '\'') {
        triple_ = text.substr(i, 3) == std::string(3, c);
        i += triple_ ? 2 : 0;
        quote_ = c;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth_;
      } else if (c == ')' || c == ']' || c == '}') {
        depth_ -= depth_ > 0 ? 1 : 0;
      } else if (c == '\\' && trimmed(text.substr(i + 1)).empty()) {
        backslash_ = true;
      }
    }
    if (quote_ != 0 && !triple_) {
      // A string of one line that goes on behind a backslash, or a mistake.
      quote_ = text.ends_with('\\') ? quote_ : char{0};
    }
  }

 private:
  void in_string(std::string_view text, std::size_t& i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote_ && (!triple_ || text.substr(i, 3) == std::string(3, quote_))) {
      i += triple_ ? 2 : 0;
      quote_ = 0;
    }
  }

  int depth_ = 0;
  char quote_ = 0;
  bool triple_ = false;
  bool backslash_ = false;
};

// A line of a cell as Python: magics are replaced.
std::string python_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
  if (text.starts_with('%') || text.starts_with('!') || asks_for_help(text)) {
    return std::string(indent) + "pass";
  }
  if (const auto value = magic_value(text)) {
    return std::string(indent) + std::string(text.substr(0, *value)) + "get_ipython()";
  }
  return std::string(line);
}

void append_cell(const Cell& cell, std::uint32_t number, Notebook& notebook) {
  // Its lines, each with its line of the file.
  std::vector<std::pair<std::string, std::uint32_t>> lines(1);
  bool fresh = true;
  for (const auto& [piece, file_line] : cell.source) {
    for (const char c : piece) {
      if (fresh) {
        lines.back().second = file_line;
        fresh = false;
      }
      if (c == '\n') {
        lines.emplace_back(std::string(), file_line);
        fresh = true;
      } else {
        lines.back().first += c;
      }
    }
  }
  if (lines.back().first.empty()) {
    lines.pop_back();
  }
  std::uint32_t count = 0;
  bool is_other = false;
  bool in_magic = false;
  Continuation continuation;
  for (const auto& [line, file_line] : lines) {
    ++count;
    notebook.lines.push_back({number, count, file_line});
    const std::string_view text = trimmed(line);
    if (is_other || in_magic) {
      in_magic = in_magic && text.ends_with('\\');
    } else if (count == 1 && text.starts_with("%%")) {
      is_other = !is_python_magic(text);
    } else if (continuation.inside()) {
      notebook.text += line;
      continuation.line(line);
    } else {
      const std::string python = python_line(line);
      in_magic = python != line && text.ends_with('\\');
      notebook.text += python;
      continuation.line(python);
    }
    notebook.text += '\n';
  }
}

}  // namespace

bool is_notebook(std::string_view path) {
  return path.ends_with(".ipynb");
}

base::Result<Notebook, std::string> read_notebook(std::string_view json) {
  const auto document = read_document(json);
  if (!document) {
    return base::failure(std::string("it is no JSON, as notebooks are"));
  }
  if (!document->has_cells) {
    return base::failure(
        std::string("it has no cells; write it anew with `jupyter nbconvert --to notebook`"));
  }
  Notebook notebook;
  if (!document->language.empty() && document->language != "python" &&
      document->language != "ipython") {
    return notebook;
  }
  std::uint32_t number = 0;
  for (const Cell& cell : document->cells) {
    ++number;
    if (cell.is_code) {
      append_cell(cell, number, notebook);
    }
  }
  return notebook;
}

void Notebook::clear_cell(std::uint32_t cell) {
  std::string kept;
  std::string_view rest = text;
  for (const NotebookLine& line : lines) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (line.cell != cell) {
      kept += rest.substr(0, end);
    }
    kept += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  text = std::move(kept);
}

}  // namespace graphmend::source
