// Names: interning, mangling, and what symtable's symtable_add_def does.
#include "scope/builder.h"

#include <cstring>

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

namespace {

std::string quoted(std::string_view before, std::string_view name, std::string_view after) {
  std::string message(before);
  message += '\'';
  message += name;
  message += '\'';
  message += after;
  return message;
}

}  // namespace

void Builder::error(diag::Code code, base::TextRange range, std::string message) {
  tree_.errors_.push_back({code, diag::Severity::Error, range, std::move(message), ""});
}

NameId Builder::mangled_private(NameId name) {
  std::string_view owner = tree_.names_.text(frame_->private_name);
  const std::size_t stripped = owner.find_first_not_of('_');
  if (stripped == std::string_view::npos) {
    return name;
  }
  std::string result = "_";
  result += owner.substr(stripped);
  result += tree_.names_.text(name);
  const NameId full = tree_.names_.intern(result);
  if (frame_->mangled_only) {
    const SymbolId parameter = find_open(frame_->mangled_only, full);
    if (!parameter || !tree_.symbols_[parameter.value].has(kTypeParameter)) {
      return name;
    }
  }
  return full;
}

void Builder::make_room_for_names() {
  const std::size_t count = tree_.names_.size() + tree_.names_.size() / 8 + 64 - current_.size();
  std::memset(current_.extend(count), 0, count * sizeof(std::uint32_t));
}

inline std::uint32_t& Builder::innermost(NameId name) {
  if (name.value >= current_.size()) [[unlikely]] {
    make_room_for_names();
  }
  std::uint32_t& slot = current_.data()[name.value];
  const Symbol* const symbols = tree_.symbols_.data();
  while (slot != 0 && left_.data()[symbols[slot].scope.value]) {
    slot = shadow_.data()[slot];
  }
  return slot;
}

SymbolId Builder::known_here(NameId name) {
  const std::uint32_t symbol = innermost(name);
  return symbol != 0 && tree_.symbols_[symbol].scope == frame_->scope ? SymbolId(symbol)
                                                                      : SymbolId();
}

SymbolId Builder::symbol_here(NameId name, NodeId node) {
  std::uint32_t& slot = innermost(name);
  if (slot != 0 && tree_.symbols_.data()[slot].scope == frame_->scope) {
    return SymbolId(slot);
  }
  const SymbolId symbol = store_.add(frame_->scope, name, node, frame_->symbol_flags);
  shadow_.push_back(slot);
  slot = symbol.value;
  return symbol;
}

// The symbol of a scope that has been entered and not been left; none when it has none yet.
SymbolId Builder::find_open(ScopeId scope, NameId name) {
  std::uint32_t symbol = innermost(name);
  // Scopes inside have greater ids.
  while (symbol != 0 && tree_.symbols_[symbol].scope > scope) {
    symbol = shadow_[symbol];
  }
  return symbol != 0 && tree_.symbols_[symbol].scope == scope ? SymbolId(symbol) : SymbolId();
}

// The same, made where there is none.
SymbolId Builder::symbol_in(ScopeId scope, NameId name) {
  std::uint32_t* link = &innermost(name);
  while (*link != 0 && tree_.symbols_[*link].scope > scope) {
    link = &shadow_[*link];
  }
  if (*link != 0 && tree_.symbols_[*link].scope == scope) {
    return SymbolId(*link);
  }
  const bool module = tree_.scopes_[scope.value].kind == ScopeKind::Module;
  const SymbolId symbol =
      store_.add(scope, name, NodeId(), module ? std::uint16_t{kModuleScope} : std::uint16_t{0});
  const std::uint32_t outer = *link;
  *link = symbol.value;
  shadow_.push_back(outer);
  return symbol;
}

// A parameter that the compiler adds, to a scope that has just been entered.
void Builder::add_own_parameter(NameId name, std::uint16_t flags) {
  const SymbolId id = symbol_here(name, NodeId());
  Symbol& symbol = tree_.symbols_.data()[id.value];
  symbol.flags = static_cast<std::uint16_t>(symbol.flags | kParameter | flags);
  tree_.parameters_.push_back(id);
  here().parameters_count += 1;
}

void Builder::add(NodeId node, NameId name, std::uint32_t flags) {
  const NameId full = mangled(name);
  note(symbol_here(full, node), node, name, flags);
}

void Builder::note(SymbolId id, NodeId node, NameId name, std::uint32_t flags) {
  Symbol& symbol = tree_.symbols_[id.value];
  const std::uint32_t both = flags & symbol.flags;
  symbol.flags = static_cast<std::uint16_t>(symbol.flags | flags);
  if (node) {
    std::uint32_t& mention = tree_.node_symbols_[node.value];
    if (mention == 0) {
      mention = id.value;
      if (!symbol.first) {
        symbol.first = node;
      }
    }
  }
  if ((flags & (kParameter | kTypeParameter | kDeclaredGlobal)) == 0 && !frame_->in_target)
      [[likely]] {
    return;
  }
  const std::string_view text = tree_.names_.text(name);
  const base::TextRange place =
      before(10) || !node ? base::TextRange{here().start, here().start} : source_.range(node);
  if ((both & kParameter) != 0) {
    error(diag::Code::DuplicateParameter, place,
          quoted(before(14) ? "duplicate argument " : "duplicate parameter ", text,
                 " in function definition"));
  } else if ((both & kTypeParameter) != 0) {
    error(diag::Code::DuplicateParameter, place, quoted("duplicate type parameter ", text, ""));
  }
  if (frame_->in_target && symbol.scope == frame_->scope) {
    if ((symbol.flags & (kDeclaredGlobal | kNonlocal)) != 0) {
      error(
          diag::Code::InvalidNamedExpression, place,
          quoted("comprehension inner loop cannot rebind assignment expression target ", text, ""));
    }
    symbol.flags |= kIteration;
  }
  if ((flags & kParameter) != 0) {
    tree_.parameters_.push_back(id);
    tree_.scopes_[symbol.scope.value].parameters_count += 1;
  } else if ((flags & kDeclaredGlobal) != 0 && symbol.scope != tree_.root() &&
             tree_.scopes_[1].kind == ScopeKind::Module) {
    const SymbolId global = symbol_in(tree_.root(), symbol.name);
    tree_.symbols_[global.value].flags |= kDeclaredGlobal;
  }
}

// A parameter, which may repeat one before it.
void Builder::add_parameter(NodeId node) {
  tree_.node_scopes_[node.value] = frame_->scope.value;
  const NameId name = ParamView(source_, node).name_id();
  const auto next = static_cast<std::uint32_t>(tree_.symbols_.size());
  const SymbolId id = symbol_here(mangled(name), node);
  if (id.value != next) [[unlikely]] {
    return note(id, node, name, kParameter);
  }
  Symbol& symbol = tree_.symbols_.data()[id.value];
  symbol.flags = static_cast<std::uint16_t>(symbol.flags | kParameter);
  tree_.node_symbols_[node.value] = id.value;
  tree_.parameters_.push_back(id);
  here().parameters_count += 1;
}

void Builder::add_name(NodeId id) {
  const Node& node = nodes_[id.value];
  const NameId name(node.a);
  const unsigned context = node.flags & kContextMask;
  if (name <= known::super && context == 0) [[unlikely]] {
    special_name(id, name);
  }
  const SymbolId symbol = symbol_here(mangled(name), id);
  std::uint32_t& mention = tree_.node_symbols_.data()[id.value];
  if (frame_->in_target || mention != 0) [[unlikely]] {
    constexpr std::uint32_t kFlags[] = {kReferenced, kAssigned, kAssigned | kDeleted, 0};
    return note(symbol, id, name, kFlags[context]);
  }
  mention = symbol.value;
  note_mention(tree_.symbols_.data()[symbol.value], id, context);
}

// A name of a builtin function that sees names which nobody mentions. It counts also where it is
// not called: it may be called later. vars() and dir() count without arguments only.
void Builder::special_name(NodeId id, NameId name) {
  if (name == known::super) {
    if (frame_->function_like) {
      add(NodeId(), known::dunder_class, kReferenced);
    }
    return;
  }
  Barrier barrier = kLocalsCall;
  if (name == known::vars || name == known::dir) {
    // A call without arguments is the next node.
    const NodeId next(after(id));
    if (source_.kind(next) != NodeKind::Call || CallView(source_, next).func() != id ||
        !CallView(source_, next).arguments().empty()) {
      return;
    }
  } else if (name == known::exec) {
    barrier = kExecCall;
  } else if (name == known::eval) {
    barrier = kEvalCall;
  } else if (name == known::globals) {
    barrier = kGlobalsCall;
  }
  barriers_.push_back({id, frame_->scope, barrier});
}

void Builder::attribute(NodeId id) {
  const Node& node = nodes_[id.value];
  const std::string_view name(text_.data() + node.b, node.end - node.b);
  if (name == kGetFrame || name == kCurrentFrame) {
    here().barriers |= kFrameAccess;
  }
}

// An assignment expression in a comprehension binds in the closest scope around that is none. False
// after an error.
bool Builder::extend_named_expression(NodeId target) {
  const NameId name = NameView(source_, target).name_id();
  const NameId full = mangled(name);
  const base::TextRange place = source_.range(target);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    const Scope& scope = tree_.scopes_[frame.scope.value];
    if (scope.is_comprehension()) {
      const SymbolId symbol = find_open(frame.scope, full);
      if (symbol && tree_.symbols_[symbol.value].has(kIteration) &&
          (before(12) || tree_.symbols_[symbol.value].has(kAssigned))) {
        error(diag::Code::InvalidNamedExpression, place,
              quoted("assignment expression cannot rebind comprehension iteration variable ",
                     tree_.names_.text(name), ""));
        return false;
      }
      continue;
    }
    std::string_view refused;
    switch (frame.kind) {
      case ScopeKind::Class:
        refused = "cannot be used in a class body";
        break;
      case ScopeKind::TypeParameters:
        refused = "cannot be used within the definition of a generic";
        break;
      case ScopeKind::TypeAlias:
        refused = "cannot be used in a type alias";
        break;
      case ScopeKind::TypeVariable:
        refused = "cannot be used in a TypeVar bound";
        break;
      case ScopeKind::Annotation:
        continue;
      case ScopeKind::Module:
        add(NodeId(), name, kDeclaredGlobal);
        return true;
      default: {
        const SymbolId outer = symbol_in(frame.scope, full);
        const bool is_global = tree_.symbols_[outer.value].has(kDeclaredGlobal);
        add(NodeId(), name, is_global ? kDeclaredGlobal : kNonlocal);
        tree_.symbols_[outer.value].flags |= kAssigned;
        return true;
      }
    }
    error(diag::Code::InvalidNamedExpression, place,
          "assignment expression within a comprehension " + std::string(refused));
    return false;
  }
  return true;
}

void Builder::named_expression(NodeId id) {
  const NamedExprView view(source_, id);
  forbid_in_annotation(id, "named expression");
  if (frame_->iterables > 0) {
    error(diag::Code::InvalidNamedExpression, source_.range(id),
          "assignment expression cannot be used in a comprehension iterable expression");
  } else if (here().is_comprehension() && source_.kind(view.target()) == NodeKind::Name) {
    extend_named_expression(view.target());
  }
  push(view.target());
  push(view.value());
}

void Builder::forbid_in_annotation(NodeId id, std::string_view what) {
  std::string_view where;
  switch (frame_->kind) {
    case ScopeKind::Annotation:
      where = "an annotation";
      break;
    case ScopeKind::TypeVariable:
      where = frame_->what;
      break;
    case ScopeKind::TypeAlias:
      where = "a type alias";
      break;
    case ScopeKind::TypeParameters:
      where = "the definition of a generic";
      break;
    default:
      return;
  }
  std::string message = before(12) ? quoted("", what, " can not") : std::string(what) + " cannot";
  message += " be used within ";
  message += where;
  error(diag::Code::NotInAnnotation, source_.range(id), std::move(message));
}

// 3.12 could not nest scopes in an annotation scope that sees the names of a class.
void Builder::forbid_in_class_annotation(NodeId id, std::string_view what) {
  if (version_.minor == 12 && here().sees_class_scope) {
    error(diag::Code::NotInAnnotation, source_.range(id),
          "Cannot use " + std::string(what) + " in annotation scope within class scope");
  }
}

void Builder::yield_seen(NodeId id) {
  Scope& scope = here();
  if (scope.is_comprehension() && !before(10)) {
    yield_in_comprehension(source_.range(id));
  }
  scope.is_generator = true;
}

void Builder::yield_in_comprehension(base::TextRange range) {
  std::string_view kind;
  switch (frame_->kind) {
    case ScopeKind::ListComp:
      kind = "list comprehension";
      break;
    case ScopeKind::SetComp:
      kind = "set comprehension";
      break;
    case ScopeKind::DictComp:
      kind = "dict comprehension";
      break;
    default:
      kind = "generator expression";
      break;
  }
  error(diag::Code::YieldInComprehension, range, "'yield' inside " + std::string(kind));
}

void Builder::settle_barriers() {
  for (const BarrierName& call : barriers_) {
    const SymbolId id = tree_.resolve(call.function);
    if (!id) {
      continue;
    }
    const Symbol& symbol = tree_.symbols_[id.value];
    if (symbol.is_global() || symbol.binding == Binding::Unknown) {
      ScopeId scope = call.scope;
      tree_.scopes_[scope.value].barriers |= call.barrier;
      while (tree_.scopes_[scope.value].inlined) {
        scope = tree_.parent(scope);
        tree_.scopes_[scope.value].barriers |= call.barrier;
      }
    }
  }
}

}  // namespace graphmend::scope
