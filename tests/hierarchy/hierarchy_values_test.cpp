// Places and rotations that are no numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/hierarchy/hierarchy.hpp>

#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Transform;

class HierarchyValues : public testing::Test {
 protected:
  // Expects what the reference has, which compares numbers: not for a NaN.
  void update() {
    hierarchy.update();
    hierarchy.check();
    test::expect_agreement(hierarchy, world);
  }

  test::World world;
  Hierarchy hierarchy{world};
};

TEST_F(HierarchyValues, ATreeHealsWithItsRoot) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Entity> chain = world.make_chain(4);
  for (const Entity entity : chain) world.get<Transform>(entity).position = {1, 2, 3};
  update();
  const WorldTransform healthy = world.get<const WorldTransform>(chain.back());
  const Transform root = world.get<const Transform>(chain.front());
  for (const float bad : {nan, std::numeric_limits<float>::infinity(), 1e30f}) {
    world.get<Transform>(chain.front()).position.x = bad;
    hierarchy.update();
    EXPECT_NE(world.get<const WorldTransform>(chain.back()).position.x, healthy.position.x);
    world.get<Transform>(chain.front()) = root;
    update();
    EXPECT_EQ(world.get<const WorldTransform>(chain.back()), healthy) << bad;
  }
  world.get<Transform>(chain.front()).rotation.x = nan;
  hierarchy.update();
  EXPECT_TRUE(std::isnan(world.get<const WorldTransform>(chain.back()).position.y));
  world.get<Transform>(chain.front()) = root;
  update();
  EXPECT_EQ(world.get<const WorldTransform>(chain.back()), healthy);
}

TEST_F(HierarchyValues, InPlaceKeepsTheTransformWithoutAPlace) {
  const Entity parent = world.make({std::numeric_limits<float>::quiet_NaN(), 0, 0});
  const Entity child = world.make_below(parent, {4, 5, 6});
  hierarchy.update();
  const Transform local = world.get<const Transform>(child);
  ASSERT_TRUE(hierarchy.set_parent_in_place(child, ecs::null_entity).ok());
  EXPECT_EQ(world.get<const Transform>(child), local);
  ASSERT_TRUE(hierarchy.set_parent_in_place(child, parent).ok());
  EXPECT_EQ(world.get<const Transform>(child), local);
}

}  // namespace
}  // namespace mobula::hierarchy
