// How fast texts in memory are read. Reads lines of paths; prints one line of JSON.
//
//   oracle_parse_speed [ROUNDS] [lex|parse|scopes] < paths
//
// `scopes` parses, too, and times both apart. Times are of the fastest round, in seconds of this
// thread's CPU. Under callgrind, count the work alone:
//   valgrind --tool=callgrind --toggle-collect='graphmend::syntax::parse_module*' ...
#include "scope/scope_tree.h"
#include "syntax/lexer.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

namespace syntax = graphmend::syntax;

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Round {
  double seconds = 0;
  double scope_seconds = 0;
  std::size_t tokens = 0;
  std::size_t nodes = 0;
  std::size_t memory = 0;
  std::size_t errors = 0;
};

Round run(const std::vector<std::string>& texts, std::string_view what) {
  Round round;
  for (const std::string& text : texts) {
    const double start = cpu_seconds();
    if (what == "lex") {
      const syntax::LexResult result = syntax::lex(text);
      round.seconds += cpu_seconds() - start;
      round.tokens += result.tokens.size();
      round.memory += result.tokens.memory();
      round.errors += result.errors.empty() ? 0 : 1;
      continue;
    }
    const syntax::Tree tree = syntax::parse_module(text);
    const double parsed = cpu_seconds();
    round.seconds += parsed - start;
    round.nodes += tree.size();
    round.tokens += tree.tokens().size();
    round.memory += tree.memory();
    round.errors += tree.ok() ? 0 : 1;
    if (what == "scopes") {
      const auto scopes = graphmend::scope::build(tree, syntax::kNewestVersion);
      round.scope_seconds += cpu_seconds() - parsed;
      round.memory += scopes.memory();
    }
  }
  return round;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  const std::string_view what = argc > 2 ? argv[2] : "parse";
  if (what != "lex" && what != "parse" && what != "scopes") {
    std::cerr << "usage: oracle_parse_speed [ROUNDS] [lex|parse|scopes] < paths\n";
    return 2;
  }
  std::vector<std::string> texts;
  std::string path;
  std::size_t bytes = 0;
  while (std::getline(std::cin, path)) {
    std::ifstream stream(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    texts.back().shrink_to_fit();
    bytes += texts.back().size();
  }
  const long before = peak_kilobytes();
  Round best;
  for (int i = 0; i < rounds; ++i) {
    const Round round = run(texts, what);
    if (i == 0 || round.seconds + round.scope_seconds < best.seconds + best.scope_seconds) {
      best = round;
    }
  }
  const auto size = static_cast<double>(bytes);
  std::printf(
      "{\"files\": %zu, \"bytes\": %zu, \"seconds\": %.6f, \"scope_seconds\": %.6f, "
      "\"mb_per_second\": %.1f, \"tokens\": %zu, \"nodes\": %zu, \"errors\": %zu, "
      "\"memory_per_byte\": %.2f, \"peak_kilobytes\": %ld}\n",
      texts.size(), bytes, best.seconds, best.scope_seconds, size / 1e6 / best.seconds, best.tokens,
      best.nodes, best.errors, static_cast<double>(best.memory) / size, peak_kilobytes() - before);
  return 0;
}
