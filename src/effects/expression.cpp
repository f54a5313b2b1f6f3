#include "effects/expression.h"

#include "types/callables.h"
#include "types/value_kind.h"

#include <string_view>

namespace graphmend::effects {
namespace {

using syntax::NodeId;
using syntax::NodeKind;
using syntax::Operator;
using syntax::Tree;

bool is_number(const Tree& tree, NodeId id) {
  if (tree.kind(id) == NodeKind::UnaryOp) {
    id = syntax::UnaryOpView(tree, id).operand();
  }
  if (tree.kind(id) != NodeKind::Constant) {
    return false;
  }
  const auto kind = syntax::ConstantView(tree, id).constant_kind();
  return kind == syntax::ConstantKind::Int || kind == syntax::ConstantKind::Float;
}

class Classifier {
 public:
  Classifier(const types::FunctionContext& context, Placement placement)
      : context_(context), tree_(context.tree()), placement_(placement) {}

  ExpressionEffects run(NodeId root) {
    for (std::uint32_t id = tree_.subtree_begin(root).value; id <= root.value; ++id) {
      visit(NodeId(id));
    }
    return std::move(effects_);
  }

 private:
  static void object(Objection& slot, NodeId node, std::string reason) {
    if (!slot) {
      slot = {node, std::move(reason)};
    }
  }

  void visit(NodeId id) {
    switch (tree_.kind(id)) {
      case NodeKind::Call:
        call(id);
        break;
      case NodeKind::BinOp:
        binary(id);
        break;
      case NodeKind::Subscript:
        object(effects_.partial, id, "indexing may raise");
        break;
      case NodeKind::NamedExpr:
        object(effects_.impure, id, "it binds a name");
        break;
      case NodeKind::Await:
      case NodeKind::Yield:
      case NodeKind::YieldFrom:
        object(effects_.impure, id, "it suspends the function");
        break;
      case NodeKind::Lambda:
      case NodeKind::ListComp:
      case NodeKind::SetComp:
      case NodeKind::DictComp:
      case NodeKind::GeneratorExp:
        if (placement_ == Placement::Graph) {
          object(effects_.costly, id, "it runs a loop or makes a function");
        }
        break;
      default:
        break;
    }
  }

  void binary(NodeId id) {
    const syntax::BinOpView view(tree_, id);
    switch (view.op()) {
      case Operator::Add:
      case Operator::Sub:
      case Operator::BitAnd:
      case Operator::BitOr:
      case Operator::BitXor:
        return;
      case Operator::Mult:
        if (!is_number(tree_, view.left()) && !is_number(tree_, view.right())) {
          object(effects_.gradient_trap, id,
                 "the gradient of a product is NaN where the other factor is infinite");
        }
        return;
      case Operator::Div:
        if (!is_number(tree_, view.right())) {
          object(effects_.gradient_trap, id,
                 "the gradient of a quotient is NaN where the divisor is zero");
        }
        quotient(view);
        return;
      case Operator::MatMult:
        object(effects_.costly, id, "a matrix product is too costly to run for nothing");
        return;
      default:
        object(effects_.partial, id, "this operator raises for some values");
        object(effects_.gradient_trap, id, "its gradient may be NaN at values that are not taken");
        return;
    }
  }

  // Python's numbers raise where the divisor is zero, tensors don't: one of the two must be one.
  void quotient(const syntax::BinOpView& view) {
    if (is_number(tree_, view.right()) &&
        tree_.text(view.right()).find_first_not_of("0.") != std::string_view::npos) {
      return;
    }
    for (const NodeId operand : {view.left(), view.right()}) {
      if (!context_.is_chain(operand) &&
          types::value_kind(context_, operand) == types::ValueKind::Tensor) {
        return;
      }
    }
    for (const NodeId operand : {view.left(), view.right()}) {
      if (context_.is_chain(operand) &&
          types::value_kind(context_, operand) != types::ValueKind::Python) {
        require_tensor(operand);
        return;
      }
    }
    object(effects_.partial, view.id(), "a division raises where the divisor is zero");
  }

  void call(NodeId id) {
    const syntax::CallView view(tree_, id);
    const NodeId callee = view.func();
    if (tree_.kind(callee) == NodeKind::Name) {
      name_call(id, callee);
    } else if (tree_.kind(callee) == NodeKind::Attribute) {
      attribute_call(id, callee);
    } else {
      object(effects_.impure, id, "what it calls is not known");
    }
  }

  void name_call(NodeId call, NodeId callee) {
    const std::string_view name = tree_.text(callee);
    if (context_.is_builtin(callee) && types::is_pure_builtin(name)) {
      if (name != "len" && name != "isinstance" && name != "type" && name != "hasattr") {
        object(effects_.partial, call, "it may raise");
      }
      return;
    }
    object(effects_.impure, call, "what " + std::string(name) + "() does is not known");
  }

  void attribute_call(NodeId call, NodeId callee) {
    const syntax::AttributeView attribute(tree_, callee);
    const std::string_view method = attribute.attr_text();
    const std::string module = context_.module_of(attribute.value());
    if (types::is_pure_module(module)) {
      object(effects_.partial, call, "it may raise");
      return;
    }
    const bool is_torch = module == "torch" || module.starts_with("torch.");
    if (!module.empty() && !is_torch) {
      object(effects_.impure, call,
             "what " + module + "." + std::string(method) + "() does is not known");
      return;
    }
    if (const types::CallableFacts* facts = types::find_tensor_callable(method)) {
      operator_call(call, *facts);
      const auto arguments = syntax::CallView(tree_, call).arguments();
      if (!is_torch) {
        require_tensor(attribute.value());
      } else if (!types::is_creation(method) && !arguments.empty()) {
        require_tensor(arguments.front());
      }
      return;
    }
    if (!is_torch && placement_ == Placement::Host &&
        (types::is_pure_method(method) || types::is_host_read(method))) {
      object(effects_.partial, call, "it may raise");
      return;
    }
    object(effects_.impure, call, "what ." + std::string(method) + "() does is not known");
  }

  void operator_call(NodeId call, const types::CallableFacts& facts) {
    const std::string name = "." + std::string(facts.name) + "()";
    if (!facts.pure) {
      object(effects_.impure, call, name + " has effects");
    }
    if (!facts.total) {
      object(effects_.partial, call, name + " raises for some values");
    }
    if (!facts.cheap) {
      object(effects_.costly, call, name + " is too costly to run for nothing");
    }
    if (!facts.gradient_safe) {
      object(effects_.gradient_trap, call,
             "the gradient of " + name + " may be NaN at values that are not taken");
    }
  }

  // Only names and attribute chains need the check: what an operator returned is a tensor.
  void require_tensor(NodeId id) {
    if (context_.is_chain(id)) {
      effects_.tensors.push_back(id);
    }
  }

  const types::FunctionContext& context_;
  const Tree& tree_;
  Placement placement_;
  ExpressionEffects effects_;
};

}  // namespace

ExpressionEffects expression_effects(const types::FunctionContext& context, NodeId root,
                                     Placement placement) {
  return Classifier(context, placement).run(root);
}

}  // namespace graphmend::effects
