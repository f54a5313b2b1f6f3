// One analysed call of a function, as the finders of breaks look at it.
#ifndef GRAPHMEND_BREAKS_SCENE_H_
#define GRAPHMEND_BREAKS_SCENE_H_

#include "breaks/finding.h"
#include "syntax/tree.h"
#include "types/heap.h"
#include "types/interpreter.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace graphmend::breaks {

class Scene {
 public:
  Scene(const types::Activation& activation, const types::Heap& heap)
      : activation_(&activation), heap_(&heap), tree_(&activation.module->tree()) {}

  [[nodiscard]] const syntax::Tree& tree() const { return *tree_; }
  [[nodiscard]] const types::Heap& heap() const { return *heap_; }
  [[nodiscard]] std::string_view text(syntax::NodeId node) const { return tree_->text(node); }
  // What a node's value may be; empty where it is never evaluated.
  [[nodiscard]] const types::Value& value(syntax::NodeId node) const {
    return activation_->value(node);
  }
  [[nodiscard]] bool is_reached(syntax::NodeId node) const { return !value(node).is_bottom(); }

  // The dotted name of what a call calls ("torch.nonzero", "builtins.print"); empty when it is
  // nothing outside of the sources.
  [[nodiscard]] std::string_view callee(syntax::NodeId call) const;
  // A method of a tensor, a container or an object from outside of the sources.
  struct Method {
    std::string_view name;
    types::Value receiver;
  };
  [[nodiscard]] std::optional<Method> method(syntax::NodeId call) const;
  // The call's positional argument number `index`; none when there are fewer, or stars before it.
  [[nodiscard]] syntax::NodeId argument(syntax::NodeId call, std::size_t index) const;
  [[nodiscard]] std::size_t argument_count(syntax::NodeId call) const;
  // The value of a keyword argument, none when it is not given.
  [[nodiscard]] syntax::NodeId keyword(syntax::NodeId call, std::string_view name) const;
  // Any argument is surely or probably a tensor, or holds one.
  [[nodiscard]] std::optional<Certainty> tensor_argument(syntax::NodeId call) const;

  // How sure it is that a value is a tensor; nothing when nothing says so.
  [[nodiscard]] static std::optional<Certainty> as_tensor(const types::Value& value);
  [[nodiscard]] std::optional<Certainty> as_tensor(syntax::NodeId node) const {
    return as_tensor(value(node));
  }
  // The same for a container of tensors.
  [[nodiscard]] std::optional<Certainty> holds_tensor(const types::Value& value) const;

 private:
  const types::Activation* activation_;
  const types::Heap* heap_;
  const syntax::Tree* tree_;
};

[[nodiscard]] bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names);
// The less certain of two.
[[nodiscard]] Certainty weaker(Certainty left, Certainty right);

}  // namespace graphmend::breaks

#endif  // GRAPHMEND_BREAKS_SCENE_H_
