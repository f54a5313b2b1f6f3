// sys.stdout.write("..."), sys.stderr.flush()
#include "breaks/kinds.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::breaks {
namespace {

constexpr auto kStreams =
    std::to_array<std::string_view>({"stdout", "stderr", "__stdout__", "__stderr__"});
constexpr auto kMethods = std::to_array<std::string_view>({"write", "writelines", "flush"});

}  // namespace

std::optional<Finding> find_SkippedCall(const types::FunctionContext& context,
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
  const syntax::AttributeView method(tree, callee);
  if (tree.kind(method.value()) != syntax::NodeKind::Attribute) {
    return std::nullopt;
  }
  const syntax::AttributeView stream(tree, method.value());
  if (context.module_of(stream.value()) != "sys" ||
      std::ranges::find(kStreams, stream.attr_text()) == kStreams.end() ||
      std::ranges::find(kMethods, method.attr_text()) == kMethods.end()) {
    return std::nullopt;
  }
  return Finding{Kind::SkippedCall, Certainty::Certain, statement, call};
}

}  // namespace graphmend::breaks
