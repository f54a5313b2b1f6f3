// Trees: whatever the bytes are, there is a tree that verifies, whose tokens give back the text.
#include "property.h"
#include "syntax/ast_dump.h"
#include "syntax/parser.h"

#include <optional>
#include <string>
#include <vector>

namespace syntax = graphmend::syntax;
using graphmend::fuzz::Input;
using graphmend::fuzz::require;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

void require_sound(const syntax::Tree& tree) {
  const std::optional<std::string> problem = tree.verify();
  require(!problem, problem.value_or(""));
  for (const auto& error : tree.errors()) {
    require(error.range.start <= error.range.end && error.range.end <= tree.source().size() + 1,
            "errors lie in the text");
    require(!error.message.empty(), "errors say what they are");
  }
  bool any_error_node = false;
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    const NodeKind kind = tree.kind(NodeId(i));
    any_error_node =
        any_error_node || kind == NodeKind::ErrorStatement || kind == NodeKind::ErrorExpression;
    require(tree.parent(NodeId(i)).value > i || NodeId(i) == tree.root(), "parents come later");
    const NodeId inner = tree.innermost(tree.range(NodeId(i)));
    require(tree.range_with_decorators(inner).contains(tree.range(NodeId(i))),
            "the innermost node holds the range");
  }
  require(!any_error_node || !tree.ok(), "a tree without errors has no error nodes");
}

// Reading one statement alone gives what reading the file gave.
void require_blocks(const syntax::Tree& tree, syntax::PythonVersion version) {
  std::uint32_t line_before = 0;
  for (const NodeId statement : syntax::ModuleView(tree, tree.root()).body()) {
    const auto range = tree.range_with_decorators(statement);
    const bool shares_line =
        tree.source().substr(line_before, range.start - line_before).find_first_of("\r\n") ==
        std::string_view::npos;
    line_before = range.end;
    if (shares_line && range.start != 0) {
      continue;  // behind a semicolon: the first statement of the line is what is read
    }
    const syntax::Tree block = syntax::parse_block(tree.source(), range.start, version);
    const auto body = syntax::ModuleView(block, block.root()).body();
    require(block.ok() && !body.empty(), "a statement can be read alone");
    require(block.kind(body[0]) == tree.kind(statement) &&
                block.range_with_decorators(body[0]) == range,
            "a statement read alone is the same");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input(data, size);
  const syntax::Tree tree = syntax::parse_module(input.text, input.version);
  graphmend::fuzz::require_tiling(input.text, tree.tokens());
  require_sound(tree);
  syntax::AstDumpOptions options;
  options.version = input.version;
  options.json = size % 2 == 0;
  require(!syntax::dump_ast(tree, options).empty(), "a tree can be printed");
  if (tree.ok() && input.is_utf8) {
    require_blocks(tree, input.version);
  }
  const syntax::Tree block = syntax::parse_block(
      input.text, static_cast<std::uint32_t>(input.text.size() / 2), input.version);
  require_sound(block);
  return 0;
}
