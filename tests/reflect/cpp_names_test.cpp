#include <gtest/gtest.h>

#include <mobula/reflect/cpp_names.hpp>
#include <set>

namespace mobula::reflect {
namespace {

TEST(CppNames, OrdinaryNamesStay) {
  for (const char* name : {"x", "position", "class_name", "Class", "iff", "_", "__", ""})
    EXPECT_EQ(cpp_name(name), name);
}

TEST(CppNames, ReservedWordsGetAnUnderscore) {
  EXPECT_EQ(cpp_name("class"), "class_");
  EXPECT_EQ(cpp_name("alignas"), "alignas_");
  EXPECT_EQ(cpp_name("xor_eq"), "xor_eq_");
  EXPECT_EQ(cpp_name("co_await"), "co_await_");
  EXPECT_EQ(cpp_name("component_name"), "component_name_");
  EXPECT_EQ(cpp_name("component_layout"), "component_layout_");
  EXPECT_EQ(cpp_name("has_predicted_fields"), "has_predicted_fields_");
}

TEST(CppNames, DifferentNamesStayDifferent) {
  std::set<std::string> names;
  for (const char* name : {"class", "class_", "class__", "class___", "classy", "and", "and_", "and_eq", "and_eq_"})
    EXPECT_TRUE(names.insert(cpp_name(name)).second) << name;
}

TEST(CppNames, NamespacesAreJoinedByColons) {
  EXPECT_EQ(cpp_namespace("game"), "game");
  EXPECT_EQ(cpp_namespace("game.rooms.lobby"), "game::rooms::lobby");
  EXPECT_EQ(cpp_namespace("game.private"), "game::private_");
}

}  // namespace
}  // namespace mobula::reflect
