// Answers flow_oracle.py: reads texts from stdin, writes a line of JSON for each.
//
//   oracle_flow_dump 3.11 [uses]
//
// A text comes as its size in bytes, a line end, and its bytes in UTF-8. The answer is a list with
// an object for each code object that Python makes: "name" and "line" (co_name, co_firstlineno),
// "edges" (lists [from, to, is exception]), "entries" (lines). With `uses` also "reads": for each
// load of a name [name, line, column, end column, sources], where sources are [line, column] of the
// bindings (columns in bytes, as in co_positions) or the kind of what is bound elsewhere.
#include "flow/flow.h"
#include "scope/scope_tree.h"
#include "source/line_index.h"
#include "syntax/parser.h"

#include <iostream>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace {

using graphmend::flow::DefId;
using graphmend::flow::Definition;
using graphmend::flow::DefKind;
using graphmend::flow::FunctionFlow;
using graphmend::flow::LineEdge;
using graphmend::source::LineIndex;
using graphmend::syntax::NodeId;
using graphmend::syntax::NodeKind;
using graphmend::syntax::Tree;

class Dump {
 public:
  Dump(const Tree& tree, const graphmend::scope::ScopeTree& scopes, const LineIndex& lines,
       bool inlined, bool uses)
      : tree_(tree), scopes_(scopes), lines_(lines), inlined_(inlined), uses_(uses) {}

  std::string text() {
    out_.assign(1, '[');
    for (std::uint32_t i = 1; i < tree_.size(); ++i) {
      const NodeKind kind = tree_.kind(NodeId(i));
      if (kind == NodeKind::FunctionDef || kind == NodeKind::Lambda || kind == NodeKind::ClassDef ||
          kind == NodeKind::Module || kind == NodeKind::GeneratorExp) {
        function(graphmend::flow::build_flow(tree_, scopes_, NodeId(i)));
      }
    }
    out_ += "]";
    return std::move(out_);
  }

 private:
  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string name(NodeId node) const {
    switch (tree_.kind(node)) {
      case NodeKind::FunctionDef:
        return std::string(graphmend::syntax::FunctionDefView(tree_, node).name_text());
      case NodeKind::ClassDef:
        return std::string(graphmend::syntax::ClassDefView(tree_, node).name_text());
      case NodeKind::Lambda:
        return "<lambda>";
      case NodeKind::Module:
        return "<module>";
      case NodeKind::ListComp:
        return "<listcomp>";
      case NodeKind::SetComp:
        return "<setcomp>";
      case NodeKind::DictComp:
        return "<dictcomp>";
      default:
        return "<genexpr>";
    }
  }

  void frame(const FunctionFlow& flow, NodeId comprehension) {
    const NodeId node = comprehension ? comprehension : flow.function();
    std::uint32_t line = lines_.line(tree_.range_with_decorators(node).start);
    if (tree_.kind(node) == NodeKind::Module) {
      line = 1;
    }
    write(R"({}{{"name":"{}","line":{},"edges":[)", out_.size() > 1 ? "," : "", name(node), line);
    const char* comma = "";
    for (const LineEdge& edge : flow.line_edges(lines_, comprehension, inlined_)) {
      write("{}[{},{},{}]", comma, edge.from, edge.to, edge.exception ? 1 : 0);
      comma = ",";
    }
    out_ += R"(],"entries":[)";
    comma = "";
    for (const std::uint32_t entry : flow.entry_lines(lines_, comprehension, inlined_)) {
      write("{}{}", comma, entry);
      comma = ",";
    }
    out_ += "]";
    if (uses_ && !comprehension) {
      reads(flow);
    }
    out_ += "}";
  }

  void reads(const FunctionFlow& flow) {
    out_ += R"(,"reads":[)";
    const char* comma = "";
    for (const auto& step : flow.graph().steps()) {
      if (step.kind != graphmend::flow::StepKind::Load || step.payload == 0) {
        continue;
      }
      const auto place = lines_.position(tree_.range(step.node).start);
      write(R"({}["{}",{},{},[)", comma, tree_.text(step.node), place.line, place.column);
      comma = ",";
      const char* inner = "";
      for (const DefId id : flow.reaching_definitions(step.node)) {
        const Definition& definition = flow.definition(id);
        if (!definition.node) {
          write(R"({}"{}")", inner, definition.kind == DefKind::Unbound ? "unbound" : "outside");
        } else if (definition.kind == DefKind::Parameter) {
          write(R"({}"parameter")", inner);
        } else {
          const auto from = lines_.position(bound_at(definition));
          write("{}[{},{}]", inner, from.line, from.column);
        }
        inner = ",";
      }
      out_ += "]]";
    }
    out_ += R"(],"statements":[)";
    comma = "";
    for (std::uint32_t i = 1; i < flow.function().value; ++i) {
      const NodeId node(i);
      if (!tree_.is_statement(node) || flow.starts(node).empty()) {
        continue;
      }
      write("{}[{},{}", comma, lines_.line(tree_.range(node).start), flow.reachable(node) ? 1 : 0);
      comma = ",";
      names(flow, [&](auto symbol) { return flow.live_before(node, symbol); });
      names(flow, [&](auto symbol) { return flow.definitely_assigned(node, symbol); });
      out_ += "]";
    }
    out_ += "]";
  }

  template <class Holds>
  void names(const FunctionFlow& flow, Holds holds) {
    out_ += ",[";
    const char* comma = "";
    for (const auto symbol : flow.symbols()) {
      if (holds(symbol)) {
        write(R"({}"{}")", comma, scopes_.symbol_name(symbol));
        comma = ",";
      }
    }
    out_ += "]";
  }

  // Where CPython places the instruction that binds.
  std::uint32_t bound_at(const Definition& definition) const {
    switch (definition.kind) {
      case DefKind::Import:
        return tree_.range(definition.statement).start;
      case DefKind::MatchCapture: {
        NodeId at = definition.node;
        while (tree_.kind(tree_.parent(at)) != NodeKind::MatchCase) {
          at = tree_.parent(at);
        }
        return tree_.range(at).start;
      }
      default:
        return tree_.range(definition.node).start;
    }
  }

  void function(const FunctionFlow& flow) {
    frame(flow, NodeId());
    for (const NodeId comprehension : flow.comprehensions()) {
      if (!inlined_ || tree_.kind(comprehension) == NodeKind::GeneratorExp) {
        frame(flow, comprehension);
      }
    }
  }

  const Tree& tree_;
  const graphmend::scope::ScopeTree& scopes_;
  const LineIndex& lines_;
  bool inlined_;
  bool uses_;
  std::string out_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto version =
      graphmend::syntax::parse_version(argc > 1 ? std::string_view(argv[1]) : std::string_view());
  if (!version) {
    std::cerr << "usage: oracle_flow_dump 3.MINOR [uses] < texts\n";
    return 2;
  }
  const bool uses = argc > 2 && std::string_view(argv[2]) == "uses";
  std::ios::sync_with_stdio(false);
  std::string size;
  std::string text;
  while (std::getline(std::cin, size)) {
    text.resize(std::stoul(size));
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    const LineIndex lines(text);
    const Tree tree = graphmend::syntax::parse_module(text, *version);
    const graphmend::scope::ScopeTree scopes = graphmend::scope::build(tree, *version);
    const bool inlined = *version >= graphmend::syntax::PythonVersion{12};
    std::cout << Dump(tree, scopes, lines, inlined, uses).text() << std::endl;
  }
  return 0;
}
