#include "types/modules.h"

#include "syntax/parser.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include <xxhash.h>

namespace graphmend::types {
namespace {

namespace fs = std::filesystem;
using scope::ScopeId;
using scope::SymbolId;
using syntax::NodeId;
using syntax::NodeKind;

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Packages whose behaviour is known from tables and stubs, not from their sources.
bool is_opaque(std::string_view dotted) {
  const std::string_view top = dotted.substr(0, dotted.find('.'));
  return top == "torch" || top == "numpy";
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return std::nullopt;
  }
  std::string bytes;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > 0) {
    bytes.resize(static_cast<std::size_t>(size));
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  }
  // Files that have no size (pipes, /proc), or that grew.
  std::array<char, 4096> more{};
  while (const std::size_t count = std::fread(more.data(), 1, more.size(), file.get())) {
    bytes.append(more.data(), count);
  }
  if (std::ferror(file.get()) != 0) {
    return std::nullopt;
  }
  return bytes;
}

namespace {

// The package that a folder is; its name is empty where it is none.
ModuleName package_of(fs::path folder) {
  std::error_code error;
  ModuleName result;
  while (fs::is_regular_file(folder / "__init__.py", error) && folder.has_filename()) {
    result.name = folder.filename().string() + (result.name.empty() ? "" : "." + result.name);
    folder = folder.parent_path();
  }
  result.root = folder.string();
  return result;
}

// The name of a file of a package.
ModuleName name_within(ModuleName package, const fs::path& file) {
  package.is_package = file.filename() == "__init__.py";
  if (!package.is_package) {
    package.name += (package.name.empty() ? "" : ".") + file.stem().string();
  }
  return package;
}

}  // namespace

ModuleName module_name_of(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::absolute(path, error).lexically_normal();
  return name_within(package_of(file.parent_path()), file);
}

Module::Module(std::uint32_t id, std::string name, bool is_package, source::SourceFile source,
               syntax::PythonVersion version)
    : id_(id),
      name_(std::move(name)),
      is_package_(is_package),
      source_(std::move(source)),
      version_(version),
      tree_(syntax::parse_module(source_.text(), version)) {
  (void)source_.lines();  // made now: later several threads ask
}

void Module::prepare() {
  scopes_ = scope::build(tree_, version_);
  (void)tree_.parents();
  (void)tree_.subtree_begin(tree_.root());
  collect(syntax::ModuleView(tree_, tree_.root()).body(), false);
  number_slots();
}

const std::vector<ModuleBinding>* Module::bindings(std::string_view name) const {
  const auto found = bindings_.find(name);
  return found == bindings_.end() ? nullptr : &found->second;
}

NodeId Module::class_of(NodeId function) const {
  const NodeId parent = tree_.parent(function);
  if (tree_.kind(parent) == NodeKind::ClassDef) {
    return parent;
  }
  // Methods defined under an `if` of the class's body.
  NodeId above = parent;
  while (above && (tree_.kind(above) == NodeKind::If || tree_.kind(above) == NodeKind::Try)) {
    above = tree_.parent(above);
  }
  return above && tree_.kind(above) == NodeKind::ClassDef ? above : NodeId();
}

void Module::bind_target(NodeId target, NodeId statement,  // NOLINT(misc-no-recursion)
                         bool conditional) {
  switch (tree_.kind(target)) {
    case NodeKind::Name:
      bindings_[tree_.text(target)].push_back({target, statement, conditional});
      return;
    case NodeKind::Tuple:
      for (const NodeId element : syntax::TupleView(tree_, target).elts()) {
        bind_target(element, statement, conditional);
      }
      return;
    case NodeKind::List:
      for (const NodeId element : syntax::ListView(tree_, target).elts()) {
        bind_target(element, statement, conditional);
      }
      return;
    default:
      return;
  }
}

void Module::collect(std::span<const NodeId> body, bool conditional) {  // NOLINT(misc-no-recursion)
  for (const NodeId statement : body) {
    switch (tree_.kind(statement)) {
      case NodeKind::FunctionDef:
        bindings_[syntax::FunctionDefView(tree_, statement).name_text()].push_back(
            {statement, statement, conditional});
        break;
      case NodeKind::ClassDef:
        bindings_[syntax::ClassDefView(tree_, statement).name_text()].push_back(
            {statement, statement, conditional});
        break;
      case NodeKind::Assign:
        for (const NodeId target : syntax::AssignView(tree_, statement).targets()) {
          bind_target(target, statement, conditional);
        }
        break;
      case NodeKind::AnnAssign:
        bind_target(syntax::AnnAssignView(tree_, statement).target(), statement, conditional);
        break;
      case NodeKind::AugAssign:
        bind_target(syntax::AugAssignView(tree_, statement).target(), statement, true);
        break;
      case NodeKind::Import:
        for (const NodeId alias : syntax::ImportView(tree_, statement).names()) {
          const syntax::AliasView view(tree_, alias);
          std::string_view name = tree_.token_text(view.name_first());
          if (view.has_asname()) {
            name = tree_.text(view.asname());
          }
          bindings_[name].push_back({alias, statement, conditional});
        }
        break;
      case NodeKind::ImportFrom:
        for (const NodeId alias : syntax::ImportFromView(tree_, statement).names()) {
          const syntax::AliasView view(tree_, alias);
          if (view.is_star()) {
            star_imports_.push_back(statement);
            continue;
          }
          const std::string_view name =
              view.has_asname() ? tree_.text(view.asname()) : tree_.token_text(view.name_first());
          bindings_[name].push_back({alias, statement, conditional});
        }
        break;
      case NodeKind::If: {
        const syntax::IfView view(tree_, statement);
        collect(view.body(), true);
        collect(view.orelse(), true);
        break;
      }
      case NodeKind::Try: {
        const syntax::TryView view(tree_, statement);
        collect(view.body(), true);
        for (const NodeId handler : view.handlers()) {
          collect(syntax::ExceptHandlerView(tree_, handler).body(), true);
        }
        collect(view.orelse(), true);
        collect(view.finalbody(), conditional);
        break;
      }
      case NodeKind::With:
        collect(syntax::WithView(tree_, statement).body(), conditional);
        break;
      case NodeKind::For: {
        const syntax::ForView view(tree_, statement);
        bind_target(view.target(), statement, true);
        collect(view.body(), true);
        break;
      }
      case NodeKind::While:
        collect(syntax::WhileView(tree_, statement).body(), true);
        break;
      default:
        break;
    }
  }
}

void Module::number_slots() {
  owners_.resize(scopes_.scope_count());
  slot_counts_.resize(scopes_.scope_count());
  slots_.resize(scopes_.symbol_count());
  for (std::uint32_t id = 1; id < scopes_.scope_count(); ++id) {
    const ScopeId scope(id);
    // A comprehension's variables live with those of the function around it.
    owners_[id] =
        scopes_.scope(scope).is_comprehension() ? owners_[scopes_.parent(scope).value] : scope;
    for (const SymbolId symbol : scopes_.symbols(scope)) {
      if (scopes_.symbol(symbol).is_bound() && scopes_.follow(symbol) == symbol) {
        slots_[symbol.value] = slot_counts_[owners_[id].value]++;
      }
    }
  }
}

const ModuleGraph::Folder& ModuleGraph::folder(const std::string& path) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = folders_.find(path);
    if (known != folders_.end()) {
      return *known->second;
    }
  }
  auto made = std::make_unique<Folder>();
  std::error_code error;
  made->package = package_of(fs::absolute(path, error).lexically_normal());
  made->real = fs::weakly_canonical(path, error).string();
  if (error || made->real.empty()) {
    made->real = path;
  }
  const std::scoped_lock lock(mutex_);
  return *folders_.try_emplace(path, std::move(made)).first->second;
}

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

ModuleGraph::Entry& ModuleGraph::place_of(const std::string& path) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = by_given_path_.find(path);
    if (known != by_given_path_.end()) {
      return *known->second;
    }
  }
  // One module for a file, however many links lead to it.
  std::error_code error;
  std::string key = fs::is_symlink(path, error)
                        ? fs::weakly_canonical(path, error).string()
                        : folder(folder_of(path)).real + "/" + path.substr(path.rfind('/') + 1);
  if (error || key.empty()) {
    key = path;
  }
  const std::scoped_lock lock(mutex_);
  auto& place = by_path_[std::move(key)];
  if (!place) {
    place = std::make_unique<Entry>();
    place->path = path;
  }
  by_given_path_[path] = place.get();
  return *place;
}

void ModuleGraph::parse(Entry& entry, source::SourceFile source) {
  ModuleName name = name_within(folder(folder_of(entry.path)).package, entry.path);
  std::uint32_t id = 0;
  {
    const std::scoped_lock lock(mutex_);
    id = next_id_++;
    by_id_.resize(next_id_);
  }
  entry.module = std::make_unique<Module>(id, std::move(name.name), name.is_package,
                                          std::move(source), version_);
  const std::scoped_lock lock(mutex_);
  by_id_[id] = entry.module.get();
}

const Module* ModuleGraph::adopt(const source::SourceFile& file) {
  Entry& entry = place_of(file.path());
  std::call_once(entry.was_read,
                 [&] { entry.hash = XXH3_64bits(file.text().data(), file.text().size()); });
  std::call_once(entry.parsed, [&] {
    parse(entry, source::SourceFile::from_text(file.path(), std::string(file.text())));
  });
  return prepared(entry);
}

void ModuleGraph::read(Entry& entry) {
  std::call_once(entry.was_read, [&] {
    entry.bytes = read_file(entry.path);
    entry.hash = entry.bytes ? XXH3_64bits(entry.bytes->data(), entry.bytes->size()) : 0;
  });
}

void ModuleGraph::read_cells(Entry& entry) {
  read(entry);
  std::call_once(entry.as_notebook, [&] {
    if (!entry.bytes || !source::is_notebook(entry.path)) {
      return;
    }
    auto notebook = source::read_notebook(*entry.bytes);
    if (notebook) {
      entry.notebook = *std::move(notebook);
    } else {
      entry.problem = notebook.error();
    }
  });
}

const source::Notebook* ModuleGraph::notebook(const std::string& path) {
  Entry& entry = place_of(path);
  read_cells(entry);
  return entry.notebook ? &*entry.notebook : nullptr;
}

// Cells are run one by one, and one that is no Python keeps no other from it.
void ModuleGraph::parse_notebook(Entry& entry) {
  read_cells(entry);
  if (!entry.notebook) {
    return;
  }
  source::Notebook cells = *entry.notebook;
  std::vector<CellError> errors;
  if (!syntax::parse_module(cells.text, version_).ok()) {
    const source::Notebook all = cells;
    std::string_view rest = all.text;
    for (std::size_t first = 0; first < all.lines.size();) {
      std::size_t last = first;
      std::size_t size = 0;
      for (; last < all.lines.size() && all.lines[last].cell == all.lines[first].cell; ++last) {
        size = rest.find('\n', size) + 1;
      }
      const auto cell =
          source::SourceFile::from_text(entry.path, std::string(rest.substr(0, size)));
      const syntax::Tree tree = syntax::parse_module(cell.text(), version_);
      if (!tree.ok()) {
        const diag::Diagnostic& error = tree.errors().front();
        source::Position place = cell.lines().position_code_points(error.range.start);
        place.line = std::min(place.line, static_cast<std::uint32_t>(last - first));
        const base::TextRange line = cell.lines().line_range(place.line);
        place.line += static_cast<std::uint32_t>(first);
        errors.push_back({place, error.message, std::string(cell.text(line))});
        cells.clear_cell(all.lines[first].cell);
      }
      rest.remove_prefix(size);
      first = last;
    }
  }
  parse(entry, source::SourceFile::from_text(entry.path, std::move(cells.text)));
  entry.module->set_cell_errors(std::move(errors));
}

std::uint64_t ModuleGraph::hash_of(const std::string& path) {
  Entry& entry = place_of(path);
  read(entry);
  return entry.hash;
}

bool ModuleGraph::contains(const std::string& path, std::string_view text) {
  Entry& entry = place_of(path);
  read(entry);
  const std::string_view held = entry.module  ? entry.module->tree().source()
                                : entry.bytes ? std::string_view(*entry.bytes)
                                              : std::string_view();
  return held.find(text) != std::string_view::npos;
}

std::string ModuleGraph::name_of(const std::string& path) {
  return name_within(folder(folder_of(path)).package, path).name;
}

ModuleGraph::Entry& ModuleGraph::entry_of(const std::string& given) {
  Entry* const entry = &place_of(given);
  read(*entry);
  std::call_once(entry->parsed, [&] {
    const std::string& path = entry->path;
    if (!entry->bytes) {
      entry->problem = "the file can't be read";
      return;
    }
    if (source::is_notebook(path)) {
      parse_notebook(*entry);
      return;
    }
    auto source = source::SourceFile::from_bytes(path, *std::move(entry->bytes), decode_);
    entry->bytes.reset();
    if (!source) {
      entry->problem = source.error().message;
      return;
    }
    parse(*entry, *std::move(source));
  });
  return *entry;
}

const Module* ModuleGraph::prepared(Entry& entry) {
  if (entry.module) {
    std::call_once(entry.prepared, [&] { entry.module->prepare(); });
  }
  return entry.module.get();
}

const Module* ModuleGraph::parse(const std::string& path, std::string* problem) {
  const Entry& entry = entry_of(path);
  if (problem != nullptr) {
    *problem = entry.problem;
  }
  return entry.module.get();
}

const Module* ModuleGraph::load(const std::string& path, std::string* problem) {
  Entry& entry = entry_of(path);
  if (problem != nullptr) {
    *problem = entry.problem;
  }
  return prepared(entry);
}

const Module* ModuleGraph::find(std::string_view dotted) {
  const std::string path = resolve(dotted);
  return path.empty() ? nullptr : prepared(entry_of(path));
}

std::string ModuleGraph::resolve(std::string_view dotted) {
  if (dotted.empty() || is_opaque(dotted)) {
    return {};
  }
  {
    const std::scoped_lock lock(mutex_);
    const auto found = by_name_.find(dotted);
    if (found != by_name_.end()) {
      return found->second;
    }
  }
  std::string relative(dotted);
  std::replace(relative.begin(), relative.end(), '.', '/');
  std::string path;
  for (const std::string& root : search_paths_) {
    std::string base = root;
    base += '/';
    base += relative;
    if (is_file(base + "/__init__.py")) {
      path = base + "/__init__.py";
      break;
    }
    if (is_file(base + ".py")) {
      path = base + ".py";
      break;
    }
  }
  const std::scoped_lock lock(mutex_);
  by_name_[std::string(dotted)] = path;
  return path;
}

std::string ModuleGraph::absolute_name(const Module& from, std::uint32_t level,
                                       std::string_view name) {
  if (level == 0) {
    return std::string(name);
  }
  std::string package = from.name();
  for (std::uint32_t drop = from.is_package() ? 1 : 0; drop < level; ++drop) {
    const std::size_t dot = package.rfind('.');
    if (dot == std::string::npos) {
      // A file outside of packages imports its neighbours by their plain names.
      package.clear();
      break;
    }
    package.resize(dot);
  }
  if (package.empty()) {
    return std::string(name);
  }
  return name.empty() ? package : package + "." + std::string(name);
}

const Module& ModuleGraph::module(std::uint32_t id) {
  const std::scoped_lock lock(mutex_);
  return *by_id_[id];
}

std::string ModuleGraph::torch_folder() const {
  for (const std::string& root : search_paths_) {
    if (is_file(root + "/torch/__init__.py")) {
      return root + "/torch";
    }
  }
  return {};
}

}  // namespace graphmend::types
