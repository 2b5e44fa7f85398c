#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/hierarchy/depth_order.hpp>

#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

// Members with Transform and WorldTransform are fixed; only Parents change.
class DepthOrderTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 200; ++i) {
      entities.push_back(world.make_below(ecs::null_entity));
      world.add<WorldTransform>(entities.back());
      members.enter(entities.back().index);
    }
    order.follow(members, world.pool<Transform>());
    settle();
  }
  void settle() {
    for (const std::uint32_t index : links.follow(world, world.pool<Parent>())) members.reconsider(index);
    const std::span<const std::uint32_t> settled = members.settle();
    for (const std::uint32_t index : settled) order.touch(index, members.depth(index));
    order.sort();
    order.aim(members, links, settled);
    order.check(members, world.pool<Transform>());
  }
  void name(std::size_t child, std::size_t parent) { world.get<Parent>(entities[child]).entity = entities[parent]; }
  [[nodiscard]] std::vector<std::uint32_t> now() {
    const std::span<const std::uint32_t> indices = world.pool<WorldTransform>().indices();
    return {indices.begin(), indices.end()};
  }

  test::World world;
  std::vector<Entity> entities;
  Links links;
  Members members{world, links};
  DepthOrder order{world.pool<WorldTransform>()};
};

TEST_F(DepthOrderTest, OwnsTheOrderWhileItLives) {
  test::World other;
  {
    const DepthOrder owner(other.pool<WorldTransform>());
    EXPECT_EQ(other.pool<WorldTransform>().order_owner(), ecs::OrderOwner::hierarchy);
  }
  EXPECT_EQ(other.pool<WorldTransform>().order_owner(), ecs::OrderOwner::nobody);
}

TEST_F(DepthOrderTest, CountsRoots) {
  EXPECT_EQ(order.roots(), 200u);
  name(3, 4);
  settle();
  EXPECT_EQ(order.roots(), 199u);
}

TEST_F(DepthOrderTest, AChangeMovesFewAndNoChangeNone) {
  for (std::size_t i = 8; i < 200; ++i) name(i, i / 4 - 1);  // depth 4
  settle();
  const std::vector<std::uint32_t> before = now();
  settle();
  EXPECT_EQ(now(), before);
  name(199, 0);  // from depth 4 to 2
  settle();
  std::vector<std::uint32_t> after = now();
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1u : 0u;
  EXPECT_EQ(moved, 3u);
}

TEST_F(DepthOrderTest, ForeignRemovalsAreRepaired) {
  for (std::size_t i = 8; i < 200; ++i) name(i, i / 4 - 1);
  settle();
  order.forget_touched();
  EXPECT_TRUE(order.is_current());
  const std::vector<std::size_t> dead{190, 199, 9, 10, 0};
  for (const std::size_t i : dead) world.destroy(entities[i]);
  EXPECT_FALSE(order.is_current());
  std::vector<std::uint32_t> lost;
  order.drop_lost([&](std::uint32_t index) { lost.push_back(index); });
  std::sort(lost.begin(), lost.end());
  EXPECT_EQ(lost, (std::vector<std::uint32_t>{0, 9, 10, 190, 199}));
  for (const std::uint32_t index : lost) members.leave(index);
  order.follow(members, world.pool<Transform>());
  for (std::uint32_t i = 0; i < world.pool<Transform>().size(); ++i)
    order.set_source(world.pool<Transform>().indices()[i], i);
  settle();
}

TEST_F(DepthOrderTest, RandomParentsAreSorted) {
  core::Random random(1);
  for (int round = 0; round < 500; ++round) {
    for (std::uint32_t changes = random.chance(1, 20) ? 150 : random.below(5); changes > 0; --changes)
      name(random.below(200), random.chance(1, 2) ? random.below(20) : random.below(200));
    settle();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace mobula::hierarchy
