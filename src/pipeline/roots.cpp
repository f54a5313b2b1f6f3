#include "pipeline/roots.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace graphmend::pipeline {
namespace {

using syntax::NodeId;
using syntax::NodeKind;
using types::Module;

// Finds the functions that a module gives to torch.compile.
class Compiled {
 public:
  Compiled(const Module& module, types::Interpreter& interpreter)
      : module_(module), interpreter_(interpreter) {}

  // `torch.compile`, or a call of it.
  bool compiles(NodeId expression) {
    const syntax::Tree& tree = module_.tree();
    if (tree.text(expression).find("compile") == std::string_view::npos) {
      return false;
    }
    if (tree.kind(expression) == NodeKind::Call) {
      expression = syntax::CallView(tree, expression).func();
    }
    const types::Value value = interpreter_.module_expression(module_, expression);
    const std::string_view name = interpreter_.heap().external_name(value);
    return name == "torch.compile" || name == "graphmend.compile";
  }

  // A function of the module that a call of torch.compile names.
  bool names(NodeId function) {
    const syntax::Tree& tree = module_.tree();
    if (!known_) {
      known_ = true;
      collect();
    }
    return names_.contains(syntax::FunctionDefView(tree, function).name_text()) &&
           tree.kind(tree.parent(function)) == NodeKind::Module;
  }

 private:
  void collect() {
    const syntax::Tree& tree = module_.tree();
    if (tree.source().find(".compile(") == std::string_view::npos) {
      return;
    }
    for (std::uint32_t id = 1; id < tree.size(); ++id) {
      const NodeId node(id);
      if (tree.kind(node) != NodeKind::Call || !compiles(node)) {
        continue;
      }
      const auto arguments = syntax::CallView(tree, node).arguments();
      if (!arguments.empty() && tree.kind(arguments[0]) == NodeKind::Name) {
        names_.insert(tree.text(arguments[0]));
      }
    }
  }

  const Module& module_;
  types::Interpreter& interpreter_;
  bool known_ = false;
  std::unordered_set<std::string_view> names_;
};

struct Root {
  NodeId function;
  NodeId cls;  // whose method it is; none for others
};

std::vector<Root> find_roots(const Module& module, types::Interpreter& interpreter) {
  std::vector<Root> roots;
  const syntax::Tree& tree = module.tree();
  Compiled compiled(module, interpreter);
  for (std::uint32_t id = 1; id < tree.size(); ++id) {
    const NodeId node(id);
    if (tree.kind(node) != NodeKind::FunctionDef) {
      continue;
    }
    const syntax::FunctionDefView view(tree, node);
    const NodeId cls = module.class_of(node);
    const bool forward =
        cls && view.name_text() == "forward" && interpreter.is_torch_module(module, cls);
    if (forward ||
        std::any_of(view.decorators().begin(), view.decorators().end(),
                    [&](NodeId decorator) { return compiled.compiles(decorator); }) ||
        compiled.names(node)) {
      roots.push_back({node, cls});
    }
  }
  return roots;
}

}  // namespace

std::size_t run_roots(const Module& module, types::Interpreter& interpreter) {
  std::vector<Root> roots = find_roots(module, interpreter);
  if (roots.empty()) {
    return 0;
  }
  // Modules that the file's own code makes are met on the way from those that it does not make.
  const auto made = interpreter.classes_made_in(module);
  std::stable_partition(roots.begin(), roots.end(), [&](const Root& root) {
    return !root.cls || !made.contains(root.cls.value);
  });
  std::size_t count = 0;
  for (const Root& root : roots) {
    // Those that are made here were met with what they are made of, if another file's roots led to
    // them.
    const bool is_made = root.cls && made.contains(root.cls.value);
    if (!interpreter.was_run(module, root.function) &&
        !(is_made && interpreter.was_ever_run(module, root.function))) {
      ++count;
      interpreter.run_root(module, root.function, root.cls);
    }
  }
  return count;
}

std::string function_name(const Module& module, NodeId function) {
  const syntax::Tree& tree = module.tree();
  if (tree.kind(function) == NodeKind::Lambda) {
    return "<lambda>";
  }
  std::string name(syntax::FunctionDefView(tree, function).name_text());
  if (const NodeId cls = module.class_of(function)) {
    name = std::string(syntax::ClassDefView(tree, cls).name_text()) + "." + name;
  }
  return name;
}

}  // namespace graphmend::pipeline
