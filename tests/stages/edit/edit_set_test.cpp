#include "edit/edit_set.h"

#include <gtest/gtest.h>

namespace graphmend::edit {
namespace {

constexpr std::string_view kSource = "abc def ghi";

TEST(EditSet, AppliesInOnePassAndMapsBack) {
  EditSet edits;
  edits.replace({8, 11}, "G");
  edits.replace({4, 4}, ">>");
  edits.replace({0, 3}, "");
  const auto patched = edits.apply(kSource, {0, 11});
  ASSERT_TRUE(patched.ok());
  EXPECT_EQ(patched->text, " >>def G");
  EXPECT_EQ(patched->map.to_original(0), 3U);
  EXPECT_EQ(patched->map.to_original(1), 4U);  // inserted text maps to where it was inserted
  EXPECT_FALSE(patched->map.is_kept(1));
  EXPECT_EQ(patched->map.to_original(4), 5U);
  EXPECT_TRUE(patched->map.is_kept(4));
  EXPECT_EQ(patched->map.to_original(7), 8U);
}

TEST(EditSet, KeepsTheOrderOfInsertionsAtOneOffset) {
  EditSet edits;
  edits.replace({4, 4}, "1");
  edits.replace({4, 4}, "2");
  EXPECT_EQ(edits.apply(kSource, {0, 11})->text, "abc 12def ghi");
}

TEST(EditSet, RefusesOverlaps) {
  EditSet edits;
  edits.replace({0, 5}, "x");
  edits.replace({4, 6}, "y");
  const auto patched = edits.apply(kSource, {0, 11});
  ASSERT_FALSE(patched.ok());
  EXPECT_EQ(patched.error().first, (base::TextRange{0, 5}));
  EXPECT_EQ(patched.error().second, (base::TextRange{4, 6}));
}

TEST(EditSet, AppliesOnlyWhatLiesInTheWindow) {
  EditSet edits;
  edits.replace({0, 1}, "x");
  edits.replace({4, 5}, "D");
  const auto patched = edits.apply(kSource, {4, 7});
  ASSERT_TRUE(patched.ok());
  EXPECT_EQ(patched->text, "Def");
  EXPECT_EQ(patched->map.to_original(2), 6U);
}

}  // namespace
}  // namespace graphmend::edit
