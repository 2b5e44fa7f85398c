#include <gtest/gtest.h>

#include <mobula/ecs/entity.hpp>

namespace mobula::ecs {
namespace {

TEST(Entity, ZeroedMemoryIsTheNullEntity) {
  EXPECT_EQ(Entity{}, null_entity);
  EXPECT_FALSE(Entity{});
  EXPECT_TRUE((Entity{0, 1}));
}

TEST(Entity, TextIsIndexDotGenerationAndComesBack) {
  const Entity entity{4294967295u, 1048577};
  EXPECT_EQ(to_string(entity), "4294967295.1048577");
  EXPECT_EQ(parse_entity("4294967295.1048577"), entity);
}

TEST(Entity, TextThatIsNoHandleIsRefused) {
  for (const char* text :
       {"", ".", "1", "1.", ".1", "1.2.3", " 1.2", "1.2 ", "-1.2", "+1.2", "4294967296.1", "1,2", "a.b"})
    EXPECT_FALSE(parse_entity(text)) << text;
}

}  // namespace
}  // namespace mobula::ecs
