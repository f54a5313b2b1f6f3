// Calls of functions and classes of the analysed sources.
#include "types/interpreter.h"

#include <algorithm>
#include <string_view>

namespace graphmend::types {
namespace {

using scope::ScopeId;
using scope::SymbolId;
using syntax::NodeKind;
using syntax::ParamKind;

constexpr int kMaxCallDepth = 48;
// Expressions that one root may evaluate before what is left counts as unknown.
constexpr std::uint64_t kMaxWork = 6'000'000;
// Distinct calls of one function that are followed.
constexpr int kMaxRuns = 24;

const Value kMissing = kNothing;

}  // namespace

std::size_t Interpreter::CallKeyHash::operator()(const CallView& key) const {
  std::uint64_t hash = (key.function.value * 4ULL + (key.quiet ? 1 : 0) + (key.unsure ? 2 : 0)) *
                       0x9e37'79b9'7f4a'7c15ULL;
  for (const Value& value : key.arguments) {
    hash ^= (std::uint64_t{value.mask} << 32 | value.object.value) + (hash << 6) + (hash >> 2);
    hash ^= (std::uint64_t{value.constant.value} << 16 |
             static_cast<std::uint64_t>(value.dtype) << 8 | value.flags) +
            (hash << 6) + (hash >> 2);
    hash *= 0xff51'afd7'ed55'8ccdULL;
  }
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

Interpreter::Interpreter(ModuleGraph& modules, const TorchStubs& stubs, Heap& heap,
                         Observer observer)
    : modules_(modules), stubs_(stubs), heap_(heap), observer_(std::move(observer)) {
  activation_ = &base_;
}

const Value& Interpreter::argument(const Arguments& arguments, std::size_t index) {
  return index < arguments.positional.size() ? arguments.positional[index] : kMissing;
}

const Value* Interpreter::keyword(const Arguments& arguments, std::string_view name) {
  for (const auto& [key, value] : arguments.keywords) {
    if (heap_.text(key) == name) {
      return &value;
    }
  }
  return nullptr;
}

bool Interpreter::mentions_tensor(const Value& value,
                                  int depth) const {  // NOLINT(misc-no-recursion)
  if (value.has(kHint) || (value.may_be(kTensor) && !value.may_be(kOther))) {
    return true;
  }
  const Object& object = heap_.get(value.object);
  if (depth < 3 && value.is(kTuple | kList | kDict | kIterator | kNone)) {
    return std::any_of(object.values.begin(), object.values.end(),
                       [&](const Value& part) { return mentions_tensor(part, depth + 1); });
  }
  return false;
}

bool Interpreter::any_tensor(const Arguments& arguments) const {
  const auto mentions = [&](const Value& value) { return mentions_tensor(value); };
  return std::any_of(arguments.positional.begin(), arguments.positional.end(), mentions) ||
         std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                     [&](const auto& one) { return mentions_tensor(one.second); }) ||
         (arguments.rest && mentions_tensor(*arguments.rest));
}

Value Interpreter::unknown_call(const Arguments& arguments) {
  return of_mask(kAnything, any_tensor(arguments) ? kHint : ValueFlags{0});
}

Arguments Interpreter::arguments_of(NodeId call, Env& env) {  // NOLINT(misc-no-recursion)
  Arguments arguments;
  for (const NodeId argument : syntax::CallView(tree(), call).arguments()) {
    if (tree().kind(argument) == NodeKind::Starred) {
      const Value value = eval(argument, env);
      if (const auto parts = heap_.elements(value)) {
        arguments.positional.insert(arguments.positional.end(), parts->begin(), parts->end());
      } else {
        arguments.rest = element_of(value);
      }
    } else if (tree().kind(argument) == NodeKind::Keyword) {
      const syntax::KeywordView keyword(tree(), argument);
      const Value value = eval(keyword.value(), env);
      if (keyword.has_name()) {
        arguments.keywords.emplace_back(text_at(*here().module, argument, keyword.name_text()),
                                        value);
        continue;
      }
      const Object& object = heap_.get(value.object);
      if (value.is(kDict) && object.kind == ObjectKind::Record) {
        for (std::size_t i = 0; i < object.texts.size(); ++i) {
          arguments.keywords.emplace_back(object.texts[i], object.values[i]);
        }
        if (object.open) {
          arguments.keyword_rest = kUnknown;
        }
      } else {
        arguments.keyword_rest = value.is(kDict) ? element_of(value) : kUnknown;
      }
    } else {
      arguments.positional.push_back(eval(argument, env));
    }
  }
  return arguments;
}

Value Interpreter::eval_call(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::CallView view(tree(), node);
  const Value callee = eval(view.func(), env);
  const Arguments arguments = arguments_of(node, env);
  here().current = node;
  const Value result = call(callee, arguments, node);
  // Containers are values here: a method that changes one gives the name another.
  if (tree().kind(view.func()) == NodeKind::Attribute &&
      heap_.kind(callee.object) == ObjectKind::ExternalMethod) {
    const Value receiver = heap_.get(callee.object).values[0];
    const std::string_view name = heap_.text(heap_.get(callee.object).text);
    if (receiver.is(kList | kSet | kDict) && !receiver.is_bottom()) {
      Value added;
      if (name == "append" || name == "add") {
        added = argument(arguments, 0);
      } else if (name == "insert" || name == "setdefault") {
        added = argument(arguments, 1);
      } else if (name == "extend" || name == "update") {
        added = element_of(argument(arguments, 0));
        for (const auto& [key, value] : arguments.keywords) {
          added = heap_.join(added, value);
        }
      }
      if (!added.is_bottom()) {
        store_back(syntax::AttributeView(tree(), view.func()).value(),
                   heap_.container(receiver.mask, heap_.join(element_of(receiver), added)), env);
      }
    }
  }
  return result;
}

Value Interpreter::call(const Value& callee,
                        const Arguments& arguments,  // NOLINT(misc-no-recursion)
                        NodeId site) {
  if (!callee.object) {
    return unknown_call(arguments);
  }
  const Value result = call_object(callee, arguments, site);
  // A candidate among other values: nothing is known of the others.
  return callee.may_be(kOther) && heap_.kind(callee.object) != ObjectKind::ExternalMethod
             ? heap_.join(result, unknown_call(arguments))
             : result;
}

Value Interpreter::call_object(const Value& callee,
                               const Arguments& arguments,  // NOLINT(misc-no-recursion)
                               NodeId site) {
  const Object& object = heap_.get(callee.object);
  switch (object.kind) {
    case ObjectKind::Function:
      return call_function(callee.object, arguments, site);
    case ObjectKind::Bound: {
      Arguments with_self = arguments;
      with_self.positional.insert(with_self.positional.begin(), object.values[0]);
      return call(of_object(kStatic, ObjectId(object.a)), with_self, site);
    }
    case ObjectKind::Class:
      return instantiate(of_object(kStatic, callee.object), arguments, site);
    case ObjectKind::Instance: {
      const Value self = of_object(kInstance, callee.object);
      const bool is_module = class_info(ObjectId(object.a)).is_torch_module;
      const Value method = instance_attribute(self, heap_.text(is_module ? "forward" : "__call__"));
      if (!method.object || heap_.kind(method.object) == ObjectKind::ExternalMethod) {
        return unknown_call(arguments);
      }
      return call(method, arguments, site);
    }
    case ObjectKind::External:
      return call_external(heap_.text(object.text), arguments, site);
    case ObjectKind::ExternalInstance:
      return call_external_instance(callee, arguments, site);
    case ObjectKind::ExternalMethod:
      return call_method(object.values[0], heap_.text(object.text), arguments, site);
    case ObjectKind::Partial: {
      Arguments all = arguments;
      const std::size_t keywords = object.texts.size();
      const std::size_t positional = object.values.size() - 1 - keywords;
      all.positional.insert(all.positional.begin(), object.values.begin() + 1,
                            object.values.begin() + 1 + static_cast<std::ptrdiff_t>(positional));
      for (std::size_t i = 0; i < keywords; ++i) {
        if (keyword(arguments, heap_.text(object.texts[i])) == nullptr) {
          all.keywords.emplace_back(object.texts[i], object.values[1 + positional + i]);
        }
      }
      return call(object.values[0], all, site);
    }
    case ObjectKind::Union: {
      Value result;
      ++unsure_;
      for (const Value& one : object.values) {
        result = heap_.join(result, call(one, arguments, site));
      }
      --unsure_;
      return result;
    }
    default:
      return unknown_call(arguments);
  }
}

Value Interpreter::root_parameter(const Module& module, NodeId param, bool forward, bool first) {
  const syntax::ParamView view(module.tree(), param);
  Value value;
  if (view.annotation()) {
    value = annotated(module, view.annotation());
  }
  if (view.default_value()) {
    const Value by_default = generalised(module_expression(module, view.default_value()));
    if (value.is_bottom()) {
      value = by_default.is(kNone) ? kUnknown : by_default;
    } else if (!value.is_unknown()) {
      value = heap_.join(value, by_default);
    }
    return value;
  }
  if (value.is_bottom()) {
    return forward && first ? tensor().with(kAssumed) : kUnknown;
  }
  return value;
}

std::vector<Value> Interpreter::bind(const Module& home, NodeId function, ObjectId object,
                                     const Arguments& arguments, bool root, bool method) {
  (void)object;
  const syntax::Tree& source = home.tree();
  const bool lambda = source.kind(function) == NodeKind::Lambda;
  const NodeId list = lambda ? syntax::LambdaView(source, function).args()
                             : syntax::FunctionDefView(source, function).args();
  const bool forward =
      !lambda && syntax::FunctionDefView(source, function).name_text() == "forward";
  std::vector<Value> parameters;
  std::vector<bool> used(arguments.keywords.size());
  std::size_t next = 0;
  bool first = true;
  for (const NodeId param : syntax::ArgumentsView(source, list).params()) {
    const syntax::ParamView view(source, param);
    const auto by_name = [&]() -> std::optional<Value> {
      const TextId name =
          arguments.keywords.empty() ? TextId() : text_at(home, param, view.name_text());
      for (std::size_t i = 0; i < arguments.keywords.size(); ++i) {
        if (!used[i] && arguments.keywords[i].first == name) {
          used[i] = true;
          return arguments.keywords[i].second;
        }
      }
      return std::nullopt;
    };
    const auto by_default = [&]() {
      if (root) {
        return root_parameter(home, param, forward, first);
      }
      if (view.default_value()) {
        return module_expression(home, view.default_value());
      }
      return view.annotation() ? annotated(home, view.annotation()) : kUnknown;
    };
    switch (view.param_kind()) {
      case ParamKind::VarArgs: {
        std::vector<Value> rest;
        for (; next < arguments.positional.size(); ++next) {
          rest.push_back(arguments.positional[next]);
        }
        if (arguments.rest || root) {
          parameters.push_back(heap_.container(
              kTuple, heap_.join(heap_.join(rest), arguments.rest.value_or(kUnknown))));
        } else {
          parameters.push_back(heap_.sequence(kTuple, std::move(rest)));
        }
        break;
      }
      case ParamKind::KwArgs: {
        std::vector<TextId> keys;
        std::vector<Value> values;
        for (std::size_t i = 0; i < arguments.keywords.size(); ++i) {
          if (!used[i]) {
            keys.push_back(arguments.keywords[i].first);
            values.push_back(arguments.keywords[i].second);
          }
        }
        parameters.push_back(heap_.record(std::move(keys), std::move(values),
                                          root || arguments.keyword_rest.has_value()));
        break;
      }
      case ParamKind::KeywordOnly:
      default: {
        const bool keyword_only = view.param_kind() == ParamKind::KeywordOnly;
        Value value;
        if (!keyword_only && next < arguments.positional.size()) {
          value = arguments.positional[next++];
        } else if (const auto named = by_name()) {
          value = *named;
        } else {
          value = by_default();
          if (!keyword_only && arguments.rest) {
            value = heap_.join(value, *arguments.rest);
          }
          if (arguments.keyword_rest && !root) {
            value = view.annotation() ? heap_.join(value, annotated(home, view.annotation()))
                                      : heap_.join(value, *arguments.keyword_rest);
          }
        }
        // What nothing is known of is what its annotation says.
        if (value.is_unknown() && view.annotation()) {
          const Value declared_type = annotated(home, view.annotation());
          if (!declared_type.is_unknown()) {
            value = declared_type;
          }
        }
        parameters.push_back(value);
        if (!method || parameters.size() != 1) {
          first = false;
        }
        break;
      }
    }
  }
  return parameters;
}

Value Interpreter::call_function(ObjectId function,
                                 const Arguments& arguments,  // NOLINT(misc-no-recursion)
                                 NodeId site) {
  const Object& code = heap_.get(function);
  const Module& home = module(code.a);
  std::vector<Value> parameters = bind(home, NodeId(code.b), function, arguments, false, false);
  for (Value& value : parameters) {
    value = normalised(value);
  }
  return run_function(function, std::move(parameters), site);
}

int Interpreter::returned_parameter(const Module& home, NodeId function) {
  const std::uint64_t key = base::pair_key(home.id(), function.value);
  if (const int* const known = returned_parameters_.find(key)) {
    return *known;
  }
  int& result = returned_parameters_[key] = -1;
  const syntax::Tree& source = home.tree();
  const syntax::FunctionDefView view(source, function);
  const NodeId last = view.body().back();
  if (view.is_async() || source.kind(last) != NodeKind::Return) {
    return result;
  }
  const NodeId given = syntax::ReturnView(source, last).value();
  if (!given || source.kind(given) != NodeKind::Name) {
    return result;
  }
  const std::string_view name = source.text(given);
  const auto owner = [&](NodeId node) {
    do {
      node = source.parent(node);
    } while (source.kind(node) != NodeKind::FunctionDef);
    return node;
  };
  for (std::uint32_t id = source.subtree_begin(function).value; id < function.value; ++id) {
    const NodeId node(id);
    switch (source.kind(node)) {
      case NodeKind::Return: {
        const NodeId value = syntax::ReturnView(source, node).value();
        const bool same =
            value && source.kind(value) == NodeKind::Name && source.text(value) == name;
        if (!same && owner(node) == function) {
          return result;
        }
        break;
      }
      case NodeKind::Name:
        if (source.context(node) != syntax::ExprContext::Load && source.text(node) == name) {
          return result;
        }
        break;
      case NodeKind::Yield:
      case NodeKind::YieldFrom:
      case NodeKind::Nonlocal:
      case NodeKind::Global:
        return result;
      default:
        break;
    }
  }
  int index = 0;
  for (const NodeId param : syntax::ArgumentsView(source, view.args()).params()) {
    const syntax::ParamView parameter(source, param);
    if (parameter.name_text() == name && parameter.param_kind() != ParamKind::VarArgs &&
        parameter.param_kind() != ParamKind::KwArgs) {
      result = index;
    }
    ++index;
  }
  return result;
}

Value Interpreter::run_function(ObjectId function,
                                std::vector<Value> parameters,  // NOLINT(misc-no-recursion)
                                NodeId site) {
  const Object& code = heap_.get(function);
  const Module& home = module(code.a);
  const NodeId node(code.b);
  const syntax::Tree& source = home.tree();
  const bool lambda = source.kind(node) == NodeKind::Lambda;
  const bool constructs = !parameters.empty() && constructing_.contains(parameters[0].object.value);
  const auto declared_result = [&]() {
    if (lambda || !syntax::FunctionDefView(source, node).returns()) {
      return std::any_of(parameters.begin(), parameters.end(),
                         [&](const Value& value) { return mentions_tensor(value); })
                 ? of_mask(kAnything, kHint)
                 : kUnknown;
    }
    return annotated(home, syntax::FunctionDefView(source, node).returns());
  };
  // Nothing is reported of quiet calls: for them it is one whether they are sure.
  CallView view{function, quiet_ > 0, false, parameters};
  if (!constructs) {
    auto known = calls_.find(view);
    if (known == calls_.end() && quiet_ == 0 && unsure_ > 0) {
      view.unsure = true;
      known = calls_.find(view);
    }
    if (known != calls_.end()) {
      return known->second;
    }
  }
  if (quiet_ > 0 && !constructs && !lambda) {
    // Most decorators write something down and give the function back.
    const int same = returned_parameter(home, node);
    if (same >= 0 && static_cast<std::size_t>(same) < parameters.size()) {
      return parameters[static_cast<std::size_t>(same)];
    }
  }
  const std::uint64_t place = base::pair_key(home.id(), node.value);
  int& runs = (quiet_ > 0 ? quiet_runs_ : runs_)[place];
  if (call_depth_ >= kMaxCallDepth || work_ > kMaxWork || runs >= kMaxRuns) {
    return declared_result();
  }
  ++runs;
  Value* kept = nullptr;
  if (quiet_ == 0) {
    ever_run_[place] = true;
  }
  if (!constructs) {
    // A call inside itself: what it declares. References stay valid as others are added.
    kept = &calls_
                .emplace(CallKey{view.function, view.quiet, view.unsure, parameters},
                         declared_result())
                .first->second;
  }
  Activation activation;
  activation.module = &home;
  activation.function = node;
  activation.scope = home.scopes().scope_of(node);
  activation.object = function;
  activation.begin = source.subtree_begin(node).value;
  if (!spare_values_.empty()) {
    activation.values.swap(spare_values_.back());
    spare_values_.pop_back();
  }
  activation.values.assign(node.value + 1 - activation.begin, kNothing);
  activation.caller = activation_;
  activation.call = site;
  activation.unsure = unsure_ > 0;
  if (!parameters.empty() && home.class_of(node)) {
    activation.self = parameters[0];
  }
  Env env;
  env.slots.resize(home.slot_count(activation.scope) + 1);
  const auto symbols = home.scopes().parameters(activation.scope);
  const NodeId list = lambda ? syntax::LambdaView(source, node).args()
                             : syntax::FunctionDefView(source, node).args();
  const auto params = syntax::ArgumentsView(source, list).params();
  for (std::size_t i = 0; i < params.size() && i < parameters.size(); ++i) {
    const SymbolId mention = home.scopes().resolve(params[i]);
    if (mention) {
      env.slots[home.slot(home.scopes().follow(mention))] = parameters[i];
    }
    activation.values[params[i].value - activation.begin] = parameters[i];
  }
  (void)symbols;
  Activation* const before = activation_;
  std::vector<Loop*> loops;
  loops.swap(loops_);
  const int depth = depth_;
  depth_ = 0;
  activation_ = &activation;
  ++call_depth_;
  if (lambda) {
    activation.returned = eval(syntax::LambdaView(source, node).body(), env);
  } else {
    run_block(syntax::FunctionDefView(source, node).body(), env);
    if (!env.dead) {
      activation.returned = heap_.join(activation.returned, of_mask(kNone));
    }
  }
  --call_depth_;
  depth_ = depth;
  loops.swap(loops_);
  if (quiet_ == 0 && observer_) {
    observer_(activation);
  }
  activation_ = before;
  spare_values_.push_back(std::move(activation.values));
  Value result = activation.returned;
  if (!activation.yielded.is_bottom()) {
    result = heap_.container(kIterator, activation.yielded);
  }
  if (result.is_unknown() && !lambda && syntax::FunctionDefView(source, node).returns()) {
    const Value annotation = annotated(home, syntax::FunctionDefView(source, node).returns());
    if (!annotation.is_unknown()) {
      result = annotation;
    }
  }
  if (result.is_bottom()) {
    result = kUnknown;  // it always raises
  }
  if (kept != nullptr) {
    *kept = result;
  }
  return result;
}

void Interpreter::run_root(const Module& home, NodeId function, NodeId class_node) {
  work_ = 0;
  const Value plain = function_object(home, function, nullptr);
  const Value whole = decorated_member(home, function);
  Arguments none;
  std::vector<Value> parameters =
      bind(home, function, plain.object, none, true, static_cast<bool>(class_node));
  if (class_node && !parameters.empty()) {
    parameters[0] = abstract_instance(class_object(home, class_node));
  }
  if (whole.object == plain.object || heap_.kind(whole.object) != ObjectKind::Function) {
    run_function(plain.object, std::move(parameters), {});
    return;
  }
  // Decorated: called through its wrapper, with each argument in its place.
  Arguments arguments;
  const auto params =
      syntax::ArgumentsView(home.tree(), syntax::FunctionDefView(home.tree(), function).args())
          .params();
  for (std::size_t i = 0; i < params.size() && i < parameters.size(); ++i) {
    const syntax::ParamView view(home.tree(), params[i]);
    if (view.param_kind() == ParamKind::VarArgs || view.param_kind() == ParamKind::KwArgs) {
      continue;
    }
    if (i == 0 && class_node) {
      arguments.positional.push_back(parameters[i]);
    } else {
      arguments.keywords.emplace_back(heap_.text(view.name_text()), parameters[i]);
    }
  }
  call(whole, arguments, {});
  if (!was_run(home, function)) {
    run_function(plain.object, std::move(parameters), {});
  }
}

void Interpreter::begin_file() {
  runs_.clear();
  quiet_runs_.clear();
}

bool Interpreter::was_ever_run(const Module& home, NodeId function) const {
  return ever_run_.contains(base::pair_key(home.id(), function.value));
}

bool Interpreter::was_run(const Module& home, NodeId function) const {
  const int* const found = runs_.find(base::pair_key(home.id(), function.value));
  return found != nullptr && *found > 0;
}

}  // namespace graphmend::types
