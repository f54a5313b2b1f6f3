#include "support.h"

#include "source/line_index.h"
#include "syntax/ast_dump.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace graphmend::syntax::test {

std::string spellings(std::string_view text, PythonVersion version) {
  std::string out;
  LexResult result = lex(text, version);
  for (TokenKind kind : result.tokens.kinds()) {
    if (kind != TokenKind::EndOfFile) {
      out += out.empty() ? "" : " ";
      out += spelling(kind);
    }
  }
  return out;
}

std::string shape(std::string_view text, PythonVersion version) {
  Tree tree = parse_module(text, version);
  if (!tree.ok()) {
    return "error: " + tree.errors()[0].message;
  }
  if (auto problem = tree.verify()) {
    return "broken: " + *problem;
  }
  AstDumpOptions options;
  options.version = version;
  options.attributes = false;
  return dump_ast(tree, options);
}

std::string first_error(std::string_view text, PythonVersion version) {
  Tree tree = parse_module(text, version);
  if (auto problem = tree.verify()) {
    return "broken: " + *problem;
  }
  if (tree.ok()) {
    return {};
  }
  source::Position position = source::LineIndex(text).position(tree.errors()[0].range.start);
  return std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
         tree.errors()[0].message;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace graphmend::syntax::test
