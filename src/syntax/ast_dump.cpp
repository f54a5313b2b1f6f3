// Printing trees as ast.dump does: statements and definitions.
#include "syntax/ast_dump.h"

#include "syntax/ast_dump_impl.h"

namespace graphmend::syntax {

namespace dump {

bool Dumper::add_definition(Object& object, NodeId id) const {
  if (tree_.kind(id) == NodeKind::ClassDef) {
    ClassDefView view(tree_, id);
    add(object, "name", name_value(view.name()));
    add_call_arguments(object, view.arguments(), "bases");
    add_list(object, "body", nodes_value(view.body()));
    add_list(object, "decorator_list", nodes_value(view.decorators()));
    if (version_.minor >= 12) {
      add_list(object, "type_params", nodes_value(view.type_params()));
    }
    return true;
  }
  FunctionDefView view(tree_, id);
  object.name = view.is_async() ? "AsyncFunctionDef" : "FunctionDef";
  add(object, "name", name_value(view.name()));
  add(object, "args", node_value(view.args()));
  add_list(object, "body", nodes_value(view.body()));
  add_list(object, "decorator_list", nodes_value(view.decorators()));
  add_optional(object, "returns", node_value(view.returns()));
  add_type_comment(object);
  if (version_.minor >= 12) {
    add_list(object, "type_params", nodes_value(view.type_params()));
  }
  return true;
}

bool Dumper::add_statement(Object& object, NodeId id) const {
  switch (tree_.kind(id)) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
      return add_definition(object, id);
    case NodeKind::Return:
      add_optional(object, "value", node_value(ReturnView(tree_, id).value()));
      return true;
    case NodeKind::Delete:
      add_list(object, "targets", nodes_value(DeleteView(tree_, id).targets()));
      return true;
    case NodeKind::Assign:
      add_list(object, "targets", nodes_value(AssignView(tree_, id).targets()));
      add(object, "value", node_value(AssignView(tree_, id).value()));
      add_type_comment(object);
      return true;
    case NodeKind::TypeAlias:
      add(object, "name", node_value(TypeAliasView(tree_, id).name()));
      add_list(object, "type_params", nodes_value(TypeAliasView(tree_, id).type_params()));
      add(object, "value", node_value(TypeAliasView(tree_, id).value()));
      return true;
    case NodeKind::AugAssign:
      add(object, "target", node_value(AugAssignView(tree_, id).target()));
      add(object, "op", atom(std::string(kOperators[tree_.op(id)])));
      add(object, "value", node_value(AugAssignView(tree_, id).value()));
      return true;
    case NodeKind::AnnAssign:
      add(object, "target", node_value(AnnAssignView(tree_, id).target()));
      add(object, "annotation", node_value(AnnAssignView(tree_, id).annotation()));
      add_optional(object, "value", node_value(AnnAssignView(tree_, id).value()));
      add(object, "simple", atom(tree_.has_flag(id, kSimple) ? "1" : "0"));
      return true;
    case NodeKind::For: {
      ForView view(tree_, id);
      object.name = view.is_async() ? "AsyncFor" : "For";
      add(object, "target", target_value(view.target()));
      add(object, "iter", node_value(view.iter()));
      add_list(object, "body", nodes_value(view.body()));
      add_list(object, "orelse", nodes_value(view.orelse()));
      add_type_comment(object);
      return true;
    }
    case NodeKind::While:
      add(object, "test", node_value(WhileView(tree_, id).test()));
      add_list(object, "body", nodes_value(WhileView(tree_, id).body()));
      add_list(object, "orelse", nodes_value(WhileView(tree_, id).orelse()));
      return true;
    case NodeKind::If:
      add(object, "test", node_value(IfView(tree_, id).test()));
      add_list(object, "body", nodes_value(IfView(tree_, id).body()));
      add_list(object, "orelse", nodes_value(IfView(tree_, id).orelse()));
      return true;
    case NodeKind::With:
      object.name = tree_.has_flag(id, kAsync) ? "AsyncWith" : "With";
      add_list(object, "items", nodes_value(WithView(tree_, id).items()));
      add_list(object, "body", nodes_value(WithView(tree_, id).body()));
      add_type_comment(object);
      return true;
    case NodeKind::Match:
      add(object, "subject", node_value(MatchView(tree_, id).subject()));
      add_list(object, "cases", nodes_value(MatchView(tree_, id).cases()));
      return true;
    case NodeKind::Raise:
      add_optional(object, "exc", node_value(RaiseView(tree_, id).exc()));
      add_optional(object, "cause", node_value(RaiseView(tree_, id).cause()));
      return true;
    case NodeKind::Try: {
      TryView view(tree_, id);
      object.name = tree_.has_flag(id, kStar) ? "TryStar" : "Try";
      add_list(object, "body", nodes_value(view.body()));
      add_list(object, "handlers", nodes_value(view.handlers()));
      add_list(object, "orelse", nodes_value(view.orelse()));
      add_list(object, "finalbody", nodes_value(view.finalbody()));
      return true;
    }
    case NodeKind::Assert:
      add(object, "test", node_value(AssertView(tree_, id).test()));
      add_optional(object, "msg", node_value(AssertView(tree_, id).msg()));
      return true;
    case NodeKind::Import:
      add_list(object, "names", nodes_value(ImportView(tree_, id).names()));
      return true;
    case NodeKind::ImportFrom: {
      ImportFromView view(tree_, id);
      add_optional(object, "module", view.module_first() ? str_value(view.module()) : none());
      add_list(object, "names", nodes_value(view.names()));
      add(object, "level", atom(std::to_string(view.level())));
      return true;
    }
    case NodeKind::Global:
    case NodeKind::Nonlocal: {
      std::vector<Value> names;
      for (NodeId name : tree_.list(tree_.node(id).a)) {
        names.push_back(name_value(tree_.range(name)));
      }
      add_list(object, "names", list_of(std::move(names)));
      return true;
    }
    case NodeKind::Expr:
      add(object, "value", node_value(ExprView(tree_, id).value()));
      return true;
    default:
      return true;
  }
}

// Positional arguments and keywords, which ast keeps apart.
void Dumper::add_call_arguments(Object& object, std::span<const NodeId> arguments,
                                const char* positional) const {
  std::vector<Value> values;
  std::vector<Value> keywords;
  for (NodeId argument : arguments) {
    if (tree_.kind(argument) == NodeKind::Keyword) {
      keywords.push_back(node_value(argument));
    } else {
      values.push_back(node_value(argument));
      values.back().text = kArgument;
    }
  }
  add_list(object, positional, list_of(std::move(values)));
  add_list(object, "keywords", list_of(std::move(keywords)));
}

}  // namespace dump

std::string dump_ast(const Tree& tree, const AstDumpOptions& options) {
  return dump::Dumper(tree, options).run();
}

}  // namespace graphmend::syntax
