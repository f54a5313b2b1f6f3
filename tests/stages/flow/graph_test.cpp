#include "program.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphmend::flow {
namespace {

using syntax::NodeKind;

std::span<const NodeId> body_of(const Program& p, std::uint32_t line) {
  NodeId node = p.at(line);
  switch (p.tree.kind(node)) {
    case NodeKind::If:
      return syntax::IfView(p.tree, node).body();
    case NodeKind::For:
      return syntax::ForView(p.tree, node).body();
    case NodeKind::While:
      return syntax::WhileView(p.tree, node).body();
    default:
      return {};
  }
}

TEST(AlwaysRaises, OnlyWhenNoPathLeavesOtherwise) {
  Program p(R"(
def f(a, g):
    if a:
        raise ValueError
    if a:
        g()
        if g: raise ValueError
        else: raise KeyError(g())
    if a:
        raise ValueError if a else KeyError
        g()
    if a:
        if g: raise ValueError
    if a:
        try:
            raise ValueError
        except ValueError:
            pass
    if a:
        try:
            return 1
        finally:
            raise ValueError
    if a:
        if g: return 1
        raise ValueError
    for i in a:
        if g: break
        raise ValueError
    if a:
        while g:
            break
        raise ValueError
    if a:
        with g:
            raise ValueError
    if a:
        while True:
            g()
)");
  auto raises = [&](std::uint32_t line) { return p.flow->always_raises(body_of(p, line)); };
  EXPECT_TRUE(raises(3));
  EXPECT_TRUE(raises(5));
  EXPECT_TRUE(raises(9));
  EXPECT_FALSE(raises(12));
  EXPECT_FALSE(raises(14));
  EXPECT_TRUE(raises(19));
  EXPECT_FALSE(raises(24));
  EXPECT_FALSE(raises(27));
  EXPECT_TRUE(raises(30));
  EXPECT_FALSE(raises(34)) << "the with may swallow it";
  EXPECT_TRUE(raises(37));
}

TEST(Reachable, AfterReturnsAndLoops) {
  Program p(R"(
def f(a):
    if a:
        return 1
        x = 1
    while True:
        y = 1
        if a: continue
        z = 1
    w = 1
)");
  EXPECT_FALSE(p.flow->reachable(p.at(5)));
  EXPECT_TRUE(p.flow->reachable(p.at(9)));
  EXPECT_FALSE(p.flow->reachable(p.at(10)));
  EXPECT_TRUE(p.flow->may_reach(p.at(9), p.at(7)));
  EXPECT_TRUE(p.flow->may_reach(p.at(7), p.at(7)));
  EXPECT_FALSE(p.flow->may_reach(p.at(3), p.at(3)));
  EXPECT_FALSE(p.flow->may_complete(p.at(6)));
}

TEST(Dominates, ThroughArmsAndHandlers) {
  Program p(R"(
def f(a, g):
    x = g()
    if a:
        y = g()
    try:
        z = g()
        w = 1
    except ValueError:
        v = g()
    u = 1
)");
  const FunctionFlow& flow = *p.flow;
  EXPECT_TRUE(flow.dominates(p.at(3), p.at(11)));
  EXPECT_TRUE(flow.dominates(p.at(3), p.at(5)));
  EXPECT_FALSE(flow.dominates(p.at(5), p.at(6)));
  EXPECT_TRUE(flow.dominates(p.at(7), p.at(10)));
  EXPECT_FALSE(flow.dominates(p.at(8), p.at(10)));
  EXPECT_FALSE(flow.post_dominates(p.at(6), p.at(3)));
  EXPECT_TRUE(flow.post_dominates(p.at(6), p.at(3), false));
  EXPECT_FALSE(flow.post_dominates(p.at(5), p.at(3), false));
  EXPECT_TRUE(flow.post_dominates(p.at(11), p.at(7), false));
}

TEST(Dominates, FinallyHasSeveralPlaces) {
  Program p(R"(
def f(a, g):
    try:
        if a:
            return g()
        x = g()
    finally:
        y = 1
    z = 1
)");
  EXPECT_EQ(p.flow->starts(p.at(8)).size(), 3U);
  EXPECT_TRUE(p.flow->dominates(p.at(8), p.at(9)));
  EXPECT_TRUE(p.flow->post_dominates(p.at(8), p.at(4)));
}

// What the builder must not do on hostile input: overflow the stack or take exponential time.
TEST(Hostile, DeepAndWide) {
  std::string chain = "def f(x):\n    return x";
  for (int i = 0; i < 50000; ++i) {
    chain += " + x";
  }
  Program sum(chain + "\n");
  EXPECT_TRUE(sum.flow->reachable(sum.at(2)));
  std::string elifs = "def f(x):\n    if x: y = 0\n";
  for (int i = 0; i < 5000; ++i) {
    elifs += "    elif x: y = 1\n";
  }
  Program arms(elifs + "    return y\n");
  EXPECT_EQ(arms.sources("y", 5003).size(), 5002U);
}

TEST(Hostile, NestedFinally) {
  std::string text = "def f(g):\n";
  std::string indent = "    ";
  for (int i = 0; i < 30; ++i) {
    text += indent + "try:\n" + indent + "  g()\n" + indent + "finally:\n";
    indent += "  ";
    text += indent + "x = g()\n";
  }
  text += indent + "y = 1\n    return y\n";
  Program p(text);
  EXPECT_LT(p.flow->graph().size(), 100000U);
  EXPECT_TRUE(p.flow->reachable(p.at(123)));
}

TEST(Graph, ExceptionsLeaveFromTheStartOfABlock) {
  Program p(R"(
def f(a, g):
    try:
        x = g(a)
        y = x.z[a] = g()
        del x, y
    except (ValueError, g()) as e:
        raise KeyError from e
    finally:
        print([g(i) for i in a if i])
)");
  const Graph& graph = p.flow->graph();
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    const Block& block = graph.block(BlockId(i));
    std::span<const Step> steps = graph.steps(BlockId(i));
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      EXPECT_FALSE(steps[k].may_raise() && block.first_bind < k);
    }
  }
}

}  // namespace
}  // namespace graphmend::flow
