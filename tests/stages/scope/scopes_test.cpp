#include "scoped.h"

namespace graphmend::scope {
namespace {

using syntax::NodeKind;

TEST(Scopes, ComprehensionsHaveTheirOwn) {
  const Scoped s("def f(n):\n  return [x + n for x in range(n)], (y for y in n)\n", 11);
  EXPECT_EQ(s.child_names(s.scope("f")), "listcomp genexpr");
  EXPECT_FALSE(s.scopes.scope(s.scope("listcomp")).inlined);
  EXPECT_TRUE(s.symbol("listcomp", "x").has(kIteration));
  EXPECT_TRUE(s.symbol("listcomp", "n").is_free());
  EXPECT_TRUE(s.symbol("f", "n").is_cell());
  EXPECT_FALSE(s.has("f", "x"));
  EXPECT_TRUE(s.scopes.scope(s.scope("genexpr")).is_generator);
}

TEST(Scopes, ComprehensionsAreInlinedFrom312On) {
  const Scoped s("def f(n):\n  return [x + n for x in range(n)], [lambda: (n, z) for z in n]\n",
                 12);
  EXPECT_TRUE(s.scopes.scope(s.scope("listcomp")).inlined);
  EXPECT_EQ(s.child_names(s.scope("f")), "listcomp listcomp");
  EXPECT_TRUE(s.symbol("f", "n").is_cell());  // for the lambda
  EXPECT_TRUE(s.symbol("f", "x").has(kInlined));
  EXPECT_EQ(s.symbol("f", "x").binding, Binding::Local);
  EXPECT_EQ(s.symbol("f", "z").binding, Binding::Cell);
  EXPECT_TRUE(s.symbol("f", "z").has(kCompCell));
  const Scoped plain("def f(n):\n  return [x + n for x in range(n)]\n", 12);
  EXPECT_EQ(plain.symbol("f", "n").binding, Binding::Local);
}

TEST(Scopes, AssignmentExpressionsLeaveComprehensions) {
  const Scoped s("def f():\n  [y := x for x in ()]\n[z := x for x in ()]\n", 11);
  EXPECT_TRUE(s.symbol("f", "y").is_cell());
  EXPECT_TRUE(s.symbol("listcomp", "y").is_nonlocal());
  EXPECT_EQ(s.symbol("top", "z").binding, Binding::GlobalExplicit);
}

TEST(Scopes, OpenersAndEnclosingScopes) {
  const Scoped s(
      "@deco(lambda p: p)\n"
      "class C(Base, metaclass=Meta):\n"
      "  attribute = 1\n"
      "  def method(self, d=attribute):\n"
      "    return d\n");
  EXPECT_EQ(s.scopes.scope_of(s.tree.root()), s.scopes.root());
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("Base")[0]), s.scopes.root());
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("Meta")[0]), s.scopes.root());
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("deco")[0]), s.scopes.root());
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("attribute")[1]), s.scope("C"));
  EXPECT_EQ(s.scopes.enclosing_scope(s.nodes("d")[0]), s.scope("method"));
  EXPECT_EQ(s.scopes.parent(s.scope("method")), s.scope("C"));
  EXPECT_EQ(s.scopes.parent(s.scope("lambda")), s.scopes.root());
  for (std::uint32_t id = 1; id < s.scopes.scope_count(); ++id) {
    EXPECT_LT(s.scopes.parent(ScopeId(id)), ScopeId(id));
    EXPECT_EQ(s.scopes.scope_of(s.scopes.scope(ScopeId(id)).node), ScopeId(id));
  }
  // Every node belongs to a scope.
  for (std::uint32_t node = 1; node < s.tree.size(); ++node) {
    EXPECT_TRUE(s.scopes.enclosing_scope(NodeId(node))) << node;
  }
}

TEST(Scopes, TypeParameters) {
  const Scoped s(
      "class C[T: Bound = Default](Base[T]):\n"
      "  def method[U](self, x: T, y=None) -> U: pass\n"
      "type A[V] = list[V]\n");
  const ScopeId of_class = s.scope("C", ScopeKind::TypeParameters);
  const ScopeId in_class = s.scope("C", ScopeKind::Class);
  EXPECT_EQ(s.scopes.parent(in_class), of_class);
  EXPECT_EQ(s.scopes.type_parameters_scope(s.scopes.scope(in_class).node), of_class);
  EXPECT_TRUE(s.scopes.symbol(s.scopes.find(of_class, "T")).is_type_parameter());
  EXPECT_TRUE(s.scopes.symbol(s.scopes.find(of_class, ".type_params")).is_assigned());
  EXPECT_TRUE(s.scopes.find(in_class, "__type_params__"));
  const ScopeId of_method = s.scope("method", ScopeKind::TypeParameters);
  EXPECT_EQ(s.scopes.parent(s.scope("method", ScopeKind::Function)), of_method);
  EXPECT_TRUE(s.scopes.scope(of_method).sees_class_scope);
  EXPECT_TRUE(s.scopes.find(of_method, "T"));  // the annotation is evaluated here
  EXPECT_TRUE(s.scopes.symbol(s.scopes.find(of_method, ".defaults")).is_parameter());
  EXPECT_EQ(s.scopes.scope(s.scope("T")).kind, ScopeKind::TypeVariable);
}

TEST(Scopes, AnnotationScopesSeeTheClassAroundThem) {
  const Scoped s("def f():\n  x = 1\n  class C:\n    x = 2\n    type A = x\n", 12);
  const Symbol& x = s.symbol("A", "x");
  EXPECT_EQ(x.binding, Binding::GlobalImplicit);
  EXPECT_EQ(x.origin, s.scopes.find(s.scope("C"), "x"));
  EXPECT_TRUE(s.scopes.scope(s.scope("C")).needs_classdict);
}

TEST(Scopes, FutureAnnotationsAreNotEvaluated) {
  const std::string_view source =
      "'docstring'\nfrom __future__ import annotations\ndef f(x: A) -> B:\n  y: C = 1\n";
  const Scoped s(source, 11);
  EXPECT_TRUE(s.scopes.has_future_annotations());
  for (const char* name : {"A", "B", "C"}) {
    EXPECT_FALSE(s.has("top", name)) << name;
    EXPECT_FALSE(s.has("f", name)) << name;
    const ScopeId scope = s.scopes.enclosing_scope(s.nodes(name)[0]);
    EXPECT_TRUE(s.scopes.scope(scope).unevaluated) << name;
  }
  const Scoped old(source, 8);
  EXPECT_TRUE(old.has("top", "A"));
  EXPECT_TRUE(old.has("f", "C"));
}

TEST(Scopes, AnnotationsAreLazyFrom314On) {
  const Scoped s(
      "x: int = 1\n"
      "def f(a: A): pass\n"
      "y: str\n"
      "class C:\n  z: Z\n",
      14);
  EXPECT_EQ(s.child_names(s.scopes.root()), "__annotate__ __annotate__ f C");
  const ScopeId of_module = s.scopes.children(s.scopes.root())[0];
  EXPECT_TRUE(s.scopes.find(of_module, "int"));
  EXPECT_TRUE(s.scopes.find(of_module, "str"));
  EXPECT_FALSE(s.has("top", "int"));
  EXPECT_TRUE(s.has("top", "__conditional_annotations__"));
  EXPECT_TRUE(s.scopes.find(s.scopes.children(s.scopes.root())[1], "A"));
  EXPECT_EQ(s.child_names(s.scope("C")), "__annotate__");
  EXPECT_TRUE(s.scopes.scope(s.scope("C")).needs_classdict);
}

TEST(Scopes, DeepNestingNeedsNoStack) {
  std::string source = "x = ";
  for (int i = 0; i < 20000; ++i) {
    source += "lambda: ";
  }
  source += "0\n";
  const std::string text = source;
  const syntax::PythonVersion version{13};
  const syntax::Tree tree = syntax::parse_module(text, version);
  const ScopeTree scopes = build(tree, version);
  if (tree.ok()) {
    EXPECT_EQ(scopes.scope_count(), 20002U);
  }
}

TEST(Scopes, NamesThatPassThroughManyScopesAreBounded) {
  std::string source = "def f(";
  for (int i = 0; i < 2000; ++i) {
    source += 'a' + std::to_string(i) + ',';
  }
  source += "):\n  return ";
  for (int i = 0; i < 20000; ++i) {
    source += "lambda: ";
  }
  source += '[';
  for (int i = 0; i < 2000; ++i) {
    source += 'a' + std::to_string(i) + ',';
  }
  source += "]\n";
  const syntax::PythonVersion version{13};
  const syntax::Tree tree = syntax::parse_module(source, version);
  const ScopeTree scopes = build(tree, version);
  EXPECT_LT(scopes.symbol_count(), 3'000'000U);
}

}  // namespace
}  // namespace graphmend::scope
