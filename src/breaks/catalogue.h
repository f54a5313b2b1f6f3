// All kinds of breaks that a static check finds, with the pages that explain them. One file a kind;
// catalogue.def lists them.
#ifndef GRAPHMEND_BREAKS_CATALOGUE_H_
#define GRAPHMEND_BREAKS_CATALOGUE_H_

#include "breaks/finding.h"
#include "breaks/scene.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graphmend::breaks {

// What a user reads of a kind.
struct Page {
  std::string_view name;    // "tensor-branch"
  std::string_view gb;      // Dynamo's identifiers, separated by blanks
  std::string_view title;   // one line, the message of a finding
  std::string_view why;     // why Dynamo can't trace it
  std::string_view cost;    // what it costs
  std::string_view advice;  // what to do
  std::string_view mend;    // what graphmend.compile does about it; empty when it has no mend
  std::string_view before;  // source that has it
  std::string_view after;   // source that has not
};

// A node breaks the graph.
struct Claim {
  syntax::NodeId node;
  Certainty certainty = Certainty::Certain;
};

using Look = std::optional<Claim> (*)(const Scene& scene, syntax::NodeId node);

struct Entry {
  Page page;
  // The kinds of nodes that `look` is asked about; what is left over is None.
  std::array<syntax::NodeKind, 8> looks_at{};
  Look look = nullptr;
};

// In the order of catalogue.def: of two kinds that claim one node the first one holds.
[[nodiscard]] std::span<const Entry* const> catalogue();
// Null when there is no kind of that name.
[[nodiscard]] const Entry* find_kind(std::string_view name);
// The page as Markdown: what `graphmend rules KIND` prints and docs/kinds/KIND.md holds.
[[nodiscard]] std::string page_text(const Page& page);
// The table of all kinds as Markdown.
[[nodiscard]] std::string index_text();

struct CatalogueFinding {
  const Entry* kind = nullptr;
  Claim claim;
};
// Calls `use` with each finding in the own code of an analysed function: inner functions aside.
void find_breaks(const Scene& scene, syntax::NodeId function,
                 const std::function<void(const CatalogueFinding&)>& use);

#define GM_CATALOGUE(name) [[nodiscard]] const Entry& name##_entry();
#include "breaks/catalogue.def"
#undef GM_CATALOGUE

}  // namespace graphmend::breaks

#endif  // GRAPHMEND_BREAKS_CATALOGUE_H_
