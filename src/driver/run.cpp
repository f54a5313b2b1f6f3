#include "driver/run.h"

#include "driver/command.h"

#include <memory>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

// The innermost command that was recognised before parsing ended.
const CLI::App& innermost(const CLI::App& parser) {
  const CLI::App* current = &parser;
  while (!current->get_subcommands().empty()) {
    current = current->get_subcommands().front();
  }
  return *current;
}

std::string full_name(const CLI::App& parser) {
  const CLI::App* parent = parser.get_parent();
  return parent == nullptr ? parser.get_name() : full_name(*parent) + " " + parser.get_name();
}

std::vector<std::string> command_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::App* command : parser.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// What is wrong with the arguments, and what to do.
std::string complaint(const CLI::App& parser, const CLI::ParseError& error) {
  const CLI::App& command = innermost(parser);
  const std::string name = full_name(command);
  const std::vector<std::string> names = command_names(command);
  std::string problem = error.what();
  if (!names.empty()) {
    const std::vector<std::string> rest = command.remaining();
    problem = rest.empty()        ? "a command is missing"
              : rest[0][0] == '-' ? fmt::format("there is no option {}", rest[0])
                                  : fmt::format("there is no command '{}'", rest[0]);
    problem += fmt::format("; commands: {}", fmt::join(names, ", "));
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string first = command.remaining().front();
    problem = first.starts_with('-') && first != "-"
                  ? fmt::format("there is no option {}", first)
                  : fmt::format("one argument too many: {}", first);
  } else if (const std::size_t end = problem.find('\n'); end != std::string::npos) {
    problem.resize(end);
  }
  return fmt::format("{}: {}\n`{} --help` lists what it takes\n", name, problem, name);
}

}  // namespace

ExitStatus run(std::span<const std::string> arguments, const Host& host) {
  Console console(host);
  CLI::App parser("Source-to-source compiler that keeps torch.compile from breaking graphs.",
                  "graphmend");
  parser.require_subcommand(1);
  parser.set_help_flag("-h,--help", "Print this help and stop");
  parser.set_version_flag("--version", fmt::format("graphmend {}", host.version),
                          "Print the version and stop");
  std::vector<std::pair<const CLI::App*, Action>> actions;
  for (const Command& command : commands()) {
    CLI::App* added =
        parser.add_subcommand(std::string(command.name), std::string(command.summary));
    actions.emplace_back(added, command.declare(*added));
  }
  // The parser takes them from the end.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      console.err.write(complaint(parser, error));
      return ExitStatus::Failed;
    }
    std::ostringstream help;
    parser.exit(error, help, help);
    console.out.write(help.str());
    console.out.flush();
    return console.out.good() ? ExitStatus::Done : ExitStatus::Failed;
  }
  ExitStatus status = ExitStatus::Failed;
  for (const auto& [command, action] : actions) {
    if (command->parsed()) {
      status = action(console);
    }
  }
  console.out.flush();
  console.err.flush();
  return console.out.good() ? status : ExitStatus::Failed;
}

}  // namespace graphmend::driver
