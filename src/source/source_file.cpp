#include "source/source_file.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace graphmend::source {

namespace {

constexpr std::string_view kBom = "\xef\xbb\xbf";

// The length of the valid UTF-8 sequence at the start of a text; 0 when there is none.
std::size_t utf8_sequence(std::string_view text) {
  auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  auto tail = [&byte](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first < 0xe0) {
    return tail(1) ? 2 : 0;
  }
  if (first >= 0xe0 && first < 0xf0) {
    bool overlong = first == 0xe0 && byte(1) < 0xa0;
    bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    bool overlong = first == 0xf0 && byte(1) < 0x90;
    bool too_large = first == 0xf4 && byte(1) >= 0x90;
    return tail(1) && tail(2) && tail(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

// The offset of the first byte that is not valid UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t ascii = i;
    while (ascii < text.size() && static_cast<unsigned char>(text[ascii]) < 0x80) {
      ++ascii;
    }
    i = ascii;
    if (i == text.size()) {
      break;
    }
    std::size_t size = utf8_sequence(text.substr(i));
    if (size == 0) {
      return i;
    }
    i += size;
  }
  return std::nullopt;
}

bool is_encoding_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

struct Cookie {
  std::string name;
  base::TextRange range;
};

// The encoding that a comment line declares: `coding[:=]\s*([-\w.]+)` after its `#`.
std::optional<Cookie> cookie_in_line(std::string_view line, std::size_t line_offset) {
  std::size_t at = line.find_first_not_of(" \t\f");
  if (at == std::string_view::npos || line[at] != '#') {
    return std::nullopt;
  }
  for (at = line.find("coding", at); at != std::string_view::npos; at = line.find("coding", at)) {
    at += 6;
    if (at >= line.size() || (line[at] != ':' && line[at] != '=')) {
      continue;
    }
    std::size_t start = at + 1;
    while (start < line.size() && (line[start] == ' ' || line[start] == '\t')) {
      ++start;
    }
    std::size_t end = start;
    while (end < line.size() && is_encoding_byte(line[end])) {
      ++end;
    }
    if (end > start) {
      return Cookie{std::string(line.substr(start, end - start)),
                    {static_cast<std::uint32_t>(line_offset + start),
                     static_cast<std::uint32_t>(line_offset + end)}};
    }
  }
  return std::nullopt;
}

// PEP 263: a cookie in the first line, or in the second when the first holds no code.
std::optional<Cookie> find_cookie(std::string_view bytes) {
  std::size_t start = 0;
  for (int number = 0; number < 2 && start < bytes.size(); ++number) {
    std::size_t end = std::min(bytes.find_first_of("\r\n", start), bytes.size());
    std::string_view line = bytes.substr(start, end - start);
    if (std::optional<Cookie> cookie = cookie_in_line(line, start)) {
      return cookie;
    }
    std::size_t text = line.find_first_not_of(" \t\f");
    if (text != std::string_view::npos && line[text] != '#') {
      return std::nullopt;
    }
    start = end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  return std::nullopt;
}

std::string lower_dashed(std::string_view name) {
  std::string lower;
  for (char c : name) {
    lower.push_back(c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return lower;
}

// As CPython's tokenizer normalises names that it knows itself.
std::string normalize_encoding(std::string_view name) {
  std::string lower = lower_dashed(name);
  if (lower == "utf-8" || lower.starts_with("utf-8-") || lower == "utf8" || lower == "u8" ||
      lower == "utf" || lower == "cp65001") {
    return "utf-8";
  }
  for (std::string_view latin : {"latin-1", "iso-8859-1", "iso-latin-1"}) {
    if (lower == latin || (lower.starts_with(latin) && lower[latin.size()] == '-')) {
      return "iso-8859-1";
    }
  }
  if (lower == "latin1" || lower == "iso8859-1" || lower == "8859" || lower == "l1" ||
      lower == "cp819" || lower == "latin") {
    return "iso-8859-1";
  }
  if (lower == "ascii" || lower == "us-ascii" || lower == "646") {
    return "ascii";
  }
  return lower;
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (char c : bytes) {
    unsigned byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text.push_back(c);
    } else {
      text.push_back(static_cast<char>(0xc0 | byte >> 6));
      text.push_back(static_cast<char>(0x80 | (byte & 0x3f)));
    }
  }
  return text;
}

base::TextRange one_byte(std::size_t offset) {
  return {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset + 1)};
}

}  // namespace

SourceFile SourceFile::from_text(std::string path, std::string text) {
  SourceFile file;
  file.data_->path = std::move(path);
  file.data_->text = std::move(text);
  file.data_->bom_size = file.data_->text.starts_with(kBom) ? 3 : 0;
  return file;
}

base::Result<SourceFile, ReadError> SourceFile::from_bytes(std::string path, std::string bytes,
                                                           const Decoder& decoder) {
  if (bytes.size() > kMaxSourceSize) {
    return base::failure(
        ReadError{ReadErrorKind::SourceTooLarge, {}, "source files of over 2 GiB are not read"});
  }
  bool bom = bytes.starts_with(kBom);
  std::optional<Cookie> cookie = find_cookie(std::string_view(bytes).substr(bom ? 3 : 0));
  std::string encoding = cookie ? normalize_encoding(cookie->name) : "utf-8";
  // With a byte order mark CPython takes no alias but these.
  bool plain_utf8 = !cookie;
  if (cookie) {
    std::string name = lower_dashed(cookie->name);
    plain_utf8 = name == "utf-8" || name.starts_with("utf-8-");
  }
  if (bom && !plain_utf8) {
    return base::failure(ReadError{ReadErrorKind::EncodingConflict, cookie->range,
                                   "encoding problem: " + cookie->name + " with BOM"});
  }
  std::string text;
  if (encoding == "utf-8" || encoding == "ascii") {
    std::optional<std::size_t> bad = find_invalid_utf8(bytes);
    if (encoding == "ascii") {
      auto high = std::find_if(bytes.begin(), bytes.end(),
                               [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
      if (high != bytes.end()) {
        bad = static_cast<std::size_t>(high - bytes.begin());
      }
    }
    if (bad) {
      constexpr char kDigits[] = "0123456789abcdef";
      unsigned byte = static_cast<unsigned char>(bytes[*bad]);
      std::string message = std::string("'") + encoding + "' codec can't decode byte 0x" +
                            kDigits[byte >> 4] + kDigits[byte & 15] + " in position " +
                            std::to_string(*bad);
      return base::failure(ReadError{
          encoding == "ascii" ? ReadErrorKind::UndecodableSource : ReadErrorKind::InvalidUtf8,
          one_byte(*bad), std::move(message)});
    }
    text = std::move(bytes);
  } else if (encoding == "iso-8859-1") {
    text = latin1_to_utf8(bytes);
  } else {
    std::optional<std::string> decoded;
    if (decoder) {
      decoded = decoder(cookie->name, bytes);
    }
    if (!decoded) {
      return base::failure(ReadError{
          decoder ? ReadErrorKind::UndecodableSource : ReadErrorKind::UnknownEncoding,
          cookie->range,
          (decoder ? "unknown or wrong encoding: " : "unknown encoding: ") + cookie->name});
    }
    text = std::move(*decoded);
    if (text.size() > kMaxSourceSize) {
      return base::failure(
          ReadError{ReadErrorKind::SourceTooLarge, {}, "source files of over 2 GiB are not read"});
    }
  }
  SourceFile file = from_text(std::move(path), std::move(text));
  file.data_->encoding = std::move(encoding);
  return file;
}

const LineIndex& SourceFile::lines() const {
  if (!data_->lines) {
    data_->lines.emplace(data_->text);
  }
  return *data_->lines;
}

}  // namespace graphmend::source
