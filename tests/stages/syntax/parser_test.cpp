#include "syntax/parser.h"

#include "support.h"

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

NodeId first_statement(const Tree& tree) {
  return ModuleView(tree, tree.root()).body()[0];
}

TEST(Parser, ViewsOfAnIf) {
  std::string text = "if a:\n  b\nelif c:\n  d\nelse:\n  e\n";
  Tree tree = parse_module(text);
  ASSERT_TRUE(tree.ok());
  IfView outer(tree, first_statement(tree));
  EXPECT_EQ(tree.text(outer.test()), "a");
  ASSERT_EQ(outer.body().size(), 1U);
  ASSERT_EQ(outer.orelse().size(), 1U);
  EXPECT_FALSE(tree.has_flag(outer.id(), kElif));
  IfView inner(tree, outer.orelse()[0]);
  EXPECT_TRUE(tree.has_flag(inner.id(), kElif));
  EXPECT_EQ(tree.text(inner.id()), "elif c:\n  d\nelse:\n  e");
  EXPECT_EQ(tree.text(inner.orelse()[0]), "e");
  EXPECT_EQ(tree.parent(inner.id()), outer.id());
  EXPECT_EQ(tree.parent(tree.root()), NodeId());
}

TEST(Parser, ViewsOfAFunction) {
  std::string text =
      "@one\n@two(1)\nasync def f(a, /, b: int = 1, *args, c, d=2, **kw) -> int:\n  pass\n";
  Tree tree = parse_module(text);
  ASSERT_TRUE(tree.ok());
  FunctionDefView function(tree, first_statement(tree));
  EXPECT_TRUE(function.is_async());
  EXPECT_EQ(function.name_text(), "f");
  EXPECT_EQ(function.decorators().size(), 2U);
  EXPECT_EQ(function.range().start, text.find("async"));
  EXPECT_EQ(tree.range_with_decorators(function.id()).start, 0U);
  std::vector<ParamKind> kinds;
  for (NodeId param : ArgumentsView(tree, function.args()).params()) {
    kinds.push_back(ParamView(tree, param).param_kind());
  }
  EXPECT_EQ(kinds,
            (std::vector{ParamKind::PositionalOnly, ParamKind::Positional, ParamKind::VarArgs,
                         ParamKind::KeywordOnly, ParamKind::KeywordOnly, ParamKind::KwArgs}));
}

TEST(Parser, CallArgumentsKeepTheirOrder) {
  std::string text = "f(a, k=b, *c, **d)";
  Tree tree = parse_module(text);
  CallView call(tree, ExprView(tree, first_statement(tree)).value());
  ASSERT_EQ(call.arguments().size(), 4U);
  EXPECT_EQ(tree.kind(call.arguments()[1]), NodeKind::Keyword);
  EXPECT_EQ(KeywordView(tree, call.arguments()[1]).name_text(), "k");
  EXPECT_EQ(tree.kind(call.arguments()[2]), NodeKind::Starred);
  EXPECT_FALSE(KeywordView(tree, call.arguments()[3]).has_name());
}

TEST(Parser, Precedence) {
  EXPECT_EQ(shape("a + b * c ** -d"), shape("a + (b * (c ** (-d)))"));
  EXPECT_EQ(shape("not a == b and c or d"), shape("((not (a == b)) and c) or d"));
  EXPECT_EQ(shape("a | b ^ c & d << e - f"), shape("a | (b ^ (c & (d << (e - f))))"));
  EXPECT_EQ(shape("-a ** b"), shape("-(a ** b)"));
  EXPECT_EQ(shape("a - b - c"), shape("(a - b) - c"));
  EXPECT_EQ(shape("a ** b ** c"), shape("a ** (b ** c)"));
  EXPECT_EQ(shape("await_ + await_"), shape("(await_) + await_"));
  EXPECT_EQ(shape("a if b else c if d else e"), shape("a if b else (c if d else e)"));
  EXPECT_EQ(shape("lambda: a if b else c"), shape("lambda: (a if b else c)"));
  EXPECT_EQ(shape("a < b not in c is not d"),
            "Module(body=[Expr(value=Compare(left=Name(id='a', ctx=Load()), ops=[Lt(), NotIn(), "
            "IsNot()], comparators=[Name(id='b', ctx=Load()), Name(id='c', ctx=Load()), "
            "Name(id='d', ctx=Load())]))])");
}

TEST(Parser, ParenthesesAreFlags) {
  Tree tree = parse_module("(a)\n((b, c))\nd");
  auto body = ModuleView(tree, tree.root()).body();
  NodeId a = ExprView(tree, body[0]).value();
  NodeId tuple = ExprView(tree, body[1]).value();
  EXPECT_TRUE(tree.has_flag(a, kParenthesized));
  EXPECT_EQ(tree.text(a), "a");
  EXPECT_EQ(tree.text(tuple), "(b, c)");
  EXPECT_FALSE(tree.has_flag(ExprView(tree, body[2]).value(), kParenthesized));
}

TEST(Parser, WithItems) {
  auto items = [](std::string_view text, PythonVersion version = kNewestVersion) {
    Tree tree = parse_module(text, version);
    EXPECT_TRUE(tree.ok()) << text;
    return WithView(tree, first_statement(tree)).items().size();
  };
  EXPECT_EQ(items("with (a, b): pass"), 2U);
  EXPECT_EQ(items("with (a, b): pass", {8}), 1U);
  EXPECT_EQ(items("with (a as b, c as d,): pass"), 2U);
  EXPECT_EQ(items("with (a, b) as c: pass"), 1U);
  EXPECT_EQ(items("with (a), (b): pass"), 2U);
  EXPECT_EQ(items("with (a, *b): pass"), 1U);
  EXPECT_EQ(items("with (yield): pass"), 1U);
  EXPECT_EQ(items("with (a := b): pass"), 1U);
  EXPECT_EQ(items("with (x for x in y): pass"), 1U);
  EXPECT_EQ(items("with (lambda *a: 1, b): pass"), 2U);
  EXPECT_EQ(items("with (): pass"), 1U);
  EXPECT_EQ(items("with (a).b, (c)[0] as d: pass"), 2U);
}

TEST(Parser, SoftKeywords) {
  auto kind = [](std::string_view text, PythonVersion version = kNewestVersion) {
    Tree tree = parse_module(text, version);
    EXPECT_TRUE(tree.ok()) << text << ": " << (tree.ok() ? "" : tree.errors()[0].message);
    return tree.kind(first_statement(tree));
  };
  EXPECT_EQ(kind("match x:\n  case 1: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match (x):\n  case 1: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match [x]:\n  case _: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match -x:\n  case _: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match *a, b:\n  case _: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match not x:\n  case _: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match match:\n  case case: pass\n"), NodeKind::Match);
  EXPECT_EQ(kind("match(x)"), NodeKind::Expr);
  EXPECT_EQ(kind("match[x] = 1"), NodeKind::Assign);
  EXPECT_EQ(kind("match - x"), NodeKind::Expr);
  EXPECT_EQ(kind("match = case = type = _ = 1"), NodeKind::Assign);
  EXPECT_EQ(kind("match: int"), NodeKind::AnnAssign);
  EXPECT_EQ(kind("match in x"), NodeKind::Expr);
  EXPECT_EQ(kind("match not in x"), NodeKind::Expr);
  EXPECT_EQ(kind("match(lambda: 1)"), NodeKind::Expr);
  EXPECT_EQ(kind("match(x) if y else z"), NodeKind::Expr);
  EXPECT_EQ(kind("type X = int"), NodeKind::TypeAlias);
  EXPECT_EQ(kind("type X[T: int = str, *Ts, **P] = T"), NodeKind::TypeAlias);
  EXPECT_EQ(kind("type(x)"), NodeKind::Expr);
  EXPECT_EQ(kind("type = x"), NodeKind::Assign);
  EXPECT_EQ(kind("match(x)", {8}), NodeKind::Expr);
}

TEST(Parser, Versions) {
  struct Case {
    const char* text;
    std::uint8_t first;
  };
  constexpr Case kCases[] = {
      {"match x:\n  case 1: pass\n", 10},
      {"try: pass\nexcept* E: pass\n", 11},
      {"type X = int", 12},
      {"def f[T](): pass", 12},
      {"class A[T = int]: pass", 13},
      {"try: pass\nexcept A, B: pass\n", 14},
      {"a[*b]", 11},
      {"def f(*args: *Ts): pass", 11},
      {"with (a as b, c as d): pass", 9},
      {"@a[0]\ndef f(): pass", 9},
      {"for x in *a, b: pass", 9},
      {"f'{'a'}'", 12},
      {"a[b := 1]", 10},
      {"t'{a}'", 14},
      {"def f(a, /): pass", 8},
      {"(a := 1)", 8},
      {"def f():\n  return *a, b", 8},
  };
  for (const Case& one : kCases) {
    for (std::uint8_t minor = 8; minor <= 14; ++minor) {
      EXPECT_EQ(parse_module(one.text, {minor}).ok(), minor >= one.first)
          << one.text << " in 3." << int{minor};
    }
  }
}

TEST(Parser, Strings) {
  auto value = [](std::string_view text) {
    Tree tree = parse_module(text);
    EXPECT_TRUE(tree.ok()) << text;
    return tree.string_value(ExprView(tree, first_statement(tree)).value());
  };
  EXPECT_EQ(value(R"('a\n\x41\101\'' "b" r'\n')"), "a\nAA'b\\n");
  EXPECT_EQ(value("'a\\\nb'"), "ab");
  EXPECT_EQ(value("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(value(R"('\u00e9\N{LATIN SMALL LETTER E WITH ACUTE}\N{LINE FEED}')"),
            "\xc3\xa9\xc3\xa9\n");
  EXPECT_EQ(value(R"('\N{HANGUL SYLLABLE GAGG}\N{CJK UNIFIED IDEOGRAPH-4E00}')"),
            "\xea\xb0\x82\xe4\xb8\x80");
  EXPECT_EQ(value(R"(b'\xff\u0041')"), "\xff\\u0041");
  EXPECT_EQ(value(R"('\ud800')"), "\xed\xa0\x80");
}

TEST(Parser, IdentifiersAreNormalized) {
  // The ligature "fi" and a letter with a combining accent.
  std::string text = "\xef\xac\x81n = e\xcc\x81";
  Tree tree = parse_module(text);
  ASSERT_TRUE(tree.ok());
  AssignView assign(tree, first_statement(tree));
  std::string storage;
  EXPECT_EQ(tree.identifier(tree.range(assign.targets()[0]), storage), "fin");
  EXPECT_EQ(tree.identifier(tree.range(assign.value()), storage), "\xc3\xa9");
}

TEST(Parser, Imports) {
  Tree tree =
      parse_module("import a . b as c, d\nfrom ....e.f import (g as h, i,)\nfrom . import *");
  ASSERT_TRUE(tree.ok());
  auto body = ModuleView(tree, tree.root()).body();
  AliasView first(tree, ImportView(tree, body[0]).names()[0]);
  EXPECT_EQ(first.name(), "a.b");
  EXPECT_EQ(tree.text(first.asname()), "c");
  ImportFromView from(tree, body[1]);
  EXPECT_EQ(from.level(), 4U);
  EXPECT_EQ(from.module(), "e.f");
  EXPECT_EQ(from.names().size(), 2U);
  ImportFromView star(tree, body[2]);
  EXPECT_EQ(star.module(), "");
  EXPECT_TRUE(AliasView(tree, star.names()[0]).is_star());
}

TEST(Parser, LogicalLines) {
  std::string text =
      "def f():\n    a = [\n1,\n    2]\n    b = '''\nx\n'''; c\n    # note\n\n    if a:\n"
      "        d = \\\n  1\n";
  Tree tree = parse_module(text);
  ASSERT_TRUE(tree.ok());
  std::vector<std::string> lines;
  for (std::uint32_t start : tree.logical_line_starts(tree.range(first_statement(tree)))) {
    lines.push_back(text.substr(start, text.find('\n', start) - start));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"def f():", "    a = [", "    b = '''",
                                             "    if a:", "        d = \\"}));
  EXPECT_EQ(tree.comments_in(tree.range(first_statement(tree))).size(), 1U);
  EXPECT_EQ(tree.indentation_at(static_cast<std::uint32_t>(text.find("d = "))), "        ");
}

TEST(Parser, SubtreesAreContiguous) {
  Tree tree = parse_module("def f(a):\n  return a + g(b, c)\nx = 1\n");
  ASSERT_FALSE(tree.verify());
  NodeId function = first_statement(tree);
  EXPECT_EQ(tree.subtree_begin(function), NodeId(1));
  for (std::uint32_t i = tree.subtree_begin(function).value; i < function.value; ++i) {
    EXPECT_TRUE(tree.range(function).contains(tree.range(NodeId(i))));
  }
  TextRange b = tree.range(function);
  std::uint32_t at = static_cast<std::uint32_t>(tree.source().find("b, c"));
  EXPECT_EQ(tree.text(tree.innermost({at, at + 1})), "b");
  EXPECT_EQ(tree.innermost(b), function);
}

TEST(Parser, Recovers) {
  std::string text = "a = 1\nb = = 2\nc = 3\ndef f():\n  x = (\ny = 1\n";
  Tree tree = parse_module(text);
  EXPECT_FALSE(tree.ok());
  EXPECT_FALSE(tree.verify());
  auto body = ModuleView(tree, tree.root()).body();
  ASSERT_GE(body.size(), 3U);
  EXPECT_EQ(tree.kind(body[0]), NodeKind::Assign);
  EXPECT_EQ(tree.kind(body[1]), NodeKind::ErrorStatement);
  EXPECT_EQ(tree.kind(body[2]), NodeKind::Assign);
}

}  // namespace
}  // namespace graphmend::syntax::test
