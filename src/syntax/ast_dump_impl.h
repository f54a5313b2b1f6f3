// The printer behind ast_dump.h, shared by the files that implement it.
#ifndef GRAPHMEND_SYNTAX_AST_DUMP_IMPL_H_
#define GRAPHMEND_SYNTAX_AST_DUMP_IMPL_H_

#include "base/json.h"
#include "source/line_index.h"
#include "syntax/ast_dump.h"
#include "syntax/python_repr.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphmend::syntax::dump {

inline constexpr std::string_view kOperators[] = {
    "Add()",    "Sub()",   "Mult()",   "MatMult()", "Div()",      "Mod()", "LShift()",
    "RShift()", "BitOr()", "BitXor()", "BitAnd()",  "FloorDiv()", "Pow()"};
inline constexpr std::string_view kUnaryOperators[] = {"Invert()", "Not()", "UAdd()", "USub()"};
inline constexpr std::string_view kCompareOperators[] = {
    "Eq()", "NotEq()", "Lt()", "LtE()", "Gt()", "GtE()", "Is()", "IsNot()", "In()", "NotIn()"};
inline constexpr std::string_view kContexts[] = {"Load()", "Store()", "Del()"};

// What a field holds, before it is printed.
struct Value {
  enum class Kind : std::uint8_t {
    Atom,    // `text`, as it is
    Node,    // `id`
    List,    // `items`
    Pieces,  // one Constant made of the neighbours `id` .. of a list of f-string parts
    Object,  // class `text` with the fields of `names` and `items`
  };
  Kind kind = Kind::Atom;
  NodeId id{};
  std::string text{};
  std::vector<Value> items{};
  std::vector<const char*> names{};
};

inline Value atom(std::string text) {
  return {Value::Kind::Atom, {}, std::move(text), {}, {}};
}
inline Value none() {
  return atom("None");
}
inline Value list_of(std::vector<Value> items) {
  return {Value::Kind::List, {}, {}, std::move(items), {}};
}

// Prints with an explicit stack: trees are as deep as their text likes.
class Dumper {
 public:
  Dumper(const Tree& tree, const AstDumpOptions& options)
      : tree_(tree), options_(options), version_(options.version), lines_(tree.source()) {}

  std::string run() {
    push_value(node_value(tree_.root()), 0, false);
    while (!tasks_.empty()) {
      Task task = std::move(tasks_.back());
      tasks_.pop_back();
      if (task.is_text) {
        out_ += task.value.text;
      } else {
        print(std::move(task.value), task.level, task.in_fstring);
      }
    }
    return std::move(out_);
  }

 private:
  struct Task {
    Value value;
    int level;
    bool in_fstring;
    bool is_text;  // value.text is printed as it is
  };

  // A class with its fields, as ast.dump lays it out.
  struct Object {
    std::string name;
    std::vector<std::pair<const char*, Value>> fields;
  };

  // ------------------------------------------------------------ tasks
  void push_text(std::string text) { tasks_.push_back({atom(std::move(text)), 0, false, true}); }
  void push_value(Value value, int level, bool in_fstring) {
    tasks_.push_back({std::move(value), level, in_fstring, false});
  }
  std::string prefix(int level) const {
    if (options_.indent < 0) {
      return {};
    }
    return "\n" + std::string(static_cast<std::size_t>(options_.indent * level), ' ');
  }
  std::string separator(int level) const {
    return options_.indent < 0 ? std::string(", ") : "," + prefix(level);
  }

  void print(Value value, int level, bool in_fstring) {
    switch (value.kind) {
      case Value::Kind::Atom:
        out_ += options_.json ? json_atom(value.text) : value.text;
        return;
      case Value::Kind::List: {
        if (value.items.empty()) {
          out_ += "[]";
          return;
        }
        ++level;
        out_ += "[" + prefix(level);
        push_text("]");
        for (std::size_t i = value.items.size(); i-- > 0;) {
          push_value(std::move(value.items[i]), level, in_fstring);
          if (i > 0) {
            push_text(separator(level));
          }
        }
        return;
      }
      case Value::Kind::Node:
        print_object(object_of(value.id, value.text), level, in_fstring,
                     in_fstring || tree_.kind(value.id) == NodeKind::JoinedStr ||
                         tree_.kind(value.id) == NodeKind::TemplateStr);
        return;
      case Value::Kind::Pieces:
        print_object(pieces_object(value), level, in_fstring, in_fstring);
        return;
      case Value::Kind::Object: {
        Object object{std::move(value.text), {}};
        for (std::size_t i = 0; i < value.items.size(); ++i) {
          object.fields.emplace_back(value.names[i], std::move(value.items[i]));
        }
        print_object(std::move(object), level, in_fstring, in_fstring);
        return;
      }
    }
  }

  // What is no string: None, a number, or an object without fields.
  static std::string json_atom(const std::string& text) {
    return text == "None"         ? "null"
           : text.ends_with("()") ? R"({"_type":")" + text.substr(0, text.size() - 2) + "\"}"
                                  : text;
  }

  // Is the printed value "simple" in the sense of ast.dump: without arguments of its own?
  bool is_simple(const Value& value) const {
    if (value.kind == Value::Kind::List) {
      return value.items.empty();
    }
    if (value.kind == Value::Kind::Node) {
      return version_.minor >= 13 && tree_.kind(value.id) == NodeKind::Arguments &&
             ArgumentsView(tree_, value.id).params().empty();
    }
    return value.kind == Value::Kind::Atom;
  }

  void print_object(Object object, int level, bool in_fstring, bool children_in_fstring) {
    ++level;
    bool hide_positions = in_fstring && !options_.fstring_positions && version_.minor < 12;
    if (!options_.attributes || hide_positions) {
      std::vector<Value> positions;
      for (const auto& [name, value] : object.fields) {
        if (name == kPosition) {
          positions.push_back(value);
        }
      }
      std::erase_if(object.fields, [](const auto& field) { return field.first == kPosition; });
      // Texts and fields have the lines of the whole string.
      const bool whole = object.name == "Constant" || object.name == "FormattedValue" ||
                         object.name == "JoinedStr";
      if (options_.attributes && options_.fstring_lines && !whole && !positions.empty()) {
        object.fields.emplace_back("lineno", std::move(positions[0]));
        object.fields.emplace_back("end_lineno", std::move(positions[2]));
      }
    }
    if (options_.json) {
      out_ += R"({"_type":")" + object.name + '"';
      push_text("}");
    } else {
      out_ += object.name + "(";
    }
    bool simple = !options_.json;
    for (const auto& [name, value] : object.fields) {
      simple = simple && is_simple(value);
    }
    bool one_line = simple && object.fields.size() <= 3;
    if (!options_.json) {
      push_text(")");
      if (!one_line) {
        out_ += prefix(level);
      }
    }
    std::string between = one_line ? std::string(", ") : separator(level);
    std::size_t position = 0;
    for (std::size_t i = object.fields.size(); i-- > 0;) {
      auto& [name, value] = object.fields[i];
      push_value(std::move(value), level, children_in_fstring);
      std::string label = name == kPosition ? std::string(kPositionNames[3 - position++]) : name;
      push_text(options_.json ? ",\"" + label + "\":" : (i > 0 ? between : "") + label + "=");
    }
  }

  // ------------------------------------------------------------ building objects
  static constexpr std::string_view kArgument = "argument";     // positional, of a call
  static constexpr std::string_view kForTarget = "for target";  // of statements, comprehensions
  static constexpr const char* kPosition = "@position";
  static constexpr const char* kPositionNames[] = {"lineno", "col_offset", "end_lineno",
                                                   "end_col_offset"};

  Value node_value(NodeId id) const {
    return id ? Value{Value::Kind::Node, id, {}, {}, {}} : none();
  }
  Value target_value(NodeId id) const {
    return {Value::Kind::Node, id, std::string(kForTarget), {}, {}};
  }
  Value nodes_value(std::span<const NodeId> ids) const {
    std::vector<Value> items;
    items.reserve(ids.size());
    for (NodeId id : ids) {
      items.push_back(node_value(id));
    }
    return list_of(std::move(items));
  }
  // A string that is a field's value.
  Value str_value(std::string_view text) const {
    if (!options_.json) {
      return atom(repr_str(text, version_));
    }
    std::string json;
    base::append_json_string(json, text);
    return atom(std::move(json));
  }
  // The value of a constant, as repr() writes it.
  Value literal_value(std::string repr) const {
    return options_.json ? str_value(repr) : atom(std::move(repr));
  }
  Value name_value(TextRange range) const {
    std::string storage;
    return str_value(tree_.identifier(range, storage));
  }
  Value token_name_value(TokenId token) const {
    return token ? name_value(tree_.token_range(token)) : none();
  }

  void add(Object& object, const char* name, Value value) const {
    object.fields.emplace_back(name, std::move(value));
  }
  // A field that is left out when it is None, from 3.9 on.
  void add_optional(Object& object, const char* name, Value value) const {
    if (version_.minor >= 9 && value.kind == Value::Kind::Atom && value.text == "None") {
      return;
    }
    add(object, name, std::move(value));
  }
  // A list, which is left out when it is empty, from 3.13 on.
  void add_list(Object& object, const char* name, Value value) const {
    if (version_.minor >= 13 && value.items.empty()) {
      return;
    }
    add(object, name, std::move(value));
  }
  void add_context(Object& object, NodeId id) const {
    add(object, "ctx", atom(std::string(kContexts[static_cast<std::size_t>(tree_.context(id))])));
  }
  void add_range(Object& object, TextRange range) const {
    source::Position start = lines_.position(range.start);
    source::Position end = lines_.position(range.end);
    for (std::uint32_t number : {start.line, start.column, end.line, end.column}) {
      add(object, kPosition, atom(std::to_string(number)));
    }
  }
  void add_type_comment(Object& object) const {
    if (version_.minor < 9) {
      add(object, "type_comment", none());
    }
  }

  // `role`: what the node is to its parent, where 3.8 makes a difference by it.
  Object object_of(NodeId id, std::string_view role) const {
    Object object{std::string(kind_name(tree_.kind(id))), {}};
    bool positioned =
        category(tree_.kind(id)) == NodeCategory::Statement    ? add_statement(object, id)
        : category(tree_.kind(id)) == NodeCategory::Expression ? add_expression(object, id)
                                                               : add_part(object, id);
    if (positioned) {
      add_range(object, printed_range(id, role));
    }
    return object;
  }

  // The range of a node, with what 3.8 had different.
  TextRange printed_range(NodeId id, std::string_view role) const {
    TextRange range = tree_.range(id);
    if (version_.minor > 8) {
      return range;
    }
    if (tree_.kind(id) == NodeKind::Starred && role == kArgument) {
      // Without the parentheses around its value.
      range.end = tree_.range(StarredView(tree_, id).value()).end;
    } else if (tree_.kind(id) == NodeKind::Tuple && role == kForTarget &&
               !tree_.has_flag(id, kParenthesized)) {
      // Without the parentheses around its first element.
      range.start = tree_.range(TupleView(tree_, id).elts()[0]).start;
    } else if (tree_.kind(id) == NodeKind::Param &&
               ParamView(tree_, id).param_kind() == ParamKind::KeywordOnly) {
      // Without the annotation.
      range = ParamView(tree_, id).name();
    }
    return range;
  }

  // Each fills in the fields of a node in ast's order; false: the class has no positions.
  bool add_statement(Object& object, NodeId id) const;
  bool add_definition(Object& object, NodeId id) const;
  bool add_expression(Object& object, NodeId id) const;
  bool add_constant(Object& object, NodeId id) const;
  bool add_part(Object& object, NodeId id) const;
  bool add_pattern(Object& object, NodeId id) const;
  void add_arguments(Object& object, NodeId id) const;
  void add_call_arguments(Object& object, std::span<const NodeId> arguments,
                          const char* positional) const;
  Value joined_values(std::span<const NodeId> values) const;
  std::string_view interpolation_text(const InterpolationView& view) const;
  Object pieces_object(const Value& value) const;
  Value slice_value(NodeId slice) const;
  bool has_u_prefix(NodeId constant) const {
    TokenId token = ConstantView(tree_, constant).first_token();
    return tree_.tokens().kind(token) == TokenKind::String &&
           tree_.token_text(token).starts_with('u');
  }

  const Tree& tree_;
  const AstDumpOptions& options_;
  PythonVersion version_;
  source::LineIndex lines_;
  std::vector<Task> tasks_;
  std::string out_;
};

}  // namespace graphmend::syntax::dump

#endif  // GRAPHMEND_SYNTAX_AST_DUMP_IMPL_H_
