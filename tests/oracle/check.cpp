// Checks files for the bench and the tests: `oracle_check SEARCH_PATHS(:) THREADS PATH...` prints
// one finding a line.
#include "pipeline/check.h"

#include "types/torch_stubs.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace pipeline = graphmend::pipeline;

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--declare") == 0) {
    std::fputs(
        graphmend::types::declare_torch(graphmend::types::read_stub_sources(argv[2])).c_str(),
        stdout);
    return 0;
  }
  pipeline::CheckRequest request;
  std::string rest = argc > 1 ? argv[1] : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    request.search_paths.push_back(rest.substr(0, colon));
    rest.erase(0, colon + 1);
  }
  request.threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  std::vector<std::string> paths;
  for (int i = 3; i < argc; ++i) {
    paths.emplace_back(argv[i]);
  }
  std::vector<std::string> missing;
  request.files = pipeline::python_files(paths, missing);
  const pipeline::CheckResult result = pipeline::check(request);
  for (const auto& problem : result.problems) {
    fmt::print("problem\t{}:{}\t{}\n", problem.path, problem.line, problem.message);
  }
  for (const auto& finding : result.findings) {
    fmt::print("{}\t{}:{}:{}\t{}\t{}\n", graphmend::breaks::certainty_name(finding.certainty),
               finding.path, finding.line, finding.column, finding.kind, finding.excerpt);
  }
  fmt::print("{} files, {} roots, {} findings\n", result.files, result.roots,
             result.findings.size());
  return 0;
}
