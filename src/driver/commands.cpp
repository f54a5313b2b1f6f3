#include "driver/command.h"

#include <string>

#include <fmt/format.h>

namespace graphmend::driver {

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
      {"check", "Say where graphs will break, and why, without running anything", declare_check},
      {"dump", "Print what graphmend reads in a file: tokens, tree, ast, scopes", declare_dump},
      {"rules", "Explain the kinds of breaks", declare_rules},
  };
  return kCommands;
}

void add_python_version(CLI::App& parser, syntax::PythonVersion& version) {
  std::string known;
  for (unsigned minor = syntax::kOldestVersion.minor; minor <= syntax::kNewestVersion.minor;
       ++minor) {
    known += fmt::format("{}3.{}", known.empty() ? "" : ", ", minor);
  }
  CLI::Option* option = parser.add_option_function<std::string>(
      "--python-version",
      [&version](const std::string& text) {
        version = syntax::parse_version(text).value_or(version);
      },
      fmt::format("Version whose grammar the file follows: {} (default 3.{})", known,
                  unsigned{version.minor}));
  option->type_name("3.X");
  option->check([known](const std::string& text) {
    return syntax::parse_version(text)
               ? std::string()
               : fmt::format("'{}' is no version that is known; take one of {}", text, known);
  });
}

}  // namespace graphmend::driver
