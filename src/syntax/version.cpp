#include "syntax/version.h"

namespace graphmend::syntax {

std::optional<PythonVersion> parse_version(std::string_view text) {
  if (!text.starts_with("3.") || text.size() > 4 || text.size() < 3) {
    return std::nullopt;
  }
  unsigned minor = 0;
  for (char c : text.substr(2)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    minor = minor * 10 + static_cast<unsigned>(c - '0');
  }
  if (minor < kOldestVersion.minor || minor > kNewestVersion.minor || text[2] == '0') {
    return std::nullopt;
  }
  return PythonVersion{static_cast<std::uint8_t>(minor)};
}

}  // namespace graphmend::syntax
