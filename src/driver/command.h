// The commands of graphmend: one file each, listed in one table (commands.cpp).
//
// To add one: src/driver/<name>.cpp with a function that declares the command's options on the
// parser it is given and returns what is to be run once they are parsed, and a line in the table.
#ifndef GRAPHMEND_DRIVER_COMMAND_H_
#define GRAPHMEND_DRIVER_COMMAND_H_

#include "driver/host.h"
#include "syntax/version.h"

#include <functional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

namespace graphmend::driver {

// Runs with the options that were parsed.
using Action = std::function<ExitStatus(Console&)>;

struct Command {
  std::string_view name;
  std::string_view summary;  // one line, for the list of commands
  // Options are bound to values that the action owns (a shared_ptr that both capture).
  Action (*declare)(CLI::App& parser);
};

// All commands, in the order in which help lists them.
std::span<const Command> commands();

// Adds `--python-version 3.X`, which sets `version` and refuses what is no version that is known.
void add_python_version(CLI::App& parser, syntax::PythonVersion& version);

// The functions that the table names.
Action declare_check(CLI::App& parser);
Action declare_dump(CLI::App& parser);
Action declare_rules(CLI::App& parser);

}  // namespace graphmend::driver

#endif  // GRAPHMEND_DRIVER_COMMAND_H_
