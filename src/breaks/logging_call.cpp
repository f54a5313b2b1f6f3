// logger.warning("..."), logging.info("..."), self.logger.warning_once("...")
#include "breaks/kinds.h"

#include <algorithm>
#include <array>
#include <string>

namespace graphmend::breaks {
namespace {

// Methods that emit a record. Projects add relatives to their loggers (`warning_once`,
// `warning_rank0`): what starts with one of these names and an underscore counts too.
constexpr auto kEmitters = std::to_array<std::string_view>(
    {"critical", "debug", "error", "exception", "fatal", "info", "log", "warn", "warning"});

bool is_emitter(std::string_view method) {
  return std::any_of(kEmitters.begin(), kEmitters.end(), [method](std::string_view name) {
    return method == name ||
           (method.starts_with(name) && method.substr(name.size()).starts_with('_'));
  });
}

}  // namespace

std::optional<Finding> find_LoggingCall(const types::FunctionContext& context,
                                        syntax::NodeId statement) {
  const syntax::Tree& tree = context.tree();
  const syntax::NodeId call = context.called_statement(statement);
  if (!call) {
    return std::nullopt;
  }
  const syntax::NodeId callee = syntax::CallView(tree, call).func();
  if (tree.kind(callee) != syntax::NodeKind::Attribute) {
    return std::nullopt;
  }
  const syntax::AttributeView attribute(tree, callee);
  const bool known = context.module_of(attribute.value()) == "logging" ||
                     context.fact(attribute.value()).kind == types::GlobalKind::Logger;
  if (!known || !is_emitter(attribute.attr_text())) {
    return std::nullopt;
  }
  return Finding{Kind::LoggingCall, Certainty::Certain, statement, call};
}

}  // namespace graphmend::breaks
