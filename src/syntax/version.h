// The versions of Python's grammar.
#ifndef GRAPHMEND_SYNTAX_VERSION_H_
#define GRAPHMEND_SYNTAX_VERSION_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace graphmend::syntax {

// Python 3.minor.
struct PythonVersion {
  std::uint8_t minor = 14;
  friend constexpr auto operator<=>(PythonVersion, PythonVersion) = default;
};

inline constexpr PythonVersion kOldestVersion{8};
inline constexpr PythonVersion kNewestVersion{14};

// Reads "3.11"; nothing when it is no version between kOldestVersion and kNewestVersion.
std::optional<PythonVersion> parse_version(std::string_view text);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_VERSION_H_
