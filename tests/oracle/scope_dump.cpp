// Answers scope_oracle.py: reads texts from stdin, writes a line of JSON for each.
//
//   oracle_scope_dump 3.11 [--errors]
//
// A text comes as its size in bytes, a line end, and its bytes in UTF-8. The answer is an object
// with "grammar", "scope" and "compile" (errors: lists of [line, message]; the last where the
// others are empty) and "table" (scope::to_json; with --errors it is left out).
#include "scope/compile_check.h"
#include "scope/scope_json.h"
#include "scope/scope_tree.h"
#include "source/line_index.h"
#include "syntax/parser.h"

#include <iostream>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace {

using graphmend::diag::Diagnostic;

void append_errors(std::string& out, std::span<const Diagnostic> errors,
                   const graphmend::source::LineIndex& lines) {
  const char* comma = "";
  for (const Diagnostic& error : errors) {
    fmt::format_to(std::back_inserter(out), R"({}[{},")", comma, lines.line(error.range.start));
    for (const char c : error.message) {
      if (c == '"' || c == '\\') {
        out += '\\';
      }
      out += c;
    }
    out += "\"]";
    comma = ",";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto version =
      graphmend::syntax::parse_version(argc > 1 ? std::string_view(argv[1]) : std::string_view());
  if (!version) {
    std::cerr << "usage: oracle_scope_dump 3.MINOR [--errors] < texts\n";
    return 2;
  }
  const bool errors_only = argc > 2 && std::string_view(argv[2]) == "--errors";
  std::ios::sync_with_stdio(false);
  std::string size;
  std::string text;
  while (std::getline(std::cin, size)) {
    text.resize(std::stoul(size));
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    const graphmend::source::LineIndex lines(text);
    const graphmend::syntax::Tree tree = graphmend::syntax::parse_module(text, *version);
    std::string out = R"({"grammar":[)";
    append_errors(out, tree.errors(), lines);
    const graphmend::scope::ScopeTree scopes = graphmend::scope::build(tree, *version);
    out += R"(],"scope":[)";
    append_errors(out, scopes.errors(), lines);
    out += R"(],"compile":[)";
    if (errors_only && tree.ok() && scopes.errors().empty()) {
      append_errors(out, graphmend::scope::compile_errors(tree, scopes, *version), lines);
    }
    out += ']';
    if (!errors_only) {
      out += R"(,"table":)";
      out += graphmend::scope::to_json(scopes, *version, lines);
    }
    out += "}\n";
    std::cout << out << std::flush;
  }
  return 0;
}
