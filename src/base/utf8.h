// Code points of UTF-8 text.
#ifndef GRAPHMEND_BASE_UTF8_H_
#define GRAPHMEND_BASE_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace graphmend::base {

// One code point of a UTF-8 text; malformed bytes give kBadCodePoint, one byte long.
struct CodePoint {
  std::uint32_t value;
  std::uint32_t size;
};
inline constexpr std::uint32_t kBadCodePoint = 0xffff'ffff;

// Decodes the code point at the start of a text that is not empty.
CodePoint decode_utf8(std::string_view text);
// Appends the UTF-8 form; surrogates get their three-byte form.
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace graphmend::base

#endif  // GRAPHMEND_BASE_UTF8_H_
