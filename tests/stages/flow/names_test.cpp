#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphmend::flow {
namespace {

using testing::ElementsAre;

TEST(Reaching, ArmsJoin) {
  Program p(R"(
def f(a):
    x = 1
    if a:
        x = 2
    return x
)");
  EXPECT_THAT(p.sources("x", 6), ElementsAre(3, 5));
  EXPECT_THAT(p.sources("a", 4), ElementsAre(2));
  EXPECT_TRUE(p.live_after(3, "x"));
  EXPECT_FALSE(p.live_after(4, "a"));
  EXPECT_THAT(p.uses_after(3, "x"), ElementsAre(6));
}

TEST(Reaching, BoundInOneArmMayBeUnbound) {
  Program p(R"(
def f(a):
    if a:
        x = 1
    y = 0
    return x
)");
  EXPECT_THAT(p.sources("x", 6), ElementsAre(0, 4));
  EXPECT_FALSE(p.assigned(5, "x"));
  EXPECT_FALSE(p.assigned(6, "x"));
  EXPECT_TRUE(p.assigned(6, "y"));
  EXPECT_TRUE(p.assigned(3, "a"));
}

TEST(Reaching, ArmThatRaisesDoesNotCount) {
  Program p(R"(
def f(a):
    if a:
        x = 1
    else:
        raise ValueError
    return x
)");
  EXPECT_THAT(p.sources("x", 7), ElementsAre(4));
  EXPECT_TRUE(p.assigned(7, "x"));
}

TEST(Reaching, LoopCarries) {
  Program p(R"(
def f(items):
    x = 0
    for i in items:
        y = x
        x = i
    else:
        z = x
    return x
)");
  EXPECT_THAT(p.sources("x", 5), ElementsAre(3, 6));
  EXPECT_THAT(p.sources("x", 8), ElementsAre(3, 6));
  EXPECT_THAT(p.sources("i", 6), ElementsAre(4));
  EXPECT_TRUE(p.live_after(6, "x"));
  EXPECT_FALSE(p.live_after(5, "y"));
  EXPECT_FALSE(p.assigned(9, "i"));
}

TEST(Reaching, OperatorsOnConstantsMayRaise) {
  Program p(R"(
def f():
    x = 1
    try:
        1 / 0
        x = 2
    except ZeroDivisionError:
        return x
)");
  EXPECT_THAT(p.sources("x", 8), ElementsAre(3));
}

TEST(Reaching, EndlessLoopLeavesByBreakOnly) {
  Program p(R"(
def f(g):
    while True:
        x = g()
        if x:
            y = 1
            break
    return y
)");
  EXPECT_TRUE(p.assigned(8, "y"));
  EXPECT_THAT(p.sources("y", 8), ElementsAre(6));
}

TEST(Reaching, HandlerSeesEachPointOfTheBody) {
  Program p(R"(
def f(g):
    x = 0
    try:
        x = g(1)
        x = g(2)
        x = 3
    except ValueError as e:
        return x, e
    return x
)");
  EXPECT_THAT(p.sources("x", 9), ElementsAre(3, 5));
  EXPECT_THAT(p.sources("x", 10), ElementsAre(7));
  EXPECT_THAT(p.sources("e", 9), ElementsAre(8));
}

TEST(Reaching, ExceptNameIsUnboundAfterwards) {
  Program p(R"(
def f(g):
    e = 1
    try:
        g()
    except ValueError as e:
        pass
    return e
)");
  EXPECT_THAT(p.sources("e", 8), ElementsAre(0, 3));
  EXPECT_FALSE(p.assigned(8, "e"));
}

TEST(Reaching, FinallyRunsOnEachWay) {
  Program p(R"(
def f(g):
    x = 0
    try:
        if g:
            x = 1
            return x
        x = g()
    finally:
        y = x
    return x
)");
  EXPECT_THAT(p.sources("x", 10), ElementsAre(3, 6, 8));
  EXPECT_THAT(p.sources("x", 11), ElementsAre(8));
  EXPECT_TRUE(p.assigned(11, "y"));
}

TEST(Reaching, DeletedNames) {
  Program p(R"(
def f(a):
    x = 1
    if a:
        del x
    return x
)");
  EXPECT_THAT(p.sources("x", 6), ElementsAre(0, 3));
  EXPECT_FALSE(p.assigned(6, "x"));
  EXPECT_TRUE(p.live_after(3, "x"));
}

TEST(Reaching, ComprehensionsRunHere) {
  Program p(R"(
def f(items):
    k = 2
    r = [(last := i) * k for i in items if i]
    k = 3
    return last, r
)");
  EXPECT_THAT(p.sources("k", 4), ElementsAre(3));
  EXPECT_FALSE(p.live_after(4, "k"));
  EXPECT_FALSE(p.live_after(5, "k"));
  EXPECT_THAT(p.sources("last", 6), ElementsAre(0, 4));
}

TEST(Reaching, GeneratorsUsedUpAtOnce) {
  Program p(R"(
def f(items):
    k = 2
    r = sum(i * k for i in items)
    s = (i * k for i in items)
    k = 3
    return r, s
)");
  EXPECT_THAT(p.sources("k", 4), ElementsAre(3));
  EXPECT_TRUE(p.live_after(6, "k")) << "the other one may run later";
  EXPECT_THAT(p.uses_after(6, "k"), ElementsAre(5));
}

TEST(Reaching, InnerFunctionsReadLater) {
  Program p(R"(
def f(a):
    x = 1
    def g():
        return x
    x = 2
    y = 1
    return g
)");
  EXPECT_TRUE(p.live_after(6, "x"));
  EXPECT_THAT(p.sources("x", 5), ElementsAre(0, 3, 6));
  EXPECT_THAT(p.uses_after(6, "x"), ElementsAre(5));
  EXPECT_FALSE(p.live_after(7, "y"));
}

TEST(Reaching, NonlocalBindingsComeFromOutside) {
  Program p(R"(
def f(a):
    x = 1
    def g():
        nonlocal x
        x = 2
    y = x
    g()
    return x
)");
  EXPECT_THAT(p.sources("x", 9), ElementsAre(-1, 3));
}

TEST(Reaching, GlobalsAreSeen) {
  Program p(R"(
n = 0
def f():
    global n
    n = 1
    m = n
)");
  EXPECT_TRUE(p.live_after(5, "n"));
  EXPECT_THAT(p.sources("n", 6), ElementsAre(5));
}

TEST(Reaching, MatchCaptures) {
  Program p(R"(
def f(a):
    match a:
        case [x, 1] | {"k": x}:
            return x
        case y if y > 1:
            pass
        case _:
            return y
    return y
)");
  EXPECT_THAT(p.sources("x", 5), ElementsAre(4, 4));
  EXPECT_THAT(p.sources("y", 9), ElementsAre(6));
  EXPECT_THAT(p.sources("y", 10), ElementsAre(6));
}

TEST(Reaching, LocalsReadsAll) {
  Program p(R"(
def f(a):
    x = 1
    return locals()
)");
  EXPECT_TRUE(p.live_after(3, "x"));
}

TEST(Definitions, KnowWhatTheyBind) {
  Program p(R"(
def f(a, b=2):
    x, *y = a
    with b as w:
        x += 1
    for i in y:
        import os.path
)");
  auto only = [&](std::string_view name, std::size_t index) {
    std::vector<DefId> found;
    for (DefId id : p.flow->definitions_of(p.symbol(name))) {
      if (p.flow->definition(id).node) {
        found.push_back(id);
      }
    }
    return p.flow->definition(found.at(index));
  };
  EXPECT_EQ(only("b", 0).kind, DefKind::Parameter);
  EXPECT_EQ(p.tree.text(only("b", 0).value), "2");
  EXPECT_EQ(only("x", 0).kind, DefKind::Assign);
  EXPECT_TRUE(only("x", 0).unpacked);
  EXPECT_EQ(only("x", 1).kind, DefKind::AugAssign);
  EXPECT_EQ(p.tree.text(only("x", 1).value), "1");
  EXPECT_EQ(only("w", 0).kind, DefKind::With);
  EXPECT_EQ(only("w", 0).statement, p.at(4));
  EXPECT_EQ(only("i", 0).kind, DefKind::For);
  EXPECT_EQ(p.tree.text(only("i", 0).value), "y");
  EXPECT_EQ(only("os", 0).kind, DefKind::Import);
  EXPECT_EQ(p.flow->uses(p.flow->definition_at(only("y", 0).node)).size(), 1U);
}

TEST(Definitions, WithMaySwallow) {
  Program p(R"(
def f(g):
    with g:
        x = g()
    return x
)");
  EXPECT_THAT(p.sources("x", 5), ElementsAre(0, 4));
}

TEST(Definitions, ModuleAndClass) {
  Program m("x = 1\ndef f():\n    return x\nx = 2\n", syntax::NodeKind::Module);
  EXPECT_TRUE(m.live_after(4, "x"));
  EXPECT_THAT(m.sources("x", 3), ElementsAre(0, 1, 4));
  Program c("class A:\n    x = 1\n    y = x\n", syntax::NodeKind::ClassDef);
  EXPECT_THAT(c.sources("x", 3), ElementsAre(2));
}

}  // namespace
}  // namespace graphmend::flow
