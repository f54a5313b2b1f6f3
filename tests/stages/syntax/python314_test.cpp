// Examples of what 3.14 added: template strings (PEP 750), exceptions without parentheses (PEP 758)
// and annotations that are evaluated late (PEP 649). They are not verified with a CPython 3.14:
// what is expected is read from these texts.
#include "support.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

constexpr PythonVersion kOld{13};
constexpr PythonVersion kNew{14};

TEST(Python314, TemplateStringsAreRead) {
  for (const std::string_view text : {
           "template = t'Hello {name}'",
           "T'{x}'; rt'\\d{x}'; tR'\\d{x}'; RT'''\n{x}\n'''",
           "t'User {action}: {amount:.2f} {item!r}'",
           "t'{value=}'; t'{value = !s:>{width}.{precision}}'",
           "t'{{}}'; t''; t'''a\n{\n  b  # why\n}'''",
           "t'{f'{t'{x}'}'}'",
           "t'a {x}' t'b {y}'",
           "html(t'<{tag}>{[t'<li>{i}</li>' for i in items]}</{tag}>')",
           "t = 1; t.x; t['a']; rt = t; f(t)",
       }) {
    EXPECT_EQ(first_error(text, kNew), "") << text;
  }
  EXPECT_EQ(shape("t'a{x!r:>{w}}'", kNew),
            "Module(body=[Expr(value=TemplateStr(values=[Constant(value='a'), "
            "Interpolation(value=Name(id='x', ctx=Load()), str='x', conversion=114, "
            "format_spec=JoinedStr(values=[Constant(value='>'), FormattedValue(value=Name(id='w', "
            "ctx=Load()), conversion=-1)]))]))])");
  EXPECT_EQ(shape("t'{x}' t'b'", kNew),
            "Module(body=[Expr(value=TemplateStr(values=[Interpolation(value=Name(id='x', "
            "ctx=Load()), str='x', conversion=-1), Constant(value='b')]))])");
}

TEST(Python314, TemplateStringsAreRejected) {
  for (const std::string_view text : {
           "t'{x}' 'b'",
           "'b' t'{x}'",
           "f'{x}' t'{x}'",
           "t'{x}' b'b'",
           "bt'{x}'",
           "tb'{x}'",
           "ft'{x}'",
           "ut'{x}'",
           "t'{}'",
           "t'{x'",
           "t'}'",
           "t'{x!z}'",
           "t'{x",
           "match a:\n  case t'{x}': pass",
       }) {
    EXPECT_NE(first_error(text, kNew), "") << text;
  }
  EXPECT_NE(first_error("t'{x}'", kOld), "");
}

TEST(Python314, ExceptionsNeedNoParentheses) {
  for (const std::string_view text : {
           "try: pass\nexcept A, B: pass",
           "try: pass\nexcept A, B, C: pass\nexcept D: pass",
           "try: pass\nexcept* A, B: pass",
           "try: pass\nexcept a.b, c[0], d(): pass\nfinally: pass",
           "try: pass\nexcept (A, B) as e: pass",
       }) {
    EXPECT_EQ(first_error(text, kNew), "") << text;
  }
  EXPECT_EQ(shape("try: pass\nexcept* A, B: pass", kNew),
            shape("try: pass\nexcept* (A, B): pass", kNew));
  EXPECT_EQ(first_error("try: pass\nexcept A, B as e: pass", kNew),
            "2:7: multiple exception types must be parenthesized when using 'as'");
  EXPECT_EQ(first_error("try: pass\nexcept A, B: pass", kOld),
            "2:7: multiple exception types must be parenthesized");
  EXPECT_NE(first_error("try: pass\nexcept *A, *B: pass", kNew), "");
}

TEST(Python314, AnnotationsAreWrittenAsBefore) {
  constexpr std::string_view kText =
      "class A:\n  b: B | None\n  c: list[C] = []\ndef f(a: A, *b: *B, **c: C) -> f: x: int\n"
      "(y): int\nz.w: int = 1\n";
  EXPECT_EQ(first_error(kText, kNew), "");
  EXPECT_EQ(shape(kText, kNew), shape(kText, kOld));
}

}  // namespace
}  // namespace graphmend::syntax::test
