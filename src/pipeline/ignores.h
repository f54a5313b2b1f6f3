// `# graphmend: ignore[kind] reason`: comments that take findings back.
#ifndef GRAPHMEND_PIPELINE_IGNORES_H_
#define GRAPHMEND_PIPELINE_IGNORES_H_

#include "pipeline/check.h"
#include "types/modules.h"

#include <string>
#include <vector>

namespace graphmend::pipeline {

// Removes the findings that a comment on their first or last line ignores, and adds a problem for
// each comment that ignores nothing or names a kind that does not exist.
void apply_ignores(types::ModuleGraph& modules, const std::vector<std::string>& files,
                   CheckResult& result);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_IGNORES_H_
