#include "types/value_kind.h"

#include "types/callables.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::types {
namespace {

using syntax::CompareOperator;
using syntax::NodeId;
using syntax::NodeKind;

constexpr int kMaxDepth = 24;
// Definitions fan out: what takes more visits than this is Unknown.
constexpr int kMaxVisits = 2000;

constexpr auto kPythonAttributes = std::to_array<std::string_view>({
    "__class__", "__dict__",      "__name__",  "config",   "device", "dtype", "is_cuda",
    "is_leaf",   "is_meta",       "is_sparse", "itemsize", "layout", "names", "nbytes",
    "ndim",      "requires_grad", "shape",     "training", "type",
});

// Tensor methods and torch functions that give Python values.
constexpr auto kPythonOperators = std::to_array<std::string_view>({
    "allclose",
    "device",
    "dim",
    "element_size",
    "equal",
    "finfo",
    "get_device",
    "iinfo",
    "is_complex",
    "is_contiguous",
    "is_floating_point",
    "is_grad_enabled",
    "is_tensor",
    "item",
    "ndimension",
    "nelement",
    "numel",
    "size",
    "stride",
    "tolist",
});

constexpr auto kPythonAnnotations =
    std::to_array<std::string_view>({"bool", "int", "float", "str", "dict", "list"});

static_assert(std::is_sorted(kPythonAttributes.begin(), kPythonAttributes.end()));
static_assert(std::is_sorted(kPythonOperators.begin(), kPythonOperators.end()));

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

// The kind of a value that is either of two.
ValueKind either(ValueKind left, ValueKind right) {
  return left == right ? left : ValueKind::Unknown;
}
// The kind of what an operator gives for two operands.
ValueKind combined(ValueKind left, ValueKind right) {
  return std::max(left, right);
}

class Inference {
 public:
  explicit Inference(const FunctionContext& context) : context_(context), tree_(context.tree()) {}

  ValueKind kind(NodeId id, int depth) {  // NOLINT(misc-no-recursion): bounded by kMaxDepth
    if (depth > kMaxDepth || !id || ++visits_ > kMaxVisits) {
      return ValueKind::Unknown;
    }
    switch (tree_.kind(id)) {
      case NodeKind::Constant:
      case NodeKind::JoinedStr:
      case NodeKind::Tuple:
      case NodeKind::List:
      case NodeKind::Dict:
      case NodeKind::Set:
      case NodeKind::ListComp:
      case NodeKind::SetComp:
      case NodeKind::DictComp:
      case NodeKind::GeneratorExp:
      case NodeKind::Lambda:
        return ValueKind::Python;
      case NodeKind::Name:
        return name(id, depth);
      case NodeKind::Attribute:
        return attribute(id, depth);
      case NodeKind::Subscript:
        return kind(syntax::SubscriptView(tree_, id).value(), depth + 1) == ValueKind::Tensor
                   ? ValueKind::Tensor
                   : subscript(id, depth);
      case NodeKind::Compare:
        return compare(syntax::CompareView(tree_, id), depth);
      case NodeKind::BinOp: {
        const syntax::BinOpView view(tree_, id);
        return combined(kind(view.left(), depth + 1), kind(view.right(), depth + 1));
      }
      case NodeKind::UnaryOp:
        return kind(syntax::UnaryOpView(tree_, id).operand(), depth + 1);
      case NodeKind::BoolOp: {
        ValueKind result = ValueKind::Python;
        for (const NodeId value : syntax::BoolOpView(tree_, id).values()) {
          result = combined(result, kind(value, depth + 1));
        }
        return result;
      }
      case NodeKind::IfExp: {
        const syntax::IfExpView view(tree_, id);
        return either(kind(view.body(), depth + 1), kind(view.orelse(), depth + 1));
      }
      case NodeKind::NamedExpr:
        return kind(syntax::NamedExprView(tree_, id).value(), depth + 1);
      case NodeKind::Call:
        return call(syntax::CallView(tree_, id), depth);
      default:
        return ValueKind::Unknown;
    }
  }

 private:
  static ValueKind of_fact(const GlobalFact& fact) {
    switch (fact.kind) {
      case GlobalKind::Tensor:
        return ValueKind::Tensor;
      case GlobalKind::Unknown:
        return ValueKind::Unknown;
      default:
        return ValueKind::Python;
    }
  }

  ValueKind name(NodeId id, int depth) {
    if (!context_.is_local(id)) {
      return of_fact(context_.fact(id));
    }
    bool any = false;
    ValueKind result = ValueKind::Python;
    for (const flow::DefId def : context_.flow().reaching_definitions(id)) {
      const ValueKind one = definition(context_.flow().definition(def), depth);
      result = any ? either(result, one) : one;
      any = true;
    }
    return any ? result : ValueKind::Unknown;
  }

  ValueKind definition(const flow::Definition& definition, int depth) {
    switch (definition.kind) {
      case flow::DefKind::Assign:
      case flow::DefKind::Walrus:
        return definition.unpacked ? unpacked(definition.value, depth)
                                   : kind(definition.value, depth + 1);
      case flow::DefKind::Parameter:
        return parameter(definition.node);
      case flow::DefKind::Import:
      case flow::DefKind::Function:
      case flow::DefKind::Class:
      case flow::DefKind::ExceptName:
        return ValueKind::Python;
      default:
        return ValueKind::Unknown;
    }
  }

  // `b, s = x.shape` gives Python values, as does unpacking of what surely holds no tensor.
  ValueKind unpacked(NodeId value, int depth) {
    if (!value) {
      return ValueKind::Unknown;
    }
    if (is_shape(value)) {
      return ValueKind::Python;
    }
    (void)depth;
    return ValueKind::Unknown;
  }

  bool is_shape(NodeId value) {
    if (tree_.kind(value) == NodeKind::Attribute) {
      return syntax::AttributeView(tree_, value).attr_text() == "shape";
    }
    if (tree_.kind(value) == NodeKind::Subscript) {
      return is_shape(syntax::SubscriptView(tree_, value).value());
    }
    if (tree_.kind(value) == NodeKind::Call) {
      const NodeId callee = syntax::CallView(tree_, value).func();
      return tree_.kind(callee) == NodeKind::Attribute &&
             syntax::AttributeView(tree_, callee).attr_text() == "size";
    }
    return false;
  }

  ValueKind parameter(NodeId param) {
    const NodeId annotation = syntax::ParamView(tree_, param).annotation();
    if (!annotation) {
      return ValueKind::Unknown;
    }
    std::string_view text = tree_.text(annotation);
    if (text.starts_with("Optional[") && text.ends_with("]")) {
      text = text.substr(9, text.size() - 10);
    }
    if (text == "torch.Tensor" || text == "Tensor") {
      return ValueKind::Tensor;
    }
    const bool python = std::find(kPythonAnnotations.begin(), kPythonAnnotations.end(), text) !=
                        kPythonAnnotations.end();
    return python ? ValueKind::Python : ValueKind::Unknown;
  }

  ValueKind attribute(NodeId id, int depth) {
    const syntax::AttributeView view(tree_, id);
    if (contains(kPythonAttributes, view.attr_text())) {
      return ValueKind::Python;
    }
    if (!context_.module_of(id).empty() || !context_.module_of(view.value()).empty()) {
      return ValueKind::Python;
    }
    const ValueKind known = of_fact(context_.fact(id));
    if (known != ValueKind::Unknown) {
      return known;
    }
    // Attributes of an attribute that holds configuration.
    return kind(view.value(), depth + 1) == ValueKind::Python &&
                   tree_.kind(view.value()) == NodeKind::Attribute
               ? ValueKind::Python
               : ValueKind::Unknown;
  }

  ValueKind subscript(NodeId id, int depth) {
    (void)depth;
    return is_shape(id) ? ValueKind::Python : ValueKind::Unknown;
  }

  ValueKind compare(const syntax::CompareView& view, int depth) {
    ValueKind result = kind(view.left(), depth + 1);
    for (std::size_t i = 0; i < view.op_count(); ++i) {
      switch (view.op(i)) {
        case CompareOperator::Is:
        case CompareOperator::IsNot:
        case CompareOperator::In:
        case CompareOperator::NotIn:
          return ValueKind::Python;
        default:
          break;
      }
      const NodeId right = view.comparators()[i];
      if (is_text_or_none(right) || is_text_or_none(view.left())) {
        return ValueKind::Python;
      }
      result = combined(result, kind(right, depth + 1));
    }
    return result;
  }

  // A comparison with a string, None or a tuple is never a comparison of tensors.
  bool is_text_or_none(NodeId id) const {
    switch (tree_.kind(id)) {
      case NodeKind::JoinedStr:
      case NodeKind::Tuple:
      case NodeKind::List:
      case NodeKind::Dict:
        return true;
      case NodeKind::Constant: {
        const auto kind = syntax::ConstantView(tree_, id).constant_kind();
        return kind == syntax::ConstantKind::Str || kind == syntax::ConstantKind::None ||
               kind == syntax::ConstantKind::Bytes;
      }
      default:
        return false;
    }
  }

  ValueKind call(const syntax::CallView& view, int depth) {
    const NodeId callee = view.func();
    if (tree_.kind(callee) == NodeKind::Name) {
      return context_.is_builtin(callee) ? builtin(view, depth) : ValueKind::Unknown;
    }
    if (tree_.kind(callee) != NodeKind::Attribute) {
      return ValueKind::Unknown;
    }
    const syntax::AttributeView attribute(tree_, callee);
    const std::string_view method = attribute.attr_text();
    const std::string module = context_.module_of(attribute.value());
    if (contains(kPythonOperators, method)) {
      return ValueKind::Python;
    }
    if (module == "torch" || module.starts_with("torch.")) {
      return find_tensor_callable(method) != nullptr ? ValueKind::Tensor : ValueKind::Unknown;
    }
    if (!module.empty()) {
      return ValueKind::Unknown;
    }
    if (is_pure_method(method) && find_tensor_callable(method) == nullptr) {
      return method == "get" || method == "copy" ? ValueKind::Unknown : ValueKind::Python;
    }
    if (find_tensor_callable(method) != nullptr) {
      return kind(attribute.value(), depth + 1) == ValueKind::Python ? ValueKind::Unknown
                                                                     : ValueKind::Tensor;
    }
    return ValueKind::Unknown;
  }

  // Builtins that hand a tensor through (`abs(x)`, `max(a, b)`, `sum(xs)`) follow their operands.
  ValueKind builtin(const syntax::CallView& view, int depth) {
    constexpr auto kThrough = std::to_array<std::string_view>(
        {"abs", "divmod", "getattr", "max", "min", "next", "pow", "round", "sum"});
    const std::string_view name = tree_.text(view.func());
    if (!contains(kThrough, name)) {
      return is_pure_builtin(name) ? ValueKind::Python : ValueKind::Unknown;
    }
    if (name == "getattr" || name == "next" || name == "sum") {
      return ValueKind::Unknown;
    }
    ValueKind result = ValueKind::Python;
    for (const NodeId argument : view.arguments()) {
      result = combined(result, kind(argument, depth + 1));
    }
    return result;
  }

  const FunctionContext& context_;
  const syntax::Tree& tree_;
  int visits_ = 0;
};

}  // namespace

ValueKind value_kind(const FunctionContext& context, NodeId expression) {
  return Inference(context).kind(expression, 0);
}

}  // namespace graphmend::types
