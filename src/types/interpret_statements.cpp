// Statements: control flow over environments. Branches are run apart and merged; loops are run
// until nothing changes.
#include "types/interpreter.h"

#include <algorithm>

namespace graphmend::types {
namespace {

using scope::SymbolId;
using syntax::NodeKind;

// A loop's environment settles fast: joins drop constants and lengths at the second round.
constexpr int kMaxRounds = 4;

}  // namespace

void Interpreter::merge(Env& into, const Env& from) {
  if (from.dead) {
    return;
  }
  if (into.dead) {
    into = from;
    return;
  }
  for (std::size_t i = 0; i < into.slots.size(); ++i) {
    if (into.slots[i] != from.slots[i]) {
      into.slots[i] = heap_.join(into.slots[i], from.slots[i]);
    }
  }
  std::erase_if(into.members, [&](Member& member) {
    for (const Member& other : from.members) {
      if (other.chain == member.chain) {
        member.value = heap_.join(member.value, other.value);
        return false;
      }
    }
    return true;
  });
}

bool Interpreter::same(const Env& left, const Env& right) {
  if (left.dead != right.dead || left.slots != right.slots ||
      left.members.size() != right.members.size()) {
    return false;
  }
  for (std::size_t i = 0; i < left.members.size(); ++i) {
    if (left.members[i].chain != right.members[i].chain ||
        left.members[i].value != right.members[i].value) {
      return false;
    }
  }
  return true;
}

void Interpreter::run_block(std::span<const NodeId> body, Env& env) {  // NOLINT(misc-no-recursion)
  for (const NodeId statement : body) {
    if (env.dead) {
      return;
    }
    run_statement(statement, env);
  }
}

void Interpreter::run_statement(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  if (++depth_ > 400) {
    --depth_;
    return;
  }
  // That a statement is reached shows in its value.
  record(node, of_mask(kOther));
  switch (tree().kind(node)) {
    case NodeKind::Expr:
      eval(syntax::ExprView(tree(), node).value(), env);
      break;
    case NodeKind::Assign: {
      const syntax::AssignView view(tree(), node);
      const Value value = eval(view.value(), env);
      for (const NodeId target : view.targets()) {
        assign(target, value, env);
      }
      break;
    }
    case NodeKind::AnnAssign: {
      const syntax::AnnAssignView view(tree(), node);
      if (view.value()) {
        Value value = eval(view.value(), env);
        if (value.is_unknown()) {
          value = annotated(*here().module, view.annotation());
        }
        assign(view.target(), value, env);
      }
      break;
    }
    case NodeKind::AugAssign: {
      const syntax::AugAssignView view(tree(), node);
      const Value left = eval(view.target(), env);
      const Value right = eval(view.value(), env);
      assign(view.target(), binary(view.op(), left, right), env);
      break;
    }
    case NodeKind::Return: {
      const syntax::ReturnView view(tree(), node);
      const Value value = view.value() ? eval(view.value(), env) : of_mask(kNone);
      here().returned = heap_.join(here().returned, value);
      env.dead = true;
      break;
    }
    case NodeKind::Raise: {
      const syntax::RaiseView view(tree(), node);
      if (view.exc()) {
        eval(view.exc(), env);
      }
      env.dead = true;
      break;
    }
    case NodeKind::If:
      run_if(node, env);
      break;
    case NodeKind::While:
      run_while(node, env);
      break;
    case NodeKind::For:
      run_for(node, env);
      break;
    case NodeKind::Try:
      run_try(node, env);
      break;
    case NodeKind::With:
      run_with(node, env);
      break;
    case NodeKind::Match:
      run_match(node, env);
      break;
    case NodeKind::Assert: {
      const syntax::AssertView view(tree(), node);
      const Truth truth = heap_.truth(eval(view.test(), env));
      if (view.msg()) {
        Env failed = env;
        eval(view.msg(), failed);
      }
      narrow(view.test(), true, env);
      if (truth == Truth::False) {
        env.dead = true;
      }
      break;
    }
    case NodeKind::Break:
    case NodeKind::Continue:
      if (!loops_.empty()) {
        Loop& loop = *loops_.back();
        (tree().kind(node) == NodeKind::Break ? loop.breaks : loop.continues).push_back(env);
      }
      env.dead = true;
      break;
    case NodeKind::Import:
    case NodeKind::ImportFrom:
      run_import(node, env);
      break;
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef: {
      const SymbolId mention = here().module->scopes().resolve(node);
      const Value value =
          tree().kind(node) == NodeKind::FunctionDef
              ? decorated(*here().module, node, function_object(*here().module, node, &env), &env)
              : class_object(*here().module, node);
      if (mention) {
        store_symbol(here().module->scopes().follow(mention), value, env);
      }
      break;
    }
    case NodeKind::Delete:
      for (const NodeId target : syntax::DeleteView(tree(), node).targets()) {
        if (tree().kind(target) != NodeKind::Name) {
          eval(target, env);
        }
      }
      break;
    default:
      break;
  }
  --depth_;
}

void Interpreter::run_if(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::IfView view(tree(), node);
  const Truth truth = heap_.truth(eval(view.test(), env));
  if (truth == Truth::True) {
    narrow(view.test(), true, env);
    run_block(view.body(), env);
    return;
  }
  if (truth == Truth::False) {
    narrow(view.test(), false, env);
    run_block(view.orelse(), env);
    return;
  }
  Env otherwise = env;
  narrow(view.test(), true, env);
  run_block(view.body(), env);
  narrow(view.test(), false, otherwise);
  run_block(view.orelse(), otherwise);
  merge(env, otherwise);
}

void Interpreter::run_loop_body(std::span<const NodeId> body,
                                Env& env,  // NOLINT(misc-no-recursion)
                                Loop& loop) {
  loops_.push_back(&loop);
  run_block(body, env);
  loops_.pop_back();
  for (const Env& other : loop.continues) {
    merge(env, other);
  }
  loop.continues.clear();
}

void Interpreter::run_while(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::WhileView view(tree(), node);
  Loop loop;
  Env after = env;
  after.dead = true;
  for (int round = 0; round < kMaxRounds; ++round) {
    const Env before = env;
    const Truth truth = heap_.truth(eval(view.test(), env));
    if (truth != Truth::True) {
      Env out = env;
      narrow(view.test(), false, out);
      merge(after, out);
    }
    if (truth == Truth::False && round == 0) {
      break;
    }
    Env body = env;
    narrow(view.test(), true, body);
    run_loop_body(view.body(), body, loop);
    merge(env, body);
    if (same(env, before)) {
      break;
    }
  }
  env = std::move(after);
  run_block(view.orelse(), env);
  for (const Env& other : loop.breaks) {
    merge(env, other);
  }
}

void Interpreter::run_for(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::ForView view(tree(), node);
  const Value iterable = eval(view.iter(), env);
  const Value element = element_of(iterable);
  Loop loop;
  if (!element.is_bottom()) {
    for (int round = 0; round < kMaxRounds; ++round) {
      const Env before = env;
      Env body = env;
      assign(view.target(), element, body);
      run_loop_body(view.body(), body, loop);
      merge(env, body);
      if (same(env, before)) {
        break;
      }
    }
  }
  run_block(view.orelse(), env);
  for (const Env& other : loop.breaks) {
    merge(env, other);
  }
}

void Interpreter::run_try(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::TryView view(tree(), node);
  Env failed = env;
  run_block(view.body(), env);
  merge(failed, env);
  run_block(view.orelse(), env);
  for (const NodeId handler : view.handlers()) {
    const syntax::ExceptHandlerView except(tree(), handler);
    Env caught = failed;
    if (except.has_name()) {
      if (const SymbolId mention = here().module->scopes().resolve(handler)) {
        store_symbol(here().module->scopes().follow(mention), of_mask(kInstance), caught);
      }
    }
    run_block(except.body(), caught);
    merge(env, caught);
  }
  if (!view.finalbody().empty()) {
    const bool dead = env.dead;
    if (dead) {
      env = failed;
      env.dead = false;
    }
    run_block(view.finalbody(), env);
    env.dead = env.dead || dead;
  }
}

void Interpreter::run_with(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::WithView view(tree(), node);
  for (const NodeId item : view.items()) {
    const syntax::WithItemView with(tree(), item);
    const Value manager = eval(with.context_expr(), env);
    record(item, manager);
    if (!with.optional_vars()) {
      continue;
    }
    Value entered = kUnknown;
    if (manager.is(kIterator)) {
      entered = element_of(manager);  // a function under @contextmanager
    } else if (heap_.kind(manager.object) == ObjectKind::Instance) {
      entered = call(attribute(manager, "__enter__"), {}, item);
    } else if (heap_.kind(manager.object) == ObjectKind::ExternalInstance) {
      entered = manager;
    }
    assign(with.optional_vars(), entered, env);
  }
  run_block(view.body(), env);
}

void Interpreter::bind_pattern(NodeId pattern, const Value& subject,  // NOLINT(misc-no-recursion)
                               Env& env) {
  const auto bind_name = [&](const Value& value) {
    if (const SymbolId mention = here().module->scopes().resolve(pattern)) {
      store_symbol(here().module->scopes().follow(mention), value, env);
    }
  };
  switch (tree().kind(pattern)) {
    case NodeKind::MatchAs: {
      const syntax::MatchAsView view(tree(), pattern);
      if (view.pattern()) {
        bind_pattern(view.pattern(), subject, env);
      }
      if (view.has_name()) {
        bind_name(subject);
      }
      break;
    }
    case NodeKind::MatchStar:
      if (syntax::MatchStarView(tree(), pattern).has_name()) {
        bind_name(heap_.container(kList, element_of(subject)));
      }
      break;
    case NodeKind::MatchSequence:
      for (const NodeId part : syntax::MatchSequenceView(tree(), pattern).patterns()) {
        bind_pattern(part, element_of(subject), env);
      }
      break;
    case NodeKind::MatchOr:
      for (const NodeId part : syntax::MatchOrView(tree(), pattern).patterns()) {
        bind_pattern(part, subject, env);
      }
      break;
    default:
      for_each_child(tree(), pattern, [&](NodeId child) {
        if (syntax::category(tree().kind(child)) == syntax::NodeCategory::Pattern) {
          bind_pattern(child, kUnknown, env);
        } else if (tree().kind(child) == NodeKind::MatchKeyword) {
          bind_pattern(syntax::MatchKeywordView(tree(), child).pattern(), kUnknown, env);
        } else if (tree().is_expression(child)) {
          eval(child, env);
        }
      });
      break;
  }
}

void Interpreter::run_match(NodeId node, Env& env) {  // NOLINT(misc-no-recursion)
  const syntax::MatchView view(tree(), node);
  const Value subject = eval(view.subject(), env);
  Env after = env;  // no case matches
  for (const NodeId one : view.cases()) {
    const syntax::MatchCaseView match(tree(), one);
    Env body = env;
    bind_pattern(match.pattern(), subject, body);
    if (match.guard()) {
      eval(match.guard(), body);
      narrow(match.guard(), true, body);
    }
    run_block(match.body(), body);
    merge(after, body);
  }
  env = std::move(after);
}

void Interpreter::run_import(NodeId node, Env& env) {
  const bool from = tree().kind(node) == NodeKind::ImportFrom;
  const auto names = from ? syntax::ImportFromView(tree(), node).names()
                          : syntax::ImportView(tree(), node).names();
  for (const NodeId alias : names) {
    if (const SymbolId mention = here().module->scopes().resolve(alias)) {
      store_symbol(here().module->scopes().follow(mention),
                   import_value(*here().module, alias, node), env);
    }
  }
}

void Interpreter::unpack(std::span<const NodeId> targets,
                         const Value& value,  // NOLINT(misc-no-recursion)
                         Env& env) {
  const auto elements = heap_.elements(value);
  const bool starred = std::any_of(targets.begin(), targets.end(), [&](NodeId target) {
    return tree().kind(target) == NodeKind::Starred;
  });
  if (elements && !starred && elements->size() == targets.size()) {
    const std::vector<Value> parts(elements->begin(), elements->end());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      assign(targets[i], parts[i], env);
    }
    return;
  }
  const Value element = element_of(value);
  for (const NodeId target : targets) {
    if (tree().kind(target) == NodeKind::Starred) {
      assign(syntax::StarredView(tree(), target).value(), heap_.container(kList, element), env);
    } else {
      assign(target, element.is_bottom() ? kUnknown : element, env);
    }
  }
}

void Interpreter::assign(NodeId target, const Value& value,
                         Env& env) {  // NOLINT(misc-no-recursion)
  switch (tree().kind(target)) {
    case NodeKind::Name:
      record(target, value);
      store_name(target, value, env);
      break;
    case NodeKind::Attribute:
      store_attribute(target, value, env);
      break;
    case NodeKind::Subscript: {
      const syntax::SubscriptView view(tree(), target);
      const Value base = eval(view.value(), env);
      const Value index = eval(view.slice(), env);
      record(target, value);
      if (base.is(kList | kDict) && !base.is_bottom()) {
        const Object& object = heap_.get(base.object);
        const auto key = heap_.text_of(index.constant);
        if (key && base.is(kDict) && object.kind == ObjectKind::Record) {
          Object changed = object;
          const TextId text = heap_.text(*key);
          const auto found = std::find(changed.texts.begin(), changed.texts.end(), text);
          if (found == changed.texts.end()) {
            changed.texts.push_back(text);
            changed.values.push_back(value);
          } else {
            changed.values[static_cast<std::size_t>(found - changed.texts.begin())] = value;
          }
          store_back(view.value(), of_object(kDict, heap_.intern(std::move(changed))), env);
        } else {
          store_back(view.value(), heap_.container(base.mask, heap_.join(element_of(base), value)),
                     env);
        }
      }
      break;
    }
    case NodeKind::Tuple:
      unpack(syntax::TupleView(tree(), target).elts(), value, env);
      break;
    case NodeKind::List:
      unpack(syntax::ListView(tree(), target).elts(), value, env);
      break;
    case NodeKind::Starred:
      assign(syntax::StarredView(tree(), target).value(), value, env);
      break;
    default:
      break;
  }
}

void Interpreter::store_name(NodeId name, const Value& value, Env& env) {
  if (const SymbolId mention = here().module->scopes().resolve(name)) {
    store_symbol(here().module->scopes().follow(mention), value, env);
  }
}

void Interpreter::store_symbol(SymbolId symbol, const Value& value, Env& env) {
  if (!symbol || here().module->owner(symbol) != here().scope || env.slots.empty()) {
    return;  // a global or a variable of a function around
  }
  env.slots[here().module->slot(symbol)] = value;
  std::erase_if(env.members, [&](const Member& member) { return member.root == symbol; });
}

void Interpreter::store_attribute(NodeId target, const Value& value, Env& env) {
  const syntax::AttributeView view(tree(), target);
  const Value base = eval(view.value(), env);
  record(target, value);
  if (heap_.kind(base.object) == ObjectKind::Instance &&
      constructing_.contains(base.object.value)) {
    State& state = state_of(base.object);
    const TextId name = heap_.text(view.attr_text());
    // Settings that a constructor writes down may be changed from outside.
    const NodeId parent = tree().parent(target);
    const bool literal =
        tree().kind(parent) == NodeKind::Assign &&
        tree().kind(syntax::AssignView(tree(), parent).value()) == NodeKind::Constant;
    const Value kept = literal ? generalised(value) : value;
    Value& place = state.at(name);
    place = heap_.join(place, kept);
  }
  refine(target, value, env);
}

void Interpreter::store_back(NodeId expression, const Value& value, Env& env) {
  if (tree().kind(expression) == NodeKind::Name) {
    store_name(expression, value, env);
  } else if (tree().kind(expression) == NodeKind::Attribute) {
    refine(expression, value, env);
    if (const Value base = eval(syntax::AttributeView(tree(), expression).value(), env);
        heap_.kind(base.object) == ObjectKind::Instance &&
        constructing_.contains(base.object.value)) {
      const TextId name = heap_.text(syntax::AttributeView(tree(), expression).attr_text());
      state_of(base.object).at(name) = value;
    }
  }
}

}  // namespace graphmend::types
