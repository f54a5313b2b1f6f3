#include "base/utf8.h"

namespace graphmend::base {

CodePoint decode_utf8(std::string_view text) {
  auto byte = [text](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  auto tail = [&byte](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  std::uint32_t first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  if (first >= 0xc2 && first < 0xe0 && tail(1)) {
    return {(first & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  }
  if (first >= 0xe0 && first < 0xf0 && tail(1) && tail(2)) {
    std::uint32_t value = (first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    if (value >= 0x800 && (value < 0xd800 || value > 0xdfff)) {
      return {value, 3};
    }
  }
  if (first >= 0xf0 && first < 0xf5 && tail(1) && tail(2) && tail(3)) {
    std::uint32_t value =
        (first & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
    if (value >= 0x10000 && value <= 0x10ffff) {
      return {value, 4};
    }
  }
  return {kBadCodePoint, 1};
}

void append_utf8(std::string& out, std::uint32_t c) {
  auto add = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xc0 | c >> 6);
    add(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  } else {
    add(0xf0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3f));
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  }
}

}  // namespace graphmend::base
