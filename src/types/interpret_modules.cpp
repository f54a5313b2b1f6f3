// Names of modules, imports, classes and annotations.
#include "types/interpreter.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::types {
namespace {

using scope::ScopeId;
using scope::SymbolId;
using syntax::NodeKind;

constexpr auto kBuiltins = std::to_array<std::string_view>({
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "Exception",
    "FileNotFoundError",
    "ImportError",
    "IndexError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "RuntimeError",
    "StopIteration",
    "TypeError",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__build_class__",
    "__import__",
    "abs",
    "all",
    "any",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
});
static_assert(std::is_sorted(kBuiltins.begin(), kBuiltins.end()));

// The name under which torch documents what is defined elsewhere.
std::string canonical(std::string_view dotted) {
  constexpr std::string_view kModules = "torch.nn.modules.";
  const std::size_t dot = dotted.rfind('.');
  if (dotted.starts_with(kModules) && dot > kModules.size()) {
    return "torch.nn" + std::string(dotted.substr(dot));
  }
  if (dotted == "torch.nn.parameter.Parameter") {
    return "torch.nn.Parameter";
  }
  if (dotted.starts_with("torch._tensor.")) {
    return "torch" + std::string(dotted.substr(dot));
  }
  return std::string(dotted);
}

}  // namespace

const Module& Interpreter::module(std::uint32_t id) {
  if (module_cache_.size() <= id) {
    module_cache_.resize(id + 1);
  }
  if (module_cache_[id] == nullptr) {
    module_cache_[id] = &modules_.module(id);
  }
  return *module_cache_[id];
}

const Module* Interpreter::find_module(const std::string& dotted) {
  const auto known = lookups_.find(dotted);
  if (known != lookups_.end()) {
    return known->second;
  }
  const Module* const module = modules_.find(dotted);
  lookups_.emplace(dotted, module);
  return module;
}

Value Interpreter::module_object(const Module& module) {
  ObjectView object;
  object.kind = ObjectKind::Module;
  object.a = module.id();
  return of_object(kStatic, heap_.intern(object));
}

Value Interpreter::class_object(const Module& module, NodeId node) {
  ObjectView object;
  object.kind = ObjectKind::Class;
  object.a = module.id();
  object.b = node.value;
  return of_object(kStatic, heap_.intern(object));
}

Value Interpreter::function_object(const Module& module, NodeId node, const Env* env) {
  Object object;
  object.kind = ObjectKind::Function;
  object.a = module.id();
  object.b = node.value;
  if (env != nullptr && !env->slots.empty()) {
    // What it captures, as it is now. A name of its own is bound later: itself is left out.
    const scope::ScopeTree& scopes = module.scopes();
    const ScopeId scope = scopes.scope_of(node);
    const Object& own = heap_.get(here().object);
    for (const SymbolId symbol : scopes.symbols(scope)) {
      if (!scopes.symbol(symbol).is_free()) {
        continue;
      }
      const SymbolId origin = scopes.follow(symbol);
      if (!origin) {
        continue;
      }
      Value value;
      if (module.owner(origin) == here().scope) {
        value = env->slots[module.slot(origin)];
      } else {
        for (std::size_t i = 0; i < own.texts.size(); ++i) {
          if (own.kind == ObjectKind::Function && own.texts[i].value == origin.value) {
            value = own.values[i];
          }
        }
      }
      if (!value.is_bottom()) {
        object.texts.push_back(TextId(origin.value));
        object.values.push_back(normalised(value));
      }
    }
  }
  return of_object(kStatic, heap_.intern(std::move(object)));
}

Value Interpreter::module_expression(const Module& module, NodeId expression) {
  if (module.tree().kind(expression) == NodeKind::Constant) {
    return eval_constant(module, expression);
  }
  Activation activation;
  activation.module = &module;
  activation.caller = activation_;
  Activation* const before = activation_;
  activation_ = &activation;
  Env env;
  ++quiet_;
  const Value value = eval(expression, env);
  --quiet_;
  activation_ = before;
  return value;
}

const std::vector<const Module*>& Interpreter::star_modules(const Module& module) {
  Memo& known = memo(module);
  if (!known.stars) {
    std::vector<const Module*> stars;
    for (const NodeId node : module.star_imports()) {
      const syntax::ImportFromView view(module.tree(), node);
      const Module* const other =
          find_module(ModuleGraph::absolute_name(module, view.level(), view.module()));
      if (other != nullptr && other != &module) {
        stars.push_back(other);
      }
    }
    memo(module).stars = std::move(stars);
  }
  return *memo(module).stars;
}

std::optional<Value> Interpreter::bound_name(const Module& module, std::string_view name) {
  const std::uint64_t key = base::pair_key(module.id(), heap_.text(name).value);
  if (const std::optional<Value>* const known = names_.find(key)) {
    return *known;
  }
  names_[key] = kUnknown;  // while it is being worked out
  ++unsettled_;
  std::optional<Value> result;
  if (const auto* bindings = module.bindings(name)) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < bindings->size(); ++i) {
      if (!(*bindings)[i].conditional) {
        first = i;
      }
    }
    Value value;
    for (std::size_t i = first; i < bindings->size(); ++i) {
      value = heap_.join(value, binding_value(module, name, (*bindings)[i]));
    }
    result = value;
  } else {
    const std::vector<const Module*> stars =
        name.starts_with('_') ? std::vector<const Module*>() : star_modules(module);
    for (auto it = stars.rbegin(); it != stars.rend() && !result; ++it) {
      result = bound_name(**it, name);
    }
  }
  --unsettled_;
  names_[key] = result;
  return result;
}

Value Interpreter::module_name(const Module& module, std::string_view name) {
  if (const auto value = bound_name(module, name)) {
    return *value;
  }
  const TextId text = heap_.text(name);
  if (const Value* const known = builtins_.find(text.value)) {
    return *known;
  }
  Value value = kUnknown;
  if (std::binary_search(kBuiltins.begin(), kBuiltins.end(), name)) {
    value = heap_.external("builtins." + std::string(name));
  } else if (name == "__name__" || name == "__file__") {
    value = of_mask(kStr);
  }
  builtins_[text.value] = value;
  return value;
}

Value Interpreter::module_attribute(const Module& module, std::string_view name) {
  if (const auto value = bound_name(module, name)) {
    return *value;
  }
  if (module.is_package()) {
    if (const Module* below = find_module(module.name() + "." + std::string(name))) {
      return module_object(*below);
    }
  }
  return kUnknown;
}

Value Interpreter::imported(std::string_view dotted) {
  if (const Module* found = find_module(std::string(dotted))) {
    return module_object(*found);
  }
  return heap_.external(canonical(dotted));
}

Value Interpreter::imported_from(std::string_view dotted, std::string_view name) {
  if (const Module* found = find_module(std::string(dotted))) {
    // A submodule hides behind a package's own name of the same spelling.
    return module_attribute(*found, name);
  }
  const Value value = external_attribute(heap_.text(canonical(dotted)), heap_.text(name));
  return value.object ? heap_.external(canonical(std::string(dotted) + "." + std::string(name)))
                      : value;
}

Value Interpreter::import_value(const Module& module, NodeId alias, NodeId statement) {
  const syntax::AliasView view(module.tree(), alias);
  if (module.tree().kind(statement) == NodeKind::Import) {
    const std::string name = view.name();
    return imported(view.has_asname() ? name : name.substr(0, name.find('.')));
  }
  const syntax::ImportFromView from(module.tree(), statement);
  const std::string target = ModuleGraph::absolute_name(module, from.level(), from.module());
  if (from.level() > 0 && from.module().empty()) {
    if (const Module* below = find_module(target + "." + view.name())) {
      const Module* package = find_module(target);
      if (package == nullptr || package == &module || package->bindings(view.name()) == nullptr) {
        return module_object(*below);
      }
    }
  }
  return imported_from(target, view.name());
}

Value Interpreter::binding_value(const Module& module, std::string_view name,
                                 const ModuleBinding& binding) {
  const syntax::Tree& source = module.tree();
  switch (source.kind(binding.statement)) {
    case NodeKind::FunctionDef:
      return decorated_member(module, binding.statement);
    case NodeKind::ClassDef:
      return class_object(module, binding.statement);
    case NodeKind::Import:
    case NodeKind::ImportFrom:
      return import_value(module, binding.node, binding.statement);
    case NodeKind::Assign: {
      const syntax::AssignView view(source, binding.statement);
      const bool plain = std::any_of(view.targets().begin(), view.targets().end(),
                                     [&](NodeId target) { return target == binding.node; });
      const Value value = module_expression(module, view.value());
      if (!plain) {
        return generalised(element_of(value));
      }
      return value.is(kNone) ? kUnknown : generalised(value);
    }
    case NodeKind::AnnAssign: {
      const syntax::AnnAssignView view(source, binding.statement);
      if (!view.value()) {
        return annotated(module, view.annotation());
      }
      const Value value = generalised(module_expression(module, view.value()));
      return value.is(kNone) ? annotated(module, view.annotation()) : value;
    }
    default:
      (void)name;
      return kUnknown;
  }
}

void Interpreter::collect_members(const Module& module,  // NOLINT(misc-no-recursion)
                                  std::span<const NodeId> body, ClassInfo& info) {
  const syntax::Tree& source = module.tree();
  const auto add = [&](std::string_view name, NodeId node) {
    info.members[heap_.text(name).value] = node;
  };
  for (const NodeId statement : body) {
    switch (source.kind(statement)) {
      case NodeKind::FunctionDef: {
        const syntax::FunctionDefView view(source, statement);
        const bool setter =
            std::any_of(view.decorators().begin(), view.decorators().end(), [&](NodeId decorator) {
              const std::string_view text = source.text(decorator);
              return text.ends_with(".setter") || text.ends_with(".deleter") ||
                     text.ends_with("overload");
            });
        if (!setter) {
          add(view.name_text(), statement);
        }
        break;
      }
      case NodeKind::ClassDef:
        add(syntax::ClassDefView(source, statement).name_text(), statement);
        break;
      case NodeKind::Assign:
        for (const NodeId target : syntax::AssignView(source, statement).targets()) {
          if (source.kind(target) == NodeKind::Name) {
            add(source.text(target), statement);
          }
        }
        break;
      case NodeKind::AnnAssign:
        add(source.text(syntax::AnnAssignView(source, statement).target()), statement);
        break;
      case NodeKind::If:
        collect_members(module, syntax::IfView(source, statement).orelse(), info);
        collect_members(module, syntax::IfView(source, statement).body(), info);
        break;
      case NodeKind::Try:
        collect_members(module, syntax::TryView(source, statement).body(), info);
        break;
      default:
        break;
    }
  }
}

const Interpreter::ClassInfo& Interpreter::class_info(ObjectId cls) {  // NOLINT(misc-no-recursion)
  ClassInfo*& place = classes_[cls.value];
  if (place != nullptr) {
    return *place;
  }
  ClassInfo& info = class_storage_.emplace_back();
  place = &info;
  const Object& object = heap_.get(cls);
  info.module = &module(object.a);
  info.node = NodeId(object.b);
  info.order.push_back(of_object(kStatic, cls));
  const syntax::Tree& source = info.module->tree();
  const syntax::ClassDefView view(source, info.node);
  collect_members(*info.module, view.body(), info);
  for (const NodeId decorator : view.decorators()) {
    info.is_dataclass =
        info.is_dataclass || source.text(decorator).find("dataclass") != std::string_view::npos;
  }
  // Attributes that methods other than the constructor write.
  NodeId method;
  for (std::uint32_t id = source.subtree_begin(info.node).value; id < info.node.value; ++id) {
    const NodeId node(id);
    if (source.kind(node) != NodeKind::Attribute ||
        source.context(node) != syntax::ExprContext::Store) {
      continue;
    }
    const NodeId base = syntax::AttributeView(source, node).value();
    if (source.kind(base) != NodeKind::Name || source.text(base) != "self") {
      continue;
    }
    method = node;
    while (method && source.kind(method) != NodeKind::FunctionDef) {
      method = source.parent(method);
    }
    if (method && syntax::FunctionDefView(source, method).name_text() != "__init__") {
      info.assigned[heap_.text(syntax::AttributeView(source, node).attr_text()).value] = true;
    }
  }
  for (const NodeId argument : view.arguments()) {
    if (source.kind(argument) == NodeKind::Keyword || source.kind(argument) == NodeKind::Starred) {
      continue;
    }
    Value base = module_expression(*info.module, argument);
    if (heap_.kind(base.object) == ObjectKind::Union) {
      base = heap_.get(base.object).values[0];
    }
    if (heap_.kind(base.object) == ObjectKind::Class && base.object != cls) {
      const ClassInfo& above = class_info(base.object);
      for (const Value& one : above.order) {
        std::erase(info.order, one);
        info.order.push_back(one);
      }
      info.is_torch_module = info.is_torch_module || above.is_torch_module;
      info.is_dataclass = info.is_dataclass || above.is_dataclass;
      info.unknown_base = info.unknown_base || above.unknown_base;
    } else if (const std::string_view name = heap_.external_name(base); !name.empty()) {
      info.order.push_back(base);
      info.is_torch_module = info.is_torch_module || name.starts_with("torch.nn.");
      info.is_dataclass = info.is_dataclass || name == "typing.NamedTuple";
      info.unknown_base =
          info.unknown_base ||
          !(name.starts_with("torch.nn.") || name.starts_with("builtins.") ||
            name.starts_with("abc.") || name.starts_with("typing.") || name.starts_with("enum."));
    } else if (source.kind(argument) != NodeKind::Subscript) {
      info.unknown_base = true;
    }
  }
  return info;
}

bool Interpreter::derives_from(ObjectId cls, ObjectId base) {
  const ClassInfo& info = class_info(cls);
  return std::any_of(info.order.begin(), info.order.end(),
                     [base](const Value& one) { return one.object == base; });
}

bool Interpreter::is_torch_module(const Module& module, NodeId class_node) {
  return class_info(class_object(module, class_node).object).is_torch_module;
}

std::unordered_set<std::uint32_t> Interpreter::classes_made_in(const Module& module) {
  std::unordered_set<std::uint32_t> made;
  const syntax::Tree& source = module.tree();
  for (std::uint32_t id = 1; id < source.size(); ++id) {
    const NodeId node(id);
    if (source.kind(node) != NodeKind::Call) {
      continue;
    }
    const NodeId callee = syntax::CallView(source, node).func();
    if (source.kind(callee) != NodeKind::Name) {
      continue;
    }
    if (const auto* bindings = module.bindings(source.text(callee))) {
      for (const ModuleBinding& binding : *bindings) {
        if (source.kind(binding.statement) == NodeKind::ClassDef) {
          made.insert(binding.statement.value);
        }
      }
    }
  }
  return made;
}

}  // namespace graphmend::types
