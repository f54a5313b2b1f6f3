// Entering and leaving scopes.
#include "scope/builder.h"

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

Scope& Builder::enter(ScopeKind kind, NodeId node, NameId name, std::uint32_t start) {
  Scope& scope = store_.add_scope(kind, frame_->scope);
  scope.node = node;
  scope.name = name;
  scope.start = start;
  scope.parameters_begin = static_cast<std::uint32_t>(tree_.parameters_.size());
  scope.nested = frame_->nests;
  left_.push_back(false);
  Frame frame;
  frame.scope = store_.last_scope();
  frame.kind = kind;
  frame.function_like = kind != ScopeKind::Module && kind != ScopeKind::Class;
  frame.nests = frame_->nests || frame.function_like;
  frame.plain = kind == ScopeKind::Module || kind == ScopeKind::Function ||
                kind == ScopeKind::Class || kind == ScopeKind::Enclosing;
  frame.symbol_flags = kind == ScopeKind::Module ? std::uint16_t{kModuleScope} : std::uint16_t{0};
  frame.private_name = frame_->private_name;
  if (kind != ScopeKind::Class) {
    frame.mangled_only = frame_->mangled_only;
  }
  frame.iterables = frame_->iterables;
  frame.annotations_begin = static_cast<std::uint32_t>(annotations_.size());
  frames_.push_back(frame);
  frame_ = &frames_.back();
  return scope;
}

// Leaves the innermost scope, or enters the scope of its annotations before (3.14).
void Builder::exit() {
  if (annotations_.size() != frame_->annotations_begin) [[unlikely]] {
    push(NodeId(), Action::Exit);
    return enter_annotations_of_scope();
  }
  left_[frame_->scope.value] = true;
  frames_.pop_back();
  frame_ = &frames_.back();
}

// Parameters in the order of co_varnames.
void Builder::add_parameters(NodeId arguments) {
  const std::span<const NodeId> params = ArgumentsView(source_, arguments).params();
  tree_.node_scopes_[arguments.value] = frame_->scope.value;
  unsigned kinds = 0;
  for (const NodeId id : params) {
    kinds |= 1U << nodes_[id.value].op;
  }
  constexpr auto kBit = [](ParamKind kind) { return 1U << static_cast<unsigned>(kind); };
  here().has_varargs = (kinds & kBit(ParamKind::VarArgs)) != 0;
  here().has_varkeywords = (kinds & kBit(ParamKind::KwArgs)) != 0;
  if (kinds < kBit(ParamKind::VarArgs)) {
    for (const NodeId id : params) {
      add_parameter(id);
    }
    return;
  }
  for (const ParamKind kind : {ParamKind::PositionalOnly, ParamKind::Positional,
                               ParamKind::KeywordOnly, ParamKind::VarArgs, ParamKind::KwArgs}) {
    if ((kinds & kBit(kind)) == 0) {
      continue;
    }
    for (const NodeId id : params) {
      if (ParamView(source_, id).param_kind() == kind) {
        add_parameter(id);
      }
    }
  }
}

void Builder::enter_function(NodeId id) {
  const FunctionDefView view(source_, id);
  enter(ScopeKind::Function, id, view.name_id(), scope_start(id)).is_async = view.is_async();
  add_parameters(view.args());
}

void Builder::enter_lambda(NodeId id) {
  enter(ScopeKind::Lambda, id, known::lambda, scope_start(id));
  add_parameters(LambdaView(source_, id).args());
}

void Builder::enter_class(NodeId id) {
  const ClassDefView view(source_, id);
  const NameId name = view.name_id();
  enter(ScopeKind::Class, id, name, scope_start(id));
  frame_->private_name = name;
  if (!view.type_params().empty() && !before(12)) {
    add(NodeId(), known::dunder_type_params, kAssigned);
    add(NodeId(), known::type_params, kReferenced);
  }
}

void Builder::comprehension(NodeId id, std::span<const NodeId> generators, NodeId element,
                            NodeId value) {
  if (generators.empty()) {
    return push_children(id);
  }
  const ComprehensionView first(source_, generators[0]);
  forbid_in_class_annotation(id, "comprehension");
  push(id, Action::ExitComprehension);
  push(element);
  push(value);
  push_list(generators.subspan(1));
  push_list(first.ifs());
  push(id, Action::TargetEnd);
  push(first.target());
  push(generators[0], Action::EnterComprehension);
  push(id, Action::EnterComprehension);
  push(id, Action::IterableEnd);
  push(first.iter());
  push(id, Action::IterableBegin);
}

// Comes twice: for the comprehension, then for its first generator.
void Builder::enter_comprehension(NodeId id) {
  switch (source_.kind(id)) {
    case NodeKind::ListComp:
      enter(ScopeKind::ListComp, id, known::listcomp, scope_start(id));
      return;
    case NodeKind::SetComp:
      enter(ScopeKind::SetComp, id, known::setcomp, scope_start(id));
      return;
    case NodeKind::DictComp:
      enter(ScopeKind::DictComp, id, known::dictcomp, scope_start(id));
      return;
    case NodeKind::GeneratorExp:
      enter(ScopeKind::GeneratorExp, id, known::genexpr, scope_start(id));
      return;
    default:
      break;
  }
  tree_.node_scopes_[id.value] = frame_->scope.value;
  here().is_async |= ComprehensionView(source_, id).is_async();
  add_own_parameter(known::first_iterable, 0);
  frame_->in_target = true;
}

void Builder::exit_comprehension(NodeId id) {
  Scope& scope = here();
  if (scope.is_generator && before(10)) {
    yield_in_comprehension(source_.range(id));
  }
  scope.is_generator = scope.kind == ScopeKind::GeneratorExp;
  exit();
}

void Builder::enter_type_parameters(NodeId id) {
  const bool in_class = frame_->kind == ScopeKind::Class;
  NameId name;
  bool has_kwdefaults = false;
  const NodeKind kind = source_.kind(id);
  if (kind == NodeKind::FunctionDef) {
    const FunctionDefView view(source_, id);
    name = view.name_id();
    for (const NodeId param_id : ArgumentsView(source_, view.args()).params()) {
      const ParamView param(source_, param_id);
      has_kwdefaults |= param.default_value() && param.param_kind() == ParamKind::KeywordOnly;
    }
  } else if (kind == NodeKind::ClassDef) {
    name = ClassDefView(source_, id).name_id();
  } else {
    name = NameView(source_, TypeAliasView(source_, id).name()).name_id();
  }
  enter(ScopeKind::TypeParameters, id, name, scope_start(id));
  if (in_class) {
    here().sees_class_scope = true;
    add(NodeId(), known::dunder_classdict, kReferenced);
  }
  if (kind == NodeKind::ClassDef) {
    add(NodeId(), known::type_params, kAssigned | kReferenced);
    add(NodeId(), known::generic_base, kAssigned | kReferenced);
  }
  if (kind == NodeKind::FunctionDef) {
    add(NodeId(), known::defaults, kParameter);  // also where there are none
  }
  if (has_kwdefaults) {
    add(NodeId(), known::kwdefaults, kParameter);
  }
  if (kind == NodeKind::ClassDef) {
    frame_->private_name = name;
    frame_->mangled_only = before(13) ? ScopeId() : frame_->scope;
  }
}

void Builder::enter_type_alias(NodeId id) {
  const TypeAliasView view(source_, id);
  ScopeKind around = frame_->kind;
  if (around == ScopeKind::TypeParameters && here().node == id) {
    around = tree_.scope(here().parent).kind;
  }
  enter(ScopeKind::TypeAlias, id, NameView(source_, view.name()).name_id(), scope_start(id));
  add_format();
  if (around == ScopeKind::Class) {
    here().sees_class_scope = true;
    add(NodeId(), known::dunder_classdict, kReferenced);
  }
}

void Builder::enter_bound(NodeId id) {
  const TypeVarView view(source_, id);
  std::string_view what = "a TypeVar bound";
  if (!before(13) && source_.kind(view.bound()) == NodeKind::Tuple) {
    what = "a TypeVar constraint";
  }
  enter_type_variable(view.name(), view.bound(), what);
}

void Builder::enter_type_default(NodeId id) {
  switch (source_.kind(id)) {
    case NodeKind::TypeVar: {
      const TypeVarView view(source_, id);
      return enter_type_variable(view.name(), view.default_value(), "a TypeVar default");
    }
    case NodeKind::ParamSpec: {
      const ParamSpecView view(source_, id);
      return enter_type_variable(view.name(), view.default_value(), "a ParamSpec default");
    }
    default: {
      const TypeVarTupleView view(source_, id);
      return enter_type_variable(view.name(), view.default_value(), "a TypeVarTuple default");
    }
  }
}

void Builder::enter_type_variable(base::TextRange name, NodeId expression, std::string_view what) {
  const bool in_class = here().sees_class_scope;
  enter(ScopeKind::TypeVariable, expression, name_of(name), scope_start(expression));
  frame_->what = what;
  add_format();
  if (in_class) {
    here().sees_class_scope = true;
    add(NodeId(), known::dunder_classdict, kReferenced);
  }
}

// Scopes of lazily evaluated expressions take the format as an argument (3.14).
void Builder::add_format() {
  if (!before(14)) {
    add_own_parameter(known::format, kReferenced);
  }
}

// The annotations of parameters, and from 3.14 on that of the result.
void Builder::enter_parameter_annotations(NodeId function) {
  const bool in_class = frame_->kind == ScopeKind::Class || here().sees_class_scope;
  const NameId name = before(14) ? known::annotation : known::dunder_annotate;
  enter(ScopeKind::Annotation, function, name, scope_start(function));
  here().unevaluated = tree_.future_annotations_;
  add_format();
  if (in_class && !before(14)) {
    here().sees_class_scope = true;
    add(NodeId(), known::dunder_classdict, kReferenced);
  }
}

// An annotation that is a string in the end (3.10 to 3.13).
void Builder::enter_annotation(NodeId annotation) {
  enter(ScopeKind::Annotation, annotation, known::annotation, scope_start(annotation));
  here().unevaluated = true;
}

// From 3.14 on the annotations of variables of one scope share a scope. It is visited when the
// scope around it ends, which is no different from visiting it bit by bit.
void Builder::annotation_of_scope(NodeId annotation) {
  const bool noted = (frame_->kind == ScopeKind::Class && frame_->conditionals > 0) ||
                     frame_->kind == ScopeKind::Module;
  if (noted && !frame_->conditional_annotations) {
    frame_->conditional_annotations = true;
    add(NodeId(), known::conditional_annotations, kReferenced);
  }
  if (annotations_.size() == frame_->annotations_begin) {
    frame_->annotations_place = here().children_count;
  }
  annotations_.push_back(annotation);
}

void Builder::enter_annotations_of_scope() {
  const std::uint32_t begin = frame_->annotations_begin;
  const NodeId first = annotations_[begin];
  const bool in_class = frame_->kind == ScopeKind::Class;
  const bool in_function = frame_->kind != ScopeKind::Module && !in_class;
  const std::uint32_t place = frame_->annotations_place;
  enter(ScopeKind::Annotation, first, known::dunder_annotate, scope_start(first));
  store_.place(frame_->scope, place);
  here().unevaluated = tree_.future_annotations_;
  frame_->skip_names = in_function;
  add_format();
  if (in_class && !tree_.future_annotations_) {
    here().sees_class_scope = true;
    add(NodeId(), known::dunder_classdict, kReferenced);
  }
  push(NodeId(), Action::Exit);
  for (std::size_t i = annotations_.size(); i-- > begin;) {
    push(annotations_[i]);
  }
  annotations_.truncate(begin);
  frame_->annotations_begin = begin;
}

}  // namespace graphmend::scope
