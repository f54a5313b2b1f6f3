// The walk behind compile_check.h, shared by the files that implement it.
#ifndef GRAPHMEND_SCOPE_COMPILE_CHECKER_H_
#define GRAPHMEND_SCOPE_COMPILE_CHECKER_H_

#include "scope/compile_check.h"
#include "source/line_index.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace graphmend::scope {

class CompileChecker {
 public:
  CompileChecker(const syntax::Tree& tree, const ScopeTree& scopes, syntax::PythonVersion version);
  std::vector<diag::Diagnostic> run();

 private:
  enum class CodeKind : std::uint8_t {
    Module,
    Class,
    Function,
    AsyncFunction,
    Lambda,
    Comprehension,
  };
  // A code object being compiled.
  struct Code {
    CodeKind kind;
    bool coroutine;  // as symtable's ste_coroutine: `async def`, or with `await` inside
    bool generator;
  };
  enum class BlockKind : std::uint8_t { Loop, ExceptStar, Other };
  // A block that is open, in its code object.
  struct Block {
    BlockKind kind;
    std::uint32_t outer;  // 0 for none
    std::uint32_t depth;
  };
  enum class Action : std::uint8_t {
    Visit,
    Element,           // visit what may be a starred element
    StoreName,         // bind the name of a def or class
    Bases,             // the arguments of a class
    MisplacedDefault,  // an `except:` that is not the last clause
    Case,              // the pattern of a case
    LastCase,          // that of the last one, after which nothing needs to be reachable
  };
  struct Work {
    NodeId node;
    Action action;
    std::uint32_t code;
    std::uint32_t block;
  };

  // ------------------------------------------------------------ the walk
  void act(const Work& work);
  void visit(NodeId id);
  void visit_statement(NodeId id);
  void visit_expression(NodeId id);
  void visit_part(NodeId id);
  void visit_elements(NodeId id, std::span<const NodeId> elements);
  void visit_children(NodeId id);
  void function_def(NodeId id);
  void class_def(NodeId id);
  void return_statement(NodeId id);
  void leave_loop(NodeId id, bool is_break);
  void leaves_except_star(NodeId id);
  void annotated_assignment(NodeId id);
  void import_from(NodeId id);
  void with_statement(NodeId id);
  void try_statement(NodeId id);
  void handler(NodeId id);
  void lambda(NodeId id);
  void comprehension(NodeId id, std::span<const NodeId> generators, std::array<NodeId, 2> elements);
  void check_type_parameters(std::span<const NodeId> params);
  void check_keywords(std::span<const NodeId> arguments);
  void check_parameters(NodeId owner, NodeId arguments);
  // Whether a name that is bound may be bound; `place` is where an error is reported.
  void check_name(base::TextRange name, base::TextRange place);

  // compile_check_patterns.cpp
  struct Key;
  // Names that a pattern has bound so far.
  using Names = std::unordered_set<std::string>;
  void match_statement(NodeId id);
  void match_case(NodeId id, bool is_last);
  void pattern(NodeId id, bool may_always_match, Names& names);
  void pattern_sequence(NodeId id, Names& names);
  void pattern_mapping(NodeId id, Names& names);
  void pattern_class(NodeId id, Names& names);
  void pattern_or(NodeId id, bool may_always_match, Names& names);
  void pattern_name(NodeId id, syntax::TokenId token, Names& names);
  void bind(NodeId id, const std::string& name, Names& names);
  std::optional<Key> constant_key(NodeId id) const;

  // ------------------------------------------------------------ what to do next
  // Work is taken from the end; children are pushed last to first.
  void push(NodeId id, Action action = Action::Visit) {
    if (id) {
      work_.push_back({id, action, code_, block_});
    }
  }
  void push_list(std::span<const NodeId> list) {
    for (std::size_t i = list.size(); i-- > 0;) {
      push(list[i]);
    }
  }
  void push_elements(std::span<const NodeId> elements);
  void push_in(std::uint32_t code, std::uint32_t block, std::span<const NodeId> list) {
    for (std::size_t i = list.size(); i-- > 0;) {
      work_.push_back({list[i], Action::Visit, code, block});
    }
  }
  // Opens a block inside of one; an error when there are too many.
  std::uint32_t open_block(NodeId id, BlockKind kind, std::uint32_t outer);
  std::uint32_t add_code(Code code);

  void error(diag::Code code, base::TextRange range, std::string message) {
    errors_.push_back({code, diag::Severity::Error, range, std::move(message), ""});
  }
  void error(diag::Code code, NodeId id, std::string message) {
    error(code, tree_.range(id), std::move(message));
  }
  bool before(unsigned minor) const { return version_.minor < minor; }
  bool in_function() const {
    return codes_[code_].kind != CodeKind::Module && codes_[code_].kind != CodeKind::Class;
  }
  bool is_async() const { return codes_[code_].kind == CodeKind::AsyncFunction; }
  std::string name_of(base::TextRange range) const {
    std::string storage;
    return std::string(tree_.identifier(range, storage));
  }

  const syntax::Tree& tree_;
  const ScopeTree& scopes_;
  syntax::PythonVersion version_;
  source::LineIndex lines_;
  std::vector<bool> coroutine_;  // by scope
  std::vector<Code> codes_;
  std::vector<Block> blocks_;
  std::vector<Work> work_;
  std::uint32_t code_ = 0;   // of the work at hand
  std::uint32_t block_ = 0;  // of the work at hand
  std::uint32_t last_future_line_ = 0;
  std::vector<diag::Diagnostic> errors_;
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_COMPILE_CHECKER_H_
