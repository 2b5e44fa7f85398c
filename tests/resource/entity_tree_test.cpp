#include <gtest/gtest.h>

#include <mobula/resource/entity_tree.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

TEST(EntityTree, PathsFollowNamesNotParents) {
  const auto file = test::load_text(R"({
    "entities": {"late": {"parent": "/hall/lamp", "children": {"end": {}}},
                 "hall": {"children": {"lamp": {}, "row.7": {}, "row.07": {}}}}})");
  // hall, hall/lamp, late, late/end, hall/row.7, hall/row.07
  const EntityTree tree(file->level(), *file, false);
  EXPECT_EQ(tree.top(), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(tree.children(0), (std::vector<std::uint32_t>{1, 4, 5}));
  EXPECT_TRUE(tree.children(1).empty()) << "late is attached, not written there";
  EXPECT_TRUE(tree.attached(2));
  EXPECT_FALSE(tree.attached(3));
  EXPECT_EQ(tree.path(0, 3), "/late/end");
  EXPECT_EQ(tree.path(5, 1), "/hall/lamp") << "from anywhere";
  EXPECT_EQ(tree.name(4), "row.7");
  EXPECT_EQ(tree.name(5), "row.07");
}

TEST(EntityTree, PathsOfAPrefabAreRelativeToTheStartEntity) {
  const auto file =
      test::load_text(R"({"prefabs":{"p":{"spawnable":true,"children":{"a":{"children":{"b":{}}},"c":{}}}}})");
  const EntityTree tree(*file->find_prefab(core::StringId32("p")), *file, true);
  const std::string_view expected[4][4] = {
      {".", "a", "a/b", "c"}, {"..", ".", "b", "../c"}, {"../..", "..", ".", "../../c"}, {"..", "../a", "../a/b", "."}};
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to) EXPECT_EQ(tree.path(from, to), expected[from][to]) << from << " " << to;
}

}  // namespace
}  // namespace mobula::resource
