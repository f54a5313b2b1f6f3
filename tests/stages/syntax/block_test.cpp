// parse_block: one statement out of a file, with the positions of the file.
#include "support.h"

#include <string>

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

// Everything about a subtree: kinds and ranges of its nodes in order.
std::string summary(const Tree& tree, NodeId id) {
  std::string out;
  for (std::uint32_t i = tree.subtree_begin(id).value; i <= id.value; ++i) {
    TextRange range = tree.range(NodeId(i));
    out += std::string(kind_name(tree.kind(NodeId(i)))) + " " + std::to_string(range.start) + "-" +
           std::to_string(range.end) + " " + std::to_string(tree.op(NodeId(i))) + "\n";
  }
  return out;
}

// Reads every definition of a file on its own and compares it with the file's tree.
std::size_t check_definitions(std::string_view text) {
  Tree whole = parse_module(text);
  EXPECT_TRUE(whole.ok());
  std::size_t count = 0;
  for (std::uint32_t i = 1; i < whole.size(); ++i) {
    NodeId id(i);
    if (whole.kind(id) != NodeKind::FunctionDef && whole.kind(id) != NodeKind::ClassDef &&
        whole.kind(id) != NodeKind::If && whole.kind(id) != NodeKind::Try) {
      continue;
    }
    if (whole.has_flag(id, kElif)) {
      continue;
    }
    ++count;
    Tree block = parse_block(text, whole.range_with_decorators(id).start);
    EXPECT_TRUE(block.ok()) << whole.text(id);
    EXPECT_FALSE(block.verify());
    auto body = ModuleView(block, block.root()).body();
    if (body.size() != 1) {
      ADD_FAILURE() << body.size() << " statements for " << whole.text(id);
      continue;
    }
    EXPECT_EQ(summary(block, body[0]), summary(whole, id));
  }
  return count;
}

TEST(Block, EqualsTheFilesTree) {
  EXPECT_EQ(check_definitions("def f():\n  pass\ndef g():\n  pass\n"), 2U);
  EXPECT_EQ(check_definitions("class A:\n    @a\n    # comment\n\n    @b(\n1)\n    def f(self):\n"
                              "        if a:\n            b\n        elif c:\n            d\n"
                              "        else:\n            e\n        return '''\nx\n'''\n\n"
                              "    # after\n    def g(self): pass\n\nx = 1\n"),
            4U);
  EXPECT_EQ(check_definitions("if a:\n\ttry:\n\t\tb\n\texcept A:\n\t\tc\n\telse:\n\t\td\n"
                              "\tfinally:\n\t\te\n\tf\nelse:\n\tg\n"),
            2U);
  EXPECT_EQ(check_definitions("if a:\n    async def f(): return 1\n    class B: pass\n"), 3U);
}

TEST(Block, GrowsItsWindow) {
  std::string text = "x = 1\nclass A:\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "    def f" + std::to_string(i) + "(self): return [1, 2,\n3]\n";
  }
  text += "y = 2\n";
  Tree block = parse_block(text, 6);
  ASSERT_TRUE(block.ok());
  auto body = ModuleView(block, block.root()).body();
  ASSERT_EQ(body.size(), 1U);
  EXPECT_EQ(ClassDefView(block, body[0]).body().size(), 20'000U);
}

TEST(Block, StopsBeforeErrorsElsewhere) {
  std::string text = "x = = 1\ndef f():\n  pass\ny = (\n";
  Tree block = parse_block(text, 8);
  EXPECT_TRUE(block.ok());
  EXPECT_EQ(block.text(ModuleView(block, block.root()).body()[0]), "def f():\n  pass");
  EXPECT_FALSE(parse_block(text, 0).ok());
}

}  // namespace
}  // namespace graphmend::syntax::test
