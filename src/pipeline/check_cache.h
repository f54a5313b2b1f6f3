// What a check found, kept on disk: an entry for each chunk of files, with the contents of all
// files that the findings depend on.
#ifndef GRAPHMEND_PIPELINE_CHECK_CACHE_H_
#define GRAPHMEND_PIPELINE_CHECK_CACHE_H_

#include "pipeline/check.h"
#include "types/modules.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace graphmend::pipeline {

// A finding's place: file, first and last byte, kind.
using Place = std::tuple<std::string, std::uint32_t, std::uint32_t, std::string_view>;

// What one file gives, the findings that its roots lead to in other files included.
struct FileResult {
  std::map<Place, CheckFinding> findings;
  std::vector<CheckProblem> problems;
  std::size_t roots = 0;
};

// A file that findings depend on, or a module that was looked for and not found.
struct Dependency {
  std::string name;     // that was looked for; empty for a file of the chunk itself
  std::string path;     // where it was found; empty when it was not
  std::string spelled;  // how findings name the file
  std::string module;   // the module that it is
  std::uint64_t hash = 0;
  bool checked = false;  // findings in it are reported
};

class CheckCache {
 public:
  // `folder` is that of one build of the core; nothing is kept when it is empty. `facts`: all that
  // findings depend on beside the files.
  CheckCache(std::string folder, std::string facts)
      : folder_(std::move(folder)), facts_(std::move(facts)) {}

  [[nodiscard]] bool enabled() const { return !folder_.empty(); }
  // What is kept of a chunk, one result for each of its files, if all that it depends on is as it
  // was. An entry that is damaged is none.
  [[nodiscard]] std::optional<std::vector<FileResult>> load(
      std::span<const std::string> files, types::ModuleGraph& modules,
      const std::unordered_set<std::string_view>& checked) const;
  // Keeps it. Whatever goes wrong costs time only.
  void store(std::span<const std::string> files, std::span<const FileResult> results,
             std::span<const Dependency> dependencies) const;

 private:
  [[nodiscard]] std::string path_of(std::span<const std::string> files) const;

  std::string folder_;
  std::string facts_;
};

// Files that begin with a digest of what follows: written beside and renamed, so that nobody ever
// reads half of one. Nothing when there is none, or it is damaged.
[[nodiscard]] std::optional<std::string> read_kept(const std::string& path);
void write_kept(const std::string& path, std::string_view body);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_CHECK_CACHE_H_
