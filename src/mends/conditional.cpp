#include "mends/conditional.h"

#include "mends/branch.h"
#include "mends/escape.h"
#include "mends/names.h"
#include "mends/predicate.h"
#include "types/value_kind.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace graphmend::mends {
namespace {

using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::Tree;

// What follows a branch is written again in its arms: not more than this.
constexpr std::size_t kMaxRestNodes = 6000;

std::vector<NodeId> copy(std::span<const NodeId> nodes) {
  return {nodes.begin(), nodes.end()};
}

void append(std::vector<NodeId>& to, std::span<const NodeId> nodes) {
  to.insert(to.end(), nodes.begin(), nodes.end());
}

// How statements leave their block besides at its end.
struct Exits {
  bool returns = false;
  NodeId leaves_loop;  // a `break` or `continue` of a loop around them
};

// Asks about the variables of one function and the nodes of some statements.
class Finder {
 public:
  Finder(const types::FunctionContext& context, const breaks::Finding& finding)
      : context_(context), tree_(context.tree()), branch_(finding.statement) {
    for_each_node(tree_, finding.subject, [&](NodeId id) {
      if (tree_.kind(id) == NodeKind::NamedExpr) {
        bound_by_test_.push_back(context_.symbol_of(syntax::NamedExprView(tree_, id).target()));
        if (!is_certain(id, finding.subject)) {
          uncertain_ = id;
        }
      }
    });
  }

  [[nodiscard]] Exits exits(std::span<const NodeId> statements) const {
    Exits found;
    for (const NodeId statement : statements) {
      for_each_node(tree_, statement, [&](NodeId id) {
        const NodeKind kind = tree_.kind(id);
        if (kind != NodeKind::Return && kind != NodeKind::Break && kind != NodeKind::Continue) {
          return;
        }
        if (!is_own(id)) {
          return;
        }
        if (kind == NodeKind::Return) {
          found.returns = true;
        } else if (!is_in_loop(id, statement)) {
          found.leaves_loop = id;
        }
      });
    }
    return found;
  }

  // What follows the branch up to the end of the function; nothing when it stands in a statement
  // that something else than its end leads on from.
  [[nodiscard]] std::optional<std::vector<NodeId>> rest() const {
    std::vector<NodeId> found;
    NodeId node = branch_;
    while (node != context_.function()) {
      const NodeId parent = tree_.parent(node);
      std::span<const NodeId> block;
      switch (tree_.kind(parent)) {
        case NodeKind::If: {
          const syntax::IfView view(tree_, parent);
          block = holds(view.body(), node) ? view.body() : view.orelse();
          break;
        }
        case NodeKind::FunctionDef:
          block = syntax::FunctionDefView(tree_, parent).body();
          break;
        case NodeKind::MatchCase:
          block = syntax::MatchCaseView(tree_, parent).body();
          break;
        default:
          return std::nullopt;
      }
      const auto place = std::find(block.begin(), block.end(), node);
      if (place == block.end()) {
        return std::nullopt;
      }
      append(found, block.subspan(static_cast<std::size_t>(place - block.begin()) + 1));
      node = tree_.kind(parent) == NodeKind::MatchCase ? tree_.parent(parent) : parent;
    }
    std::size_t nodes = 0;
    for (const NodeId statement : found) {
      nodes += statement.value - tree_.subtree_begin(statement).value + 1;
    }
    if (nodes > kMaxRestNodes) {
      return std::nullopt;
    }
    return found;
  }

  // The arms up to the end of the iteration, for a branch in the body of a loop with an arm whose
  // last statement is `continue`; nothing when the iteration may end otherwise.
  [[nodiscard]] std::optional<Join> iteration() const {
    const NodeId loop = tree_.parent(branch_);
    std::span<const NodeId> body;
    if (tree_.kind(loop) == NodeKind::For) {
      body = syntax::ForView(tree_, loop).body();
    } else if (tree_.kind(loop) == NodeKind::While) {
      body = syntax::WhileView(tree_, loop).body();
    }
    const auto place = std::find(body.begin(), body.end(), branch_);
    if (place == body.end()) {
      return std::nullopt;
    }
    const auto rest = body.subspan(static_cast<std::size_t>(place - body.begin()) + 1);
    const syntax::IfView view(tree_, branch_);
    Join join;
    join.continues = true;
    for (const auto& [from, to] :
         {std::pair(view.body(), &join.arms.chosen), std::pair(view.orelse(), &join.arms.other)}) {
      const bool skips = !from.empty() && tree_.kind(from.back()) == NodeKind::Continue;
      *to = copy(skips ? from.first(from.size() - 1) : from);
      if (!skips) {
        append(*to, rest);
      }
      const Exits left = exits(*to);
      if (left.returns || left.leaves_loop ||
          (!to->empty() && !context_.flow().may_complete(to->back()))) {
        return std::nullopt;
      }
    }
    return join;
  }

  // Parameters and cells of the functions; declines what can't be moved to a function.
  std::optional<Decline> complete(ArmFunctions& arms) {
    if (uncertain_) {
      return Decline{"the test binds a name only sometimes", "bind it before the branch",
                     uncertain_};
    }
    for (const std::vector<NodeId>* side : {&arms.chosen, &arms.other}) {
      for (const NodeId statement : *side) {
        std::optional<Decline> decline;
        for_each_node(tree_, statement, [&](NodeId id) {
          if (!decline) {
            decline = visit(id, arms);
          }
        });
        if (decline) {
          return decline;
        }
      }
    }
    return bindings(arms);
  }

  // The variables that an arm binds and that are read after the branch, or the iteration.
  std::optional<Decline> targets(Join& join) {
    const NodeId end = end_of(join);
    std::vector<std::pair<NodeId, SymbolId>> bound;
    for_each_definition(join.arms, [&](const flow::Definition& definition) {
      const auto known = [&](const auto& one) { return one.second == definition.symbol; };
      if (is_plain(definition.symbol) && std::none_of(bound.begin(), bound.end(), known) &&
          context_.flow().live_after(end, definition.symbol)) {
        bound.emplace_back(definition.node, definition.symbol);
      }
    });
    std::sort(bound.begin(), bound.end(),
              [](const auto& a, const auto& b) { return a.first.value < b.first.value; });
    for (const auto& [node, symbol] : bound) {
      const std::string name = name_of(symbol);
      for (const std::vector<NodeId>* side : {&join.arms.chosen, &join.arms.other}) {
        const bool assigned = side->empty()
                                  ? context_.flow().definitely_assigned(branch_, symbol)
                                  : context_.flow().definitely_assigned_after(side->back(), symbol);
        if (!assigned) {
          return Decline{"'" + name + "' is bound in one arm only and read later",
                         "bind '" + name + "' before the branch", node};
        }
      }
      join.targets.push_back(name);
      join.escapes.push_back(escapes_after(context_, end, symbol));
    }
    return std::nullopt;
  }

  // An arm binds a target to what is surely no tensor.
  [[nodiscard]] bool binds_python(const Join& join) const {
    bool found = false;
    for_each_definition(join.arms, [&](const flow::Definition& definition) {
      const bool target = std::find(join.targets.begin(), join.targets.end(),
                                    name_of(definition.symbol)) != join.targets.end();
      if (!target || !is_plain(definition.symbol)) {
        return;
      }
      const bool value = definition.kind == flow::DefKind::Assign && !definition.unpacked;
      found = found ||
              (value && types::value_kind(context_, definition.value) == types::ValueKind::Python);
    });
    return found;
  }

  // An arm may write an object or a container.
  [[nodiscard]] bool writes(const ArmFunctions& arms) const {
    bool found = false;
    for (const std::vector<NodeId>* side : {&arms.chosen, &arms.other}) {
      for (const NodeId statement : *side) {
        for_each_node(tree_, statement, [&](NodeId id) {
          const NodeKind kind = tree_.kind(id);
          const bool stores = kind == NodeKind::Attribute || kind == NodeKind::Subscript;
          found = found || (stores && tree_.context(id) != syntax::ExprContext::Load);
          const NodeId call = kind == NodeKind::Expr ? context_.called_statement(id) : NodeId();
          found = found || static_cast<bool>(call);
        });
      }
    }
    return found;
  }

 private:
  // The statement after which both arms go on alike: the branch, or the last one of the iteration.
  [[nodiscard]] NodeId end_of(const Join& join) const {
    for (const std::vector<NodeId>* side : {&join.arms.chosen, &join.arms.other}) {
      if (join.continues && !side->empty() && tree_.parent(side->back()) != branch_) {
        return side->back();
      }
    }
    return branch_;
  }

  static bool holds(std::span<const NodeId> block, NodeId node) {
    return std::find(block.begin(), block.end(), node) != block.end();
  }

  // The node belongs to the function itself, not to one inside it.
  [[nodiscard]] bool is_own(NodeId id) const {
    return context_.scopes().enclosing_scope(id) == context_.function_scope();
  }

  [[nodiscard]] bool is_in_loop(NodeId id, NodeId statement) const {
    while (id != statement) {
      id = tree_.parent(id);
      if (tree_.kind(id) == NodeKind::For || tree_.kind(id) == NodeKind::While) {
        return true;
      }
    }
    return false;
  }

  // Evaluating `root` evaluates the node.
  [[nodiscard]] bool is_certain(NodeId id, NodeId root) const {
    while (id != root) {
      id = tree_.parent(id);
      switch (tree_.kind(id)) {
        case NodeKind::Attribute:
        case NodeKind::BinOp:
        case NodeKind::Call:
        case NodeKind::NamedExpr:
        case NodeKind::Subscript:
        case NodeKind::UnaryOp:
          break;
        case NodeKind::Compare:
          if (syntax::CompareView(tree_, id).op_count() > 1) {
            return false;
          }
          break;
        default:
          return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_bound_by_test(SymbolId symbol) const {
    return std::find(bound_by_test_.begin(), bound_by_test_.end(), symbol) != bound_by_test_.end();
  }

  [[nodiscard]] bool is_plain(SymbolId symbol) const {
    const scope::Symbol& found = context_.scopes().symbol(symbol);
    return found.scope == context_.function_scope() && found.binding == scope::Binding::Local;
  }

  [[nodiscard]] std::string name_of(SymbolId symbol) const {
    return std::string(context_.scopes().symbol_name(symbol));
  }

  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }

  std::optional<Decline> visit(NodeId id, ArmFunctions& arms) const {
    const auto cannot = [&](const std::string& what) {
      return Decline{what + ", which can't be moved to a function of its own",
                     "keep it out of what the branch decides", id};
    };
    switch (tree_.kind(id)) {
      case NodeKind::Yield:
      case NodeKind::YieldFrom:
      case NodeKind::Await:
        return is_own(id) ? std::optional(cannot("the function is suspended here")) : std::nullopt;
      case NodeKind::Global:
      case NodeKind::Nonlocal:
        return is_own(id) ? std::optional(cannot("a name is declared here")) : std::nullopt;
      case NodeKind::ClassDef:
        return cannot("a class is defined here");
      case NodeKind::Name:
        return name(id, arms);
      default:
        return std::nullopt;
    }
  }

  std::optional<Decline> name(NodeId id, ArmFunctions& arms) const {
    const std::string text(tree_.text(id));
    if (text == "super" || text == "__class__") {
      return Decline{"'" + text + "' belongs to the method, and the arms become functions",
                     "call it before the branch", id};
    }
    if (tree_.context(id) == syntax::ExprContext::Del && is_own(id)) {
      return Decline{"'" + text + "' is deleted in an arm", "delete it after the branch", id};
    }
    const SymbolId symbol = context_.symbol_of(id);
    if (!symbol || !is_plain(symbol)) {
      return std::nullopt;
    }
    if (is_bound_by_test(symbol)) {
      add(arms.parameters, name_of(symbol));
      return std::nullopt;
    }
    if (!context_.flow().live_before(branch_, symbol)) {
      return std::nullopt;
    }
    if (!context_.flow().definitely_assigned(branch_, symbol)) {
      return Decline{"'" + text + "' may be unbound here",
                     "bind '" + text + "' on every path to this statement", id};
    }
    add(arms.parameters, name_of(symbol));
    return std::nullopt;
  }

  // Calls fn(Definition) for each name that the arms bind.
  template <class Fn>
  void for_each_definition(const ArmFunctions& arms, Fn&& fn) const {
    for (const flow::Definition& definition : context_.flow().definitions()) {
      if (!definition.node || definition.kind == flow::DefKind::Parameter ||
          definition.kind == flow::DefKind::Outside || definition.kind == flow::DefKind::Unbound) {
        continue;
      }
      for (const std::vector<NodeId>* side : {&arms.chosen, &arms.other}) {
        const bool inside = std::any_of(side->begin(), side->end(), [&](NodeId statement) {
          return definition.node.value <= statement.value &&
                 definition.node.value >= tree_.subtree_begin(statement).value;
        });
        if (inside) {
          fn(definition);
          break;
        }
      }
    }
  }

  std::optional<Decline> bindings(ArmFunctions& arms) const {
    std::optional<Decline> decline;
    for_each_definition(arms, [&](const flow::Definition& definition) {
      const scope::Symbol& symbol = context_.scopes().symbol(definition.symbol);
      const std::string bound = name_of(definition.symbol);
      if (decline) {
        return;
      }
      if (symbol.is_global()) {
        decline = Decline{"an arm writes the global variable '" + bound + "'",
                          "write it after the branch", definition.node};
      } else if (symbol.binding == scope::Binding::Free ||
                 (symbol.binding == scope::Binding::Cell &&
                  symbol.scope <= context_.function_scope())) {
        add(arms.nonlocals, bound);
      }
    });
    return decline;
  }

  const types::FunctionContext& context_;
  const Tree& tree_;
  NodeId branch_;
  std::vector<SymbolId> bound_by_test_;
  NodeId uncertain_;  // a name that the test may bind
};

class ConditionalPlan final : public Plan {
 public:
  explicit ConditionalPlan(Conditional conditional) : conditional_(std::move(conditional)) {}

  void write(const WriteContext& context) const override {
    if (context.arm) {
      write_conditional_in_arm(context, conditional_, write_arm_predicate(context));
      return;
    }
    write_tensor_branch(context, [&](const std::string& predicate, const std::string& handled) {
      write_conditional(context, conditional_, predicate, handled);
    });
  }

  [[nodiscard]] bool ends_arm(ArmEnd arm) const override {
    return takes_rest_in_arm(conditional_, arm);
  }

 private:
  Conditional conditional_;
};

}  // namespace

PlanResult plan_conditional(const types::FunctionContext& context, const breaks::Finding& finding,
                            bool with_join) {
  if (context.tree().kind(finding.statement) != syntax::NodeKind::If) {
    return NotApplicable{};
  }
  Conditional conditional = find_conditional(context, finding);
  if (!conditional.join && !conditional.tail) {
    return std::move(conditional.decline);
  }
  if (conditional.join.has_value() != with_join) {
    return NotApplicable{};
  }
  if (auto decline = predicate_obligations(context, finding.subject)) {
    return *std::move(decline);
  }
  return std::make_unique<ConditionalPlan>(std::move(conditional));
}

bool takes_rest_in_arm(const Conditional& conditional, ArmEnd arm) {
  return arm == ArmEnd::Function && conditional.tail &&
         (conditional.wants_tail || !conditional.join);
}

Conditional find_conditional(const types::FunctionContext& context,
                             const breaks::Finding& finding) {
  Conditional found;
  const syntax::IfView view(context.tree(), finding.statement);
  Finder finder(context, finding);
  const Exits body = finder.exits(view.body());
  const Exits orelse = finder.exits(view.orelse());
  if (body.leaves_loop || orelse.leaves_loop) {
    if (auto join = finder.iteration()) {
      auto decline = finder.complete(join->arms);
      if (!decline) {
        decline = finder.targets(*join);
      }
      if (decline) {
        found.decline = *std::move(decline);
      } else {
        found.join = std::move(join);
      }
      return found;
    }
    found.decline = {"an arm leaves the loop around it",
                     "put what follows in the loop into the other arm",
                     body.leaves_loop ? body.leaves_loop : orelse.leaves_loop};
    return found;
  }
  if (!body.returns && !orelse.returns) {
    Join join;
    join.arms.chosen = copy(view.body());
    join.arms.other = copy(view.orelse());
    auto decline = finder.complete(join.arms);
    if (!decline) {
      decline = finder.targets(join);
    }
    if (decline) {
      found.decline = *std::move(decline);
    } else {
      const bool escapes =
          std::find(join.escapes.begin(), join.escapes.end(), true) != join.escapes.end();
      found.wants_tail = escapes || finder.binds_python(join) || finder.writes(join.arms);
      found.join = std::move(join);
    }
  }
  std::optional<std::vector<NodeId>> rest = finder.rest();
  if (!rest) {
    if (!found.join && found.decline.reason.empty()) {
      found.decline = {"an arm returns from inside a loop, 'with', 'try' or a very long function",
                       "return after it", finding.statement};
    }
    return found;
  }
  Tail tail;
  tail.arms.chosen = copy(view.body());
  tail.arms.other = copy(view.orelse());
  for (std::vector<NodeId>* side : {&tail.arms.chosen, &tail.arms.other}) {
    if (side->empty() || context.flow().may_complete(side->back())) {
      append(*side, *rest);
    }
  }
  const Exits after = finder.exits(*rest);
  if (after.leaves_loop) {
    return found;
  }
  if (auto decline = finder.complete(tail.arms)) {
    if (!found.join && found.decline.reason.empty()) {
      found.decline = *std::move(decline);
    }
  } else {
    found.tail = std::move(tail);
  }
  return found;
}

}  // namespace graphmend::mends
