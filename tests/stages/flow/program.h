// A small program with its flow, and names for what tests ask about.
#ifndef GRAPHMEND_TESTS_STAGES_FLOW_PROGRAM_H_
#define GRAPHMEND_TESTS_STAGES_FLOW_PROGRAM_H_

#include "flow/flow.h"
#include "scope/scope_tree.h"
#include "source/line_index.h"
#include "syntax/parser.h"
#include "syntax/tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::flow {

// The flow of the first function of a text (of the module when it has none). Statements are named
// by their line, loads and bindings too (the first of that name on the line).
class Program {
 public:
  explicit Program(std::string source, syntax::NodeKind kind = syntax::NodeKind::FunctionDef)
      : text(std::move(source)),
        lines(text),
        tree(syntax::parse_module(text)),
        scopes(scope::build(tree, syntax::kNewestVersion)) {
    NodeId function = tree.root();
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
      if (tree.kind(NodeId(i)) == kind &&
          (function == tree.root() || tree.range(NodeId(i)).start < tree.range(function).start)) {
        function = NodeId(i);
      }
    }
    flow.emplace(build_flow(tree, scopes, function));
  }

  // The outermost statement (or handler, or case) that starts on a line, after its decorators.
  NodeId at(std::uint32_t line) const {
    NodeId result;
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
      NodeId id(i);
      bool statement = tree.is_statement(id) || tree.kind(id) == syntax::NodeKind::ExceptHandler ||
                       tree.kind(id) == syntax::NodeKind::MatchCase;
      if (statement && lines.line(tree.range(id).start) == line) {
        result = id;
      }
    }
    return result;
  }
  SymbolId symbol(std::string_view name) const {
    for (SymbolId id : flow->symbols()) {
      if (scopes.symbol_name(id) == name) {
        return id;
      }
    }
    return SymbolId();
  }
  NodeId name(std::string_view name, std::uint32_t line) const {
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
      if (tree.kind(NodeId(i)) == syntax::NodeKind::Name && tree.text(NodeId(i)) == name &&
          tree.context(NodeId(i)) == syntax::ExprContext::Load && line_of(NodeId(i)) == line) {
        return NodeId(i);
      }
    }
    return NodeId();
  }
  std::uint32_t line_of(NodeId node) const { return lines.line(tree.range(node).start); }
  // Lines of the definitions that reach a load: 0 for unbound, -1 for bound elsewhere.
  std::vector<int> sources(std::string_view load, std::uint32_t line) const {
    std::vector<int> result;
    for (DefId id : flow->reaching_definitions(name(load, line))) {
      result.push_back(def_line(id));
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  int def_line(DefId id) const {
    const Definition& definition = flow->definition(id);
    if (definition.node) {
      return static_cast<int>(line_of(definition.node));
    }
    return definition.kind == DefKind::Outside ? -1 : 0;
  }
  bool live_after(std::uint32_t line, std::string_view name) const {
    return flow->live_after(at(line), symbol(name));
  }
  bool assigned(std::uint32_t line, std::string_view name) const {
    return flow->definitely_assigned(at(line), symbol(name));
  }
  std::vector<std::uint32_t> uses_after(std::uint32_t line, std::string_view name) const {
    std::vector<std::uint32_t> result;
    for (NodeId node : flow->uses_after(at(line), symbol(name))) {
      result.push_back(line_of(node));
    }
    return result;
  }

  std::string text;
  source::LineIndex lines;
  syntax::Tree tree;
  scope::ScopeTree scopes;
  std::optional<FunctionFlow> flow;
};

}  // namespace graphmend::flow

#endif  // GRAPHMEND_TESTS_STAGES_FLOW_PROGRAM_H_
