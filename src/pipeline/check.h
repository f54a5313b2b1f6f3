// From paths to findings: where the graphs of the modules in them will break.
#ifndef GRAPHMEND_PIPELINE_CHECK_H_
#define GRAPHMEND_PIPELINE_CHECK_H_

#include "breaks/catalogue.h"
#include "breaks/finding.h"
#include "source/source_file.h"
#include "syntax/version.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::pipeline {

struct CheckRequest {
  std::vector<std::string> files;
  // Folders in which absolute imports are looked up, after the roots of the files' own packages.
  std::vector<std::string> search_paths;
  syntax::PythonVersion version = syntax::kNewestVersion;
  unsigned threads = 1;
  // Where findings are kept from run to run, for this build of the core; nowhere when it is empty.
  std::string cache;
  // For sources in encodings that the core does not know.
  source::Decoder decode;
};

// A call on the way from a root to a finding.
struct Passage {
  std::string function;  // "Model.forward"
  std::string path;
  std::uint32_t line = 0;  // of the call that leads on, or of the finding for the last one
  std::uint32_t cell = 0;
};

// One place that breaks the graph. Lines count from 1, columns from 0 in code points. In a notebook
// lines are those of the cell, and the cell is counted from 1 among all cells; in other files it is
// 0.
struct CheckFinding {
  std::string path;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;
  std::uint32_t cell = 0;
  std::uint32_t file_line = 0;  // in the file: of a notebook where its JSON holds the line
  std::uint32_t file_end_line = 0;
  std::string_view kind;
  std::string_view gb;
  breaks::Certainty certainty = breaks::Certainty::Possible;
  std::string_view message;
  std::string_view mend;              // empty when there is none
  std::string function;               // that holds it
  std::vector<Passage> reached_from;  // from the root on, the function that holds it last
  std::string excerpt;                // the first line
};

// Fills in what a kind says of each of its findings.
void describe_kind(const breaks::Entry& kind, CheckFinding& finding);

// What kept a file from being checked, or a comment that does nothing.
struct CheckProblem {
  enum class Kind : std::uint8_t { Unreadable, Syntax, UnusedIgnore };
  Kind kind = Kind::Unreadable;
  std::string path;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
  std::string excerpt;
  std::uint32_t cell = 0;
  std::uint32_t file_line = 0;
};

struct CheckResult {
  std::vector<CheckFinding> findings;  // by path and place
  std::vector<CheckProblem> problems;
  std::size_t files = 0;
  std::size_t roots = 0;
};

// Called now and then with the number of files that are done; from one thread at a time.
using CheckProgress = std::function<void(std::size_t done, std::size_t total)>;

// Checks files, on as many threads as the request says. Imports no torch and runs nothing. The
// result depends on the files alone, not on the number of threads.
[[nodiscard]] CheckResult check(const CheckRequest& request, const CheckProgress& progress = {});

// The files that a check of `paths` looks at: files as they are named, and Python files and
// notebooks below folders (hidden folders, virtual environments and caches left out; links are not
// followed). What does not exist goes to `missing`.
[[nodiscard]] std::vector<std::string> python_files(const std::vector<std::string>& paths,
                                                    std::vector<std::string>& missing);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_CHECK_H_
