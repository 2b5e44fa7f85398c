#include <gtest/gtest.h>

#include <mobula/reflect/name_scope.hpp>

namespace mobula::reflect {
namespace {

TEST(NameScope, TakenNamesGetUnderscores) {
  NameScope scope;
  EXPECT_EQ(scope.add("Item"), "Item");
  EXPECT_EQ(scope.add("Item"), "Item_");
  EXPECT_EQ(scope.add("Item_"), "Item__");
  EXPECT_EQ(scope.add("Item"), "Item___");
}

}  // namespace
}  // namespace mobula::reflect
