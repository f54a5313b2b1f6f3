// The second pass: decides what each name of each scope means.
#ifndef GRAPHMEND_SCOPE_ANALYZER_H_
#define GRAPHMEND_SCOPE_ANALYZER_H_

#include "scope/builder.h"
#include "scope/scope_tree.h"
#include "scope/symbol_store.h"

#include <cstdint>

namespace graphmend::scope {

// Works on the symbols that Builder collected. Two sweeps, both linear in the symbols:
//   - from the outside in: each name that a scope does not bind is looked up in the functions
//     around it;
//   - from the inside out: free names make cells where they are bound and pass through the scopes
//     between; comprehensions that run in their parent's frame hand their names to it.
// The first version in which symtable flags all names that are free inside a class, bound there or
// not, and also those that are free inside an annotation scope of a class.
inline constexpr unsigned kFreeThroughAnnotations = 12;

class Analyzer {
 public:
  Analyzer(const syntax::Tree& source, syntax::PythonVersion version, ScopeTree& tree,
           SymbolStore& store);
  void run();

 private:
  // What a name means to scopes inside: a symbol, or one of the special values.
  using Meaning = std::uint32_t;
  static constexpr Meaning kNothing = 0;
  static constexpr Meaning kGlobal = 0xffff'fffe;
  static constexpr Meaning kClassCell = 0xffff'ffff;

  struct Undo {
    NameId name;
    Meaning meaning;
  };
  struct Free {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };
  // For each name, whether it belongs to the scope being worked on.
  class NameSet {
   public:
    // Makes it an empty set of names below `count`; each scope may do so once.
    void clear(ScopeId scope, std::size_t count);
    bool in_use(ScopeId scope) const { return stamp_ == scope.value; }
    bool contains(NameId name) const { return stamps_[name.value] == stamp_; }
    // False when it was there already.
    bool insert(NameId name) {
      const bool added = stamps_[name.value] != stamp_;
      stamps_[name.value] = stamp_;
      return added;
    }
    void erase(NameId name) { stamps_[name.value] = 0; }

   private:
    base::PodVector<std::uint32_t> stamps_;
    std::uint32_t stamp_ = 0;
  };

  void inward();
  void note_globals();
  void analyze_scope(ScopeId id, ScopeId class_scope);
  void analyze_declared(SymbolId id);
  void analyze_nonlocal(Symbol& current);
  void publish(ScopeId id);
  void set_meaning(NameId name, Meaning meaning);
  void list_class(ScopeId id);
  void leave_scopes(ScopeId parent);
  void error(diag::Code code, const Symbol& symbol, std::string message);

  void outward();
  void gather(ScopeId id);
  void inline_comprehension(ScopeId into, ScopeId comprehension);
  void mark_free_in_children(ScopeId comprehension);
  void settle(ScopeId id);
  void hand_on(ScopeId id);
  void list_here(ScopeId id);
  SymbolId find_here(ScopeId id, NameId name) {
    const SymbolId found = here_[name.value];
    return found && symbol(found).scope == id ? found : SymbolId();
  }
  SymbolId add_here(ScopeId id, NameId name) {
    return here_[name.value] = store_.add_late(id, name);
  }

  bool before(unsigned minor) const { return version_.minor < minor; }
  Scope& scope(ScopeId id) { return tree_.scopes_[id.value]; }
  Symbol& symbol(SymbolId id) { return tree_.symbols_[id.value]; }

  const syntax::Tree& source_;
  syntax::PythonVersion version_;
  ScopeTree& tree_;
  SymbolStore& store_;

  base::PodVector<Meaning> meanings_;  // by name
  base::PodVector<Undo> undo_;
  struct Open {
    ScopeId scope;
    ScopeId class_scope;  // the class whose names the scope sees, if any
    std::uint32_t undo;
    std::uint32_t class_undo;
  };
  base::PodVector<Open> open_;
  base::PodVector<SymbolId> globals_;  // by name: the module's symbol, where the module binds it
  // By name: the symbol of the innermost class that has annotation scopes which see its names.
  base::PodVector<SymbolId> of_classes_;
  struct ClassUndo {
    NameId name;
    SymbolId symbol;
  };
  base::PodVector<ClassUndo> class_undo_;

  // By scope: whether the sweep outward has to look at it.
  enum Work : std::uint8_t {
    kNoWork = 0,
    kFreeNames = 1,   // names are free in it
    kFreeInside = 2,  // names are free in a scope inside, or a comprehension may be inlined
  };
  base::PodVector<std::uint8_t> work_;
  base::PodVector<Free> free_;            // by scope: its part of free_names_
  base::PodVector<SymbolId> free_names_;  // symbols of scopes inside that are free there
  base::PodVector<SymbolId> here_;        // by name: the symbol of the scope being worked on
  NameSet passing_;                       // names that are free in scopes inside the current one
  NameSet cells_;                         // names captured inside inlined comprehensions
  NameSet kept_;     // names of an inlined comprehension that its children capture
  NameSet dropped_;  // names that are free in it, but not in the function around
  base::PodVector<ScopeId> comprehensions_;
  base::PodVector<SymbolId> gathered_;
  std::uint64_t budget_;
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_ANALYZER_H_
