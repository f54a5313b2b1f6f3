// What versions of ast.dump print differently. Whole files are compared by tests/oracle.
#include "syntax/ast_dump.h"

#include "support.h"
#include "syntax/python_repr.h"

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

std::string dump(std::string_view text, std::uint8_t minor, int indent = -1,
                 bool attributes = true) {
  Tree tree = parse_module(text, {minor});
  EXPECT_TRUE(tree.ok()) << text;
  AstDumpOptions options;
  options.version = {minor};
  options.indent = indent;
  options.attributes = attributes;
  return dump_ast(tree, options);
}

TEST(AstDump, Indents) {
  EXPECT_EQ(
      dump("x", 11, 1),
      "Module(\n body=[\n  Expr(\n   value=Name(\n    id='x',\n    ctx=Load(),\n    lineno=1,\n"
      "    col_offset=0,\n    end_lineno=1,\n    end_col_offset=1),\n   lineno=1,\n"
      "   col_offset=0,\n   end_lineno=1,\n   end_col_offset=1)],\n type_ignores=[])");
}

TEST(AstDump, LeavesOutWhatTheVersionLeavesOut) {
  EXPECT_EQ(dump("def f(): return", 8, -1, false),
            "Module(body=[FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], "
            "vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]), "
            "body=[Return(value=None)], decorator_list=[], returns=None, type_comment=None)], "
            "type_ignores=[])");
  EXPECT_EQ(dump("def f(): return", 12, -1, false),
            "Module(body=[FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], "
            "kwonlyargs=[], kw_defaults=[], defaults=[]), body=[Return()], decorator_list=[], "
            "type_params=[])], type_ignores=[])");
  EXPECT_EQ(dump("def f(): return", 13, -1, false),
            "Module(body=[FunctionDef(name='f', args=arguments(), body=[Return()])])");
}

TEST(AstDump, SubscriptsOf38) {
  EXPECT_EQ(dump("a[b, c:d]", 8, -1, false),
            "Module(body=[Expr(value=Subscript(value=Name(id='a', ctx=Load()), "
            "slice=ExtSlice(dims=[Index(value=Name(id='b', ctx=Load())), Slice(lower=Name(id='c', "
            "ctx=Load()), upper=Name(id='d', ctx=Load()), step=None)]), ctx=Load()))], "
            "type_ignores=[])");
}

TEST(AstDump, PositionsOf38) {
  auto has = [](std::string_view text, std::uint8_t minor, std::string_view part) {
    return dump(text, minor).find(part) != std::string::npos;
  };
  // A starred argument ends before the parenthesis of its value.
  EXPECT_TRUE(has("f(*(a))", 8, "col_offset=2, end_lineno=1, end_col_offset=5"));
  EXPECT_TRUE(has("f(*(a))", 9, "col_offset=2, end_lineno=1, end_col_offset=6"));
  // A keyword-only parameter has no annotation in its range.
  EXPECT_TRUE(has("def f(*, a: b): pass", 8, "col_offset=9, end_lineno=1, end_col_offset=10"));
  EXPECT_TRUE(has("def f(*, a: b): pass", 9, "col_offset=9, end_lineno=1, end_col_offset=13"));
  // A tuple of targets starts inside the parenthesis of its first.
  EXPECT_TRUE(has("for (a), b in c: pass", 8, "col_offset=5, end_lineno=1, end_col_offset=10"));
  EXPECT_TRUE(has("for (a), b in c: pass", 9, "col_offset=4, end_lineno=1, end_col_offset=10"));
}

TEST(AstDump, TemplateStrings) {
  EXPECT_EQ(dump("t'a{ (b) !r}{c = }'", 14, -1, false),
            "Module(body=[Expr(value=TemplateStr(values=[Constant(value='a'), "
            "Interpolation(value=Name(id='b', ctx=Load()), str=' (b)', conversion=114), "
            "Constant(value='c = '), Interpolation(value=Name(id='c', ctx=Load()), str='c', "
            "conversion=114)]))])");
}

TEST(AstDump, ExceptListsOf314) {
  EXPECT_EQ(dump("try: pass\nexcept A, B: pass", 14, -1, false),
            dump("try: pass\nexcept (A, B): pass", 14, -1, false));
}

TEST(PythonRepr, Numbers) {
  EXPECT_EQ(repr_int("0xFFFF_FFFF_FFFF_FFFF_FFFF"), "1208925819614629174706175");
  EXPECT_EQ(repr_int("0o17"), "15");
  EXPECT_EQ(repr_int("00_0"), "0");
  EXPECT_EQ(repr_int("1_000"), "1000");
  EXPECT_EQ(repr_float("1."), "1.0");
  EXPECT_EQ(repr_float("1e16"), "1e+16");
  EXPECT_EQ(repr_float("1e15"), "1000000000000000.0");
  EXPECT_EQ(repr_float("0.0001"), "0.0001");
  EXPECT_EQ(repr_float(".00001"), "1e-05");
  EXPECT_EQ(repr_float("1e400"), "inf");
  EXPECT_EQ(repr_float("1e-400"), "0.0");
  EXPECT_EQ(repr_float("5e-324"), "5e-324");
  EXPECT_EQ(repr_float("123456.789e3"), "123456789.0");
  EXPECT_EQ(repr_imaginary("2j"), "2j");
  EXPECT_EQ(repr_imaginary("1e20J"), "1e+20j");
}

TEST(PythonRepr, Strings) {
  EXPECT_EQ(repr_str("a'b", {11}), "\"a'b\"");
  EXPECT_EQ(repr_str("a'\"b", {11}), "'a\\'\"b'");
  EXPECT_EQ(repr_str("\t\n\r\\\x01\x7f", {11}), "'\\t\\n\\r\\\\\\x01\\x7f'");
  EXPECT_EQ(repr_str("\xc3\xa9\xc2\xa0\xe2\x80\x8b", {11}), "'\xc3\xa9\\xa0\\u200b'");
  EXPECT_EQ(repr_str("\xed\xa0\x80", {11}), "'\\ud800'");
  EXPECT_EQ(repr_bytes("a\xff'"), "b\"a\\xff'\"");
}

}  // namespace
}  // namespace graphmend::syntax::test
