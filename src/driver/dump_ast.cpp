// `graphmend dump ast`.
#include "driver/dump.h"
#include "syntax/ast_dump.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

// Levels of all nodes together, and of the deepest.
struct Depth {
  std::uint64_t sum = 0;
  std::uint32_t most = 0;
};

Depth depth_of(const syntax::Tree& tree) {
  Depth depth;
  const auto parents = tree.parents();
  std::vector<std::uint32_t> levels(tree.size());
  for (std::uint32_t i = tree.root().value; i-- > 1;) {  // parents come after their children
    levels[i] = levels[parents[i].value] + 1;
    depth.sum += levels[i];
    depth.most = std::max(depth.most, levels[i]);
  }
  return depth;
}

}  // namespace

ExitStatus dump_ast(const DumpRequest& request, Console& console) {
  const syntax::Tree tree = syntax::parse_module(request.file.text(), request.version);
  syntax::AstDumpOptions options;
  options.version = request.version;
  options.json = request.json;
  if (request.json) {
    base::JsonWriter json(console.out.buffer());
    begin_document(json, tree.errors(), request);
    json.key("ast");
    json.raw(syntax::dump_ast(tree, options));
    json.end_object();
    console.out.write("\n");
    return report_errors(tree.errors(), request, console);
  }
  // Each level indents by one: a tree of n nodes in one chain takes n * n bytes to print.
  constexpr std::uint64_t kMostIndentation = std::uint64_t{1} << 30;
  constexpr std::uint64_t kLinesOfNode = 16;  // at most, with those of its fields
  const Depth depth = depth_of(tree);
  if (depth.sum > kMostIndentation / kLinesOfNode) {
    console.err.write(fmt::format(
        "graphmend dump ast: {}: its tree is {} levels deep, whose indentation takes over a "
        "gigabyte; `graphmend dump tree` and --json print it without\n",
        request.file.path(), depth.most));
    return ExitStatus::Failed;
  }
  options.indent = 1;
  console.out.write(syntax::dump_ast(tree, options));
  console.out.write("\n");
  return report_errors(tree.errors(), request, console);
}

}  // namespace graphmend::driver
