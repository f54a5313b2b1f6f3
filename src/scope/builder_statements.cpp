// Statements that bind, declare or open scopes.
#include "scope/builder.h"

#include <algorithm>
#include <utility>

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

// Keywords come after all other arguments, wherever they are written.
void Builder::push_arguments(std::span<const NodeId> arguments) {
  for (std::size_t i = arguments.size(); i-- > 0;) {
    if (nodes_[arguments[i].value].kind == NodeKind::Keyword) {
      push(arguments[i]);
    }
  }
  for (std::size_t i = arguments.size(); i-- > 0;) {
    if (nodes_[arguments[i].value].kind != NodeKind::Keyword) {
      push(arguments[i]);
    }
  }
}

// Defaults, those of keyword-only parameters last: the order of the source.
void Builder::push_defaults(std::span<const NodeId> params) {
  for (std::size_t i = params.size(); i-- > 0;) {
    push(ParamView(source_, params[i]).default_value());
  }
}

// An annotation that may be kept apart from the scope it is in.
void Builder::push_annotation(NodeId annotation) {
  if (before(14) && !before(10) && tree_.future_annotations_) {
    push(annotation, Action::Exit);
    push(annotation);
    push(annotation, Action::EnterAnnotation);
  } else {
    push(annotation);
  }
}

// The annotations of parameters in the order in which they are evaluated.
void Builder::push_kinds_of_annotations(std::span<const NodeId> params) {
  for (const ParamKind kind : {ParamKind::KeywordOnly, ParamKind::KwArgs, ParamKind::VarArgs,
                               ParamKind::Positional, ParamKind::PositionalOnly}) {
    for (std::size_t i = params.size(); i-- > 0;) {
      const ParamView param(source_, params[i]);
      if (param.param_kind() == kind) {
        push(param.annotation());
      }
    }
  }
}

void Builder::push_annotations(NodeId function) {
  const FunctionDefView view(source_, function);
  const std::span<const NodeId> params = ArgumentsView(source_, view.args()).params();
  const bool any = std::any_of(params.begin(), params.end(), [&](NodeId id) {
    return static_cast<bool>(ParamView(source_, id).annotation());
  });
  if (before(14) && view.returns()) {
    push_annotation(view.returns());
  }
  const bool enter = annotations_apart() && (any || !before(14));
  if (enter) {
    push(function, Action::Exit);
  }
  if (!before(14)) {
    push(view.returns());
  }
  push_kinds_of_annotations(params);
  if (enter) {
    push(function, Action::EnterParameterAnnotations);
  }
}

bool Builder::scan_defaults(std::span<const NodeId> params, std::uint32_t begin) {
  for (const NodeId id : params) {
    const ParamView param(source_, id);
    const NodeId annotation = param.annotation();
    const NodeId value = param.default_value();
    if (value && !scan(value, annotation ? after(annotation) : begin)) {
      return false;
    }
    begin = after(id);
  }
  return true;
}

// In the scope of the annotations.
bool Builder::scan_annotations(NodeId function, std::uint32_t begin) {
  const FunctionDefView view(source_, function);
  for (const NodeId id : ArgumentsView(source_, view.args()).params()) {
    const NodeId annotation = ParamView(source_, id).annotation();
    if (annotation && !scan(annotation, begin)) {
      return false;
    }
    begin = after(id);
  }
  return !view.returns() || scan(view.returns(), after(view.args()));
}

// Decorators, defaults, and annotations where they are no scope of their own.
bool Builder::scan_header(NodeId function, std::uint32_t begin) {
  const FunctionDefView view(source_, function);
  const bool apart = annotations_apart();
  if ((apart && before(14)) || !view.type_params().empty() ||
      !scan_list(view.decorators(), begin)) {
    return false;
  }
  begin = after_list(view.decorators(), begin);
  return apart ? scan_defaults(ArgumentsView(source_, view.args()).params(), begin)
               : scan(view.returns() ? view.returns() : view.args(), begin);
}

void Builder::function_def(NodeId id, std::uint32_t begin) {
  const FunctionDefView view(source_, id);
  add(id, view.name_id(), kAssigned | kNamespace);
  const std::uint32_t body_begin = after(view.returns() ? view.returns() : view.args());
  if (scan_header(id, begin)) [[likely]] {
    push(id, Action::Exit);
    push_statements(view.body(), body_begin);
    if (annotations_apart()) {
      enter_parameter_annotations(id);
      if (!scan_annotations(id, after_list(view.decorators(), begin))) {
        push(id, Action::EnterFunction);
        push(id, Action::Exit);
        push(view.returns());
        return push_kinds_of_annotations(ArgumentsView(source_, view.args()).params());
      }
      exit();
    }
    return enter_function(id);
  }
  const bool generic = !view.type_params().empty() && !before(12);
  if (generic) {
    push(id, Action::Exit);
  }
  push(id, Action::Exit);
  push_statements(view.body(), body_begin);
  push(id, Action::EnterFunction);
  if (before(12)) {
    push_list(view.decorators());
    push_annotations(id);
  } else {
    push_annotations(id);
    if (generic) {
      push_list(view.type_params());
      push(id, Action::EnterTypeParameters);
    }
    push_list(view.decorators());
  }
  push_defaults(ArgumentsView(source_, view.args()).params());
}

void Builder::class_def(NodeId id, std::uint32_t begin) {
  const ClassDefView view(source_, id);
  add(id, view.name_id(), kAssigned | kNamespace);
  const NodeId last = !view.arguments().empty()    ? view.arguments().back()
                      : !view.decorators().empty() ? view.decorators().back()
                                                   : NodeId();
  if (view.type_params().empty() && (!last || scan(last, begin))) {
    push(id, Action::Exit);
    push_statements(view.body(), last ? after(last) : begin);
    return enter_class(id);
  }
  const bool generic = !view.type_params().empty() && !before(12);
  if (generic) {
    push(id, Action::Exit);
  }
  for (const std::span<const NodeId> header :
       {view.decorators(), view.type_params(), view.arguments()}) {
    begin = after_list(header, begin);
  }
  push(id, Action::Exit);
  push_statements(view.body(), begin);
  push(id, Action::EnterClass);
  if (before(12)) {
    push_list(view.decorators());
    push_arguments(view.arguments());
  } else {
    push_arguments(view.arguments());
    if (generic) {
      push_list(view.type_params());
      push(id, Action::EnterTypeParameters);
    }
    push_list(view.decorators());
  }
}

void Builder::type_alias(NodeId id) {
  const TypeAliasView view(source_, id);
  const bool generic = !view.type_params().empty();
  if (generic) {
    push(id, Action::Exit);
  }
  push(id, Action::Exit);
  push(view.value());
  push(id, Action::EnterTypeAlias);
  if (generic) {
    push_list(view.type_params());
    push(id, Action::EnterTypeParameters);
  }
  push(view.name());
}

void Builder::type_parameter(NodeId id, base::TextRange name, NodeId bound, NodeId default_value) {
  // The type parameters of a class are mangled, and so are the names that mention them.
  const ScopeId mangled_only = std::exchange(frame_->mangled_only, ScopeId());
  add(id, name_of(name), kTypeParameter | kAssigned);
  frame_->mangled_only = mangled_only;
  if (default_value) {
    push(id, Action::Exit);
    push(default_value);
    push(id, Action::EnterTypeDefault);
  }
  if (bound) {
    push(id, Action::Exit);
    push(bound);
    push(id, Action::EnterBound);
  }
}

void Builder::annotated_assignment(NodeId id) {
  const AnnAssignView view(source_, id);
  const NodeId target = view.target();
  push(view.value(), after(view.annotation()));
  if (before(14)) {
    push_annotation(view.annotation());
  } else {
    annotation_of_scope(view.annotation());
  }
  if (source_.kind(target) != NodeKind::Name) {
    push(target);
    return;
  }
  tree_.node_scopes_[target.value] = frame_->scope.value;
  const NameId name = NameView(source_, target).name_id();
  if (!source_.has_flag(id, kSimple)) {
    if (view.value()) {
      add(target, name, kAssigned);
    }
    return;
  }
  const SymbolId symbol = known_here(mangled(name));
  const std::uint32_t flags = symbol ? tree_.symbols_[symbol.value].flags : 0U;
  if ((flags & (kDeclaredGlobal | kNonlocal)) != 0 && frame_->kind != ScopeKind::Module) {
    error(diag::Code::DeclarationConflict, source_.range(id),
          "annotated name '" + std::string(name_text(name)) + "' can't be " +
              ((flags & kDeclaredGlobal) != 0 ? "global" : "nonlocal"));
  }
  add(target, name, kAnnotated | kAssigned);
}

void Builder::try_statement(NodeId id, std::uint32_t begin) {
  const TryView view(source_, id);
  const auto next = [&](std::span<const NodeId> list) {
    const std::uint32_t own = begin;
    begin = after_list(list, begin);
    return own;
  };
  const std::uint32_t body = next(view.body());
  const std::uint32_t handlers = next(view.handlers());
  const std::uint32_t orelse = next(view.orelse());
  push_statements(view.finalbody(), begin);
  if (before(kHandlersFirst)) {
    push_list(view.handlers(), handlers);
    push_statements(view.orelse(), orelse);
  } else {
    push_statements(view.orelse(), orelse);
    push_list(view.handlers(), handlers);
  }
  push_statements(view.body(), body);
}

void Builder::declaration(NodeId id, std::span<const NodeId> names, bool is_global) {
  const std::string_view word = is_global ? "global" : "nonlocal";
  for (const NodeId node : names) {
    tree_.node_scopes_[node.value] = frame_->scope.value;
    const NameId name = IdentifierView(source_, node).name_id();
    const SymbolId symbol = symbol_here(mangled(name), NodeId());
    const std::uint32_t flags = tree_.symbols_[symbol.value].flags;
    if ((flags & (kParameter | kAssigned | kReferenced | kAnnotated)) != 0) {
      std::string message;
      const std::string quoted = '\'' + std::string(name_text(name)) + '\'';
      if ((flags & kParameter) != 0) {
        message = "name " + quoted + " is parameter and ";
        message += word;
      } else if ((flags & kReferenced) != 0) {
        message = "name " + quoted + " is used prior to ";
        message += word;
        message += " declaration";
      } else if ((flags & kAnnotated) != 0) {
        message = "annotated name " + quoted + " can't be ";
        message += word;
      } else {
        message = "name " + quoted + " is assigned to before ";
        message += word;
        message += " declaration";
      }
      error(diag::Code::DeclarationConflict, source_.range(id), std::move(message));
    }
    note(symbol, node, name, is_global ? kDeclaredGlobal : kNonlocal);
  }
}

void Builder::import_names(std::span<const NodeId> aliases) {
  for (const NodeId id : aliases) {
    tree_.node_scopes_[id.value] = frame_->scope.value;
    const AliasView alias(source_, id);
    if (alias.is_star()) {
      here().barriers |= kStarImport;
      if (frame_->kind != ScopeKind::Module) {
        const std::uint32_t start = here().start;
        error(diag::Code::MisplacedStarImport,
              before(10) ? base::TextRange{start, start} : source_.range(id),
              "import * only allowed at module level");
      }
      continue;
    }
    add(id, alias.bound_id(), kImported);  // `import a.b` binds a
  }
}

// Notes that what follows in the statement may not run; only a class of 3.14 wants to know.
void Builder::conditional_statement() {
  if (frame_->kind == ScopeKind::Class && !before(14)) {
    frame_->conditionals += 1;
    push(NodeId(), Action::ConditionalEnd);
  }
}

}  // namespace graphmend::scope
