// Rejections: where they point and what they say.
#include "support.h"

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

struct Case {
  const char* text;
  const char* error;
};

TEST(Errors, PointAtThePlace) {
  constexpr Case kCases[] = {
      {"a = = b", "1:4: invalid syntax"},
      {"if a\n  b", "1:4: expected ':'"},
      {"if a:\nb", "2:0: expected an indented block after 'if' statement on line 1"},
      {"def f():\n", "2:0: expected an indented block after function definition on line 1"},
      {"class A:\nx", "2:0: expected an indented block after class definition on line 1"},
      {"a\n  b", "2:2: unexpected indent"},
      {"if a:\n    b\n  c", "3:2: unindent does not match any outer indentation level"},
      {"x = (1,\ny = 2", "1:4: '(' was never closed"},
      {"x = 1)", "1:5: unmatched ')'"},
      {"x = (1]", "1:6: closing parenthesis ']' does not match opening parenthesis '('"},
      {"x = (\n1]",
       "2:1: closing parenthesis ']' does not match opening parenthesis '(' on line 1"},
      {"x = 'a", "1:4: unterminated string literal (detected at line 1)"},
      {"x = '''a\n\n", "1:4: unterminated triple-quoted string literal (detected at line 3)"},
      {"f() = 1", "1:0: cannot assign to function call here. Maybe you meant '==' instead of '='?"},
      {"a + b = 1", "1:0: cannot assign to expression here. Maybe you meant '==' instead of '='?"},
      {"None = 1", "1:0: cannot assign to None"},
      {"(a, 1) = b", "1:4: cannot assign to literal here. Maybe you meant '==' instead of '='?"},
      {"f() += 1", "1:0: 'function call' is an illegal expression for augmented assignment"},
      {"del f()", "1:4: cannot delete function call"},
      {"for f() in x: pass", "1:4: cannot assign to function call"},
      {"with a as f(): pass", "1:10: cannot assign to function call"},
      {"(a.b := 1)", "1:1: cannot use assignment expressions with attribute"},
      {"f(a=1, b)", "1:7: positional argument follows keyword argument"},
      {"f(**a, b)", "1:7: positional argument follows keyword argument unpacking"},
      {"f(**a, *b)", "1:7: iterable argument unpacking follows keyword argument unpacking"},
      {"f(a for a in b, c)", "1:2: Generator expression must be parenthesized"},
      {"f(a.b=1)", "1:2: expression cannot contain assignment, perhaps you meant \"==\"?"},
      {"f(True=1)", "1:2: cannot assign to True"},
      {"def f(a=1, b): pass", "1:11: parameter without a default follows parameter with a default"},
      {"def f(*): pass", "1:6: named arguments must follow bare *"},
      {"def f(*, **k): pass", "1:6: named arguments must follow bare *"},
      {"def f(/): pass", "1:6: at least one argument must precede /"},
      {"def f(**a, b): pass", "1:11: arguments cannot follow var-keyword argument"},
      {"def f((a)): pass", "1:6: Function parameters cannot be parenthesized"},
      {"lambda *: 1", "1:7: named arguments must follow bare *"},
      {"try: a\nb", "2:0: expected 'except' or 'finally' block"},
      {"print 'a'", "1:6: Missing parentheses in call to 'print'. Did you mean print(...)?"},
      {"from a import b,", "1:15: trailing comma not allowed without surrounding parentheses"},
      {"import a from b", "1:0: Did you mean to use 'from ... import ...' instead?"},
      {"{a: b, c}", "1:7: ':' expected after dictionary key"},
      {"{a: }", "1:2: expression expected after dictionary key and ':'"},
      {"{**a for b in c}", "1:1: dict unpacking cannot be used in dict comprehension"},
      {"[*a for a in b]", "1:1: iterable unpacking cannot be used in comprehension"},
      {"[a, b for a in c]", "1:1: did you forget parentheses around the comprehension target?"},
      {"(*a)", "1:1: cannot use starred expression here"},
      {"a if b", "1:0: expected 'else' after 'if' expression"},
      {"x: int, y: int", "1:6: invalid syntax"},
      {"(a, b): int", "1:0: only single target (not tuple) can be annotated"},
      {"[a]: int", "1:0: only single target (not list) can be annotated"},
      {"f'{}'", "1:3: f-string: valid expression required before '}'"},
      {"f'{a!x}'", "1:5: f-string: invalid conversion character 'x': expected 's', 'r', or 'a'"},
      {"f'a}'", "1:3: f-string: single '}' is not allowed"},
      {"f'{a'", "1:4: f-string: expecting '}'"},
      {"b'\xc3\xa9'", "1:0: bytes can only contain ASCII literal characters"},
      {"'a' b'b'", "1:0: cannot mix bytes and nonbytes literals"},
      {"0777",
       "1:0: leading zeros in decimal integer literals are not permitted; use an 0o prefix "
       "for octal integers"},
      {"1_", "1:0: invalid decimal literal"},
      {"0b2", "1:0: invalid digit '2' in binary literal"},
      {"x = 1 \\ \n", "1:6: unexpected character after line continuation character"},
      {"x = \\", "1:4: unexpected EOF while parsing"},
      {"a \xe2\x82\xac b", "1:2: invalid character '\xe2\x82\xac' (U+20AC)"},
      {"match a:\n  case _ as _: pass", "2:12: cannot use '_' as a target"},
      {"match a:\n  case A(b=c, d): pass", "2:14: positional patterns follow keyword patterns"},
      {"match a:\n  case 1 + 2: pass", "2:11: imaginary number required in complex literal"},
      {"try: a\nexcept A, B as c: d",
       "2:7: multiple exception types must be parenthesized when using 'as'"},
      {"try: a\nexcept A: b\nexcept* B: c",
       "3:0: cannot have both 'except' and 'except*' on the same 'try'"},
      {"class A[]: pass", "1:7: Type parameter list cannot be empty"},
      {"await await a", "1:6: invalid syntax"},
      {"else: a", "1:0: invalid syntax"},
      {"1 + not a", "1:4: invalid syntax"},
      {"a.1", "1:1: invalid syntax"},
      {"(a b)", "1:1: invalid syntax. Perhaps you forgot a comma?"},
  };
  for (const Case& one : kCases) {
    EXPECT_EQ(first_error(one.text), one.error) << one.text;
  }
}

TEST(Errors, OneSlipIsOneError) {
  for (const char* text : {"a = (\nb = 1\n", "if a\n  b\n  c\nd\n", "def f(:\n  a\n  b\nc\n",
                           "x = (1, [2)\ny = 3\n", "for in x:\n  if y:\n    z\nw\n"}) {
    Tree tree = parse_module(text);
    EXPECT_EQ(tree.errors().size(), 1U) << text;
  }
}

}  // namespace
}  // namespace graphmend::syntax::test
