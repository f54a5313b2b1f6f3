#include "breaks/scene.h"

#include <algorithm>

namespace graphmend::breaks {

using syntax::NodeId;
using syntax::NodeKind;
using types::Value;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

Certainty weaker(Certainty left, Certainty right) {
  return std::max(left, right);
}

std::string_view Scene::callee(NodeId call) const {
  const Value& function = value(syntax::CallView(*tree_, call).func());
  return function.is(types::kStatic) ? heap_->external_name(function) : std::string_view();
}

std::optional<Scene::Method> Scene::method(NodeId call) const {
  const Value& function = value(syntax::CallView(*tree_, call).func());
  const types::Object& object = heap_->get(function.object);
  if (object.kind != types::ObjectKind::ExternalMethod) {
    return std::nullopt;
  }
  return Method{heap_->text(object.text), object.values[0]};
}

NodeId Scene::argument(NodeId call, std::size_t index) const {
  std::size_t seen = 0;
  for (const NodeId argument : syntax::CallView(*tree_, call).arguments()) {
    if (tree_->kind(argument) == NodeKind::Starred) {
      return {};
    }
    if (tree_->kind(argument) != NodeKind::Keyword && seen++ == index) {
      return argument;
    }
  }
  return {};
}

std::size_t Scene::argument_count(NodeId call) const {
  return syntax::CallView(*tree_, call).arguments().size();
}

NodeId Scene::keyword(NodeId call, std::string_view name) const {
  for (const NodeId argument : syntax::CallView(*tree_, call).arguments()) {
    if (tree_->kind(argument) == NodeKind::Keyword) {
      const syntax::KeywordView view(*tree_, argument);
      if (view.has_name() && view.name_text() == name) {
        return view.value();
      }
    }
  }
  return {};
}

std::optional<Certainty> Scene::as_tensor(const Value& value) {
  if (value.is_tensor()) {
    return value.has(types::kAssumed) ? Certainty::Likely : Certainty::Certain;
  }
  if (value.is(types::kTensor | types::kNone) && value.may_be(types::kTensor)) {
    return Certainty::Likely;
  }
  if (value.may_be(types::kTensor) && value.has(types::kHint)) {
    return Certainty::Possible;
  }
  return value.may_be(types::kTensor) && !value.may_be(types::kOther)
             ? std::optional(Certainty::Possible)
             : std::nullopt;
}

std::optional<Certainty> Scene::holds_tensor(const Value& value) const {
  const types::Object& object = heap_->get(value.object);
  if (object.kind != types::ObjectKind::Sequence && object.kind != types::ObjectKind::Elements) {
    return std::nullopt;
  }
  std::optional<Certainty> result;
  for (const Value& part : object.values) {
    const auto one = as_tensor(part);
    if (one && (!result || *one < *result)) {
      result = one;
    }
  }
  return result;
}

std::optional<Certainty> Scene::tensor_argument(NodeId call) const {
  std::optional<Certainty> result;
  for (NodeId argument : syntax::CallView(*tree_, call).arguments()) {
    if (tree_->kind(argument) == NodeKind::Keyword) {
      argument = syntax::KeywordView(*tree_, argument).value();
    }
    auto one = as_tensor(argument);
    if (!one) {
      one = holds_tensor(value(argument));
    }
    if (one && (!result || *one < *result)) {
      result = one;
    }
  }
  return result;
}

}  // namespace graphmend::breaks
