// Findings that a project has for now: a text file, one a line, without line numbers, so that
// edits elsewhere do not bring them back.
#ifndef GRAPHMEND_PIPELINE_BASELINE_H_
#define GRAPHMEND_PIPELINE_BASELINE_H_

#include "pipeline/check.h"

#include <string>
#include <vector>

namespace graphmend::pipeline {

// Writes the findings: path, kind, function and source line, separated by tabs. False when the
// file can't be written.
[[nodiscard]] bool write_baseline(const std::string& path,
                                  const std::vector<CheckFinding>& findings);
// Removes the findings that the file holds, each line once. False when it can't be read.
[[nodiscard]] bool apply_baseline(const std::string& path, std::vector<CheckFinding>& findings);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_BASELINE_H_
