// Calls, collections and comprehensions.
#include "flow/builder.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphmend::flow {

using syntax::NodeKind;

namespace {

// Sizes from which CPython builds a collection bit by bit.
constexpr std::size_t kStackGuideline = 30;
constexpr std::size_t kDictChunk = 17;

}  // namespace

// -------------------------------------------------------------- collections

void Builder::elements(NodeId node, std::span<const NodeId> list, std::size_t pushed) {
  if (list.size() > 2 && all_constant(list)) {
    mark(node);
    return;
  }
  auto is_starred = [&](NodeId item) { return tree_.kind(item) == NodeKind::Starred; };
  bool built = list.size() + pushed > kStackGuideline;
  if (!built && std::none_of(list.begin(), list.end(), is_starred)) {
    expressions(list);
    mark(node);
    return;
  }
  if (built) {
    mark(node);
  }
  for (NodeId item : list) {
    if (is_starred(item)) {
      if (!built) {
        mark(node);
        built = true;
      }
      expression(syntax::StarredView(tree_, item).value());
      step(StepKind::Evaluate, item, kMayRaise | kRunsCode, start(node));
    } else {
      expression(item);
      if (built) {
        mark(node);
      }
    }
  }
  mark(node);
}

void Builder::visit_dict(NodeId node) {
  std::span<const NodeId> items = syntax::DictView(tree_, node).items();
  std::size_t count = items.size() / 2;
  std::size_t begin = 0;
  auto flush = [&](std::size_t end) {
    std::size_t size = end - begin;
    bool big = size * 2 > kStackGuideline;
    bool constant_keys = size > 1 && !big;
    for (std::size_t i = begin; constant_keys && i < end; ++i) {
      constant_keys = is_constant(items[2 * i]);
    }
    if (big) {
      mark(node);
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (!constant_keys) {
        expression(items[2 * i]);
      }
      expression(items[2 * i + 1]);
      if (big) {
        evaluate(node);
      }
    }
    evaluate(node);
    begin = end;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!items[2 * i]) {
      if (begin < i) {
        flush(i);
      }
      mark(node);
      expression(items[2 * i + 1]);
      evaluate(node);
      begin = i + 1;
    } else if (i + 1 - begin == kDictChunk) {
      flush(i + 1);
    }
  }
  if (begin < count) {
    flush(count);
  } else if (count == 0) {
    mark(node);
  }
}

// -------------------------------------------------------------------- calls

void Builder::visit_call(NodeId node) {
  syntax::CallView view(tree_, node);
  std::span<const NodeId> arguments = view.arguments();
  std::size_t keywords = 0;
  bool starred = false;
  for (NodeId argument : arguments) {
    bool keyword = tree_.kind(argument) == NodeKind::Keyword;
    keywords += keyword;
    starred = starred || tree_.kind(argument) == NodeKind::Starred ||
              (keyword && !syntax::KeywordView(tree_, argument).has_name());
  }
  NodeId func = view.func();
  std::size_t size = arguments.size() + (keywords != 0);
  if (consumes_generator(node)) {
    expression(func);
    generator_loops(arguments[0], node);
    evaluate(node);
  } else if (tree_.kind(func) == NodeKind::Attribute && !starred && size < kStackGuideline) {
    syntax::AttributeView method(tree_, func);
    expression(func);
    call_arguments(node, method.attr_start());
  } else {
    expression(func);
    call_arguments(node, start(node));
  }
}

void Builder::call_arguments(NodeId node, std::uint32_t offset) {
  std::span<const NodeId> arguments = syntax::CallView(tree_, node).arguments();
  auto is_keyword = [&](NodeId argument) { return tree_.kind(argument) == NodeKind::Keyword; };
  auto is_starred = [&](NodeId argument) {
    return tree_.kind(argument) == NodeKind::Starred ||
           (is_keyword(argument) && !syntax::KeywordView(tree_, argument).has_name());
  };
  auto keyword_value = [&](NodeId argument) {
    return syntax::KeywordView(tree_, argument).value();
  };
  std::size_t keywords =
      static_cast<std::size_t>(std::count_if(arguments.begin(), arguments.end(), is_keyword));
  bool plain = std::none_of(arguments.begin(), arguments.end(), is_starred) &&
               arguments.size() + keywords <= kStackGuideline;
  if (keywords == 0 && plain) {
    expressions(arguments);
    evaluate(node, offset);
    return;
  }
  std::vector<NodeId> positional;
  std::vector<NodeId> named;
  for (NodeId argument : arguments) {
    (is_keyword(argument) ? named : positional).push_back(argument);
  }
  if (plain) {
    expressions(positional);
    for (NodeId argument : named) {
      expression(keyword_value(argument));
    }
    evaluate(node, offset);
    return;
  }
  if (positional.size() == 1 && is_starred(positional[0])) {
    expression(syntax::StarredView(tree_, positional[0]).value());
  } else {
    elements(node, positional, 0);
  }
  // Keywords are gathered in a dict, which ** updates.
  bool have_dict = false;
  for (std::size_t i = 0; i < named.size();) {
    if (is_starred(named[i])) {
      if (!have_dict) {
        mark(node);
      }
      expression(keyword_value(named[i]));
      evaluate(node);
      ++i;
    } else {
      std::size_t end = i;
      while (end < named.size() && !is_starred(named[end])) {
        ++end;
      }
      bool big = (end - i) * 2 > kStackGuideline;
      bool key_by_key = big || end - i == 1;
      for (; i < end; ++i) {
        if (key_by_key) {
          mark(node);
        }
        expression(keyword_value(named[i]));
        if (big) {
          mark(node);
        }
      }
      evaluate(node);
    }
    have_dict = true;
  }
  evaluate(node, offset);
}

// A call that uses up its only argument, a generator expression, before it returns.
bool Builder::consumes_generator(NodeId call) const {
  static constexpr std::array<std::string_view, 12> kConsumers = {
      "all", "any", "dict",   "frozenset", "list",  "max",
      "min", "set", "sorted", "sum",       "tuple", "bytes"};
  syntax::CallView view(tree_, call);
  std::span<const NodeId> arguments = view.arguments();
  if (arguments.empty() || tree_.kind(arguments[0]) != NodeKind::GeneratorExp) {
    return false;
  }
  for (NodeId argument : arguments.subspan(1)) {
    NodeId value = tree_.kind(argument) == NodeKind::Keyword
                       ? syntax::KeywordView(tree_, argument).value()
                       : argument;
    if (!is_constant(value)) {
      return false;
    }
  }
  NodeId func = view.func();
  if (tree_.kind(func) == NodeKind::Name) {
    SymbolId symbol = scopes_.resolve(func);
    return symbol && !scopes_.follow(symbol) && !scopes_.symbol(symbol).is_bound() &&
           std::find(kConsumers.begin(), kConsumers.end(), tree_.text(func)) != kConsumers.end();
  }
  if (tree_.kind(func) == NodeKind::Attribute) {
    syntax::AttributeView method(tree_, func);
    return method.attr_text() == "join" && tree_.kind(method.value()) == NodeKind::Constant;
  }
  return false;
}

// ----------------------------------------------------------- comprehensions

void Builder::visit_comprehension(NodeId node) {
  if (tree_.kind(node) != NodeKind::GeneratorExp) {
    generator_loops(node, NodeId());
    return;
  }
  NodeId first = syntax::GeneratorExpView(tree_, node).generators()[0];
  mark(node);
  expression(syntax::ComprehensionView(tree_, first).iter());
  evaluate(node);
}

// The loops of a comprehension that runs here. With a consumer, a generator expression: the call
// may also stop early. For the function's own node: its body.
void Builder::generator_loops(NodeId node, NodeId consumer) {
  std::span<const NodeId> generators;
  std::vector<NodeId> values;
  switch (tree_.kind(node)) {
    case NodeKind::ListComp:
      generators = syntax::ListCompView(tree_, node).generators();
      values.push_back(syntax::ListCompView(tree_, node).elt());
      break;
    case NodeKind::SetComp:
      generators = syntax::SetCompView(tree_, node).generators();
      values.push_back(syntax::SetCompView(tree_, node).elt());
      break;
    case NodeKind::DictComp:
      generators = syntax::DictCompView(tree_, node).generators();
      values.push_back(syntax::DictCompView(tree_, node).key());
      values.push_back(syntax::DictCompView(tree_, node).value());
      break;
    default:
      generators = syntax::GeneratorExpView(tree_, node).generators();
      values.push_back(syntax::GeneratorExpView(tree_, node).elt());
      break;
  }
  bool is_body = node == function_;
  bool suspends = is_body || consumer;
  NodeId outer = comprehension_;
  std::uint32_t location = location_;
  if (!is_body) {
    mark(node);
    expression(syntax::ComprehensionView(tree_, generators[0]).iter());
    evaluate(node);
    if (consumer) {
      own_generators_.push_back(scopes_.scope_of(node));
    }
    state_->comprehensions.emplace_back(node, outer);
    set_comprehension(node);
  }
  set_location(start(node));
  mark(node);
  std::vector<std::pair<BlockId, BlockId>> loops;  // header, and where an item is done
  std::vector<BlockId> exits;
  for (std::size_t i = 0; i < generators.size(); ++i) {
    syntax::ComprehensionView view(tree_, generators[i]);
    BlockId header = new_block();
    BlockId body = new_block();
    BlockId done = new_block();
    BlockId exit = new_block();
    if (i > 0) {
      expression(view.iter());
      evaluate(node, kHere);
    }
    use(header);
    step(view.is_async() ? StepKind::Suspend : StepKind::Next, generators[i], kMayRaise | kRunsCode,
         start(node));
    branch(body, exit);
    use(body);
    store(view.target(), DefKind::Comprehension, view.iter());
    for (NodeId test : view.ifs()) {
      BlockId next = new_block();
      condition(test, next, done);
      use(next);
    }
    loops.emplace_back(header, done);
    exits.push_back(exit);
  }
  for (NodeId value : values) {
    expression(value);
  }
  BlockId end = new_block();
  step(suspends ? StepKind::Suspend : StepKind::Evaluate, node, kMayRaise | kRunsCode, kHere);
  if (consumer) {
    BlockId next = new_block();
    branch(end, next);
    use(next);
  }
  for (std::size_t i = loops.size(); i-- > 0;) {
    use(loops[i].second);
    step(StepKind::Mark, node, 0, kHere);
    jump(loops[i].first, EdgeKind::Back);
    use(exits[i]);
  }
  if (!consumer) {
    use(end);
  }
  step(StepKind::Mark, node, 0, kHere);
  if (consumer) {
    use(end);
  }
  set_location(location);
  if (!is_body) {
    set_comprehension(outer);
    mark(node);
  }
}

}  // namespace graphmend::flow
