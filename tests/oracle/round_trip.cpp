// Reads lines of paths and shows that nothing of the files is lost:
//   - tokens and trivia tile the text;
//   - every token is inside the tree, each printed once, by the innermost node that holds it, with
//     the trivia before it: printing the tree this way gives the bytes of the file.
// Each file is read in the oldest grammar, in that of 3.11 and in the newest: their tokens differ.
//
//   oracle_round_trip < paths
//
// Prints a line for each file that fails, and at last how many files and bytes were good.
#include "../stages/syntax/tiles.h"
#include "source/source_file.h"
#include "syntax/parser.h"
#include "transcode.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using graphmend::source::SourceFile;
using graphmend::syntax::NodeId;
using graphmend::syntax::PythonVersion;
using graphmend::syntax::TextRange;
using graphmend::syntax::Tree;

// Prints a tree node by node. What a node prints itself are the tokens between its children.
class Printer {
 public:
  explicit Printer(const Tree& tree) : tree_(tree) {}

  // What is printed; `problem()` is not empty when nodes overlap or leave tokens out.
  std::string print() {
    std::vector<Step> steps{{tree_.root(), false}};
    while (!steps.empty()) {
      const Step step = steps.back();
      steps.pop_back();
      const TextRange range = tree_.kind(step.node) == graphmend::syntax::NodeKind::Module
                                  ? TextRange{0, static_cast<std::uint32_t>(tree_.source().size())}
                                  : tree_.range_with_decorators(step.node);
      if (step.leave) {
        tokens_up_to(range.end);
        continue;
      }
      tokens_up_to(range.start);
      std::vector<NodeId> children;
      for_each_child(tree_, step.node, [&](NodeId child) { children.push_back(child); });
      // The order of the source: fields are, but for defaults of parameters and the like.
      std::stable_sort(children.begin(), children.end(), [&](NodeId a, NodeId b) {
        return tree_.range_with_decorators(a).start < tree_.range_with_decorators(b).start;
      });
      steps.push_back({step.node, true});
      for (std::size_t i = children.size(); i-- > 0;) {
        steps.push_back({children[i], false});
      }
    }
    out_ += tree_.source().substr(at_);
    return std::move(out_);
  }
  const std::string& problem() const { return problem_; }

 private:
  struct Step {
    NodeId node;
    bool leave;
  };

  // Prints the tokens that end at an offset or before it, each after its trivia.
  void tokens_up_to(std::uint32_t offset) {
    const auto ranges = tree_.tokens().ranges();
    while (next_ < ranges.size() && ranges[next_].end <= offset) {
      out_ += tree_.source().substr(at_, ranges[next_].end - at_);
      at_ = ranges[next_++].end;
    }
    // A range that ends inside of a token: only parts of strings do.
    if (next_ < ranges.size() && ranges[next_].start < offset &&
        !is_string(tree_.tokens().kinds()[next_]) && problem_.empty()) {
      problem_ = "a node ends inside of the token at byte " + std::to_string(ranges[next_].start);
    }
  }
  static bool is_string(graphmend::syntax::TokenKind kind) {
    const std::string_view text = spelling(kind);
    return text.find("string") != std::string_view::npos;
  }

  const Tree& tree_;
  std::string out_;
  std::string problem_;
  std::uint32_t at_ = 0;
  std::size_t next_ = 0;
};

// What is wrong with a text in one grammar.
std::string check(std::string_view text, PythonVersion version) {
  const Tree tree = graphmend::syntax::parse_module(text, version);
  if (std::string problem = graphmend::syntax::test::check_tiles(text, tree.tokens());
      !problem.empty()) {
    return problem;
  }
  if (const auto problem = tree.verify()) {
    return *problem;
  }
  Printer printer(tree);
  const std::string printed = printer.print();
  if (printed != text) {
    return "the printed tree differs";
  }
  return tree.ok() ? printer.problem() : std::string();
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string path;
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::size_t unreadable = 0;
  bool good = true;
  while (std::getline(std::cin, path)) {
    std::ifstream stream(path, std::ios::binary);
    const std::string data{std::istreambuf_iterator<char>(stream), {}};
    const auto file = SourceFile::from_bytes(path, data, graphmend::oracle::decode);
    if (!file) {
      ++unreadable;
      continue;
    }
    std::string problem;
    for (const PythonVersion version : {PythonVersion{8}, PythonVersion{11}, PythonVersion{14}}) {
      if (problem = check(file->text(), version); !problem.empty()) {
        problem = "3." + std::to_string(version.minor) + ": " + problem;
        break;
      }
    }
    if (problem.empty() && file->text() != data &&
        graphmend::oracle::transcode(file->encoding(), "UTF-8", file->text()) != data) {
      problem = "the text does not encode to the bytes";
    }
    if (!problem.empty()) {
      std::cout << path << ": " << problem << '\n';
      good = false;
      continue;
    }
    ++files;
    bytes += data.size();
  }
  std::cout << files << " files, " << bytes << " bytes, " << unreadable << " in no encoding\n";
  return good ? 0 : 1;
}
