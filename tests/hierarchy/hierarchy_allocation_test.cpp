// Updates in their steady state allocate nothing, and failed allocations lose nothing.
#include <gtest/gtest.h>

#include <mobula/core/random.hpp>

#include "ecs/allocations.hpp"
#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

struct Forest {
  Forest() {
    for (std::size_t i = 0; i < 500; ++i)
      entities.push_back(i < 8 ? world.make() : world.make_below(entities[i / 4 - 2], {1, 2, 3}));
    hierarchy.update();
  }
  // Moves some entities, and leaves to new parents.
  void change(core::Random& random) {
    for (int i = 0; i < 20; ++i) {
      world.get<Transform>(entities[random.below(500)]).position.x += 1;
      EXPECT_TRUE(hierarchy.set_parent(entities[200 + random.below(300)], entities[random.below(130)]).ok());
    }
  }

  test::World world;
  Hierarchy hierarchy{world};
  std::vector<Entity> entities;
};

TEST(HierarchyAllocation, AnUpdateInItsSteadyStateMakesNone) {
  Forest forest;
  core::Random random(1);
  std::uint64_t made = 0;
  for (int tick = 0; tick < 300; ++tick) {
    forest.world.next_tick();
    const std::uint64_t before = ecs::test::allocations();
    forest.change(random);
    forest.hierarchy.update();
    if (tick >= 200) made += ecs::test::allocations() - before;
  }
  EXPECT_EQ(made, 0u);
  forest.hierarchy.check();
  test::expect_agreement(forest.hierarchy, forest.world);
}

TEST(HierarchyAllocation, DestroyingAndSpawningAgainMakesNone) {
  Forest forest;
  std::uint64_t made = 0;
  for (int tick = 0; tick < 50; ++tick) {
    forest.world.next_tick();
    const Entity root = forest.world.make();
    for (int i = 0; i < 10; ++i) forest.world.make_below(root);
    const std::uint64_t before = ecs::test::allocations();
    forest.hierarchy.update();
    forest.hierarchy.destroy_tree(root);
    forest.hierarchy.update();
    if (tick >= 30) made += ecs::test::allocations() - before;
  }
  EXPECT_EQ(made, 0u);
}

// Fails the n-th allocation, for each n until none fails.
template <class Change>
void fail_each_once(Change change) {
  for (std::uint64_t nth = 1;; ++nth) {
    Forest forest;
    change(forest);
    bool failed = false;
    {
      const ecs::test::FailingAllocation failing(nth);
      try {
        forest.hierarchy.update();
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    forest.hierarchy.update();
    forest.hierarchy.check();
    forest.world.check();
    test::expect_agreement(forest.hierarchy, forest.world);
    if (!failed || testing::Test::HasFatalFailure()) return;
  }
}

TEST(HierarchyAllocationFailure, LosesNothingWhenManyCome) {
  fail_each_once([](Forest& forest) {
    for (int i = 0; i < 700; ++i) forest.world.make_below(forest.entities[static_cast<std::size_t>(i) / 4]);
  });
}

TEST(HierarchyAllocationFailure, LosesNothingWhenManyGo) {
  fail_each_once([](Forest& forest) {
    for (std::size_t i = 0; i < 200; ++i) forest.world.remove<Transform>(forest.entities[3 * i / 2]);
    for (std::size_t i = 0; i < 100; ++i) forest.world.add<Parent>(forest.world.make(), {forest.entities[2 * i]});
  });
}

}  // namespace
}  // namespace mobula::hierarchy
