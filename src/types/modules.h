// The Python modules of a run: read and parsed when first asked for, shared by all threads.
#ifndef GRAPHMEND_TYPES_MODULES_H_
#define GRAPHMEND_TYPES_MODULES_H_

#include "scope/scope_tree.h"
#include "source/notebook.h"
#include "source/source_file.h"
#include "syntax/tree.h"
#include "syntax/version.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace graphmend::types {

// One place that binds a name of a module.
struct ModuleBinding {
  syntax::NodeId node;       // the Name, Alias, FunctionDef or ClassDef
  syntax::NodeId statement;  // the statement that binds it
  bool conditional = false;  // inside `if`, `try`, a loop: other bindings may hold as well
};

// A cell of a notebook that is no Python; the module is made without it.
struct CellError {
  source::Position place;  // in the module's text
  std::string message;
  std::string line;
};

class Module {
 public:
  Module(std::uint32_t id, std::string name, bool is_package, source::SourceFile source,
         syntax::PythonVersion version);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  // Works out scopes and bindings, which what follows needs; most files are never asked for them.
  void prepare();

  [[nodiscard]] std::uint32_t id() const { return id_; }
  // "package.module"; the file's stem where it belongs to no package.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_package() const { return is_package_; }
  [[nodiscard]] const std::string& path() const { return source_.path(); }
  [[nodiscard]] const source::LineIndex& lines() const { return source_.lines(); }
  [[nodiscard]] const syntax::Tree& tree() const { return tree_; }
  [[nodiscard]] const scope::ScopeTree& scopes() const { return scopes_; }
  [[nodiscard]] std::string_view text(syntax::NodeId node) const { return tree_.text(node); }

  [[nodiscard]] std::span<const CellError> cell_errors() const { return cell_errors_; }
  void set_cell_errors(std::vector<CellError> errors) { cell_errors_ = std::move(errors); }

  // What binds a name of the module, in order; null when nothing does.
  [[nodiscard]] const std::vector<ModuleBinding>* bindings(std::string_view name) const;
  // Statements `from x import *`.
  [[nodiscard]] const std::vector<syntax::NodeId>& star_imports() const { return star_imports_; }

  // Where a function keeps a variable: names of its comprehensions are kept with its own.
  [[nodiscard]] std::uint32_t slot(scope::SymbolId symbol) const { return slots_[symbol.value]; }
  [[nodiscard]] scope::ScopeId owner(scope::SymbolId symbol) const {
    return owners_[scopes_.symbol(symbol).scope.value];
  }
  [[nodiscard]] std::uint32_t slot_count(scope::ScopeId function) const {
    return slot_counts_[function.value];
  }
  // The class whose body holds the function; none for others.
  [[nodiscard]] syntax::NodeId class_of(syntax::NodeId function) const;

 private:
  void collect(std::span<const syntax::NodeId> body, bool conditional);
  void bind_target(syntax::NodeId target, syntax::NodeId statement, bool conditional);
  void number_slots();

  std::uint32_t id_;
  std::string name_;
  bool is_package_;
  source::SourceFile source_;
  syntax::PythonVersion version_;
  syntax::Tree tree_;
  std::vector<CellError> cell_errors_;
  scope::ScopeTree scopes_;
  std::unordered_map<std::string_view, std::vector<ModuleBinding>> bindings_;
  std::vector<syntax::NodeId> star_imports_;
  std::vector<std::string> alias_names_;
  std::vector<std::uint32_t> slots_;        // by symbol
  std::vector<scope::ScopeId> owners_;      // by scope: the function that runs its code
  std::vector<std::uint32_t> slot_counts_;  // by scope
};

// Reads a file; nothing when it can't be read.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

// The dotted name that a file is imported by: its packages are the folders above that hold an
// `__init__.py`. The last member is the folder that must be on the search path.
struct ModuleName {
  std::string name;
  bool is_package = false;
  std::string root;
};
[[nodiscard]] ModuleName module_name_of(const std::string& path);

// Finds modules by name or path. Safe to be used from several threads.
class ModuleGraph {
 public:
  // `search_paths`: folders in which absolute imports are looked up, in order. `version`: the
  // grammar of the sources.
  explicit ModuleGraph(std::vector<std::string> search_paths,
                       syntax::PythonVersion version = syntax::kNewestVersion,
                       source::Decoder decode = {})
      : search_paths_(std::move(search_paths)), version_(version), decode_(std::move(decode)) {}

  // From now on a file is called as it is spelt here, however it is found. Comes before all others.
  void announce(const std::string& path) { (void)place_of(path); }
  // Takes a file that was read already.
  const Module* adopt(const source::SourceFile& file);
  // The module of a file; null when it can't be read or decoded (`problem` says why).
  const Module* load(const std::string& path, std::string* problem = nullptr);
  // Of a file, without parsing it: a hash of its bytes (0 when it can't be read), whether they hold
  // a text, how it was first spelt, and the name of its module.
  [[nodiscard]] std::uint64_t hash_of(const std::string& path);
  [[nodiscard]] bool contains(const std::string& path, std::string_view text);
  [[nodiscard]] const std::string& spelling(const std::string& path) { return place_of(path).path; }
  [[nodiscard]] std::string name_of(const std::string& path);
  // Where the lines of a notebook's module stand; null for other files, and for what is no
  // notebook.
  [[nodiscard]] const source::Notebook* notebook(const std::string& path);
  // The file of a dotted name; empty when find() finds none.
  [[nodiscard]] std::string resolve(std::string_view dotted);
  // The same, with nothing but its tree and lines.
  const Module* parse(const std::string& path, std::string* problem = nullptr);
  // The module of a dotted name, null when it is in no search path. Packages whose sources are
  // never looked into (torch, numpy) are not found.
  const Module* find(std::string_view dotted);
  // The absolute name that `from ..x import` in a module means; empty when it leads nowhere.
  [[nodiscard]] static std::string absolute_name(const Module& from, std::uint32_t level,
                                                 std::string_view name);
  [[nodiscard]] const Module& module(std::uint32_t id);
  // The installed torch's folder; empty when there is none.
  [[nodiscard]] std::string torch_folder() const;

 private:
  struct Entry {
    std::string path;  // as it was first spelt
    std::once_flag was_read;
    std::once_flag as_notebook;
    std::once_flag parsed;
    std::once_flag prepared;
    std::unique_ptr<Module> module;
    std::optional<std::string> bytes;  // until they are parsed
    std::optional<source::Notebook> notebook;
    std::string problem;
    std::uint64_t hash = 0;
  };
  // Of a folder: the package that it is, and what its links lead to.
  struct Folder {
    ModuleName package;
    std::string real;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <class T>
  using ByText = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

  Entry& place_of(const std::string& path);
  static void read(Entry& entry);
  static void read_cells(Entry& entry);
  void parse_notebook(Entry& entry);
  void parse(Entry& entry, source::SourceFile source);
  // The entry of a path, parsed.
  Entry& entry_of(const std::string& given);
  const Module* prepared(Entry& entry);
  const Folder& folder(const std::string& path);

  std::vector<std::string> search_paths_;
  syntax::PythonVersion version_;
  source::Decoder decode_;
  std::mutex mutex_;
  ByText<Entry*> by_given_path_;
  ByText<std::unique_ptr<Entry>> by_path_;  // by what the path's links lead to
  ByText<std::string> by_name_;             // empty: not found
  ByText<std::unique_ptr<Folder>> folders_;
  std::vector<const Module*> by_id_{nullptr};
  std::uint32_t next_id_ = 1;
};

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_MODULES_H_
