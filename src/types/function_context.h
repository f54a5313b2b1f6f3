// Everything that is known of one function when it is analysed.
#ifndef GRAPHMEND_TYPES_FUNCTION_CONTEXT_H_
#define GRAPHMEND_TYPES_FUNCTION_CONTEXT_H_

#include "flow/flow.h"
#include "scope/scope_tree.h"
#include "syntax/tree.h"
#include "types/global_facts.h"

#include <string>
#include <string_view>

namespace graphmend::types {

// A function, its stages so far, and questions about its names. Refers to structures that outlive
// it. `class_name`: of the class whose body holds the function, for private names.
class FunctionContext {
 public:
  FunctionContext(const syntax::Tree& tree, const scope::ScopeTree& scopes,
                  const flow::FunctionFlow& flow, syntax::NodeId function, const GlobalFacts& facts,
                  std::string_view class_name = {});

  [[nodiscard]] const syntax::Tree& tree() const { return *tree_; }
  [[nodiscard]] const scope::ScopeTree& scopes() const { return *scopes_; }
  [[nodiscard]] const flow::FunctionFlow& flow() const { return *flow_; }
  [[nodiscard]] const GlobalFacts& facts() const { return *facts_; }
  [[nodiscard]] syntax::NodeId function() const { return function_; }
  [[nodiscard]] scope::ScopeId function_scope() const { return function_scope_; }

  // The symbol that a Name binds or reads, as bound; none for a builtin or a name of the module.
  [[nodiscard]] scope::SymbolId symbol_of(syntax::NodeId name) const;
  // The Name refers to a variable of this function (parameters and cells included).
  [[nodiscard]] bool is_local(syntax::NodeId name) const;
  // The Name refers to a variable of an enclosing function.
  [[nodiscard]] bool is_free(syntax::NodeId name) const;
  // The Name refers to a name of the module or to a builtin.
  [[nodiscard]] bool is_global(syntax::NodeId name) const;
  // The Name refers to a builtin, as far as is known.
  [[nodiscard]] bool is_builtin(syntax::NodeId name) const;
  // The Name is a plain variable of this function: no cell, not declared global or nonlocal.
  [[nodiscard]] bool is_plain_local(syntax::NodeId name) const;

  // `a`, `a.b`, `a.b.c`: a name and attributes.
  [[nodiscard]] bool is_chain(syntax::NodeId expression) const;
  // The Name at the root of a chain; none for other expressions.
  [[nodiscard]] syntax::NodeId chain_root(syntax::NodeId expression) const;
  // The dotted name of the module that the expression is (`F` -> "torch.nn.functional"); empty when
  // it is none. Attributes of a module count as its submodules.
  [[nodiscard]] std::string module_of(syntax::NodeId expression) const;
  // What is known of a global name, or of an attribute of the method's own object (`self.logger`).
  [[nodiscard]] const GlobalFact& fact(syntax::NodeId expression) const;
  // The name of an attribute as objects know it: `__x` in a class C is `_C__x`.
  [[nodiscard]] std::string attribute_name(std::string_view written) const;
  // The Call that is the whole of an expression statement; none for other statements.
  [[nodiscard]] syntax::NodeId called_statement(syntax::NodeId statement) const;

 private:
  const syntax::Tree* tree_;
  const scope::ScopeTree* scopes_;
  const flow::FunctionFlow* flow_;
  const GlobalFacts* facts_;
  syntax::NodeId function_;
  scope::ScopeId function_scope_;
  std::string_view class_name_;
  std::string_view self_;  // the first parameter's name, empty when there is none
};

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_FUNCTION_CONTEXT_H_
