// Runs functions on descriptions of values instead of values: what Dynamo does when it traces,
// without running anything. Calls are followed with what their arguments are known to be; classes
// are built by running their `__init__` the same way.
//
// Nothing here is a promise: it tells what a run will probably meet, for findings and messages. A
// rewrite rests on proofs of its own.
#ifndef GRAPHMEND_TYPES_INTERPRETER_H_
#define GRAPHMEND_TYPES_INTERPRETER_H_

#include "base/flat_map.h"
#include "types/heap.h"
#include "types/modules.h"
#include "types/torch_stubs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graphmend::types {

using syntax::NodeId;

// What a call passes.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<TextId, Value>> keywords;
  // `*rest` of unknown length, `**rest` with unknown keys: the join of what they hold.
  std::optional<Value> rest;
  std::optional<Value> keyword_rest;

  [[nodiscard]] std::size_t count() const { return positional.size() + keywords.size(); }
};

// One call of one function, analysed.
struct Activation {
  const Module* module = nullptr;
  NodeId function;  // FunctionDef or Lambda
  scope::ScopeId scope;
  ObjectId object;  // the Function, with what it captured
  std::uint32_t begin = 0;
  std::vector<Value> values;  // by node, from `begin`
  Value self;                 // the first parameter of a method
  Value returned;
  Value yielded;
  const Activation* caller = nullptr;
  NodeId call;     // in the caller
  NodeId current;  // the attribute or call that is being evaluated
  // One of several functions that the call may lead to, here or further up.
  bool unsure = false;

  // What an expression of the function may be; empty when it is never evaluated.
  [[nodiscard]] const Value& value(NodeId node) const {
    static const Value kNever;
    return node.value >= begin && node.value - begin < values.size() ? values[node.value - begin]
                                                                     : kNever;
  }
};

class Interpreter {
 public:
  // Told of each analysed call of a function that a root reaches, when it is done.
  using Observer = std::function<void(const Activation&)>;

  Interpreter(ModuleGraph& modules, const TorchStubs& stubs, Heap& heap, Observer observer);

  // A class of the module derives from torch.nn.Module.
  bool is_torch_module(const Module& module, NodeId class_node);
  // The classes of a module that its own code makes objects of.
  std::unordered_set<std::uint32_t> classes_made_in(const Module& module);
  // Analyses a function as if called from outside; a method when `class_node` is given.
  void run_root(const Module& home, NodeId function, NodeId class_node);
  // What is known stays known for the next file; limits begin anew.
  void begin_file();
  // Whether some analysed call ran this function since the file began.
  [[nodiscard]] bool was_run(const Module& home, NodeId function) const;
  // The same, since the interpreter was made.
  [[nodiscard]] bool was_ever_run(const Module& home, NodeId function) const;
  // What a decorator or another expression at module level is.
  Value module_expression(const Module& module, NodeId expression);
  [[nodiscard]] Heap& heap() { return heap_; }
  // The dotted names that were looked up so far, with what was found: what all results depend on,
  // beside the modules that were asked about.
  [[nodiscard]] const std::unordered_map<std::string, const Module*>& lookups() const {
    return lookups_;
  }

 private:
  friend class Builtins;
  struct Member {
    TextId chain;
    scope::SymbolId root;
    Value value;
  };
  struct Env {
    std::vector<Value> slots;
    std::vector<Member> members;
    bool dead = false;
  };
  struct Loop {
    std::vector<Env> breaks;
    std::vector<Env> continues;
  };
  struct ClassInfo {
    const Module* module = nullptr;
    NodeId node;
    std::vector<Value> order;  // Class and External values: the class, then its bases
    // By the text of a name.
    base::FlatMap<NodeId> members;  // FunctionDef, ClassDef, Assign, ...
    base::FlatMap<bool> assigned;   // `self.x = ...` outside of __init__
    bool is_torch_module = false;
    bool is_dataclass = false;
    bool unknown_base = false;
  };
  // What is found again and again of a module's nodes and names.
  struct Memo {
    std::vector<TextId> texts;   // by node: of an attribute, keyword or parameter its name
    std::vector<TextId> chains;  // by node: of an attribute its whole text
    std::vector<Value> names;    // by NameId: globals and builtins
    std::optional<std::vector<const Module*>> stars;
  };
  struct State {
    std::vector<TextId> names;  // in the order in which they were first assigned
    std::vector<Value> values;
    bool done = false;

    [[nodiscard]] const Value* find(TextId name) const {
      const auto found = std::find(names.begin(), names.end(), name);
      return found == names.end() ? nullptr
                                  : &values[static_cast<std::size_t>(found - names.begin())];
    }
    // Empty when it is new.
    Value& at(TextId name) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found != names.end()) {
        return values[static_cast<std::size_t>(found - names.begin())];
      }
      names.push_back(name);
      return values.emplace_back();
    }
  };
  struct CallView {
    ObjectId function;
    bool quiet = false;
    bool unsure = false;
    std::span<const Value> arguments;
  };
  struct CallKey {
    ObjectId function;
    bool quiet = false;
    bool unsure = false;
    std::vector<Value> arguments;
    [[nodiscard]] CallView view() const { return {function, quiet, unsure, arguments}; }
  };
  struct CallKeyHash {
    using is_transparent = void;
    std::size_t operator()(const CallView& key) const;
    std::size_t operator()(const CallKey& key) const { return (*this)(key.view()); }
  };
  struct CallKeyEqual {
    using is_transparent = void;
    bool operator()(const CallView& left, const CallView& right) const {
      return left.function == right.function && left.quiet == right.quiet &&
             left.unsure == right.unsure &&
             std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                        right.arguments.end());
    }
    bool operator()(const CallKey& left, const CallKey& right) const {
      return (*this)(left.view(), right.view());
    }
    bool operator()(const CallKey& left, const CallView& right) const {
      return (*this)(left.view(), right);
    }
    bool operator()(const CallView& left, const CallKey& right) const {
      return (*this)(left, right.view());
    }
  };

  // ---------------------------------------------------------------- statements
  void run_block(std::span<const NodeId> body, Env& env);
  void run_statement(NodeId node, Env& env);
  void run_if(NodeId node, Env& env);
  void run_while(NodeId node, Env& env);
  void run_for(NodeId node, Env& env);
  void run_try(NodeId node, Env& env);
  void run_with(NodeId node, Env& env);
  void run_match(NodeId node, Env& env);
  void run_import(NodeId node, Env& env);
  void run_loop_body(std::span<const NodeId> body, Env& env, Loop& loop);
  void bind_pattern(NodeId pattern, const Value& subject, Env& env);
  void assign(NodeId target, const Value& value, Env& env);
  void store_name(NodeId name, const Value& value, Env& env);
  void store_symbol(scope::SymbolId symbol, const Value& value, Env& env);
  void store_attribute(NodeId target, const Value& value, Env& env);
  // Puts a changed container back to where an expression read it.
  void store_back(NodeId expression, const Value& value, Env& env);
  void merge(Env& into, const Env& from);
  static bool same(const Env& left, const Env& right);
  void unpack(std::span<const NodeId> targets, const Value& value, Env& env);

  // --------------------------------------------------------------- expressions
  Value eval(NodeId node, Env& env);
  Value eval_now(NodeId node, Env& env);
  Value eval_constant(const Module& module, NodeId node);
  Value eval_name(NodeId node, Env& env);
  Value global_name(const Module& module, NodeId node, scope::SymbolId mention);
  Value eval_attribute(NodeId node, Env& env);
  Value eval_subscript(NodeId node, Env& env);
  Value eval_compare(NodeId node, Env& env);
  Value eval_bool_op(NodeId node, Env& env);
  Value eval_comprehension(NodeId node, Env& env);
  Value eval_dict(NodeId node, Env& env);
  Value eval_call(NodeId node, Env& env);
  Value eval_elements(std::span<const NodeId> list, ValueMask mask, Env& env);
  Value binary(syntax::Operator op, const Value& left, const Value& right);
  Value compare_values(syntax::CompareOperator op, const Value& left, const Value& right);
  Value subscript(const Value& base, const Value& index, NodeId index_node);
  Value element_of(const Value& container);
  Arguments arguments_of(NodeId call, Env& env);

  // ------------------------------------------------------------------ narrowing
  void narrow(NodeId test, bool holds, Env& env);
  void refine(NodeId expression, const Value& value, Env& env);
  Value narrow_class(const Value& value, const Value& cls, bool holds);
  // What the instances of a class (or of a tuple of classes) may be; nothing when not known.
  std::optional<ValueMask> mask_of_class(const Value& cls);
  Truth is_instance(const Value& value, const Value& cls);

  // ---------------------------------------------------------------- attributes
  Value attribute(const Value& base, std::string_view name) {
    return attribute(base, heap_.text(name));
  }
  Value attribute(const Value& base, TextId id);
  Value attribute_of_object(const Value& base, TextId id);
  Value tensor_attribute(const Value& base, TextId id);
  Value method(const Value& receiver, TextId name);
  Value instance_attribute(const Value& self, TextId key);
  Value class_attribute(const Value& cls, TextId id, const Value& self);
  std::optional<Value> member(const ClassInfo& info, TextId name, const Value& self);
  Value external_attribute(TextId dotted, TextId name);
  Value new_external_attribute(std::string_view dotted, std::string_view name);
  Value external_instance_attribute(const Value& base, TextId id);
  Value bind_method(const Value& function, const Value& self);

  // ------------------------------------------------------------ modules, classes
  Value module_attribute(const Module& module, std::string_view name);
  Value module_name(const Module& module, std::string_view name);
  std::optional<Value> bound_name(const Module& module, std::string_view name);
  // The modules that `from x import *` names, in order.
  const std::vector<const Module*>& star_modules(const Module& module);
  Value binding_value(const Module& module, std::string_view name, const ModuleBinding& binding);
  Value import_value(const Module& module, NodeId alias, NodeId statement);
  Value imported(std::string_view dotted);
  Value imported_from(std::string_view dotted, std::string_view name);
  Value module_object(const Module& module);
  const ClassInfo& class_info(ObjectId cls);
  void collect_members(const Module& module, std::span<const NodeId> body, ClassInfo& info);
  Value class_object(const Module& module, NodeId node);
  Value function_object(const Module& module, NodeId node, const Env* env);
  Value decorated(const Module& module, NodeId function, const Value& plain, const Env* env);
  Value decorated_member(const Module& module, NodeId function);
  State& state_of(ObjectId instance);
  Value instantiate(const Value& cls, const Arguments& arguments, NodeId call);
  Value fields_instance(const ClassInfo& info, ObjectId cls, const Arguments& arguments);
  Value abstract_instance(const Value& cls);
  bool derives_from(ObjectId cls, ObjectId base);
  Value annotated(const Module& module, NodeId annotation);
  Value annotated_text(const Module& module, std::string_view text);
  Value instance_of_class(const Value& cls);
  Value subscripted_annotation(const Module& module, NodeId annotation);
  // A value of a setting: its kind is known, the value itself may differ from run to run.
  Value generalised(const Value& value);
  Value normalised(const Value& value, int depth = 0);

  // ---------------------------------------------------------------------- calls
  Value call(const Value& callee, const Arguments& arguments, NodeId site);
  Value call_object(const Value& callee, const Arguments& arguments, NodeId site);
  Value call_function(ObjectId function, const Arguments& arguments, NodeId site);
  std::vector<Value> bind(const Module& home, NodeId function, ObjectId object,
                          const Arguments& arguments, bool root, bool method);
  Value root_parameter(const Module& module, NodeId param, bool forward, bool first);
  Value run_function(ObjectId function, std::vector<Value> parameters, NodeId site);
  // The parameter that a function always gives back, whatever else it does; -1 when there is none.
  int returned_parameter(const Module& home, NodeId function);
  Value call_external(std::string_view dotted, const Arguments& arguments, NodeId site);
  Value call_builtin(std::string_view name, const Arguments& arguments, NodeId site);
  Value call_library(std::string_view dotted, const Arguments& arguments, NodeId site);
  Value call_torch(std::string_view name, const Arguments& arguments, NodeId site);
  Value call_external_instance(const Value& callee, const Arguments& arguments, NodeId site);
  Value call_method(const Value& receiver, std::string_view name, const Arguments& arguments,
                    NodeId site);
  Value call_tensor_method(const Value& receiver, std::string_view name,
                           const Arguments& arguments);
  Value call_host_method(const Value& receiver, std::string_view name, const Arguments& arguments,
                         NodeId site);
  Value unknown_call(const Arguments& arguments);
  Value declared(std::string_view name, const Arguments& arguments, const Value* receiver);
  Value stub_value(StubType type);
  // dtype and size of what an operator gives, as far as its name tells; `given`: positional
  // arguments after the operand.
  Value refined_operator(std::string_view name, const Value& result, const Value& operand,
                         const Arguments& arguments, std::size_t given);
  Value new_torch_module(std::string_view name, const Arguments& arguments);
  static const Value& argument(const Arguments& arguments, std::size_t index);
  const Value* keyword(const Arguments& arguments, std::string_view name);
  bool any_tensor(const Arguments& arguments) const;
  bool mentions_tensor(const Value& value, int depth = 0) const;

  [[nodiscard]] const Module& module(std::uint32_t id);
  const Module* find_module(const std::string& dotted);
  Memo& memo(const Module& module);
  // `text`, which is that of the node, interned.
  TextId text_at(const Module& module, NodeId node, std::string_view text);
  // No name of a module is being worked out: what is found now holds for good.
  [[nodiscard]] bool is_settled() const { return unsettled_ == 0; }
  Activation& here() { return *activation_; }
  const syntax::Tree& tree() const { return activation_->module->tree(); }
  void record(NodeId node, const Value& value);

  ModuleGraph& modules_;
  const TorchStubs& stubs_;
  Heap& heap_;
  Observer observer_;
  Activation base_;  // outside of all functions
  Activation* activation_ = nullptr;
  std::vector<Loop*> loops_;
  int depth_ = 0;       // of expressions
  int call_depth_ = 0;  // of calls
  int unsure_ = 0;      // calls of one of several
  int quiet_ = 0;       // constructors and decorators run: nothing is reported
  std::uint64_t work_ = 0;
  std::vector<const Module*> module_cache_;
  std::unordered_map<std::string, const Module*> lookups_;
  std::vector<std::vector<Value>> spare_values_;  // memory of activations that are done
  base::FlatMap<std::optional<Value>> names_;     // by module and text
  int unsettled_ = 0;                             // names that are being worked out
  std::vector<Memo> memos_;                       // by module
  base::FlatMap<Value> annotations_;              // by module and node
  base::FlatMap<int> returned_parameters_;        // by module and node
  base::FlatMap<Value> builtins_;                 // by text
  base::FlatMap<Value> external_attributes_;      // by texts
  base::FlatMap<Value> texts_;                    // of constants, by module and node
  base::FlatMap<Value> decorated_;                // by module and node
  base::FlatMap<ClassInfo*> classes_;
  std::deque<ClassInfo> class_storage_;
  base::FlatMap<State*> states_;
  std::deque<State> state_storage_;
  std::unordered_set<std::uint32_t> constructing_;
  std::unordered_map<CallKey, Value, CallKeyHash, CallKeyEqual> calls_;
  // By module and node.
  base::FlatMap<int> runs_;
  base::FlatMap<int> quiet_runs_;
  base::FlatMap<bool> ever_run_;
};

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_INTERPRETER_H_
