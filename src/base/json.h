// Writes JSON, piece by piece, into a string.
#ifndef GRAPHMEND_BASE_JSON_H_
#define GRAPHMEND_BASE_JSON_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::base {

// Appends `text` as a JSON string with its quotes. Valid UTF-8 stays as it is; lone surrogates in
// their three-byte form are escaped, and other bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// Knows where commas go; the caller opens, closes and names what is due. Appends to a string that
// the caller may empty between any two calls, so that a large document needs no memory.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(&out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // The name of the next value of an object.
  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  template <std::integral T>
  void value(T number) {
    if constexpr (std::same_as<T, bool>) {
      raw(number ? "true" : "false");
    } else {
      raw(std::to_string(number));
    }
  }
  void null() { raw("null"); }
  // A value that is JSON already.
  void raw(std::string_view json);
  // A named value.
  template <class T>
  void member(std::string_view name, const T& given) {
    key(name);
    value(given);
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();

  std::string* out_;
  std::vector<bool> any_;  // for each open object or array: it holds something already
  bool after_key_ = false;
};

}  // namespace graphmend::base

#endif  // GRAPHMEND_BASE_JSON_H_
