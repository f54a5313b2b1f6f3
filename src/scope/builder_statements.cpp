// Statements that bind, declare or open scopes.
#include "scope/builder.h"

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

void Builder::push_annotations(NodeId function) {
  const FunctionDefView view(source_, function);
  const std::span<const NodeId> params = ArgumentsView(source_, view.args()).params();
  // Which kinds have annotations.
  unsigned kinds = 0;
  for (const NodeId id : params) {
    const ParamView param(source_, id);
    kinds |= param.annotation() ? 1U << static_cast<unsigned>(param.param_kind()) : 0U;
  }
  const auto push_kind = [&](ParamKind kind) {
    if ((kinds >> static_cast<unsigned>(kind) & 1) == 0) {
      return;
    }
    for (std::size_t i = params.size(); i-- > 0;) {
      const ParamView param(source_, params[i]);
      if (param.param_kind() == kind) {
        push(param.annotation());
      }
    }
  };
  const bool apart = !before(10) && (tree_.future_annotations_ || !before(14));
  if (before(14)) {
    if (view.returns()) {
      push_annotation(view.returns());
    }
  }
  const bool enter = apart && (kinds != 0 || !before(14));
  if (enter) {
    push(function, Action::Exit);
  }
  if (!before(14)) {
    push(view.returns());
  }
  push_kind(ParamKind::KeywordOnly);
  push_kind(ParamKind::KwArgs);
  push_kind(ParamKind::VarArgs);
  push_kind(ParamKind::Positional);
  push_kind(ParamKind::PositionalOnly);
  if (enter) {
    push(function, Action::EnterParameterAnnotations);
  }
}

void Builder::function_def(NodeId id) {
  const FunctionDefView view(source_, id);
  add(id, name_of(view.name()), kAssigned | kNamespace);
  const bool generic = !view.type_params().empty() && !before(12);
  if (generic) {
    push(id, Action::Exit);
  }
  push(id, Action::Exit);
  if (!before(14)) {
    push(id, Action::AnnotationsOfScope);
  }
  push_list(view.body(), after(view.returns() ? view.returns() : view.args()));
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
  add(id, name_of(view.name()), kAssigned | kNamespace);
  const bool generic = !view.type_params().empty() && !before(12);
  if (generic) {
    push(id, Action::Exit);
  }
  for (const std::span<const NodeId> header :
       {view.decorators(), view.type_params(), view.arguments()}) {
    begin = header.empty() ? begin : after(header.back());
  }
  push(id, Action::Exit);
  push(id, Action::AnnotationsOfScope);
  push_list(view.body(), begin);
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
  const NameId name = name_of(source_.range(target));
  if (!source_.has_flag(id, kSimple)) {
    if (view.value()) {
      add(target, name, kAssigned);
    }
    return;
  }
  const SymbolId symbol = store_.find(frame_->scope, mangled(name));
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
    begin = list.empty() ? begin : after(list.back());
    return own;
  };
  const std::uint32_t body = next(view.body());
  const std::uint32_t handlers = next(view.handlers());
  const std::uint32_t orelse = next(view.orelse());
  push_list(view.finalbody(), next(view.finalbody()));
  if (before(kHandlersFirst)) {
    push_list(view.handlers(), handlers);
    push_list(view.orelse(), orelse);
  } else {
    push_list(view.orelse(), orelse);
    push_list(view.handlers(), handlers);
  }
  push_list(view.body(), body);
}

void Builder::declaration(NodeId id, std::span<const NodeId> names, bool is_global) {
  const std::string_view word = is_global ? "global" : "nonlocal";
  for (const NodeId node : names) {
    tree_.node_scopes_[node.value] = frame_->scope.value;
    const NameId name = name_of(source_.range(node));
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
    // `import a.b` binds a.
    const TokenId token = alias.has_asname() ? alias.asname_token() : alias.name_first();
    add(id, name_of(source_.token_range(token)), kImported);
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
