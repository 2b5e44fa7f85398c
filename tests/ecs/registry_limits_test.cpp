// A registry at the end of its index space.
#include <gtest/gtest.h>

#include <vector>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

// Indices whose generations are used up: creating fails as in a full world, and everything else goes on.
TEST(Registry, ARegistryWithoutGenerationsLeftIsFull) {
  World world({.entities = {.reuse_bits = 3, .entities_max = 64}, .pools = {}});
  const Entity kept = world.create();
  std::uint32_t made = 1;
  while (const Entity entity = world.create()) {
    ++made;
    world.add<Health>(entity);
    world.destroy(entity);
    world.clear_journal();
  }
  EXPECT_EQ(made, 1 + 63 * 7u);
  EXPECT_EQ(world.entities().retired(), 63u);
  std::vector<Entity> more(1);
  EXPECT_FALSE(world.create(std::span(more), Health{}));
  EXPECT_EQ(world.create_range(1).count, 0u);
  EXPECT_TRUE(world.valid(kept));
  world.add<Health>(kept);
  world.check();
}

}  // namespace
}  // namespace mobula::ecs
