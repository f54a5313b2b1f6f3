#include "pipeline/check.h"

#include "breaks/catalogue.h"
#include "breaks/scene.h"
#include "pipeline/check_cache.h"
#include "pipeline/ignores.h"
#include "pipeline/roots.h"
#include "types/interpreter.h"
#include "types/modules.h"
#include "types/torch_stubs.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

namespace graphmend::pipeline {
namespace {

using syntax::NodeId;
using types::Activation;
using types::Module;

// Files that are checked one after the other and share what was found out of the modules that they
// use: most of the work is in those.
constexpr std::size_t kChunk = 128;

// Checks the files of a chunk.
class ChunkChecker {
 public:
  ChunkChecker(types::ModuleGraph& modules, const types::TorchStubs& stubs,
               const std::unordered_set<std::string_view>& paths)
      : modules_(modules),
        paths_(paths),
        interpreter_(modules, stubs, heap_,
                     [this](const Activation& activation) { observe(activation); }) {}

  void run(const Module& module, FileResult& result) {
    result_ = &result;
    interpreter_.begin_file();
    result.roots += run_roots(module, interpreter_);
  }

  // What all results so far depend on, those of the files `own` among them.
  [[nodiscard]] std::vector<Dependency> dependencies(std::span<const std::string> own) {
    std::vector<Dependency> all;
    const auto add = [&](std::string name, const std::string& path) {
      Dependency& one = all.emplace_back();
      one.name = std::move(name);
      one.path = path;
      if (!path.empty()) {
        one.spelled = modules_.spelling(path);
        one.module = modules_.name_of(path);
        one.hash = modules_.hash_of(path);
        one.checked = paths_.contains(one.spelled);
      }
    };
    for (const std::string& path : own) {
      add({}, path);
    }
    for (const auto& [name, module] : interpreter_.lookups()) {
      add(name, modules_.resolve(name));
    }
    return all;
  }

 private:
  void observe(const Activation& activation) {
    const Module& module = *activation.module;
    if (!paths_.contains(module.path())) {
      return;
    }
    const breaks::Scene scene(activation, heap_);
    breaks::find_breaks(scene, activation.function, [&](const breaks::CatalogueFinding& found) {
      const base::TextRange range = module.tree().range(found.claim.node);
      const Place place(module.path(), range.start, range.end, found.kind->page.name);
      const breaks::Certainty certainty =
          activation.unsure ? breaks::weaker(found.claim.certainty, breaks::Certainty::Likely)
                            : found.claim.certainty;
      const auto known = result_->findings.find(place);
      if (known != result_->findings.end() && known->second.certainty <= certainty) {
        return;
      }
      CheckFinding finding = describe(activation, found, range);
      finding.certainty = certainty;
      result_->findings.insert_or_assign(place, std::move(finding));
    });
  }

  CheckFinding describe(const Activation& activation, const breaks::CatalogueFinding& found,
                        base::TextRange range) const {
    const Module& module = *activation.module;
    const source::LineIndex& lines = module.lines();
    const source::Position start = lines.position_code_points(range.start);
    const source::Position end = lines.position_code_points(range.end);
    CheckFinding finding;
    finding.path = module.path();
    finding.line = start.line;
    finding.column = start.column;
    finding.end_line = end.line;
    finding.end_column = end.column;
    describe_kind(*found.kind, finding);
    finding.certainty = found.claim.certainty;
    finding.function = function_name(module, activation.function);
    const base::TextRange line = lines.line_range(start.line);
    finding.excerpt = module.tree().text(line);
    std::uint32_t next = start.line;
    for (const Activation* at = &activation; at != nullptr && at->module != nullptr && at->function;
         at = at->caller) {
      finding.reached_from.push_back(
          {function_name(*at->module, at->function), at->module->path(), next});
      next =
          at->caller != nullptr && at->caller->module != nullptr && at->call
              ? at->caller->module->lines().line(at->caller->module->tree().range(at->call).start)
              : 0;
    }
    std::reverse(finding.reached_from.begin(), finding.reached_from.end());
    return finding;
  }

  types::ModuleGraph& modules_;
  const std::unordered_set<std::string_view>& paths_;
  FileResult* result_ = nullptr;
  types::Heap heap_;
  types::Interpreter interpreter_;
};

void check_file(const std::string& path, types::ModuleGraph& modules, ChunkChecker& checker,
                FileResult& result) {
  std::string problem;
  const Module* module = modules.parse(path, &problem);
  if (module == nullptr) {
    result.problems.push_back({CheckProblem::Kind::Unreadable, path, 1, 0, problem, {}});
    return;
  }
  for (const types::CellError& error : module->cell_errors()) {
    result.problems.push_back({CheckProblem::Kind::Syntax, path, error.place.line,
                               error.place.column, error.message, error.line});
  }
  if (!module->tree().ok()) {
    const diag::Diagnostic& error = module->tree().errors().front();
    const source::Position place = module->lines().position_code_points(error.range.start);
    result.problems.push_back(
        {CheckProblem::Kind::Syntax, path, place.line, place.column, error.message,
         std::string(module->tree().text(module->lines().line_range(place.line)))});
    return;
  }
  const std::string_view text = module->tree().source();
  if (text.find("forward") == std::string_view::npos &&
      text.find("compile") == std::string_view::npos) {
    return;
  }
  checker.run(*modules.load(path), result);
}

std::vector<std::string> with_package_roots(const CheckRequest& request) {
  std::vector<std::string> roots;
  std::set<std::string> seen;
  std::string last;
  for (const std::string& file : request.files) {
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    if (folder == last) {
      continue;
    }
    last = folder;
    const types::ModuleName name = types::module_name_of(file);
    if (seen.insert(name.root).second) {
      roots.push_back(name.root);
    }
  }
  for (const std::string& root : request.search_paths) {
    if (seen.insert(root).second) {
      roots.push_back(root);
    }
  }
  return roots;
}

// Lines so far are those of the text that is parsed: of a notebook all its cells.
void name_cells(types::ModuleGraph& modules, CheckResult& result) {
  const auto place = [&](const std::string& path, std::uint32_t line) -> source::NotebookLine {
    const source::Notebook* const notebook =
        source::is_notebook(path) ? modules.notebook(path) : nullptr;
    return notebook != nullptr && line > 0 && line <= notebook->lines.size()
               ? notebook->lines[line - 1]
               : source::NotebookLine{0, line, line};
  };
  for (CheckFinding& finding : result.findings) {
    const source::NotebookLine first = place(finding.path, finding.line);
    const source::NotebookLine last = place(finding.path, finding.end_line);
    finding.cell = first.cell;
    finding.line = first.line;
    finding.end_line = last.line;
    finding.file_line = first.file_line;
    finding.file_end_line = last.file_line;
    for (Passage& passage : finding.reached_from) {
      const source::NotebookLine at = place(passage.path, passage.line);
      passage.cell = at.cell;
      passage.line = at.line;
    }
  }
  for (CheckProblem& problem : result.problems) {
    const source::NotebookLine at = place(problem.path, problem.line);
    problem.cell = at.cell;
    problem.line = at.line;
    problem.file_line = at.file_line;
  }
}

// All that findings depend on beside the files.
std::string facts_of(const CheckRequest& request, const types::StubSources& torch) {
  std::error_code error;
  std::string facts = std::to_string(unsigned{request.version.minor}) + '\n' +
                      std::to_string(torch.hash) + '\n' +
                      std::filesystem::current_path(error).string();
  return facts;
}

// torch's declarations, worked out when a chunk is checked for the first time.
class LazyStubs {
 public:
  LazyStubs(const types::StubSources& sources, std::string cache)
      : sources_(&sources), cache_(std::move(cache)) {}
  const types::TorchStubs& get() {
    std::call_once(once_, [&] {
      if (sources_->files.empty()) {
        return;
      }
      const std::string path = cache_ + "/torch-" + std::to_string(sources_->hash) + ".declared";
      auto lines = cache_.empty() ? std::nullopt : read_kept(path);
      if (!lines) {
        lines = types::declare_torch(*sources_);
        if (!cache_.empty()) {
          write_kept(path, *lines);
        }
      }
      if (!lines->empty()) {
        installed_ = types::TorchStubs::parse(*lines);
      }
    });
    return installed_ ? *installed_ : types::TorchStubs::shipped();
  }

 private:
  const types::StubSources* sources_;
  std::string cache_;
  std::once_flag once_;
  std::optional<types::TorchStubs> installed_;
};

}  // namespace

void describe_kind(const breaks::Entry& kind, CheckFinding& finding) {
  finding.kind = kind.page.name;
  finding.gb = kind.page.gb.substr(0, 6);
  finding.message = kind.page.title;
  finding.mend = kind.page.mend;
}

CheckResult check(const CheckRequest& request, const CheckProgress& progress) {
  types::ModuleGraph modules(with_package_roots(request), request.version, request.decode);
  const std::string torch = modules.torch_folder();
  const types::StubSources sources =
      torch.empty() ? types::StubSources() : types::read_stub_sources(torch);
  LazyStubs stubs(sources, request.cache);
  const CheckCache cache(request.cache, facts_of(request, sources));
  std::unordered_set<std::string_view> paths(request.files.begin(), request.files.end());
  for (const std::string& file : request.files) {
    modules.announce(file);
  }
  std::vector<FileResult> results(request.files.size());
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex mutex;
  const auto work = [&] {
    while (true) {
      const std::size_t begin = next++ * kChunk;
      if (begin >= request.files.size()) {
        return;
      }
      const std::span<const std::string> files =
          std::span(request.files).subspan(begin, std::min(kChunk, request.files.size() - begin));
      const auto report = [&](std::size_t count) {
        if (progress) {
          const std::scoped_lock lock(mutex);
          progress(done += count, request.files.size());
        }
      };
      if (auto known = cache.load(files, modules, paths)) {
        std::move(known->begin(), known->end(),
                  results.begin() + static_cast<std::ptrdiff_t>(begin));
        report(files.size());
        continue;
      }
      ChunkChecker checker(modules, stubs.get(), paths);
      for (std::size_t i = begin; i < begin + files.size(); ++i) {
        check_file(request.files[i], modules, checker, results[i]);
        report(1);
      }
      if (cache.enabled()) {
        cache.store(files, std::span(results).subspan(begin, files.size()),
                    checker.dependencies(files));
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < request.threads; ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::map<Place, CheckFinding> all;
  CheckResult result;
  result.files = request.files.size();
  for (FileResult& file : results) {
    result.roots += file.roots;
    for (auto& [place, finding] : file.findings) {
      const auto [known, added] = all.try_emplace(place, finding);
      if (!added && finding.certainty < known->second.certainty) {
        known->second = std::move(finding);
      }
    }
    std::move(file.problems.begin(), file.problems.end(), std::back_inserter(result.problems));
  }
  for (auto& [place, finding] : all) {
    result.findings.push_back(std::move(finding));
  }
  apply_ignores(modules, request.files, result);
  name_cells(modules, result);
  return result;
}

}  // namespace graphmend::pipeline
