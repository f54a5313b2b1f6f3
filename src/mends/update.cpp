// update: a branch whose arms only rebind attributes and buffers of one object becomes an ordered
// operator that runs the branch on that object; the attributes' new values are its results.
//
//     if p: self.register_buffer("scale", self.long)      the operator receives p and self
//     else: self.register_buffer("scale", self.short)
//
// Obligations. Static: arms hold only assignments to attributes of one object, register_buffer
// calls on it, and branches of the same; other names they bind are not read later. While tracing
// (the run time's `update`): what the arms call is pure, the attributes hold tensors of equal
// metadata.
#include "effects/expression.h"
#include "mends/branch.h"
#include "mends/conditional.h"
#include "mends/mends.h"
#include "mends/names.h"
#include "mends/outline.h"
#include "mends/predicate.h"

#include <algorithm>
#include <string>

namespace graphmend::mends {
namespace {

using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::Tree;

// What the arms of a branch do.
struct Arms {
  NodeId object;  // the Name of the object, at its first write
  std::vector<std::string> attributes;
  std::vector<std::string> calls;   // chains that must turn out to be pure functions
  std::vector<NodeId> temporaries;  // Names that the arms bind besides
};

class UpdatePlan final : public Plan {
 public:
  UpdatePlan(Operands operands, std::string object, std::vector<std::string> attributes,
             std::vector<std::string> calls, Conditional conditional)
      : operands_(std::move(operands)),
        object_(std::move(object)),
        attributes_(std::move(attributes)),
        calls_(std::move(calls)),
        conditional_(std::move(conditional)) {}

  void write(const WriteContext& context) const override {
    if (context.arm && (conditional_.join || conditional_.tail)) {
      write_conditional_in_arm(context, conditional_, write_arm_predicate(context));
      return;
    }
    write_tensor_branch(context, [&](const std::string& predicate, const std::string& handled) {
      const base::TextRange anchor = context.function.tree().range(context.finding.statement);
      std::vector<std::string> quoted;
      quoted.reserve(attributes_.size());
      for (const std::string& attribute : attributes_) {
        quoted.push_back("\"" + attribute + "\"");
      }
      context.out.line(handled + " = " + runtime("update") + "(\"" + context.site + "\", " +
                           predicate + ", " + operand_tuple(operands_) + ", " + object_ + ", " +
                           tuple(quoted) + ")",
                       anchor);
      if (conditional_.join || conditional_.tail) {
        context.out.line("if not " + handled + ":", anchor);
        context.out.indent();
        write_conditional(context, conditional_, predicate, handled);
        context.out.dedent();
      }
    });
  }

  [[nodiscard]] bool ends_arm(ArmEnd arm) const override {
    return takes_rest_in_arm(conditional_, arm);
  }

  [[nodiscard]] Outline outline(const types::FunctionContext& function,
                                const breaks::Finding& finding,
                                const source::LineIndex& lines) const override {
    Outline outline = write_outline(function, finding.statement, operands_,
                                    outer_range(function.tree(), finding.subject), lines);
    outline.calls = calls_;
    return outline;
  }

 private:
  Operands operands_;
  std::string object_;
  std::vector<std::string> attributes_;
  std::vector<std::string> calls_;
  Conditional conditional_;  // for when the update turns out to be illegal while tracing
};

class ArmReader {
 public:
  explicit ArmReader(const types::FunctionContext& context)
      : context_(context), tree_(context.tree()) {}

  // False when the statements hold something else than updates. Nested branches are read from an
  // explicit list: their depth is the user's.
  bool read(std::span<const NodeId> body) {
    std::vector<NodeId> open(body.begin(), body.end());
    while (!open.empty()) {
      const NodeId statement = open.back();
      open.pop_back();
      switch (tree_.kind(statement)) {
        case NodeKind::Pass:
          break;
        case NodeKind::If: {
          const syntax::IfView view(tree_, statement);
          expression(view.test());
          open.insert(open.end(), view.body().begin(), view.body().end());
          open.insert(open.end(), view.orelse().begin(), view.orelse().end());
          break;
        }
        case NodeKind::Assign:
          if (!assign(syntax::AssignView(tree_, statement))) {
            return false;
          }
          break;
        case NodeKind::Expr:
          if (!register_buffer(context_.called_statement(statement))) {
            return false;
          }
          break;
        default:
          return false;
      }
    }
    return true;
  }

  Arms take() { return std::move(arms_); }
  [[nodiscard]] bool writes_attributes() const { return !arms_.attributes.empty(); }
  [[nodiscard]] const std::optional<Decline>& decline() const { return decline_; }

 private:
  bool assign(const syntax::AssignView& view) {
    for (const NodeId target : view.targets()) {
      if (!assign_target(target)) {
        return false;
      }
    }
    expression(view.value());
    return true;
  }

  bool assign_target(NodeId target) {
    switch (tree_.kind(target)) {
      case NodeKind::Name:
        arms_.temporaries.push_back(target);
        return true;
      case NodeKind::Attribute: {
        const syntax::AttributeView view(tree_, target);
        return write(view.value(), context_.attribute_name(view.attr_text()));
      }
      case NodeKind::Tuple: {
        const auto elts = syntax::TupleView(tree_, target).elts();
        return std::all_of(elts.begin(), elts.end(), [&](NodeId elt) {
          return tree_.kind(elt) != NodeKind::Tuple && assign_target(elt);
        });
      }
      default:
        return false;
    }
  }

  // `object.register_buffer("name", value, ...)`
  bool register_buffer(NodeId call) {
    if (!call) {
      return false;
    }
    const syntax::CallView view(tree_, call);
    if (tree_.kind(view.func()) != NodeKind::Attribute || view.arguments().size() < 2) {
      return false;
    }
    const syntax::AttributeView method(tree_, view.func());
    const NodeId name = view.arguments()[0];
    if (method.attr_text() != "register_buffer" || tree_.kind(name) != NodeKind::Constant) {
      return false;
    }
    for (const NodeId argument : view.arguments()) {
      expression(argument);
    }
    return write(method.value(), tree_.string_value(name));
  }

  bool write(NodeId object, const std::string& attribute) {
    if (tree_.kind(object) != NodeKind::Name || !context_.is_local(object)) {
      return false;
    }
    if (!arms_.object) {
      arms_.object = object;
    } else if (tree_.text(object) != tree_.text(arms_.object)) {
      decline_ =
          Decline{"the arms change more than one object", "change one object in a branch", object};
    }
    if (std::find(arms_.attributes.begin(), arms_.attributes.end(), attribute) ==
        arms_.attributes.end()) {
      arms_.attributes.push_back(attribute);
    }
    return true;
  }

  // Right sides and tests: calls of unknown chains are left to the check while tracing.
  void expression(NodeId root) {
    for_each_node(tree_, root, [&](NodeId id) {
      switch (tree_.kind(id)) {
        case NodeKind::Call:
          call(syntax::CallView(tree_, id));
          break;
        case NodeKind::NamedExpr:
        case NodeKind::Await:
        case NodeKind::Yield:
        case NodeKind::YieldFrom:
        case NodeKind::Lambda:
          refuse(id, "an arm holds an expression that is more than a value");
          break;
        default:
          break;
      }
    });
  }

  void call(const syntax::CallView& view) {
    const NodeId callee = view.func();
    effects::ExpressionEffects effects =
        effects::expression_effects(context_, view.id(), effects::Placement::Host);
    if (!effects.impure) {
      return;
    }
    if (!context_.is_chain(callee)) {
      refuse(view.id(), "what an arm calls is not known");
      return;
    }
    std::string chain = chain_text(tree_, callee);
    if (std::find(arms_.calls.begin(), arms_.calls.end(), chain) == arms_.calls.end()) {
      arms_.calls.push_back(std::move(chain));
    }
  }

  void refuse(NodeId node, const std::string& reason) {
    if (!decline_) {
      decline_ = Decline{reason, "compute the value before the branch", node};
    }
  }

  const types::FunctionContext& context_;
  const Tree& tree_;
  Arms arms_;
  std::optional<Decline> decline_;
};

// Operands without the names that the arms bind themselves.
std::variant<Operands, Decline> operands_of(const types::FunctionContext& context,
                                            const breaks::Finding& finding, const Arms& arms) {
  const Tree& tree = context.tree();
  Operands operands;
  std::optional<Decline> decline;
  const base::TextRange test = outer_range(tree, finding.subject);
  for_each_node(tree, finding.statement, [&](NodeId id) {
    if (decline || tree.kind(id) != NodeKind::Name || test.contains(tree.range(id))) {
      return;
    }
    const std::string name(tree.text(id));
    if (name == "__class__" || name == "super") {
      decline =
          Decline{"an arm needs the class that its method is defined in", "name the class", id};
    }
    if (decline || (!context.is_local(id) && !context.is_free(id))) {
      return;
    }
    const SymbolId symbol = context.symbol_of(id);
    const bool temporary =
        std::any_of(arms.temporaries.begin(), arms.temporaries.end(),
                    [&](NodeId bound) { return context.symbol_of(bound) == symbol; });
    const bool known = std::any_of(operands.list.begin(), operands.list.end(),
                                   [&](const Operand& one) { return one.expression == name; });
    if (temporary || known) {
      return;
    }
    decline = unbound_names(context, id, finding.statement);
    if (decline) {
      return;
    }
    operands.list.push_back({name, name});
  });
  if (decline) {
    return *std::move(decline);
  }
  return operands;
}

}  // namespace

PlanResult plan_update(const types::FunctionContext& context, const breaks::Finding& finding) {
  const Tree& tree = context.tree();
  if (tree.kind(finding.statement) != NodeKind::If) {
    return NotApplicable{};
  }
  const syntax::IfView view(tree, finding.statement);
  ArmReader reader(context);
  if (!reader.read(view.body()) || !reader.read(view.orelse()) || !reader.writes_attributes()) {
    return NotApplicable{};
  }
  if (reader.decline()) {
    return *reader.decline();
  }
  if (auto decline = predicate_obligations(context, finding.subject)) {
    return *std::move(decline);
  }
  Arms arms = reader.take();
  for (const NodeId name : arms.temporaries) {
    const SymbolId symbol = context.symbol_of(name);
    if (!context.is_plain_local(name) || context.flow().live_after(finding.statement, symbol)) {
      return Decline{"'" + std::string(tree.text(name)) + "' is read after the branch",
                     "compute it before the branch", name};
    }
  }
  auto operands = operands_of(context, finding, arms);
  if (auto* decline = std::get_if<Decline>(&operands)) {
    return std::move(*decline);
  }
  return std::make_unique<UpdatePlan>(
      std::get<Operands>(std::move(operands)), std::string(tree.text(arms.object)),
      std::move(arms.attributes), std::move(arms.calls), find_conditional(context, finding));
}

}  // namespace graphmend::mends
