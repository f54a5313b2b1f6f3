// How the findings of a check are printed.
#ifndef GRAPHMEND_DRIVER_CHECK_OUTPUT_H_
#define GRAPHMEND_DRIVER_CHECK_OUTPUT_H_

#include "driver/host.h"
#include "pipeline/check.h"

#include <string>
#include <string_view>

namespace graphmend::driver {

// One writer a format. Paths are printed as they were given.
void write_text(const pipeline::CheckResult& result, Console& console);
void write_json(const pipeline::CheckResult& result, Console& console);
// SARIF 2.1.0.
void write_sarif(const pipeline::CheckResult& result, Console& console);
// Workflow commands of GitHub Actions.
void write_github(const pipeline::CheckResult& result, Console& console);

[[nodiscard]] std::string_view problem_name(pipeline::CheckProblem::Kind kind);

}  // namespace graphmend::driver

#endif  // GRAPHMEND_DRIVER_CHECK_OUTPUT_H_
