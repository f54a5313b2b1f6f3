// Tokens: whatever the bytes are, they tile the text, and blocks and brackets are consistent.
#include "property.h"
#include "syntax/lexer.h"

using graphmend::fuzz::Input;
using graphmend::fuzz::require;
using graphmend::syntax::TokenKind;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input(data, size);
  const auto result = graphmend::syntax::lex(input.text, input.version);
  const auto kinds = result.tokens.kinds();
  graphmend::fuzz::require_tiling(input.text, result.tokens);
  require(!kinds.empty() && kinds.back() == TokenKind::EndOfFile, "the last token ends the file");
  int depth = 0;
  int strings = 0;
  bool any_error = false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto range = result.tokens.ranges()[i];
    depth += kinds[i] == TokenKind::Indent ? 1 : kinds[i] == TokenKind::Dedent ? -1 : 0;
    strings += kinds[i] == TokenKind::FStringStart || kinds[i] == TokenKind::TStringStart ? 1
               : kinds[i] == TokenKind::FStringEnd                                        ? -1
                                                                                          : 0;
    require(depth >= 0, "blocks that end have begun");
    require(strings >= 0, "f-strings that end have begun");
    require(!is_virtual(kinds[i]) || range.empty(), "layout has no bytes");
    // A string that is not closed has no end: an error without bytes stands for it.
    require(is_virtual(kinds[i]) || kinds[i] == TokenKind::Newline ||
                kinds[i] == TokenKind::Error || !range.empty(),
            "other tokens have bytes");
    any_error = any_error || kinds[i] == TokenKind::Error;
    if (is_open_bracket(kinds[i]) || is_close_bracket(kinds[i])) {
      require(input.text.substr(range.start, range.size()) == graphmend::syntax::spelling(kinds[i]),
              "brackets are spelt as they are");
    }
  }
  require(depth == 0, "all blocks end");
  require(strings == 0 || !result.errors.empty(), "all f-strings end, or are errors");
  require(!any_error || !result.errors.empty(), "an error token has its message");
  for (const auto& error : result.errors) {
    require(error.range.start <= error.range.end && error.range.end <= input.text.size() + 1,
            "errors lie in the text");
    require(!error.message.empty(), "errors say what they are");
  }
  return 0;
}
