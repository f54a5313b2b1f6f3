// The values of string and bytes literals.
#include "syntax/byte_class.h"
#include "syntax/character_names.h"
#include "syntax/identifiers.h"
#include "syntax/tree.h"

#include <array>
#include <cstdint>

namespace graphmend::syntax {

namespace {

// Appends text with "\r\n" and "\r" as "\n", as Python reads sources.
void append_with_newlines(std::string& out, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t carriage = text.find('\r', at);
    if (carriage == std::string_view::npos) {
      out.append(text.substr(at));
      return;
    }
    out.append(text.substr(at, carriage - at));
    out.push_back('\n');
    at = carriage + 1;
    at += at < text.size() && text[at] == '\n';
  }
}

// Appends what the escape at the start of `text` (a backslash) stands for; returns its length.
std::size_t append_escape(std::string& out, std::string_view text, bool bytes) {
  if (text.size() < 2) {
    out.push_back('\\');
    return text.size();
  }
  auto append_code = [&out, bytes](std::uint32_t value) {
    if (bytes) {
      out.push_back(static_cast<char>(value & 0xff));
    } else {
      append_utf8(out, value);
    }
  };
  auto hex = [&text](std::size_t digits, std::uint32_t& value) {
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      int digit = 2 + i < text.size() ? hex_value(static_cast<std::uint8_t>(text[2 + i])) : -1;
      if (digit < 0) {
        return false;
      }
      value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  };
  std::uint32_t value = 0;
  char kind = text[1];
  switch (kind) {
    case '\n':
      return 2;
    case '\r':
      return text.size() > 2 && text[2] == '\n' ? 3 : 2;
    case '\\':
    case '\'':
    case '"':
      out.push_back(kind);
      return 2;
    case 'a':
      out.push_back('\a');
      return 2;
    case 'b':
      out.push_back('\b');
      return 2;
    case 'f':
      out.push_back('\f');
      return 2;
    case 'n':
      out.push_back('\n');
      return 2;
    case 'r':
      out.push_back('\r');
      return 2;
    case 't':
      out.push_back('\t');
      return 2;
    case 'v':
      out.push_back('\v');
      return 2;
    case 'x':
      if (hex(2, value)) {
        append_code(value);
        return 4;
      }
      break;
    case 'u':
      if (!bytes && hex(4, value)) {
        append_code(value);
        return 6;
      }
      break;
    case 'U':
      if (!bytes && hex(8, value)) {
        append_code(value);
        return 10;
      }
      break;
    case 'N':
      if (!bytes && text.size() > 2 && text[2] == '{') {
        std::size_t close = text.find('}');
        if (close != std::string_view::npos) {
          value = code_point_of_name(text.substr(3, close - 3), kNewestVersion);
          append_code(value == kBadCodePoint ? 0xfffd : value);
          return close + 1;
        }
      }
      break;
    default:
      if (kind >= '0' && kind <= '7') {
        std::size_t size = 1;
        while (size < 4 && size < text.size() && text[size] >= '0' && text[size] <= '7') {
          value = value * 8 + static_cast<std::uint32_t>(text[size] - '0');
          ++size;
        }
        append_code(value);
        return size;
      }
      break;
  }
  // No escape: the backslash stays.
  out.push_back('\\');
  return 1;
}

void append_decoded(std::string& out, std::string_view text, bool raw, bool bytes) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t backslash = raw ? std::string_view::npos : text.find('\\', at);
    if (backslash == std::string_view::npos) {
      append_with_newlines(out, text.substr(at));
      return;
    }
    append_with_newlines(out, text.substr(at, backslash - at));
    at = backslash + append_escape(out, text.substr(backslash), bytes);
  }
}

// Literal text of an f-string: doubled braces stand for one. In a format specification there are
// none: each brace there is a token.
void append_middle(std::string& out, std::string_view text, bool raw) {
  std::string undoubled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // A named escape has braces of its own.
    if (!raw && text[i] == '\\' && i + 2 < text.size() && text[i + 1] == 'N' &&
        text[i + 2] == '{') {
      std::size_t close = text.find('}', i);
      std::size_t end = close == std::string_view::npos ? text.size() : close + 1;
      undoubled.append(text.substr(i, end - i));
      i = end - 1;
      continue;
    }
    if (!raw && text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '{' &&
        text[i + 1] != '}') {
      undoubled.append(text.substr(i, 2));
      ++i;
      continue;
    }
    undoubled.push_back(text[i]);
    if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
      ++i;
    }
  }
  append_decoded(out, undoubled, raw, false);
}

}  // namespace

std::string Tree::string_value(NodeId id) const {
  std::string value;
  if (kind(id) != NodeKind::Constant) {
    return value;
  }
  if (has_flag(id, kDebugText)) {
    // The text of the field without its comments.
    std::uint32_t at = range(id).start;
    for (TextRange comment : comments_in(range(id))) {
      append_with_newlines(value, text({at, comment.start}));
      at = comment.end;
    }
    append_with_newlines(value, text({at, range(id).end}));
    return value;
  }
  const Node& constant = node(id);
  for (std::uint32_t i = constant.a; i <= constant.b && i < tokens_.size(); ++i) {
    TokenKind token = tokens_.kind(TokenId(i));
    std::string_view literal = token_text(TokenId(i));
    if (token == TokenKind::FStringMiddle || token == TokenKind::FStringMiddleRaw) {
      append_middle(value, literal, token == TokenKind::FStringMiddleRaw);
    } else if (token == TokenKind::String || token == TokenKind::Bytes) {
      bool raw = false;
      std::size_t prefix = 0;
      for (; literal[prefix] != '"' && literal[prefix] != '\''; ++prefix) {
        raw = raw || (literal[prefix] | 0x20) == 'r';
      }
      char quote = literal[prefix];
      bool triple = literal.size() >= prefix + 6 && literal[prefix + 1] == quote &&
                    literal[prefix + 2] == quote;
      std::size_t quotes = triple ? 3 : 1;
      std::string_view body = literal.substr(prefix + quotes);
      body.remove_suffix(quotes);
      append_decoded(value, body, raw, token == TokenKind::Bytes);
    }
  }
  return value;
}

}  // namespace graphmend::syntax
