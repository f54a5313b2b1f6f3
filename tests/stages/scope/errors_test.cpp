#include "scoped.h"

namespace graphmend::scope {
namespace {

struct Case {
  std::string_view source;
  std::string_view message;
  unsigned minor = 13;
};

TEST(ScopeErrors, HaveTheMessagesOfCPython) {
  const Case cases[] = {
      {"def f(x):\n  global x\n", "name 'x' is parameter and global"},
      {"def f(x):\n  nonlocal x\n", "name 'x' is parameter and nonlocal"},
      {"def f():\n  x = 1\n  global x\n", "name 'x' is assigned to before global declaration"},
      {"def f():\n  print(x)\n  global x\n", "name 'x' is used prior to global declaration"},
      {"def f():\n  x: int\n  global x\n", "annotated name 'x' can't be global"},
      {"def f():\n  global x\n  x: int\n", "annotated name 'x' can't be global"},
      {"def f():\n  nonlocal x\n", "no binding for nonlocal 'x' found"},
      {"nonlocal x\n", "nonlocal declaration not allowed at module level"},
      {"def f():\n  global x\n  nonlocal x\n", "name 'x' is nonlocal and global"},
      {"def f[T]():\n  def g():\n    nonlocal T\n",
       "nonlocal binding not allowed for type parameter 'T'"},
      {"def f(a, a): pass\n", "duplicate argument 'a' in function definition"},
      {"def f(a, a): pass\n", "duplicate parameter 'a' in function definition", 14},
      {"def f[T, T](): pass\n", "duplicate type parameter 'T'"},
      {"def f():\n  from a import *\n", "import * only allowed at module level"},
      {"class C:\n  [y := 1 for x in z]\n",
       "assignment expression within a comprehension cannot be used in a class body"},
      {"[x := 1 for x in y]\n",
       "assignment expression cannot rebind comprehension iteration variable 'x'"},
      {"[(j := 1) or [0 for j in y] for i in z]\n", ""},
      {"[[0 for j in y] for i in z if (j := 1)]\n", ""},
      {"[0 for i in z if (j := 1) for j in y]\n",
       "comprehension inner loop cannot rebind assignment expression target 'j'"},
      {"[x for x in (y := 1)]\n",
       "assignment expression cannot be used in a comprehension iterable expression"},
      {"def f():\n  [(yield) for x in y]\n", "'yield' inside list comprehension"},
      {"type A = (yield)\n", "yield expression cannot be used within a type alias"},
      {"def f[T: (yield)](): pass\n", "yield expression cannot be used within a TypeVar bound"},
      {"from __future__ import annotations\nx: (yield)\n",
       "'yield expression' can not be used within an annotation", 11},
      {"from __future__ import braces\n", "not a chance"},
      {"from __future__ import nope\n", "future feature nope is not defined"},
  };
  for (const Case& each : cases) {
    const Scoped s(each.source, each.minor);
    EXPECT_EQ(s.first_error(), each.message) << each.source;
  }
}

}  // namespace
}  // namespace graphmend::scope
