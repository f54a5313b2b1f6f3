// The functions of a module from which a check starts.
#ifndef GRAPHMEND_PIPELINE_ROOTS_H_
#define GRAPHMEND_PIPELINE_ROOTS_H_

#include "types/interpreter.h"
#include "types/modules.h"

#include <cstddef>
#include <string>

namespace graphmend::pipeline {

// Analyses all that the roots of a module reach: every `forward` of a class that derives from
// torch.nn.Module, and every function that is given to torch.compile. Returns how many of them had
// to be run; others were met on the way.
std::size_t run_roots(const types::Module& module, types::Interpreter& interpreter);

// "Model.forward"
[[nodiscard]] std::string function_name(const types::Module& module, syntax::NodeId function);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_ROOTS_H_
