// `graphmend dump tree`.
#include "driver/dump.h"
#include "syntax/parser.h"
#include "syntax/tree.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

using syntax::Field;
using syntax::FieldType;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::TokenId;

constexpr std::string_view kContexts[] = {"Load", "Store", "Del"};

bool has_context(NodeKind kind) {
  return kind == NodeKind::Name || kind == NodeKind::Attribute || kind == NodeKind::Subscript ||
         kind == NodeKind::Starred || kind == NodeKind::List || kind == NodeKind::Tuple;
}

// Leaves, whose text says what they are.
bool shows_text(NodeKind kind) {
  return kind == NodeKind::Name || kind == NodeKind::Constant || kind == NodeKind::Identifier ||
         kind == NodeKind::ErrorStatement || kind == NodeKind::ErrorExpression;
}

std::string_view binary_operator(std::uint8_t op) {
  static constexpr std::string_view kNames[] = {"+",  "-", "*", "@", "/",  "%", "<<",
                                                ">>", "|", "^", "&", "//", "**"};
  return kNames[op];
}

// What the byte `op` of a node means, as Python writes it; empty for kinds that have none.
std::string_view operator_text(const syntax::Tree& tree, NodeId id) {
  static constexpr std::string_view kUnary[] = {"~", "not", "+", "-"};
  static constexpr std::string_view kBool[] = {"and", "or"};
  static constexpr std::string_view kParams[] = {"positional-only", "positional", "*",
                                                 "keyword-only", "**"};
  static constexpr std::string_view kConstants[] = {
      "None", "True", "False", "Ellipsis", "int", "float", "imaginary", "str", "bytes"};
  const std::uint8_t op = tree.op(id);
  switch (tree.kind(id)) {
    case NodeKind::BinOp:
    case NodeKind::AugAssign:
      return binary_operator(op);
    case NodeKind::UnaryOp:
      return kUnary[op];
    case NodeKind::BoolOp:
      return kBool[op];
    case NodeKind::Param:
      return kParams[op];
    case NodeKind::Constant:
    case NodeKind::MatchSingleton:
      return kConstants[op];
    case NodeKind::FormattedValue:
    case NodeKind::Interpolation:
      return op == 'r' ? "!r" : op == 's' ? "!s" : op == 'a' ? "!a" : "";
    default:
      return {};
  }
}

std::string compare_operators(const syntax::Tree& tree, NodeId id) {
  static constexpr std::string_view kNames[] = {"==", "!=", "<",      "<=", ">",
                                                ">=", "is", "is not", "in", "not in"};
  const syntax::CompareView view(tree, id);
  std::string out;
  for (std::size_t i = 0; i < view.op_count(); ++i) {
    out += out.empty() ? "" : ", ";
    out += kNames[static_cast<std::size_t>(view.op(i))];
  }
  return out;
}

std::vector<std::string_view> flag_names(const syntax::Tree& tree, NodeId id) {
  std::vector<std::string_view> names;
  if (has_context(tree.kind(id))) {
    names.push_back(kContexts[static_cast<std::size_t>(tree.context(id))]);
  }
  constexpr std::pair<syntax::NodeFlag, std::string_view> kFlags[] = {
      {syntax::kParenthesized, "parenthesized"},
      {syntax::kAsync, "async"},
      {syntax::kElif, "elif"},
      {syntax::kSimple, "simple"},
      {syntax::kStar, "star"},
      {syntax::kDebug, "debug"},
      {syntax::kDebugText, "debug-text"}};
  for (const auto& [flag, name] : kFlags) {
    if (tree.has_flag(id, flag)) {
      names.push_back(name);
    }
  }
  return names;
}

class Printer {
 public:
  Printer(const DumpRequest& request, const syntax::Tree& tree, Console& console)
      : request_(request),
        tree_(tree),
        console_(console),
        columns_(request.file, request.columns) {}

  // One line a node, children indented under it. Beyond kDeepest levels the depth is a number:
  // lines stay short, however deep the tree is.
  void text() {
    std::vector<Pending> pending = {{tree_.root(), 0, "", -1}};
    while (!pending.empty() && console_.out.good()) {
      const Pending next = pending.back();
      pending.pop_back();
      line(next);
      const std::size_t first = pending.size();
      const syntax::Node& node = tree_.node(next.id);
      for (const Field& field : syntax::fields(node.kind)) {
        const std::uint32_t word = tree_.word(node, field.place);
        if (field.type == FieldType::List) {
          int index = 0;
          for (const NodeId child : tree_.list(word)) {
            pending.push_back({child, next.depth + 1, field.name, index++});
          }
        } else if (field.type <= FieldType::Optional && word != 0) {
          pending.push_back({NodeId(word), next.depth + 1, field.name, -1});
        }
      }
      std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
    }
  }

  // A flat list in the order of the arrays: a node comes after its children. The number of a node
  // is its place in the list, from 1; 0 is none.
  void json() {
    base::JsonWriter json(console_.out.buffer());
    begin_document(json, tree_.errors(), request_);
    json.member("root", tree_.root().value);
    json.key("nodes");
    json.begin_array();
    for (std::uint32_t i = 1; i < tree_.size() && console_.out.good(); ++i) {
      json_node(json, NodeId(i));
      console_.out.drain();
    }
    json.end_array();
    json.end_object();
    console_.out.write("\n");
  }

 private:
  struct Pending {
    NodeId id;
    std::uint32_t depth;
    const char* field;
    int index;  // in a list; -1: no list
  };
  static constexpr std::uint32_t kDeepest = 60;

  void line(const Pending& pending) {
    std::string& out = console_.out.buffer();
    const auto append = std::back_inserter(out);
    out.append(2 * static_cast<std::size_t>(std::min(pending.depth, kDeepest)), ' ');
    if (pending.depth > kDeepest) {
      fmt::format_to(append, "({}) ", pending.depth);
    }
    if (pending.index >= 0) {
      fmt::format_to(append, "{}[{}]: ", pending.field, pending.index);
    } else if (pending.field[0] != '\0') {
      fmt::format_to(append, "{}: ", pending.field);
    }
    if (!pending.id) {  // an item of a list that is left out, such as the key of `**mapping`
      out += "none\n";
      return;
    }
    const syntax::Node& node = tree_.node(pending.id);
    const source::Position start = columns_.position(node.start);
    const source::Position end = columns_.position(node.end);
    fmt::format_to(append, "{} {}:{}-{}:{}", syntax::kind_name(node.kind), start.line, start.column,
                   end.line, end.column);
    const std::string op = operators(pending.id);
    if (!op.empty()) {
      fmt::format_to(append, " {}", op);
    }
    for (const std::string_view flag : flag_names(tree_, pending.id)) {
      fmt::format_to(append, " {}", flag);
    }
    for (const Field& field : syntax::fields(node.kind)) {
      const std::uint32_t word = tree_.word(node, field.place);
      if (field.type == FieldType::Token && word != 0 && node.kind != NodeKind::Constant) {
        fmt::format_to(append, " {}=", field.name);
        base::append_json_string(out, tree_.token_text(TokenId(word)));
      } else if (field.type == FieldType::Word && node.kind != NodeKind::Attribute) {
        fmt::format_to(append, " {}={}", field.name, word);
      }
    }
    if (node.kind == NodeKind::Attribute) {
      out += " attr=";
      base::append_json_string(out, syntax::AttributeView(tree_, pending.id).attr_text());
    }
    if (shows_text(node.kind)) {
      out += ' ';
      base::append_json_string(out, tree_.text(pending.id));
    }
    out += '\n';
    console_.out.drain();
  }

  std::string operators(NodeId id) const {
    return tree_.kind(id) == NodeKind::Compare ? compare_operators(tree_, id)
                                               : std::string(operator_text(tree_, id));
  }

  void json_node(base::JsonWriter& json, NodeId id) const {
    const syntax::Node& node = tree_.node(id);
    const source::Position start = columns_.position(node.start);
    const source::Position end = columns_.position(node.end);
    json.begin_object();
    json.member("kind", syntax::kind_name(node.kind));
    json.member("line", start.line);
    json.member("column", start.column);
    json.member("end_line", end.line);
    json.member("end_column", end.column);
    json.member("offset", node.start);
    json.member("end_offset", node.end);
    if (const std::string op = operators(id); !op.empty()) {
      json.member("operator", op);
    }
    if (const auto flags = flag_names(tree_, id); !flags.empty()) {
      json.key("flags");
      json.begin_array();
      for (const std::string_view flag : flags) {
        json.value(flag);
      }
      json.end_array();
    }
    if (shows_text(node.kind)) {
      json.member("text", tree_.text(id));
    } else if (node.kind == NodeKind::Attribute) {
      json.member("attr", syntax::AttributeView(tree_, id).attr_text());
    }
    for (const Field& field : syntax::fields(node.kind)) {
      const std::uint32_t word = tree_.word(node, field.place);
      if (node.kind == NodeKind::Constant) {
        continue;  // the text says it
      }
      json.key(field.name);
      if (field.type == FieldType::List) {
        json.begin_array();
        for (const NodeId child : tree_.list(word)) {
          json.value(child.value);
        }
        json.end_array();
      } else if (field.type == FieldType::Token) {
        if (word != 0) {
          json.value(tree_.token_text(TokenId(word)));
        } else {
          json.null();
        }
      } else {
        json.value(word);
      }
    }
    json.end_object();
  }

  const DumpRequest& request_;
  const syntax::Tree& tree_;
  Console& console_;
  Columns columns_;
};

}  // namespace

ExitStatus dump_tree(const DumpRequest& request, Console& console) {
  const syntax::Tree tree = syntax::parse_module(request.file.text(), request.version);
  Printer printer(request, tree, console);
  if (request.json) {
    printer.json();
  } else {
    printer.text();
  }
  return report_errors(tree.errors(), request, console);
}

}  // namespace graphmend::driver
