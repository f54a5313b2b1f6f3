// Names and small questions that all mends share.
#ifndef GRAPHMEND_MENDS_NAMES_H_
#define GRAPHMEND_MENDS_NAMES_H_

#include "mends/mend.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graphmend::mends {

// How mended code spells a function of the run time: `__graphmend__.select`.
[[nodiscard]] std::string runtime(std::string_view function);

// A variable of mended code: `__gm_p3`.
[[nodiscard]] std::string variable(std::string_view stem, std::uint32_t number);

// `(a, b)` as Python writes tuples, the one-element form included.
[[nodiscard]] std::string tuple(std::span<const std::string> items);

// `a.b.c` without the white space that may stand between its parts.
[[nodiscard]] std::string chain_text(const syntax::Tree& tree, syntax::NodeId chain);

// `is_tensor(a) and is_tensor(b)` for chains, each once; empty for none.
[[nodiscard]] std::string all_tensors(const syntax::Tree& tree,
                                      std::span<const syntax::NodeId> chains);

// The range of an expression with the parentheses around it.
[[nodiscard]] base::TextRange outer_range(const syntax::Tree& tree, syntax::NodeId expression);

// The statement that holds a node (the node itself when it is one).
[[nodiscard]] syntax::NodeId statement_of(const syntax::Tree& tree, syntax::NodeId node);

// A decline when a variable that `node` reads may be unbound where `statement` starts (by default
// the statement that holds the node).
[[nodiscard]] std::optional<Decline> unbound_names(const types::FunctionContext& context,
                                                   syntax::NodeId node,
                                                   syntax::NodeId statement = {});

// Calls fn(NodeId) for each node of the subtree, in the order of evaluation of simple code:
// children before parents.
template <class Fn>
void for_each_node(const syntax::Tree& tree, syntax::NodeId root, Fn&& fn) {
  for (std::uint32_t id = tree.subtree_begin(root).value; id <= root.value; ++id) {
    fn(syntax::NodeId(id));
  }
}

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_NAMES_H_
