#include "breaks/catalogue.h"

#include <algorithm>
#include <vector>

namespace graphmend::breaks {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

const auto& entries() {
  static const std::vector<const Entry*> kEntries = {
#define GM_CATALOGUE(name) &name##_entry(),
#include "breaks/catalogue.def"
#undef GM_CATALOGUE
  };
  return kEntries;
}

using ByNodeKind = std::array<std::vector<const Entry*>, syntax::kNodeKindCount>;

const ByNodeKind& by_node_kind() {
  static const ByNodeKind kTable = [] {
    ByNodeKind table;
    for (const Entry* entry : entries()) {
      for (const NodeKind kind : entry->looks_at) {
        if (kind != NodeKind::None) {
          table[static_cast<std::size_t>(kind)].push_back(entry);
        }
      }
    }
    return table;
  }();
  return kTable;
}

void add_code(std::string& text, std::string_view code) {
  text += "```python\n" + std::string(code) + "\n```\n";
}

}  // namespace

std::span<const Entry* const> catalogue() {
  return entries();
}

const Entry* find_kind(std::string_view name) {
  for (const Entry* entry : entries()) {
    if (entry->page.name == name) {
      return entry;
    }
  }
  return nullptr;
}

std::string page_text(const Page& page) {
  std::string text = "# " + std::string(page.name) + "\n\n";
  text += std::string(page.title) + ". Dynamo's identifiers: " + std::string(page.gb) + ".\n\n";
  add_code(text, page.before);
  text += "\n## Why\n\n" + std::string(page.why) + "\n";
  text += "\n## What it costs\n\n" + std::string(page.cost) + "\n";
  text += "\n## What to do\n\n" + std::string(page.advice) + "\n";
  if (!page.after.empty()) {
    text += '\n';
    add_code(text, page.after);
  }
  text += "\n## Mend\n\n";
  text += page.mend.empty() ? "`graphmend.compile` leaves it as it is.\n"
                            : std::string(page.mend) + "\n";
  text += "\n## Turning it off\n\nFor one line, with the reason: `# graphmend: ignore[" +
          std::string(page.name) + "] why`. For a project: `ignore = [\"" + std::string(page.name) +
          "\"]` under `[tool.graphmend]` in `pyproject.toml`.\n";
  return text;
}

std::string index_text() {
  std::string text =
      "# Kinds of graph breaks\n\n| kind | what it is | Dynamo | mended |\n"
      "|---|---|---|---|\n";
  for (const Entry* entry : entries()) {
    const Page& page = entry->page;
    text += "| [" + std::string(page.name) + "](" + std::string(page.name) + ".md) | " +
            std::string(page.title) + " | " + std::string(page.gb) + " | " +
            (page.mend.empty() ? "no" : "yes") + " |\n";
  }
  return text;
}

namespace {

// Whether an operand before the node, in an `and` or `or` around it, may keep it from being
// evaluated: its statement can run without it.
bool is_conditional(const Scene& scene, NodeId function, NodeId node) {
  const syntax::Tree& tree = scene.tree();
  NodeId inner = node;
  for (NodeId outer = tree.parent(node); outer && outer != function; outer = tree.parent(outer)) {
    if (tree.kind(outer) == NodeKind::BoolOp) {
      for (const NodeId operand : syntax::BoolOpView(tree, outer).values()) {
        if (operand == inner) {
          break;
        }
        if (scene.heap().truth(scene.value(operand)) == types::Truth::Unknown) {
          return true;
        }
      }
    }
    inner = outer;
  }
  return false;
}

}  // namespace

void find_breaks(const Scene& scene, NodeId function,
                 const std::function<void(const CatalogueFinding&)>& use) {
  const syntax::Tree& tree = scene.tree();
  const ByNodeKind& table = by_node_kind();
  const std::uint32_t begin = tree.subtree_begin(function).value;
  for (std::uint32_t id = begin; id < function.value; ++id) {
    const NodeId node(id);
    const auto& looks = table[static_cast<std::size_t>(tree.kind(node))];
    // What is not reached has no value. A part has none of its own.
    if (looks.empty() || (!scene.is_reached(node) && tree.kind(node) != NodeKind::Comprehension)) {
      continue;
    }
    for (const Entry* entry : looks) {
      if (auto claim = entry->look(scene, node)) {
        if (is_conditional(scene, function, claim->node)) {
          claim->certainty = weaker(claim->certainty, Certainty::Likely);
        }
        use({entry, *claim});
        break;
      }
    }
  }
}

}  // namespace graphmend::breaks
