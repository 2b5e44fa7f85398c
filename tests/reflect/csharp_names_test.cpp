#include <gtest/gtest.h>

#include <mobula/reflect/csharp_names.hpp>

namespace mobula::reflect {
namespace {

TEST(CsharpNames, WordsBeginWithCapitals) {
  EXPECT_EQ(pascal_case("item_count"), "ItemCount");
  EXPECT_EQ(pascal_case("Transform"), "Transform");
  EXPECT_EQ(pascal_case("x"), "X");
  EXPECT_EQ(pascal_case("__seen__by_"), "SeenBy");
  EXPECT_EQ(pascal_case("rgb_8"), "Rgb8");
}

TEST(CsharpNames, NamesNeverBeginWithADigitOrEndEmpty) {
  EXPECT_EQ(pascal_case("_"), "_");
  EXPECT_EQ(pascal_case("_2d"), "_2d");
}

TEST(CsharpNames, EachPartOfANamespaceIsAName) {
  EXPECT_EQ(csharp_namespace("demo"), "Demo");
  EXPECT_EQ(csharp_namespace("lobby.room"), "Lobby.Room");
  EXPECT_EQ(csharp_namespace("my_game.world.parts"), "MyGame.World.Parts");
}

TEST(CsharpNames, MembersAreNotNamedAsTheirStructOrItsMethods) {
  NameScope scope = struct_scope("Name");
  EXPECT_EQ(scope.add("Name"), "Name_");
  EXPECT_EQ(scope.add("Equals"), "Equals_");
  EXPECT_EQ(scope.add("Default"), "Default_");
  EXPECT_EQ(scope.add("Text"), "Text");
}

}  // namespace
}  // namespace mobula::reflect
