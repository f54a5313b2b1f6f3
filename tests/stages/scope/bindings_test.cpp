#include "scoped.h"

#include <gmock/gmock.h>

namespace graphmend::scope {
namespace {

using syntax::NodeKind;

TEST(Bindings, LocalsGlobalsAndBuiltins) {
  const Scoped s("import os\nx = 1\ndef f(a, *b, c=x, **d):\n  y = a + x\n  return len(y)\n");
  EXPECT_TRUE(s.symbol("top", "os").is_imported());
  EXPECT_EQ(s.symbol("top", "x").binding, Binding::Local);
  EXPECT_TRUE(s.symbol("top", "x").is_global());
  EXPECT_TRUE(s.symbol("top", "f").is_namespace());
  EXPECT_EQ(s.symbol("f", "x").binding, Binding::GlobalImplicit);
  EXPECT_EQ(s.symbol("f", "x").origin, s.scopes.find(s.scopes.root(), "x"));
  EXPECT_EQ(s.symbol("f", "len").binding, Binding::GlobalImplicit);
  EXPECT_FALSE(s.symbol("f", "len").origin);
  EXPECT_TRUE(s.symbol("f", "y").is_local());
  std::vector<std::string_view> parameters;
  for (const SymbolId id : s.scopes.parameters(s.scope("f"))) {
    parameters.push_back(s.scopes.symbol_name(id));
  }
  EXPECT_THAT(parameters, testing::ElementsAre("a", "c", "b", "d"));
  EXPECT_TRUE(s.scopes.scope(s.scope("f")).has_varargs);
  EXPECT_TRUE(s.scopes.scope(s.scope("f")).has_varkeywords);
  EXPECT_TRUE(s.scopes.scope(s.scope("f")).returns_value);
}

TEST(Bindings, ClosuresPassThroughFunctionsAndClasses) {
  const Scoped s(
      "def outer():\n"
      "  x = 1\n"
      "  class C:\n"
      "    x = 2\n"
      "    def method(self):\n"
      "      def inner():\n"
      "        return x\n"
      "      return inner\n");
  const SymbolId cell = s.scopes.find(s.scope("outer"), "x");
  EXPECT_TRUE(s.scopes.symbol(cell).is_cell());
  EXPECT_TRUE(s.symbol("inner", "x").is_free());
  EXPECT_EQ(s.symbol("inner", "x").origin, cell);
  EXPECT_TRUE(s.symbol("method", "x").is_free());
  EXPECT_FALSE(s.symbol("method", "x").first);
  EXPECT_EQ(s.symbol("method", "x").origin, cell);
  EXPECT_EQ(s.symbol("C", "x").binding, Binding::Local);
  EXPECT_TRUE(s.symbol("C", "x").has(kFreeClass));
  EXPECT_EQ(s.scopes.look_up(s.scope("inner"), s.scopes.find_name("x")), cell);
}

TEST(Bindings, GlobalAndNonlocal) {
  const Scoped s(
      "def f():\n"
      "  global g\n"
      "  g = n = 1\n"
      "  def h():\n"
      "    nonlocal n\n"
      "    n = g\n");
  EXPECT_EQ(s.symbol("f", "g").binding, Binding::GlobalExplicit);
  EXPECT_EQ(s.symbol("h", "g").binding, Binding::GlobalImplicit);
  EXPECT_EQ(s.symbol("top", "g").binding, Binding::GlobalExplicit);
  EXPECT_EQ(s.symbol("h", "g").origin, s.scopes.find(s.scopes.root(), "g"));
  EXPECT_TRUE(s.symbol("h", "n").is_nonlocal());
  EXPECT_TRUE(s.symbol("h", "n").is_free());
  EXPECT_TRUE(s.symbol("f", "n").is_cell());
  EXPECT_EQ(s.first_error(), "");
}

TEST(Bindings, EveryKindOfBinding) {
  const Scoped s(
      "import a.b, c as d\n"
      "from e import f as g, h\n"
      "for i in ():\n  pass\n"
      "with j as k, l as (m, *n):\n  pass\n"
      "try:\n  pass\n"
      "except o as p:\n  pass\n"
      "q: int\n"
      "r: int = 1\n"
      "(s): int\n"
      "del t\n"
      "u.v = 1\n"
      "w[x] = 1\n"
      "y += 1\n"
      "match z:\n"
      "  case [aa, *bb] | {'k': aa, **bb}:\n    pass\n"
      "  case cc(dd, ee=ff) as gg:\n    pass\n"
      "  case _:\n    pass\n"
      "(hh := 1)\n");
  for (const char* name : {"a", "d", "g", "h"}) {
    EXPECT_TRUE(s.symbol("top", name).is_imported()) << name;
  }
  for (const char* name : {"b", "c", "e", "f", "s", "_", "v"}) {
    EXPECT_FALSE(s.has("top", name)) << name;
  }
  for (const char* name :
       {"i", "k", "m", "n", "p", "q", "r", "t", "y", "aa", "bb", "dd", "ff", "gg", "hh"}) {
    EXPECT_TRUE(s.symbol("top", name).is_assigned()) << name;
  }
  for (const char* name : {"j", "l", "o", "int", "u", "w", "x", "z", "cc"}) {
    EXPECT_FALSE(s.symbol("top", name).is_assigned()) << name;
    EXPECT_TRUE(s.symbol("top", name).is_referenced()) << name;
  }
  EXPECT_TRUE(s.symbol("top", "q").is_annotated());
  EXPECT_TRUE(s.symbol("top", "p").has(kDeleted));
  EXPECT_TRUE(s.symbol("top", "t").has(kDeleted));
  EXPECT_FALSE(s.symbol("top", "y").is_referenced());
}

TEST(Bindings, UsesAreTheNodesThatMentionASymbol) {
  const Scoped s("def f(x):\n  x = x + 1\n  del x\n  return [x for y in x]\n", 12);
  const SymbolId x = s.scopes.find(s.scope("f"), "x");
  ASSERT_EQ(s.scopes.uses(x).size(), 5U);  // the parameter, two, the deletion, the iterable
  EXPECT_EQ(s.tree.kind(s.scopes.uses(x)[0]), NodeKind::Param);
  for (const NodeId node : s.scopes.uses(x)) {
    EXPECT_EQ(s.scopes.resolve(node), x);
    EXPECT_EQ(s.scopes.enclosing_scope(node), s.scope("f"));
  }
  const std::vector<NodeId> names = s.nodes("x");
  ASSERT_EQ(names.size(), 5U);
  EXPECT_EQ(s.scopes.enclosing_scope(names[3]), s.scope("listcomp"));
  EXPECT_EQ(s.scopes.follow(s.scopes.resolve(names[3])), x);
}

TEST(Bindings, SuperUsesTheClassCell) {
  const Scoped s("class A:\n  def f(self):\n    return super().f()\n  def g(self): pass\n");
  EXPECT_TRUE(s.symbol("f", "__class__").is_free());
  EXPECT_FALSE(s.symbol("f", "__class__").origin);
  EXPECT_FALSE(s.has("g", "__class__"));
  EXPECT_FALSE(s.has("A", "__class__"));
  EXPECT_TRUE(s.scopes.scope(s.scope("A")).needs_class_closure);
}

TEST(Bindings, PrivateNamesAreMangled) {
  const Scoped s(
      "class __A:\n"
      "  __x = 1\n"
      "  def __f(self, __p):\n    return __x, __y__, _z\n"
      "  import __m.n\n"
      "class _:\n  __x = 1\n");
  EXPECT_TRUE(s.has("__A", "_A__x"));
  EXPECT_TRUE(s.has("__A", "_A__f"));
  EXPECT_TRUE(s.has("__A", "_A__m"));
  EXPECT_TRUE(s.has("__f", "_A__p"));
  EXPECT_TRUE(s.has("__f", "__y__"));
  EXPECT_TRUE(s.has("__f", "_z"));
  EXPECT_TRUE(s.has("_", "__x"));
}

TEST(Bindings, NamesAreNormalised) {
  const Scoped s("\xef\xac\x81 = 1\n");  // the ligature fi
  EXPECT_TRUE(s.has("top", "fi"));
}

TEST(Bindings, Barriers) {
  const Scoped s(
      "from os import *\n"
      "def a(): return locals()\n"
      "def b(): return vars(x)\n"
      "def c(): exec('x = 1')\n"
      "def d(eval): eval('x')\n"
      "def e(): globals()['x'] = 1\n"
      "def f(): return sys._getframe(1)\n"
      "def g(): return [eval(x) for x in ()]\n");
  const auto barriers = [&](std::string_view name) {
    return s.scopes.scope(s.scope(name)).barriers;
  };
  EXPECT_EQ(barriers("top"), kStarImport);
  EXPECT_EQ(barriers("a"), kLocalsCall);
  EXPECT_EQ(barriers("b"), 0);
  EXPECT_EQ(barriers("c"), kExecCall);
  EXPECT_EQ(barriers("d"), 0);
  EXPECT_EQ(barriers("e"), kGlobalsCall);
  EXPECT_EQ(barriers("f"), kFrameAccess);
  EXPECT_EQ(barriers("g"), kEvalCall);
  EXPECT_TRUE(s.scopes.has_barrier(s.scope("a")));
}

TEST(Bindings, OfABlockWhoseSurroundingsAreNotSeen) {
  const std::string_view free_names[] = {"captured", "__class__"};
  const Scoped s(
      "@decorator\n"
      "def f(self, __p=default):\n"
      "  super().f()\n"
      "  def g(): return captured, other, f\n",
      BlockContext{.free_names = free_names, .class_name = "C"});
  EXPECT_EQ(s.scopes.scope(s.scopes.root()).kind, ScopeKind::Enclosing);
  EXPECT_TRUE(s.symbol("f", "captured").is_free());
  EXPECT_EQ(s.symbol("g", "captured").origin, s.scopes.find(s.scopes.root(), "captured"));
  EXPECT_TRUE(s.symbol("f", "__class__").is_free());
  EXPECT_EQ(s.symbol("g", "other").binding, Binding::GlobalImplicit);
  EXPECT_EQ(s.symbol("g", "f").binding, Binding::GlobalImplicit);
  EXPECT_TRUE(s.has("f", "_C__p"));
  const NodeId function = s.nodes(s.text.substr(11, s.text.size() - 12), NodeKind::FunctionDef)[0];
  EXPECT_EQ(s.scopes.scope_of(function), s.scope("f"));
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("default")[0]), s.scopes.root());
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("decorator")[0]), s.scopes.root());
  EXPECT_EQ(s.first_error(), "");
}

}  // namespace
}  // namespace graphmend::scope
