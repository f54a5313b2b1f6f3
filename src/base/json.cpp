#include "base/json.h"

#include "base/check.h"
#include "base/utf8.h"

namespace graphmend::base {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

void append_escape(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    out += kDigits[unit >> shift & 15];
  }
}

// The lone surrogate whose three-byte form a text starts with; 0 for none.
std::uint32_t surrogate(std::string_view text) {
  const auto byte = [text](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[i]);
  };
  if (text.size() < 3 || byte(0) != 0xed || byte(1) < 0xa0 || byte(1) > 0xbf ||
      (byte(2) & 0xc0) != 0x80) {
    return 0;
  }
  return 0xd000 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t done = 0;  // what lies before is written
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::size_t size = 1;
    if (byte >= 0x80) {
      const CodePoint point = decode_utf8(text.substr(i));
      if (point.value != kBadCodePoint) {
        i += point.size;
        continue;
      }
    } else if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f) {
      ++i;
      continue;
    }
    out += text.substr(done, i - done);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[i];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte == '\r') {
      out += "\\r";
    } else if (byte < 0x80) {
      append_escape(out, byte);
    } else if (const std::uint32_t unit = surrogate(text.substr(i)); unit != 0) {
      append_escape(out, unit);
      size = 3;
    } else {
      append_escape(out, 0xfffd);
    }
    i += size;
    done = i;
  }
  out += text.substr(done);
  out += '"';
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!any_.empty()) {
    if (any_.back()) {
      *out_ += ',';
    }
    any_.back() = true;
  }
}

void JsonWriter::open(char bracket) {
  separate();
  *out_ += bracket;
  any_.push_back(false);
}

void JsonWriter::close(char bracket) {
  GM_CHECK(!any_.empty() && !after_key_);
  any_.pop_back();
  *out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(*out_, name);
  *out_ += ':';
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(*out_, text);
}

void JsonWriter::raw(std::string_view json) {
  separate();
  *out_ += json;
}

}  // namespace graphmend::base
