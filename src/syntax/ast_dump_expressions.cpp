// Printing trees as ast.dump does: expressions, patterns, parts.
#include "syntax/ast_dump_impl.h"

namespace graphmend::syntax::dump {

bool Dumper::add_constant(Object& object, NodeId id) const {
  ConstantView view(tree_, id);
  std::string_view literal = tree_.text(id);
  std::string text;
  switch (view.constant_kind()) {
    case ConstantKind::None:
      text = "None";
      break;
    case ConstantKind::True:
      text = "True";
      break;
    case ConstantKind::False:
      text = "False";
      break;
    case ConstantKind::Ellipsis:
      text = "Ellipsis";
      break;
    case ConstantKind::Int:
      text = repr_int(literal);
      break;
    case ConstantKind::Float:
      text = repr_float(literal);
      break;
    case ConstantKind::Imaginary:
      text = repr_imaginary(literal);
      break;
    case ConstantKind::Str:
      text = repr_str(tree_.string_value(id), version_);
      break;
    case ConstantKind::Bytes:
      text = repr_bytes(tree_.string_value(id));
      break;
  }
  add(object, "value", literal_value(std::move(text)));
  bool unicode = view.constant_kind() == ConstantKind::Str && has_u_prefix(id);
  add_optional(object, "kind", unicode ? str_value("u") : none());
  return true;
}

// The parts of an f-string: neighbouring texts are one Constant, empty ones are dropped.
Value Dumper::joined_values(std::span<const NodeId> values) const {
  std::vector<Value> items;
  for (std::size_t i = 0; i < values.size();) {
    if (tree_.kind(values[i]) != NodeKind::Constant) {
      items.push_back(node_value(values[i]));
      ++i;
      continue;
    }
    Value pieces{Value::Kind::Pieces, values[i], {}, {}, {}};
    bool empty = true;
    for (; i < values.size() && tree_.kind(values[i]) == NodeKind::Constant; ++i) {
      empty = empty && tree_.string_value(values[i]).empty();
      pieces.items.push_back(node_value(values[i]));
    }
    if (!empty) {
      items.push_back(std::move(pieces));
    }
  }
  return list_of(std::move(items));
}

Dumper::Object Dumper::pieces_object(const Value& value) const {
  Object object{"Constant", {}};
  std::string text;
  for (const Value& piece : value.items) {
    text += tree_.string_value(piece.id);
  }
  TextRange range = tree_.range(value.items.front().id).cover(tree_.range(value.items.back().id));
  add(object, "value", literal_value(repr_str(text, version_)));
  add_optional(object, "kind", has_u_prefix(value.items.front().id) ? str_value("u") : none());
  add_range(object, range);
  return object;
}

// What a subscript's slice is: itself, or in 3.8 wrapped in Index or ExtSlice.
Value Dumper::slice_value(NodeId slice) const {
  if (version_.minor >= 9) {
    return node_value(slice);
  }
  auto wrapped = [this](NodeId id) {
    if (tree_.kind(id) == NodeKind::Slice) {
      return node_value(id);
    }
    return Value{Value::Kind::Object, {}, "Index", {node_value(id)}, {"value"}};
  };
  if (tree_.kind(slice) == NodeKind::Tuple && !tree_.has_flag(slice, kParenthesized)) {
    std::vector<Value> dims;
    bool any_slice = false;
    for (NodeId item : TupleView(tree_, slice).elts()) {
      any_slice = any_slice || tree_.kind(item) == NodeKind::Slice;
      dims.push_back(wrapped(item));
    }
    if (any_slice) {
      return {Value::Kind::Object, {}, "ExtSlice", {list_of(std::move(dims))}, {"dims"}};
    }
  }
  return wrapped(slice);
}

// The text of a t-string's field up to its end, `=`, `!` or `:`, white space behind it left out.
std::string_view Dumper::interpolation_text(const InterpolationView& view) const {
  TokenId after = tree_.token_after(tree_.range(view.value()));
  while (tree_.tokens().kind(after) == TokenKind::RightParen) {
    ++after.value;
  }
  std::uint32_t start = view.range().start + 1;
  std::string_view text = tree_.text({start, tree_.token_range(after).start});
  return text.substr(0, text.find_last_not_of(" \t\f\r\n") + 1);
}

bool Dumper::add_expression(Object& object, NodeId id) const {
  switch (tree_.kind(id)) {
    case NodeKind::BoolOp:
      add(object, "op", atom(BoolOpView(tree_, id).op() == BoolOperator::And ? "And()" : "Or()"));
      add_list(object, "values", nodes_value(BoolOpView(tree_, id).values()));
      return true;
    case NodeKind::NamedExpr:
      add(object, "target", node_value(NamedExprView(tree_, id).target()));
      add(object, "value", node_value(NamedExprView(tree_, id).value()));
      return true;
    case NodeKind::BinOp:
      add(object, "left", node_value(BinOpView(tree_, id).left()));
      add(object, "op", atom(std::string(kOperators[tree_.op(id)])));
      add(object, "right", node_value(BinOpView(tree_, id).right()));
      return true;
    case NodeKind::UnaryOp:
      add(object, "op", atom(std::string(kUnaryOperators[tree_.op(id)])));
      add(object, "operand", node_value(UnaryOpView(tree_, id).operand()));
      return true;
    case NodeKind::Lambda:
      add(object, "args", node_value(LambdaView(tree_, id).args()));
      add(object, "body", node_value(LambdaView(tree_, id).body()));
      return true;
    case NodeKind::IfExp:
      add(object, "test", node_value(IfExpView(tree_, id).test()));
      add(object, "body", node_value(IfExpView(tree_, id).body()));
      add(object, "orelse", node_value(IfExpView(tree_, id).orelse()));
      return true;
    case NodeKind::Dict: {
      std::vector<Value> keys;
      std::vector<Value> values;
      std::span<const NodeId> items = DictView(tree_, id).items();
      for (std::size_t i = 0; i < items.size(); i += 2) {
        keys.push_back(node_value(items[i]));
        values.push_back(node_value(items[i + 1]));
      }
      add_list(object, "keys", list_of(std::move(keys)));
      add_list(object, "values", list_of(std::move(values)));
      return true;
    }
    case NodeKind::Set:
      add_list(object, "elts", nodes_value(SetView(tree_, id).elts()));
      return true;
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::GeneratorExp:
      add(object, "elt", node_value(NodeId(tree_.node(id).a)));
      add_list(object, "generators", nodes_value(tree_.list(tree_.node(id).b)));
      return true;
    case NodeKind::DictComp:
      add(object, "key", node_value(DictCompView(tree_, id).key()));
      add(object, "value", node_value(DictCompView(tree_, id).value()));
      add_list(object, "generators", nodes_value(DictCompView(tree_, id).generators()));
      return true;
    case NodeKind::Await:
    case NodeKind::YieldFrom:
      add(object, "value", node_value(NodeId(tree_.node(id).a)));
      return true;
    case NodeKind::Yield:
      add_optional(object, "value", node_value(YieldView(tree_, id).value()));
      return true;
    case NodeKind::Compare: {
      CompareView view(tree_, id);
      std::vector<Value> ops;
      ops.reserve(view.op_count());
      for (std::size_t i = 0; i < view.op_count(); ++i) {
        ops.push_back(atom(std::string(kCompareOperators[static_cast<std::size_t>(view.op(i))])));
      }
      add(object, "left", node_value(view.left()));
      add_list(object, "ops", list_of(std::move(ops)));
      add_list(object, "comparators", nodes_value(view.comparators()));
      return true;
    }
    case NodeKind::Call:
      add(object, "func", node_value(CallView(tree_, id).func()));
      add_call_arguments(object, CallView(tree_, id).arguments(), "args");
      return true;
    case NodeKind::FormattedValue: {
      FormattedValueView view(tree_, id);
      add(object, "value", node_value(view.value()));
      add(object, "conversion", atom(std::to_string(view.conversion() ? view.conversion() : -1)));
      add_optional(object, "format_spec", node_value(view.format_spec()));
      return true;
    }
    case NodeKind::Interpolation: {
      InterpolationView view(tree_, id);
      add(object, "value", node_value(view.value()));
      add(object, "str", str_value(interpolation_text(view)));
      add(object, "conversion", atom(std::to_string(view.conversion() ? view.conversion() : -1)));
      add_optional(object, "format_spec", node_value(view.format_spec()));
      return true;
    }
    case NodeKind::JoinedStr: {
      Value values = joined_values(JoinedStrView(tree_, id).values());
      // 3.12 leaves an empty text behind a field that ends a format specification.
      bool spec = tree_.text(id).starts_with(':');
      if (version_.minor == 12 && spec && !values.items.empty() &&
          values.items.back().kind == Value::Kind::Node) {
        TextRange range = tree_.range(id);
        Object empty{"Constant", {}};
        add(empty, "value", literal_value("''"));
        add_range(empty, {range.end, range.end});
        Value value{Value::Kind::Object, {}, empty.name, {}, {}};
        for (auto& [name, field] : empty.fields) {
          value.names.push_back(name);
          value.items.push_back(std::move(field));
        }
        values.items.push_back(std::move(value));
      }
      add_list(object, "values", std::move(values));
      return true;
    }
    case NodeKind::TemplateStr:
      add_list(object, "values", joined_values(TemplateStrView(tree_, id).values()));
      return true;
    case NodeKind::Constant:
      return add_constant(object, id);
    case NodeKind::Attribute:
      add(object, "value", node_value(AttributeView(tree_, id).value()));
      add(object, "attr", name_value(AttributeView(tree_, id).attr()));
      add_context(object, id);
      return true;
    case NodeKind::Subscript:
      add(object, "value", node_value(SubscriptView(tree_, id).value()));
      add(object, "slice", slice_value(SubscriptView(tree_, id).slice()));
      add_context(object, id);
      return true;
    case NodeKind::Starred:
      add(object, "value", node_value(StarredView(tree_, id).value()));
      add_context(object, id);
      return true;
    case NodeKind::Name:
      add(object, "id", name_value(tree_.range(id)));
      add_context(object, id);
      return true;
    case NodeKind::List:
    case NodeKind::Tuple:
      add_list(object, "elts", nodes_value(tree_.list(tree_.node(id).a)));
      add_context(object, id);
      return true;
    case NodeKind::Slice:
      add_optional(object, "lower", node_value(SliceView(tree_, id).lower()));
      add_optional(object, "upper", node_value(SliceView(tree_, id).upper()));
      add_optional(object, "step", node_value(SliceView(tree_, id).step()));
      return version_.minor >= 9;
    default:
      return true;
  }
}

void Dumper::add_arguments(Object& object, NodeId id) const {
  std::vector<Value> lists[5];  // by ParamKind
  std::vector<Value> defaults;
  std::vector<Value> keyword_defaults;
  for (NodeId param : ArgumentsView(tree_, id).params()) {
    ParamView view(tree_, param);
    ParamKind kind = view.param_kind();
    lists[static_cast<std::size_t>(kind)].push_back(node_value(param));
    if (kind == ParamKind::KeywordOnly) {
      keyword_defaults.push_back(node_value(view.default_value()));
    } else if (view.default_value()) {
      defaults.push_back(node_value(view.default_value()));
    }
  }
  auto single = [&lists](ParamKind kind) {
    std::vector<Value>& list = lists[static_cast<std::size_t>(kind)];
    return list.empty() ? none() : std::move(list[0]);
  };
  auto many = [&lists](ParamKind kind) {
    return list_of(std::move(lists[static_cast<std::size_t>(kind)]));
  };
  object.name = "arguments";
  add_list(object, "posonlyargs", many(ParamKind::PositionalOnly));
  add_list(object, "args", many(ParamKind::Positional));
  add_optional(object, "vararg", single(ParamKind::VarArgs));
  add_list(object, "kwonlyargs", many(ParamKind::KeywordOnly));
  add_list(object, "kw_defaults", list_of(std::move(keyword_defaults)));
  add_optional(object, "kwarg", single(ParamKind::KwArgs));
  add_list(object, "defaults", list_of(std::move(defaults)));
}

bool Dumper::add_part(Object& object, NodeId id) const {
  switch (tree_.kind(id)) {
    case NodeKind::Module:
      add_list(object, "body", nodes_value(ModuleView(tree_, id).body()));
      add_list(object, "type_ignores", list_of({}));
      return false;
    case NodeKind::Comprehension: {
      ComprehensionView view(tree_, id);
      object.name = "comprehension";
      add(object, "target", target_value(view.target()));
      add(object, "iter", node_value(view.iter()));
      add_list(object, "ifs", nodes_value(view.ifs()));
      add(object, "is_async", atom(view.is_async() ? "1" : "0"));
      return false;
    }
    case NodeKind::ExceptHandler: {
      ExceptHandlerView view(tree_, id);
      add_optional(object, "type", node_value(view.type()));
      add_optional(object, "name", token_name_value(view.name_token()));
      add_list(object, "body", nodes_value(view.body()));
      return true;
    }
    case NodeKind::Arguments:
      add_arguments(object, id);
      return false;
    case NodeKind::Param: {
      ParamView view(tree_, id);
      object.name = "arg";
      add(object, "arg", name_value(view.name()));
      add_optional(object, "annotation", node_value(view.annotation()));
      add_type_comment(object);
      return true;
    }
    case NodeKind::Keyword: {
      KeywordView view(tree_, id);
      object.name = "keyword";
      add_optional(object, "arg", token_name_value(view.name_token()));
      add(object, "value", node_value(view.value()));
      return version_.minor >= 9;
    }
    case NodeKind::Alias: {
      AliasView view(tree_, id);
      object.name = "alias";
      add(object, "name", str_value(view.name()));
      add_optional(object, "asname", token_name_value(view.asname_token()));
      return version_.minor >= 10;
    }
    case NodeKind::WithItem:
      object.name = "withitem";
      add(object, "context_expr", node_value(WithItemView(tree_, id).context_expr()));
      add_optional(object, "optional_vars", node_value(WithItemView(tree_, id).optional_vars()));
      return false;
    case NodeKind::MatchCase: {
      MatchCaseView view(tree_, id);
      object.name = "match_case";
      add(object, "pattern", node_value(view.pattern()));
      add_optional(object, "guard", node_value(view.guard()));
      add_list(object, "body", nodes_value(view.body()));
      return false;
    }
    case NodeKind::TypeVar: {
      TypeVarView view(tree_, id);
      add(object, "name", name_value(view.name()));
      add_optional(object, "bound", node_value(view.bound()));
      add_optional(object, "default_value", node_value(view.default_value()));
      return true;
    }
    case NodeKind::ParamSpec:
      add(object, "name", name_value(ParamSpecView(tree_, id).name()));
      add_optional(object, "default_value", node_value(ParamSpecView(tree_, id).default_value()));
      return true;
    case NodeKind::TypeVarTuple:
      add(object, "name", name_value(TypeVarTupleView(tree_, id).name()));
      add_optional(object, "default_value",
                   node_value(TypeVarTupleView(tree_, id).default_value()));
      return true;
    default:
      return add_pattern(object, id);
  }
}

bool Dumper::add_pattern(Object& object, NodeId id) const {
  switch (tree_.kind(id)) {
    case NodeKind::MatchValue:
      add(object, "value", node_value(MatchValueView(tree_, id).value()));
      return true;
    case NodeKind::MatchSingleton: {
      ConstantKind constant = MatchSingletonView(tree_, id).constant_kind();
      add(object, "value",
          literal_value(constant == ConstantKind::None   ? "None"
                        : constant == ConstantKind::True ? "True"
                                                         : "False"));
      return true;
    }
    case NodeKind::MatchSequence:
    case NodeKind::MatchOr:
      add_list(object, "patterns", nodes_value(tree_.list(tree_.node(id).a)));
      return true;
    case NodeKind::MatchMapping: {
      MatchMappingView view(tree_, id);
      std::vector<Value> keys;
      std::vector<Value> patterns;
      std::span<const NodeId> items = view.items();
      for (std::size_t i = 0; i < items.size(); i += 2) {
        keys.push_back(node_value(items[i]));
        patterns.push_back(node_value(items[i + 1]));
      }
      add_list(object, "keys", list_of(std::move(keys)));
      add_list(object, "patterns", list_of(std::move(patterns)));
      add_optional(object, "rest", token_name_value(view.rest_token()));
      return true;
    }
    case NodeKind::MatchClass: {
      MatchClassView view(tree_, id);
      std::vector<Value> patterns;
      std::vector<Value> names;
      std::vector<Value> keyword_patterns;
      for (NodeId argument : view.arguments()) {
        if (tree_.kind(argument) == NodeKind::MatchKeyword) {
          MatchKeywordView keyword(tree_, argument);
          names.push_back(name_value(keyword.name()));
          keyword_patterns.push_back(node_value(keyword.pattern()));
        } else {
          patterns.push_back(node_value(argument));
        }
      }
      add(object, "cls", node_value(view.cls()));
      add_list(object, "patterns", list_of(std::move(patterns)));
      add_list(object, "kwd_attrs", list_of(std::move(names)));
      add_list(object, "kwd_patterns", list_of(std::move(keyword_patterns)));
      return true;
    }
    case NodeKind::MatchStar:
      add_optional(object, "name", token_name_value(MatchStarView(tree_, id).name_token()));
      return true;
    case NodeKind::MatchAs:
      add_optional(object, "pattern", node_value(MatchAsView(tree_, id).pattern()));
      add_optional(object, "name", token_name_value(MatchAsView(tree_, id).name_token()));
      return true;
    default:
      return true;
  }
}

}  // namespace graphmend::syntax::dump
