// What the fuzz targets share: from bytes to a text, and checks that end the process.
//
// A target is tests/fuzz/<name>_target.cpp with LLVMFuzzerTestOneInput. `make fuzz` links it with
// libFuzzer; every other build with plain_main.cpp, which replays seeds and mutates them itself.
#ifndef GRAPHMEND_TESTS_FUZZ_PROPERTY_H_
#define GRAPHMEND_TESTS_FUZZ_PROPERTY_H_

#include "source/source_file.h"
#include "syntax/token.h"
#include "syntax/version.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace graphmend::fuzz {

// Ends the process, so that the input is kept as a finding.
void require(bool holds, std::string_view property);

// The input as a source: decoded where that succeeds, else its bytes as they are, which no reader
// promises to make sense of, but all must survive.
struct Input {
  Input(const std::uint8_t* data, std::size_t size);
  std::string bytes;
  source::SourceFile file;
  std::string_view text;
  bool is_utf8 = false;
  syntax::PythonVersion version;  // one of all, chosen by the bytes
};

// Tokens and trivia tile the text: tokens are in order, and only white space, line ends,
// backslashes before line ends, comments and a byte order mark lie between them.
void require_tiling(std::string_view text, const syntax::TokenBuffer& tokens);

// Takes an input apart, number by number; zeros when it is used up.
class Reader {
 public:
  Reader(const std::uint8_t* data, std::size_t size) : data_(data, size) {}
  std::uint32_t number(std::uint32_t below) {
    const std::uint32_t value = byte() | std::uint32_t{byte()} << 8;
    return below == 0 ? 0 : value % below;
  }
  std::uint8_t byte() {
    if (data_.empty()) {
      return 0;
    }
    const std::uint8_t first = data_.front();
    data_ = data_.subspan(1);
    return first;
  }
  std::string_view take(std::size_t size) {
    size = size < data_.size() ? size : data_.size();
    const std::string_view taken(reinterpret_cast<const char*>(data_.data()), size);
    data_ = data_.subspan(size);
    return taken;
  }
  [[nodiscard]] std::size_t left() const { return data_.size(); }

 private:
  std::span<const std::uint8_t> data_;
};

}  // namespace graphmend::fuzz

#endif  // GRAPHMEND_TESTS_FUZZ_PROPERTY_H_
