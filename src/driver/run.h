// The entry point of the driver: one command line.
#ifndef GRAPHMEND_DRIVER_RUN_H_
#define GRAPHMEND_DRIVER_RUN_H_

#include "driver/host.h"

#include <span>
#include <string>

namespace graphmend::driver {

// Runs the command that `arguments` (without the program's name) ask for and returns the exit
// status. Wrong arguments are told on standard error, with the usage, and are status Failed.
ExitStatus run(std::span<const std::string> arguments, const Host& host);

}  // namespace graphmend::driver

#endif  // GRAPHMEND_DRIVER_RUN_H_
