#include "types/callables.h"

#include <gtest/gtest.h>

namespace graphmend::types {
namespace {

TEST(Callables, KnowsPureOperators) {
  const CallableFacts* any = find_tensor_callable("any");
  ASSERT_NE(any, nullptr);
  EXPECT_TRUE(any->pure && any->total && any->cheap);
}

TEST(Callables, KnowsNothingOfDrawsAndWrites) {
  for (const char* name : {"rand", "randn", "dropout", "bernoulli", "add_", "copy_", "item", ""}) {
    EXPECT_EQ(find_tensor_callable(name), nullptr) << name;
  }
}

TEST(Callables, MarksGradientTraps) {
  for (const char* name : {"sqrt", "log", "div", "pow", "mul"}) {
    const CallableFacts* facts = find_tensor_callable(name);
    ASSERT_NE(facts, nullptr) << name;
    EXPECT_FALSE(facts->gradient_safe) << name;
  }
}

TEST(Callables, KnowsPureBuiltinsAndModules) {
  EXPECT_TRUE(is_pure_builtin("len"));
  EXPECT_FALSE(is_pure_builtin("print"));
  EXPECT_TRUE(is_pure_method("items"));
  EXPECT_FALSE(is_pure_method("append"));
  EXPECT_TRUE(is_pure_module("math"));
  EXPECT_FALSE(is_pure_module("random"));
}

}  // namespace
}  // namespace graphmend::types
