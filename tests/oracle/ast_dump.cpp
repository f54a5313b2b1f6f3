// Prints trees for the oracles. Reads lines of paths; writes for each a line "STATUS SIZE" and SIZE
// bytes: the dump of the tree (status ok), or "LINE:COLUMN: message" (status error).
//
//   oracle_ast_dump 3.11 [--no-fstring-positions | --fstring-lines] [--indent N] < paths
#include "syntax/ast_dump.h"

#include "source/source_file.h"
#include "syntax/parser.h"
#include "transcode.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

namespace {

using graphmend::source::SourceFile;
namespace syntax = graphmend::syntax;

void answer(const char* status, const std::string& text) {
  std::cout << status << ' ' << text.size() << '\n' << text;
}

std::string at(const SourceFile& file, std::uint32_t offset, const std::string& message) {
  auto position = file.lines().position_code_points(offset);
  return std::to_string(position.line) + ":" + std::to_string(position.column) + ": " + message;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<syntax::PythonVersion> version =
      argc > 1 ? syntax::parse_version(argv[1]) : std::nullopt;
  if (!version) {
    std::cerr << "usage: oracle_ast_dump 3.N [--no-fstring-positions] [--indent N] < paths\n";
    return 2;
  }
  syntax::AstDumpOptions options;
  options.version = *version;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--no-fstring-positions") == 0) {
      options.fstring_positions = false;
    } else if (std::strcmp(argv[i], "--fstring-lines") == 0) {
      options.fstring_positions = false;
      options.fstring_lines = true;
    } else if (std::strcmp(argv[i], "--indent") == 0 && i + 1 < argc) {
      options.indent = std::atoi(argv[++i]);
    }
  }
  std::ios::sync_with_stdio(false);
  std::string path;
  while (std::getline(std::cin, path)) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream bytes;
    bytes << stream.rdbuf();
    auto file = SourceFile::from_bytes(path, bytes.str(), graphmend::oracle::decode);
    if (!file) {
      answer("error", "1:0: " + file.error().message);
    } else {
      syntax::Tree tree = syntax::parse_module(file->text(), *version);
      if (!tree.ok()) {
        const auto& error = tree.errors()[0];
        answer("error", at(*file, error.range.start, error.message));
      } else if (std::optional<std::string> problem = tree.verify()) {
        answer("broken", *problem);
      } else {
        answer("ok", syntax::dump_ast(tree, options));
      }
    }
    std::cout.flush();
  }
  return 0;
}
