// Statements and expressions.
#include "scope/compile_check.h"

#include "scope/compile_checker.h"
#include "scope/future.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

namespace {

constexpr std::string_view kDebugName = "__debug__";
// The most blocks that may be open in one code object, and the most targets before a starred one.
constexpr std::uint32_t kMostBlocks = 20;
constexpr std::size_t kMostBeforeStar = 256;
constexpr unsigned kMoreBlocks = 13;     // one block more
constexpr unsigned kWrappedBodies = 12;  // bodies of generators and coroutines are a block
constexpr unsigned kTwoForHandlers = 9;  // an except clause is two blocks
constexpr unsigned kChecksDebug = 9;     // before that, the parser does
constexpr unsigned kChecksDelete = 10;
constexpr unsigned kPassesAsyncOn = 11;  // comprehensions may be asynchronous because of inner ones

}  // namespace

CompileChecker::CompileChecker(const Tree& tree, const ScopeTree& scopes, PythonVersion version)
    : tree_(tree), scopes_(scopes), version_(version), lines_(tree.source()) {
  codes_.push_back({CodeKind::Module, false, false});
  blocks_.push_back({BlockKind::Other, 0, 0});
  coroutine_.resize(scopes.scope_count());
  for (std::uint32_t i = 1; i < scopes.scope_count(); ++i) {
    coroutine_[i] = scopes.scope(ScopeId(i)).is_async;
  }
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    if (tree.kind(NodeId(i)) == NodeKind::Await) {
      coroutine_[scopes.enclosing_scope(NodeId(i)).value] = true;
    }
  }
  for (std::uint32_t i = scopes.scope_count(); i-- > 1;) {
    const Scope& scope = scopes.scope(ScopeId(i));
    if (coroutine_[i] && scope.is_comprehension() && scope.kind != ScopeKind::GeneratorExp &&
        !before(kPassesAsyncOn)) {
      coroutine_[scope.parent.value] = true;
    }
  }
}

std::vector<diag::Diagnostic> CompileChecker::run() {
  const std::span<const NodeId> body = ModuleView(tree_, tree_.root()).body();
  last_future_line_ = last_future_line(tree_, version_, lines_);
  push_list(body);
  while (!work_.empty()) {
    const Work work = work_.back();
    work_.pop_back();
    code_ = work.code;
    block_ = work.block;
    act(work);
  }
  return std::move(errors_);
}

void CompileChecker::act(const Work& work) {
  const NodeId id = work.node;
  switch (work.action) {
    case Action::Visit:
      return visit(id);
    case Action::Element:
      return visit(tree_.kind(id) == NodeKind::Starred ? StarredView(tree_, id).value() : id);
    case Action::StoreName: {
      const bool function = tree_.kind(id) == NodeKind::FunctionDef;
      const base::TextRange name =
          function ? FunctionDefView(tree_, id).name() : ClassDefView(tree_, id).name();
      return check_name(name, tree_.range(id));
    }
    case Action::Bases: {
      const std::span<const NodeId> arguments = ClassDefView(tree_, id).arguments();
      check_keywords(arguments);
      return push_elements(arguments);
    }
    case Action::Case:
    case Action::LastCase:
      return match_case(id, work.action == Action::LastCase);
    case Action::MisplacedDefault:
      return error(diag::Code::MisplacedHandler, id, "default 'except:' must be last");
  }
}

std::uint32_t CompileChecker::open_block(NodeId id, BlockKind kind, std::uint32_t outer) {
  const std::uint32_t depth = blocks_[outer].depth + 1;
  if (depth > kMostBlocks + (before(kMoreBlocks) ? 0 : 1)) {
    error(diag::Code::TooManyBlocks, id, "too many statically nested blocks");
  }
  blocks_.push_back({kind, outer, depth});
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

std::uint32_t CompileChecker::add_code(Code code) {
  codes_.push_back(code);
  return static_cast<std::uint32_t>(codes_.size() - 1);
}

void CompileChecker::check_name(base::TextRange name, base::TextRange place) {
  if (!before(kChecksDebug) && tree_.text(name) == kDebugName) {
    error(diag::Code::ForbiddenName, place, "cannot assign to __debug__");
  }
}

void CompileChecker::visit(NodeId id) {
  switch (category(tree_.kind(id))) {
    case NodeCategory::Statement:
      return visit_statement(id);
    case NodeCategory::Expression:
      return visit_expression(id);
    default:
      return visit_part(id);
  }
}

void CompileChecker::visit_children(NodeId id) {
  const std::size_t bottom = work_.size();
  for_each_child(tree_, id, [&](NodeId child) { push(child); });
  std::reverse(work_.begin() + static_cast<std::ptrdiff_t>(bottom), work_.end());
}

void CompileChecker::visit_statement(NodeId id) {
  switch (tree_.kind(id)) {
    case NodeKind::FunctionDef:
      return function_def(id);
    case NodeKind::ClassDef:
      return class_def(id);
    case NodeKind::Return:
      return return_statement(id);
    case NodeKind::Break:
    case NodeKind::Continue:
      return leave_loop(id, tree_.kind(id) == NodeKind::Break);
    case NodeKind::Assign: {
      const AssignView view(tree_, id);
      push_list(view.targets());
      return push(view.value());
    }
    case NodeKind::AugAssign: {
      const AugAssignView view(tree_, id);
      push(view.value());
      // An attribute may be called __debug__ here.
      return push(tree_.kind(view.target()) == NodeKind::Attribute
                      ? AttributeView(tree_, view.target()).value()
                      : view.target());
    }
    case NodeKind::AnnAssign:
      return annotated_assignment(id);
    case NodeKind::For: {
      const ForView view(tree_, id);
      if (view.is_async() && !is_async()) {
        error(diag::Code::MisplacedAsync, id, "'async for' outside async function");
      }
      const NodeId target = view.target();
      const std::uint32_t inside = open_block(id, BlockKind::Loop, block_);
      push_list(view.orelse());
      push_in(code_, inside, view.body());
      push_in(code_, inside, {&target, 1});
      return push(view.iter());
    }
    case NodeKind::While: {
      const WhileView view(tree_, id);
      const std::uint32_t inside = open_block(id, BlockKind::Loop, block_);
      push_list(view.orelse());
      push_in(code_, inside, view.body());
      return push(view.test());
    }
    case NodeKind::Try:
      return try_statement(id);
    case NodeKind::With:
      return with_statement(id);
    case NodeKind::Match:
      return match_statement(id);
    case NodeKind::TypeAlias: {
      const TypeAliasView view(tree_, id);
      push(view.value());
      push_list(view.type_params());
      check_type_parameters(view.type_params());
      return push(view.name());
    }
    case NodeKind::ImportFrom:
      return import_from(id);
    default:
      return visit_children(id);
  }
}

void CompileChecker::visit_part(NodeId id) {
  const auto type_parameter = [&](base::TextRange name) {
    check_name(name, tree_.range(id));
    visit_children(id);
  };
  switch (tree_.kind(id)) {
    case NodeKind::ExceptHandler:
      return handler(id);
    case NodeKind::Alias: {
      const AliasView view(tree_, id);
      if (!view.is_star()) {
        // `import a.b` binds a.
        check_name(view.has_asname() ? view.asname() : tree_.token_range(view.name_first()),
                   tree_.range(id));
      }
      return;
    }
    case NodeKind::TypeVar:
      return type_parameter(TypeVarView(tree_, id).name());
    case NodeKind::ParamSpec:
      return type_parameter(ParamSpecView(tree_, id).name());
    case NodeKind::TypeVarTuple:
      // `*Ts = *default`
      check_name(TypeVarTupleView(tree_, id).name(), tree_.range(id));
      return push(TypeVarTupleView(tree_, id).default_value(), Action::Element);
    default:
      return visit_children(id);
  }
}

// ---------------------------------------------------------------- statements

void CompileChecker::check_parameters(NodeId owner, NodeId arguments) {
  for (const NodeId id : ArgumentsView(tree_, arguments).params()) {
    check_name(ParamView(tree_, id).name(), before(10) ? tree_.range(owner) : tree_.range(id));
  }
}

void CompileChecker::function_def(NodeId id) {
  const FunctionDefView view(tree_, id);
  const ScopeId scope = scopes_.scope_of(id);
  const Code code{view.is_async() ? CodeKind::AsyncFunction : CodeKind::Function,
                  coroutine_[scope.value], scopes_.scope(scope).is_generator};
  const std::uint32_t inside = add_code(code);
  const bool wrapped = (code.coroutine || code.generator) && !before(kWrappedBodies);
  const std::span<const NodeId> params = ArgumentsView(tree_, view.args()).params();
  check_parameters(id, view.args());
  push(id, Action::StoreName);
  push_in(inside, wrapped ? open_block(id, BlockKind::Other, 0) : 0, view.body());
  if (!scopes_.has_future_annotations()) {
    push(view.returns());
    for (std::size_t i = params.size(); i-- > 0;) {
      // `*args: *Ts`
      push(ParamView(tree_, params[i]).annotation(), Action::Element);
    }
  }
  check_type_parameters(view.type_params());
  push_list(view.type_params());
  for (std::size_t i = params.size(); i-- > 0;) {
    push(ParamView(tree_, params[i]).default_value());
  }
  push_list(view.decorators());
}

void CompileChecker::class_def(NodeId id) {
  const ClassDefView view(tree_, id);
  const std::uint32_t inside = add_code({CodeKind::Class, false, false});
  push(id, Action::StoreName);
  push(id, Action::Bases);
  push_in(inside, 0, view.body());
  check_type_parameters(view.type_params());
  push_list(view.type_params());
  push_list(view.decorators());
}

void CompileChecker::check_type_parameters(std::span<const NodeId> params) {
  bool has_default = false;
  for (const NodeId id : params) {
    NodeId value;
    base::TextRange name;
    switch (tree_.kind(id)) {
      case NodeKind::TypeVar:
        value = TypeVarView(tree_, id).default_value();
        name = TypeVarView(tree_, id).name();
        break;
      case NodeKind::ParamSpec:
        value = ParamSpecView(tree_, id).default_value();
        name = ParamSpecView(tree_, id).name();
        break;
      default:
        value = TypeVarTupleView(tree_, id).default_value();
        name = TypeVarTupleView(tree_, id).name();
        break;
    }
    if (has_default && !value) {
      error(diag::Code::TypeParameterOrder, id,
            "non-default type parameter '" + name_of(name) + "' follows default type parameter");
      return;
    }
    has_default |= static_cast<bool>(value);
  }
}

void CompileChecker::return_statement(NodeId id) {
  const ReturnView view(tree_, id);
  const Code& code = codes_[code_];
  if (!in_function()) {
    error(diag::Code::MisplacedStatement, id, "'return' outside function");
  } else if (view.value() && code.coroutine && code.generator) {
    error(diag::Code::MisplacedStatement, id, "'return' with value in async generator");
  }
  push(view.value());
  for (std::uint32_t block = block_; block != 0; block = blocks_[block].outer) {
    if (blocks_[block].kind == BlockKind::ExceptStar) {
      leaves_except_star(id);
      return;
    }
  }
}

void CompileChecker::leaves_except_star(NodeId id) {
  error(diag::Code::MisplacedStatement, id,
        "'break', 'continue' and 'return' cannot appear in an except* block");
}

void CompileChecker::leave_loop(NodeId id, bool is_break) {
  for (std::uint32_t block = block_; block != 0; block = blocks_[block].outer) {
    if (blocks_[block].kind == BlockKind::Loop) {
      return;
    }
    if (blocks_[block].kind == BlockKind::ExceptStar) {
      return leaves_except_star(id);
    }
  }
  error(diag::Code::MisplacedStatement, id,
        is_break ? "'break' outside loop" : "'continue' not properly in loop");
}

void CompileChecker::annotated_assignment(NodeId id) {
  const AnnAssignView view(tree_, id);
  const NodeId target = view.target();
  // Annotations of a function's variables are not evaluated.
  if (!in_function() && !scopes_.has_future_annotations()) {
    push(view.annotation());
  }
  if (tree_.kind(target) == NodeKind::Name) {
    check_name(tree_.range(target), tree_.range(target));
  } else {
    push(target);
  }
  push(view.value());
}

void CompileChecker::import_from(NodeId id) {
  const ImportFromView view(tree_, id);
  if (is_future_import(tree_, id, version_) &&
      lines_.line(tree_.range(id).start) > last_future_line_) {
    error(diag::Code::InvalidFutureImport, id,
          "from __future__ imports must occur at the beginning of the file");
  }
  push_list(view.names());
}

void CompileChecker::with_statement(NodeId id) {
  const WithView view(tree_, id);
  const bool async = tree_.has_flag(id, kAsync);
  if (async && !is_async()) {
    error(diag::Code::MisplacedAsync, id, "'async with' outside async function");
  }
  std::vector<Work> items;
  std::uint32_t block = block_;
  for (const NodeId item_id : view.items()) {
    const WithItemView item(tree_, item_id);
    items.push_back({item.context_expr(), Action::Visit, code_, block});
    block = open_block(id, BlockKind::Other, block);
    if (item.optional_vars()) {
      items.push_back({item.optional_vars(), Action::Visit, code_, block});
    }
  }
  push_in(code_, block, view.body());
  work_.insert(work_.end(), items.rbegin(), items.rend());
}

void CompileChecker::try_statement(NodeId id) {
  const TryView view(tree_, id);
  std::uint32_t around = block_;
  if (!view.finalbody().empty()) {
    push_in(code_, open_block(id, BlockKind::Other, block_), view.finalbody());
    around = open_block(id, BlockKind::Other, block_);
  }
  push_in(code_, around, view.orelse());
  const std::span<const NodeId> handlers = view.handlers();
  for (std::size_t i = handlers.size(); i-- > 0;) {
    work_.push_back({handlers[i], Action::Visit, code_, around});
    if (i + 1 < handlers.size() && !ExceptHandlerView(tree_, handlers[i]).type()) {
      push(handlers[i], Action::MisplacedDefault);
    }
  }
  push_in(code_, handlers.empty() ? around : open_block(id, BlockKind::Other, around), view.body());
}

void CompileChecker::handler(NodeId id) {
  const ExceptHandlerView view(tree_, id);
  const bool star = tree_.has_flag(tree_.parent(id), kStar);
  std::uint32_t block = block_;
  if (!before(kTwoForHandlers)) {
    block = open_block(id, star ? BlockKind::ExceptStar : BlockKind::Other, block);
  }
  push_in(code_, open_block(id, BlockKind::Other, block), view.body());
  if (view.has_name()) {
    check_name(view.name(), tree_.range(id));
  }
  push(view.type());
}

// --------------------------------------------------------------- expressions

void CompileChecker::push_elements(std::span<const NodeId> elements) {
  for (std::size_t i = elements.size(); i-- > 0;) {
    push(elements[i], Action::Element);
  }
}

void CompileChecker::visit_elements(NodeId id, std::span<const NodeId> elements) {
  if (tree_.context(id) == ExprContext::Store) {
    bool starred = false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (tree_.kind(elements[i]) != NodeKind::Starred) {
        continue;
      }
      if (starred) {
        error(diag::Code::MisplacedStar, id,
              before(9) ? "two starred expressions in assignment"
                        : "multiple starred expressions in assignment");
        break;
      }
      if (i >= kMostBeforeStar) {
        error(diag::Code::MisplacedStar, id, "too many expressions in star-unpacking assignment");
      }
      starred = true;
    }
  }
  push_elements(elements);
}

void CompileChecker::visit_expression(NodeId id) {
  switch (tree_.kind(id)) {
    case NodeKind::Name: {
      const ExprContext context = tree_.context(id);
      if (context == ExprContext::Store) {
        check_name(tree_.range(id), tree_.range(id));
      } else if (context == ExprContext::Del && !before(kChecksDelete) &&
                 tree_.text(id) == kDebugName) {
        error(diag::Code::ForbiddenName, id, "cannot delete __debug__");
      }
      return;
    }
    case NodeKind::Attribute:
      if (tree_.context(id) == ExprContext::Store) {
        check_name(AttributeView(tree_, id).attr(), tree_.range(id));
      }
      return push(AttributeView(tree_, id).value());
    case NodeKind::Starred:
      error(diag::Code::MisplacedStar, id,
            tree_.context(id) == ExprContext::Store
                ? "starred assignment target must be in a list or tuple"
                : "can't use starred expression here");
      return push(StarredView(tree_, id).value());
    case NodeKind::Tuple:
      return visit_elements(id, TupleView(tree_, id).elts());
    case NodeKind::List:
      return visit_elements(id, ListView(tree_, id).elts());
    case NodeKind::Set:
      return push_elements(SetView(tree_, id).elts());
    case NodeKind::Call: {
      const CallView view(tree_, id);
      check_keywords(view.arguments());
      push_elements(view.arguments());
      return push(view.func());
    }
    case NodeKind::Lambda:
      return lambda(id);
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::GeneratorExp:
      return comprehension(id, tree_.list(tree_.node(id).b), {NodeId(tree_.node(id).a), NodeId()});
    case NodeKind::DictComp: {
      const DictCompView view(tree_, id);
      return comprehension(id, view.generators(), {view.key(), view.value()});
    }
    case NodeKind::Await:
      if (!in_function()) {
        error(diag::Code::MisplacedAsync, id, "'await' outside function");
      } else if (!is_async() && codes_[code_].kind != CodeKind::Comprehension) {
        error(diag::Code::MisplacedAsync, id, "'await' outside async function");
      }
      return push(AwaitView(tree_, id).value());
    case NodeKind::Yield:
      if (!in_function()) {
        error(diag::Code::MisplacedYield, id, "'yield' outside function");
      }
      return push(YieldView(tree_, id).value());
    case NodeKind::YieldFrom:
      if (!in_function()) {
        error(diag::Code::MisplacedYield, id,
              before(13) ? "'yield' outside function" : "'yield from' outside function");
      } else if (is_async()) {
        error(diag::Code::MisplacedYield, id, "'yield from' inside async function");
      }
      return push(YieldFromView(tree_, id).value());
    default:
      return visit_children(id);
  }
}

// Names of keyword arguments: none twice. CPython compares each with those after it.
void CompileChecker::check_keywords(std::span<const NodeId> arguments) {
  if (before(kChecksDebug)) {
    return;
  }
  std::unordered_map<std::string, std::size_t> last;  // where a name was seen last
  std::size_t first_of_pair = arguments.size();
  std::size_t second_of_pair = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (tree_.kind(arguments[i]) != NodeKind::Keyword ||
        !KeywordView(tree_, arguments[i]).has_name()) {
      continue;
    }
    const KeywordView keyword(tree_, arguments[i]);
    if (first_of_pair == arguments.size()) {
      check_name(keyword.name(), keyword.range());
    }
    const auto [place, is_new] = last.try_emplace(name_of(keyword.name()), i);
    if (!is_new && place->second < first_of_pair) {
      first_of_pair = place->second;
      second_of_pair = i;
    }
  }
  if (first_of_pair != arguments.size()) {
    const KeywordView keyword(tree_, arguments[second_of_pair]);
    error(diag::Code::RepeatedKeyword, keyword.range(),
          "keyword argument repeated: " + name_of(keyword.name()));
  }
}

void CompileChecker::lambda(NodeId id) {
  const LambdaView view(tree_, id);
  const std::span<const NodeId> params = ArgumentsView(tree_, view.args()).params();
  const NodeId body = view.body();
  const ScopeId scope = scopes_.scope_of(id);
  check_parameters(id, view.args());
  push_in(add_code({CodeKind::Lambda, coroutine_[scope.value], scopes_.scope(scope).is_generator}),
          0, {&body, 1});
  for (std::size_t i = params.size(); i-- > 0;) {
    push(ParamView(tree_, params[i]).default_value());
  }
}

void CompileChecker::comprehension(NodeId id, std::span<const NodeId> generators,
                                   std::array<NodeId, 2> elements) {
  const bool coroutine = coroutine_[scopes_.scope_of(id).value];
  if (coroutine && tree_.kind(id) != NodeKind::GeneratorExp) {
    const bool allowed = before(kPassesAsyncOn)
                             ? codes_[code_].coroutine
                             : is_async() || codes_[code_].kind == CodeKind::Comprehension;
    if (!allowed) {
      error(diag::Code::MisplacedAsync, before(10) ? base::TextRange{} : tree_.range(id),
            "asynchronous comprehension outside of an asynchronous function");
    }
  }
  const std::uint32_t inside = add_code({CodeKind::Comprehension, coroutine, false});
  for (std::size_t i = elements.size(); i-- > 0;) {
    if (elements[i]) {
      push_in(inside, 0, {&elements[i], 1});
    }
  }
  for (std::size_t i = generators.size(); i-- > 0;) {
    const ComprehensionView generator(tree_, generators[i]);
    const NodeId target = generator.target();
    const NodeId iter = generator.iter();
    push_in(inside, 0, generator.ifs());
    push_in(inside, 0, {&target, 1});
    if (i > 0) {
      push_in(inside, 0, {&iter, 1});
    } else {
      push(iter);
    }
  }
}

std::vector<diag::Diagnostic> compile_errors(const Tree& tree, const ScopeTree& scopes,
                                             PythonVersion version) {
  return CompileChecker(tree, scopes, version).run();
}

}  // namespace graphmend::scope
