#include "mends/outline.h"

#include "edit/edit_set.h"
#include "mends/names.h"

#include <algorithm>

namespace graphmend::mends {

using syntax::NodeId;
using syntax::NodeKind;
using syntax::Tree;

namespace {

// The expression is evaluated whenever the statement is, and its text does not show.
bool is_certain(const Tree& tree, NodeId expression, NodeId statement) {
  for (NodeId node = tree.parent(expression); node && node != statement; node = tree.parent(node)) {
    switch (tree.kind(node)) {
      case NodeKind::BoolOp:
      case NodeKind::IfExp:
      case NodeKind::Lambda:
      case NodeKind::ListComp:
      case NodeKind::SetComp:
      case NodeKind::DictComp:
      case NodeKind::GeneratorExp:
        return false;
      case NodeKind::FormattedValue:
      case NodeKind::Interpolation:
        if (tree.has_flag(node, syntax::kDebug)) {
          return false;  // `{self.x=}` prints "self.x="
        }
        break;
      case NodeKind::Compare:
        // `a < b < c` may not come to c.
        if (syntax::CompareView(tree, node).op_count() > 1) {
          return false;
        }
        break;
      default:
        break;
    }
    if (tree.is_statement(node)) {
      return false;
    }
  }
  return true;
}

// The longest attribute chain around a Name that is not itself called.
NodeId longest_chain(const Tree& tree, NodeId name) {
  NodeId chain = name;
  while (true) {
    const NodeId parent = tree.parent(chain);
    if (tree.kind(parent) != NodeKind::Attribute) {
      return chain;
    }
    const NodeId user = tree.parent(parent);
    if (tree.kind(user) == NodeKind::Call && syntax::CallView(tree, user).func() == parent) {
      return chain;
    }
    chain = parent;
  }
}

// The Name's value may change while the function runs: that of a variable, and of a name of the
// module that is no function, class, module or logger. While tracing, such changes are not made
// yet when the statement runs.
bool is_variable(const types::FunctionContext& context, NodeId name) {
  if (context.is_local(name) || context.is_free(name)) {
    return true;
  }
  switch (context.fact(name).kind) {
    case types::GlobalKind::Unknown:
    case types::GlobalKind::Tensor:
    case types::GlobalKind::Value:
      return context.is_global(name);
    default:
      return false;
  }
}

void add_operand(Operands& operands, const std::string& expression, const std::string& param) {
  const bool known =
      std::any_of(operands.list.begin(), operands.list.end(),
                  [&](const Operand& operand) { return operand.expression == expression; });
  if (!known) {
    operands.list.push_back({expression, param});
  }
}

std::string parameter_for(const std::string& chain) {
  std::string name = "__gm_o_" + chain;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace

std::variant<Operands, Decline> find_operands(const types::FunctionContext& context,
                                              NodeId statement, bool whole_objects,
                                              base::TextRange excluded) {
  const Tree& tree = context.tree();
  Operands operands;
  std::optional<Decline> decline;
  for_each_node(tree, statement, [&](NodeId id) {
    if (decline || tree.kind(id) != NodeKind::Name || excluded.contains(tree.range(id))) {
      return;
    }
    const std::string name(tree.text(id));
    if (name == "__class__" || name == "super") {
      decline = Decline{"the statement needs the class that its method is defined in",
                        "name the class", id};
    }
    if (decline || !is_variable(context, id)) {
      return;
    }
    if (tree.context(id) != syntax::ExprContext::Load) {
      decline =
          Decline{"the statement binds '" + name + "'", "bind it in a statement of its own", id};
      return;
    }
    decline = unbound_names(context, id, statement);
    if (decline) {
      return;
    }
    const NodeId chain = longest_chain(tree, id);
    if (whole_objects || chain == id || !is_certain(tree, chain, statement)) {
      add_operand(operands, name, name);
      return;
    }
    const std::string text = chain_text(tree, chain);
    const std::string param = parameter_for(text);
    add_operand(operands, text, param);
    operands.places.emplace_back(tree.range(chain), param);
  });
  if (decline) {
    return *std::move(decline);
  }
  return operands;
}

Outline write_outline(const types::FunctionContext& context, NodeId statement,
                      const Operands& operands, base::TextRange predicate,
                      const source::LineIndex& lines) {
  const Tree& tree = context.tree();
  const base::TextRange anchor = tree.range(statement);
  Outline outline;
  std::string params;
  if (!predicate.empty()) {
    params = kPredicateParam;
  }
  for (const Operand& operand : operands.list) {
    outline.params.push_back(operand.param);
    params += (params.empty() ? "" : ", ") + operand.param;
  }
  std::string name = "outlined";
  if (tree.kind(context.function()) == NodeKind::FunctionDef) {
    name = syntax::FunctionDefView(tree, context.function()).name_text();
  }
  CodeWriter writer(tree, lines);
  writer.line("def " + name + "(" + params + "):", anchor);
  writer.indent();
  edit::EditSet edits;
  if (!predicate.empty()) {
    edits.replace(predicate, std::string(kPredicateParam));
  }
  for (const auto& [range, text] : operands.places) {
    edits.replace(range, text);
  }
  writer.copy_statement(statement, edits);
  outline.text = writer.take();
  return outline;
}

std::string operand_tuple(const Operands& operands) {
  std::vector<std::string> items;
  items.reserve(operands.list.size());
  for (const Operand& operand : operands.list) {
    items.push_back(operand.expression);
  }
  return tuple(items);
}

}  // namespace graphmend::mends
