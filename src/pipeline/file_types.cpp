#include "pipeline/file_types.h"

#include "pipeline/roots.h"
#include "types/interpreter.h"
#include "types/modules.h"
#include "types/torch_stubs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace graphmend::pipeline {
namespace {

using syntax::NodeId;
using syntax::NodeKind;
using types::Activation;
using types::Module;
using types::Value;

constexpr std::array<std::string_view, 5> kDTypes = {"", "bool", "int", "float", "complex"};

// What all analysed calls of a function had in common.
struct Joined {
  std::vector<Value> values;  // by node, from the function's first
  Value returned;
  bool is_reached = false;
};

class Collector {
 public:
  Collector(types::Heap& heap, const Module*& module) : heap_(heap), module_(module) {}

  void add(const Activation& activation) {
    if (activation.module != module_ ||
        module_->tree().kind(activation.function) != NodeKind::FunctionDef) {
      return;
    }
    Joined& joined = functions_[activation.function.value];
    joined.values.resize(activation.values.size());
    for (std::size_t i = 0; i < activation.values.size(); ++i) {
      joined.values[i] = heap_.join(joined.values[i], activation.values[i]);
    }
    joined.returned = heap_.join(joined.returned, activation.returned);
    joined.is_reached = joined.is_reached || from_roots_;
  }
  // What comes now is called by nothing in the file.
  void roots_are_done() { from_roots_ = false; }
  [[nodiscard]] bool knows(NodeId function) const { return functions_.contains(function.value); }

  std::vector<FunctionTypes> describe() const {
    std::vector<FunctionTypes> all;
    const syntax::Tree& tree = module_->tree();
    for (const auto& [id, joined] : functions_) {
      const NodeId function(id);
      FunctionTypes& one = all.emplace_back();
      one.name = function_name(*module_, function);
      one.line = module_->lines().line(tree.range(function).start);
      one.is_reached = joined.is_reached;
      one.returns = heap_.describe(joined.returned);
      const std::uint32_t begin = tree.subtree_begin(function).value;
      for (std::uint32_t at = begin; at < id && at - begin < joined.values.size(); ++at) {
        const Value& value = joined.values[at - begin];
        if (!value.is_bottom() && is_shown(NodeId(at))) {
          one.places.push_back(place(NodeId(at), value));
        }
      }
      std::stable_sort(one.places.begin(), one.places.end(),
                       [](const TypedPlace& a, const TypedPlace& b) {
                         return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                       });
    }
    std::stable_sort(all.begin(), all.end(), [](const FunctionTypes& a, const FunctionTypes& b) {
      return a.line < b.line;
    });
    return all;
  }

 private:
  [[nodiscard]] bool is_shown(NodeId node) const {
    const syntax::Tree& tree = module_->tree();
    return (tree.is_expression(node) && tree.kind(node) != NodeKind::Constant) ||
           tree.kind(node) == NodeKind::Param;
  }
  [[nodiscard]] bool is_test(NodeId node) const {
    const syntax::Tree& tree = module_->tree();
    const NodeId above = tree.parent(node);
    switch (tree.kind(above)) {
      case NodeKind::If:
        return syntax::IfView(tree, above).test() == node;
      case NodeKind::While:
        return syntax::WhileView(tree, above).test() == node;
      case NodeKind::IfExp:
        return syntax::IfExpView(tree, above).test() == node;
      case NodeKind::Assert:
        return syntax::AssertView(tree, above).test() == node;
      default:
        return false;
    }
  }
  [[nodiscard]] TypedPlace place(NodeId node, const Value& value) const {
    const syntax::Tree& tree = module_->tree();
    const bool is_param = tree.kind(node) == NodeKind::Param;
    const base::TextRange range =
        is_param ? syntax::ParamView(tree, node).name() : tree.range(node);
    const source::Position start = module_->lines().position_code_points(range.start);
    const source::Position end = module_->lines().position_code_points(range.end);
    TypedPlace one;
    one.text = tree.text(range);
    one.line = start.line;
    one.column = start.column;
    one.end_line = end.line;
    one.end_column = end.column;
    one.type = heap_.describe(value);
    one.may_be = types::Heap::kinds(value);
    if (value.may_be(types::kTensor)) {
      one.dtype = kDTypes[static_cast<std::size_t>(value.dtype)];
      one.rank = static_cast<int>(value.rank);  // NOLINT(bugprone-signed-char-misuse): -1 is none
    }
    const NodeKind kind = tree.kind(node);
    one.is_binding = is_param || ((kind == NodeKind::Name || kind == NodeKind::Attribute) &&
                                  tree.context(node) == syntax::ExprContext::Store);
    one.is_test = is_test(node);
    one.is_decided = value.is_tensor() || !value.may_be(types::kTensor);
    return one;
  }

  types::Heap& heap_;
  const Module*& module_;
  bool from_roots_ = true;
  std::map<std::uint32_t, Joined> functions_;
};

}  // namespace

std::vector<FunctionTypes> types_of_file(const source::SourceFile& file,
                                         const FileTypesRequest& request) {
  std::vector<std::string> roots = {types::module_name_of(file.path()).root};
  roots.insert(roots.end(), request.search_paths.begin(), request.search_paths.end());
  types::ModuleGraph modules(std::move(roots), request.version, request.decode);
  const Module* const module = modules.adopt(file);
  if (module == nullptr || !module->tree().ok()) {
    return {};
  }
  const std::string torch = modules.torch_folder();
  const types::TorchStubs stubs =
      torch.empty() ? types::TorchStubs() : types::TorchStubs::read(torch);
  types::Heap heap;
  const Module* wanted = module;
  Collector collector(heap, wanted);
  types::Interpreter interpreter(modules, torch.empty() ? types::TorchStubs::shipped() : stubs,
                                 heap, [&](const Activation& one) { collector.add(one); });
  interpreter.begin_file();
  (void)run_roots(*module, interpreter);
  collector.roots_are_done();
  const syntax::Tree& tree = module->tree();
  for (std::uint32_t id = 1; id < tree.size(); ++id) {
    const NodeId node(id);
    if (tree.kind(node) == NodeKind::FunctionDef && !collector.knows(node)) {
      interpreter.run_root(*module, node, module->class_of(node));
    }
  }
  return collector.describe();
}

}  // namespace graphmend::pipeline
