// Files that break parsers: tests/data/nasty. What is named ok_* must be read, bad_* be rejected,
// and nothing may crash, whatever is cut off or changed.
#include "source/source_file.h"
#include "support.h"
#include "syntax/lexer.h"

#include <string>

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

const char* const kFolder = GM_TEST_FOLDER "/../../data/nasty";

// Enough of a decoder for the files here.
std::optional<std::string> decode(std::string_view encoding, std::string_view bytes) {
  if (encoding == "iso-8859-15" || encoding == "shift_jis") {
    std::string text(bytes);
    for (char& c : text) {
      c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
    return text;
  }
  return std::nullopt;
}

TEST(Nasty, FilesAreReadOrRejected) {
  std::vector<std::string> files = files_in(kFolder);
  ASSERT_GT(files.size(), 40U);
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    bool good = path.find("/ok_") != std::string::npos;
    auto file = source::SourceFile::from_bytes(path, read_file(path), decode);
    if (!file.ok()) {
      EXPECT_FALSE(good) << file.error().message;
      continue;
    }
    for (std::uint8_t minor = 8; minor <= 14; ++minor) {
      Tree tree = parse_module(file->text(), {minor});
      EXPECT_EQ(tree.verify().value_or(""), "");
      EXPECT_EQ(check_tiles(file->text(), tree.tokens()), "");
      EXPECT_EQ(tree.ok(), good) << "3." << int{minor} << ": "
                                 << (tree.ok() ? "accepted" : tree.errors()[0].message);
    }
  }
}

void check_survives(std::string_view text, std::uint8_t minor) {
  Tree tree = parse_module(text, {minor});
  ASSERT_EQ(tree.verify().value_or(""), "") << text;
  ASSERT_EQ(check_tiles(text, tree.tokens()), "") << text;
  Tree block = parse_block(text, static_cast<std::uint32_t>(text.size() / 2), {minor});
  ASSERT_EQ(block.verify().value_or(""), "") << text;
}

TEST(Nasty, EveryBeginningIsSurvived) {
  for (const std::string& path : files_in(kFolder)) {
    SCOPED_TRACE(path);
    std::string bytes = read_file(path).substr(0, 400);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      check_survives(std::string_view(bytes).substr(0, size), size % 2 == 0 ? 11 : 14);
    }
  }
}

TEST(Nasty, EveryDroppedByteIsSurvived) {
  for (const std::string& path : files_in(kFolder)) {
    SCOPED_TRACE(path);
    std::string bytes = read_file(path).substr(0, 300);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string text = bytes;
      text.erase(i, 1);
      check_survives(text, i % 2 == 0 ? 14 : 11);
    }
  }
}

TEST(Nasty, RandomTokensAreSurvived) {
  constexpr const char* kPieces[] = {
      "if",     "else",   "elif",    ":",     "\n",     "\n  ",   "\n    ", "(",     ")",
      "[",      "]",      "{",       "}",     "f'",     "'",      "{{",     "}}",    "a",
      "=",      ":=",     "==",      ",",     "lambda", "*",      "**",     "for",   "in",
      "async",  "await",  "def",     "class", "@",      "match ", "case ",  "type ", "_",
      "try",    "except", "finally", "with",  "as",     "!r",     "\\",     "\\\n",  "#",
      "\"\"\"", "1",      "0x",      ".",     "...",    "-",      "not ",   "is ",   " ",
      "\t",     ";",      "import",  "from",  "return", "yield",  "\r",     "\x0c",  "\xc3\xa9",
      "del",    "%",      "/",       "->"};
  constexpr std::size_t kCount = std::size(kPieces);
  std::uint64_t state = 42;
  auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state >> 33);
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    std::size_t size = 1 + next() % 30;
    for (std::size_t i = 0; i < size; ++i) {
      text += kPieces[next() % kCount];
      text += next() % 3 == 0 ? " " : "";
    }
    check_survives(text, static_cast<std::uint8_t>(8 + next() % 7));
  }
}

}  // namespace
}  // namespace graphmend::syntax::test
