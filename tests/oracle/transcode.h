// Encodings that are not built in, for the oracles' programs: iconv's.
#ifndef GRAPHMEND_TESTS_ORACLE_TRANSCODE_H_
#define GRAPHMEND_TESTS_ORACLE_TRANSCODE_H_

#include <optional>
#include <string>
#include <string_view>

#include <iconv.h>

namespace graphmend::oracle {

// Nothing when iconv does not know an encoding, or the bytes are not in it.
inline std::optional<std::string> transcode(const std::string& to, const std::string& from,
                                            std::string_view bytes) {
  iconv_t converter = iconv_open(to.c_str(), from.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) {
    return std::nullopt;
  }
  std::string input(bytes);
  std::string output(bytes.size() * 4 + 16, '\0');
  char* source = input.data();
  char* target = output.data();
  std::size_t source_left = input.size();
  std::size_t target_left = output.size();
  std::size_t result = iconv(converter, &source, &source_left, &target, &target_left);
  iconv_close(converter);
  if (result == static_cast<std::size_t>(-1)) {
    return std::nullopt;
  }
  output.resize(output.size() - target_left);
  return output;
}

inline std::optional<std::string> decode(std::string_view encoding, std::string_view bytes) {
  return transcode("UTF-8", std::string(encoding), bytes);
}

}  // namespace graphmend::oracle

#endif  // GRAPHMEND_TESTS_ORACLE_TRANSCODE_H_
