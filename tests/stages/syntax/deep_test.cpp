// Input that nests or repeats without end: a tree or a clear error, in time linear in its size.
#include "support.h"
#include "syntax/ast_dump.h"

#include <string>

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

constexpr std::size_t kMany = 100'000;
constexpr std::size_t kDumped = 450'000;  // dumps are large: those of shorter texts will do

// A tree without errors; everything that walks it must stand its depth.
void check_good(const std::string& text) {
  Tree tree = parse_module(text);
  ASSERT_TRUE(tree.ok()) << text.substr(0, 40) << ": " << tree.errors()[0].message;
  ASSERT_FALSE(tree.verify());
  ASSERT_EQ(tree.parents().size(), tree.size());
  if (text.size() < kDumped) {
    AstDumpOptions options;
    options.attributes = false;
    EXPECT_FALSE(dump_ast(tree, options).empty());
  }
}

void check_error(const std::string& text, std::string_view message) {
  Tree tree = parse_module(text);
  ASSERT_FALSE(tree.ok()) << text.substr(0, 40);
  EXPECT_EQ(tree.errors()[0].message, message) << text.substr(0, 40);
  EXPECT_LE(tree.errors().size(), 5U) << text.substr(0, 40);
  EXPECT_FALSE(tree.verify());
}

TEST(Deep, ChainsAreTrees) {
  check_good("a" + repeat(".b", kMany));
  check_good("a" + repeat("(b)", kMany));
  check_good("a" + repeat("[b]", kMany));
  check_good("a" + repeat(" + b", kMany));
  check_good("a" + repeat(" and b", kMany));
  check_good("a" + repeat(" < b", kMany));
  check_good(repeat("a = ", kMany) + "b");
  check_good(repeat("not ", kMany) + "a");
  check_good(repeat("-", kMany) + "a");
  check_good(repeat("a if b else ", kMany) + "c");
  check_good("if a: b\n" + repeat("elif c: d\n", kMany));
  check_good(repeat("@a\n", kMany) + "def f(): pass");
  check_good(repeat("'a' ", kMany));
  check_good(repeat("f'{a}' ", kMany));
  check_good("[" + repeat("a, ", kMany) + "]");
  check_good("f(" + repeat("a, ", kMany) + ")");
  check_good("[a" + repeat(" for b in c", kMany) + "]");
  check_good("import a" + repeat(".b", kMany));
  check_good("with a" + repeat(", b", kMany) + ": pass");
  check_good("match a:\n  case b" + repeat(" | b", kMany) + ": pass");
  check_good("match a:\n" + repeat("  case b: pass\n", kMany));
  check_good("try: a\n" + repeat("except b: c\n", kMany));
  check_good("def f(" + repeat("a, ", kMany) + "): pass");
  check_good(repeat("a; ", kMany));
  check_good(repeat("\\\n", kMany) + "a");
  check_good(repeat("a = 1\n", 5 * kMany));
}

TEST(Deep, NestingIsLimited) {
  check_error(repeat("(", kMany), "too many nested parentheses");
  check_error(repeat("[", kMany) + repeat("]", kMany), "too many nested parentheses");
  check_error(repeat("{", kMany), "too many nested parentheses");
  check_error(repeat("f(", kMany), "too many nested parentheses");
  check_error(repeat("f'{", kMany), "too many nested f-strings");
  check_error(repeat("lambda: ", kMany) + "a", "expression nested too deeply");
  check_error("a" + repeat(" ** a", kMany), "expression nested too deeply");
  std::string blocks;
  for (std::size_t i = 0; i < 200; ++i) {
    blocks += repeat(" ", i) + "if a:\n";
  }
  check_error(blocks, "too many levels of indentation");
  check_good(repeat("(", 200) + "a" + repeat(")", 200));
  check_good(repeat("lambda: ", 500) + "a");
}

TEST(Deep, TargetsAreLimitedByBrackets) {
  check_good(repeat("[", 200) + "a" + repeat("]", 200) + " = b");
  check_good("for " + repeat("(", 200) + "a" + repeat(",)", 200) + " in b: pass");
  check_good("match a:\n  case " + repeat("[", 200) + "b" + repeat("]", 200) + ": pass");
}

TEST(Deep, LongTokens) {
  check_good("a = '" + repeat("x", 10'000'000) + "'");
  check_good("# " + repeat("x", 10'000'000));
  check_good(repeat("x", 1'000'000));
  check_good("a = 0x" + repeat("f", 1'000));
  check_error("a = " + repeat("9", 5'000),
              "Exceeds the limit (4300 digits) for integer string conversion");
}

}  // namespace
}  // namespace graphmend::syntax::test
