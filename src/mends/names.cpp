#include "mends/names.h"

#include <algorithm>
#include <vector>

namespace graphmend::mends {

using syntax::NodeId;
using syntax::NodeKind;
using syntax::TokenId;
using syntax::TokenKind;

std::string runtime(std::string_view function) {
  return "__graphmend__." + std::string(function);
}

std::string variable(std::string_view stem, std::uint32_t number) {
  return "__gm_" + std::string(stem) + std::to_string(number);
}

std::string tuple(std::span<const std::string> items) {
  std::string text = "(";
  for (const std::string& item : items) {
    text += item + ", ";
  }
  if (items.size() > 1) {
    text.resize(text.size() - 2);
  } else if (items.size() == 1) {
    text.pop_back();
  }
  return text + ")";
}

std::string chain_text(const syntax::Tree& tree, NodeId chain) {
  std::string text;
  while (tree.kind(chain) == NodeKind::Attribute) {
    const syntax::AttributeView view(tree, chain);
    text.insert(0, "." + std::string(view.attr_text()));
    chain = view.value();
  }
  return text.insert(0, tree.text(chain));
}

std::string all_tensors(const syntax::Tree& tree, std::span<const NodeId> chains) {
  std::vector<std::string> tests;
  std::string joined;
  for (const NodeId chain : chains) {
    std::string test = runtime("is_tensor") + "(" + chain_text(tree, chain) + ")";
    if (std::find(tests.begin(), tests.end(), test) != tests.end()) {
      continue;
    }
    joined += tests.empty() ? "" : " and ";
    joined += test;
    tests.push_back(std::move(test));
  }
  return joined;
}

base::TextRange outer_range(const syntax::Tree& tree, NodeId expression) {
  base::TextRange range = tree.range(expression);
  if (!tree.has_flag(expression, syntax::kParenthesized)) {
    return range;
  }
  while (true) {
    const TokenId before = tree.token_before(range);
    const TokenId after = tree.token_after(range);
    if (!before || !after || tree.tokens().kind(before) != TokenKind::LeftParen ||
        tree.tokens().kind(after) != TokenKind::RightParen) {
      return range;
    }
    range = tree.token_range(before).cover(tree.token_range(after));
  }
}

NodeId statement_of(const syntax::Tree& tree, NodeId node) {
  while (node && !tree.is_statement(node)) {
    node = tree.parent(node);
  }
  return node;
}

std::optional<Decline> unbound_names(const types::FunctionContext& context, NodeId node,
                                     NodeId statement) {
  const syntax::Tree& tree = context.tree();
  if (!statement) {
    statement = statement_of(tree, node);
  }
  std::optional<Decline> decline;
  for_each_node(tree, node, [&](NodeId id) {
    if (decline || tree.kind(id) != NodeKind::Name || !context.is_local(id) ||
        tree.context(id) != syntax::ExprContext::Load) {
      return;
    }
    if (!context.flow().definitely_assigned(statement, context.symbol_of(id))) {
      const std::string name(tree.text(id));
      decline = Decline{"'" + name + "' may be unbound here",
                        "bind '" + name + "' on every path to this statement", id};
    }
  });
  return decline;
}

}  // namespace graphmend::mends
