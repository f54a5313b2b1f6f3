// Mends: whatever functions a correct source has, what is written for them is Python again, and its
// line map leads into the source.
#include "pipeline/mend_function.h"
#include "property.h"
#include "source/line_index.h"
#include "syntax/parser.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace pipeline = graphmend::pipeline;
namespace syntax = graphmend::syntax;
using graphmend::fuzz::Input;
using graphmend::fuzz::require;
using syntax::NodeId;

namespace {

void require_written(const graphmend::mends::WrittenText& written, std::uint32_t line_count) {
  require(syntax::parse_module(written.text).ok(), "written text is Python");
  const auto ends = std::count(written.text.begin(), written.text.end(), '\n');
  require(written.lines.size() >= static_cast<std::size_t>(ends), "every line has its origin");
  for (const auto& origin : written.lines) {
    require(origin.line >= 1 && origin.line <= line_count, "lines come from lines of the source");
  }
}

// `x = *y` is grammar, but nothing that the compiler takes: no function that runs holds it.
bool has_stray_star(const syntax::Tree& tree) {
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    if (tree.kind(NodeId(i)) == syntax::NodeKind::Starred &&
        tree.kind(tree.parent(NodeId(i))) == syntax::NodeKind::Assign) {
      return true;
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input(data, size);
  if (!input.is_utf8) {
    return 0;
  }
  const syntax::Tree tree = syntax::parse_module(input.text);
  if (!tree.ok() || has_stray_star(tree)) {
    return 0;
  }
  const pipeline::Source source{std::string(input.text)};
  int functions = 0;
  for (std::uint32_t i = 1; i < tree.size() && functions < 4; ++i) {
    if (tree.kind(NodeId(i)) != syntax::NodeKind::FunctionDef) {
      continue;
    }
    ++functions;
    pipeline::FunctionRequest request;
    request.path = "input.py";
    request.line = source.lines().line(tree.range_with_decorators(NodeId(i)).start);
    request.name = syntax::FunctionDefView(tree, NodeId(i)).name_text();
    request.asserts = size % 2 == 0;
    request.facts.set("torch", graphmend::types::parse_global_fact("module:torch"));
    request.facts.set("logger", graphmend::types::parse_global_fact("logger"));
    request.facts.set("print", graphmend::types::parse_global_fact("builtin"));
    const pipeline::MendedFunction mended = pipeline::mend_function(source, request);
    if (mended.status == pipeline::Status::Mended) {
      require_written(mended.mended, source.lines().line_count());
      require_written(mended.original, source.lines().line_count());
    }
    for (const pipeline::Site& site : mended.sites) {
      require(site.mend.empty() != site.reason.empty(), "a site is mended, or has a reason");
      require(site.line >= 1 && site.line <= site.end_line, "sites lie in the source");
    }
    (void)pipeline::impurity_of_function(source, request);
  }
  return 0;
}
