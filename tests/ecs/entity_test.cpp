#include <gtest/gtest.h>

#include <mobula/ecs/entity.hpp>

namespace mobula::ecs {
namespace {

TEST(Entity, ZeroedMemoryIsTheNullEntity) {
  EXPECT_EQ(Entity{}, null_entity);
  EXPECT_FALSE(Entity{});
  EXPECT_TRUE((Entity{0, 1}));
}

TEST(Entity, TextIsIndexDotGenerationAndIsParsed) {
  const Entity entity{4294967295u, 1048577};
  EXPECT_EQ(to_string(entity), "4294967295.1048577");
  EXPECT_EQ(parse_entity("4294967295.1048577"), entity);
}

TEST(Entity, TextThatIsNoHandleIsRefused) {
  for (const char* text :
       {"", ".", "1", "1.", ".1", "1.2.3", " 1.2", "1.2 ", "-1.2", "+1.2", "4294967296.1", "1,2", "a.b"})
    EXPECT_FALSE(parse_entity(text)) << text;
}

TEST(Entity, ARunIsOfConsecutiveIndicesAndOneGeneration) {
  const Entity entities[] = {{7, 1}, {8, 1}, {9, 2}, {10, 2}, {12, 2}, {4294967295u, 1}, {1, 1}};
  const auto length_from = [&](std::size_t first) { return run_length(std::span(entities).subspan(first)); };
  EXPECT_EQ(length_from(0), 2u) << "then another generation comes";
  EXPECT_EQ(length_from(2), 2u) << "then an index is left out";
  EXPECT_EQ(length_from(4), 1u);
  EXPECT_EQ(length_from(6), 1u);
  EXPECT_EQ(length_from(7), 0u);
}

}  // namespace
}  // namespace mobula::ecs
