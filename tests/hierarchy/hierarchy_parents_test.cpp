// Parents, children and subtrees.
#include <hierarchy/checked_hierarchy.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/sort.hpp>
#include <utility>

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;
using engine::Vec3;

TEST_F(HierarchyTest, SetParentMakesChildrenAndRoots) {
  const Entity a = world.make({1, 0, 0});
  const Entity b = world.make({0, 1, 0});
  const Entity c = world.make({0, 0, 1});
  ASSERT_TRUE(hierarchy.set_parent(c, a).ok());
  update();
  EXPECT_EQ(position(c), (Vec3{1, 0, 1}));
  ASSERT_TRUE(hierarchy.set_parent(c, b).ok());
  EXPECT_EQ(hierarchy.children(a), (std::vector<Entity>{}));
  EXPECT_EQ(hierarchy.children(b), (std::vector<Entity>{c}));
  update();
  EXPECT_EQ(position(c), (Vec3{0, 1, 1}));
  ASSERT_TRUE(hierarchy.set_parent(c, ecs::null_entity).ok());
  EXPECT_FALSE(world.has<Parent>(c));
  EXPECT_TRUE(hierarchy.set_parent(c, ecs::null_entity).ok());
  update();
  EXPECT_EQ(position(c), (Vec3{0, 0, 1}));
}

TEST_F(HierarchyTest, SetParentOfTheSameParentWritesNothing) {
  const Entity a = world.make();
  const Entity b = world.make_below(a);
  world.next_tick();
  EXPECT_TRUE(hierarchy.set_parent(b, a).ok());
  EXPECT_EQ(world.pool<Parent>().change_ticks()[0], 1u);
}

TEST_F(HierarchyTest, SetParentRefusesStaleHandlesAndCircles) {
  const std::vector<Entity> chain = world.make_chain(4);
  const Entity dead = world.make();
  world.destroy(dead);
  expect_refused(dead, chain[0], "stale handle");
  expect_refused(chain[0], dead, "stale handle");
  expect_refused(chain[0], chain[0], "circle");
  expect_refused(chain[0], chain[3], "circle");
  expect_refused(chain[1], chain[2], "circle");
  update();
  EXPECT_TRUE(hierarchy.set_parent(chain[3], chain[0]).ok());
  EXPECT_TRUE(hierarchy.set_parent(chain[1], chain[3]).ok()) << "the circle is gone even without an update";
  update();
}

TEST_F(HierarchyTest, SetParentRefusesTooDeepTrees) {
  const std::vector<Entity> chain = world.make_chain(30);
  const std::vector<Entity> three = world.make_chain(3);
  expect_refused(three[0], chain.back(), "too deep");
  EXPECT_TRUE(hierarchy.set_parent(three[1], chain.back()).ok());
  EXPECT_TRUE(hierarchy.set_parent(three[0], chain.back()).ok()) << "the deep part is detached even without an update";
  const Entity one = world.make();
  EXPECT_TRUE(hierarchy.set_parent(one, three[1]).ok());
  expect_refused(world.make(), one, "too deep");
  update();
  EXPECT_EQ(hierarchy.depth(one), 32u);
  EXPECT_TRUE(hierarchy.refused().empty());
}

TEST_F(HierarchyTest, NoneIsPutBelowACircle) {
  const std::vector<Entity> chain = world.make_chain(3);
  world.add<Parent>(chain[0], {chain[1]});
  expect_refused(world.make(), chain[2], "too deep");
  EXPECT_TRUE(hierarchy.set_parent(chain[1], ecs::null_entity).ok()) << "removing the parent repairs it";
  update();
  EXPECT_TRUE(hierarchy.refused().empty());
  EXPECT_EQ(hierarchy.depth(chain[2]), 2u);
  EXPECT_EQ(hierarchy.depth(chain[0]), 2u);
}

TEST_F(HierarchyTest, InPlaceKeepsTheWorldTransform) {
  const float half = 0.70710678f;
  const Entity a = world.make({1, 2, 3});
  world.get<Transform>(a).rotation = {.x = 0, .y = half, .z = 0, .w = half};
  const Entity b = world.make_below(a, {4, 5, 6});
  const Entity c = world.make({-7, 8, 9});
  update();
  const auto near = [](const WorldTransform& x, const WorldTransform& y) {
    EXPECT_NEAR(x.position.x, y.position.x, 1e-4f);
    EXPECT_NEAR(x.position.y, y.position.y, 1e-4f);
    EXPECT_NEAR(x.position.z, y.position.z, 1e-4f);
    EXPECT_NEAR(x.rotation.y, y.rotation.y, 1e-5f);
    EXPECT_NEAR(x.rotation.w, y.rotation.w, 1e-5f);
  };
  world.get<Transform>(b).position.x = 40;  // counts even before an update
  const WorldTransform place = hierarchy.world(b);
  for (const Entity parent : {c, a, ecs::null_entity, world.create(), a}) {
    ASSERT_TRUE(hierarchy.set_parent_in_place(b, parent).ok());
    near(hierarchy.world(b), place);
    update();
    near(world.get<const WorldTransform>(b), place);
  }
  const Transform before = world.get<const Transform>(a);
  EXPECT_STREQ(hierarchy.set_parent_in_place(a, b).error().reason, "circle");
  EXPECT_EQ(world.get<const Transform>(a), before);
  const Entity bare = world.create();
  EXPECT_TRUE(hierarchy.set_parent_in_place(bare, a).ok()) << "without Transform it has no place to keep";
}

TEST_F(HierarchyTest, RefusedParentsAreReported) {
  const std::vector<Entity> chain = world.make_chain(max_depth + 1);
  const Entity a = world.make();
  world.add<Parent>(a, {a});
  update();
  ASSERT_EQ(hierarchy.refused().size(), 2u);
  EXPECT_EQ(hierarchy.refused()[0].entity, chain.back());
  EXPECT_STREQ(hierarchy.refused()[0].reason, "too deep");
  EXPECT_EQ(hierarchy.refused()[1].entity, a);
  EXPECT_STREQ(hierarchy.refused()[1].reason, "circle");
  world.destroy(a);
  EXPECT_EQ(hierarchy.refused().size(), 1u);
}

TEST_F(HierarchyTest, SubtreesAreRightBetweenUpdates) {
  const std::vector<Entity> chain = world.make_chain(4);
  const Entity other = world.make();
  update();
  world.get<Parent>(chain[3]).entity = chain[0];
  world.get<Parent>(chain[2]).entity = other;
  const Entity fresh = world.make_below(chain[3]);
  EXPECT_EQ(hierarchy.subtree(chain[0]), (std::vector<Entity>{chain[0], chain[1], chain[3], fresh}));
  EXPECT_EQ(hierarchy.subtree(other), (std::vector<Entity>{other, chain[2]}));
  world.destroy(chain[3]);
  EXPECT_EQ(hierarchy.children(chain[0]), (std::vector<Entity>{chain[1]}));
  hierarchy.destroy_tree(chain[0]);
  EXPECT_FALSE(world.valid(chain[1]));
  EXPECT_TRUE(world.valid(chain[2]));
  EXPECT_TRUE(world.valid(fresh)) << "its parent died before";
  update();
}

TEST_F(HierarchyTest, DestroyTreeIsOneBulkDestroyAndTakesCirclesToo) {
  const std::vector<Entity> chain = world.make_chain(3);
  world.add<Parent>(chain[0], {chain[2]});
  const Entity tail = world.make_below(chain[1]);
  int calls = 0;
  world.destroying().connect([&](std::span<const Entity> entities) {
    ++calls;
    EXPECT_EQ(entities.size(), 4u);
    EXPECT_EQ(entities.front(), chain[1]);
  });
  hierarchy.destroy_tree(chain[1]);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(world.valid(tail));
  EXPECT_EQ(world.entities().size(), 0u);
  update();
}

TEST_F(HierarchyTest, AListenerMayDestroyAnotherTree) {
  const std::vector<Entity> first = world.make_chain(2);
  const std::vector<Entity> second = world.make_chain(3);
  world.destroying().connect([&](std::span<const Entity> entities) {
    if (entities.front() == first.front()) hierarchy.destroy_tree(second.front());
  });
  hierarchy.destroy_tree(first.front());
  EXPECT_EQ(world.entities().size(), 0u);
  update();
}

struct Rope {
  Entity other;
};

TEST_F(HierarchyTest, DestroyTreeTakesAChildThatIsTiedToItsRoot) {
  std::map<Entity, int> notified;
  world.signals<Rope>().destroy.connect([&](std::span<const Entity> leaving) {
    for (const Entity entity : leaving) {
      ++notified[entity];
      const Entity other = std::exchange(world.get<Rope>(entity).other, ecs::null_entity);
      if (world.valid(other)) world.destroy(other);
    }
  });
  const std::vector<Entity> chain = world.make_chain(3);
  for (const auto& [one, other] : {std::pair(chain[0], chain[1]), {chain[1], chain[0]}}) world.add<Rope>(one, {other});
  update();
  hierarchy.destroy_tree(chain[0]);
  EXPECT_EQ(notified, (std::map<Entity, int>{{chain[0], 1}, {chain[1], 1}}));
  EXPECT_EQ(world.entities().size(), 0u);
  update();
  world.check();
}

// The result includes the order, which determines how indices are reused.
TEST_F(HierarchyTest, ASubtreeDoesNotDependOnTheOrderOfPools) {
  const Entity root = world.make();
  std::vector<Entity> made;
  for (int i = 0; i < 30; ++i) made.push_back(world.make());
  for (std::size_t i = made.size(); i-- > 0;) world.add<Parent>(made[i], {i < 5 ? root : made[i / 5]});
  const std::vector<Entity> before = hierarchy.subtree(root);
  EXPECT_EQ(before.size(), 31u);
  ecs::sort_by<Parent>(world, [](const Parent& parent) { return parent.entity.index; });
  world.remove<Parent>(made[2]);
  world.add<Parent>(made[2], {root});
  EXPECT_EQ(hierarchy.subtree(root), before);
}

TEST_F(HierarchyTest, AMirrorMayGetAChildBeforeItsParent) {
  test::World mirror({.entities = {.recycling = ecs::Recycling::given, .entities_max = 100}, .pools = {}});
  Hierarchy mirrored(mirror);
  const Entity parent{70, 5};
  const Entity child{3, 2};
  ASSERT_TRUE(mirror.create_given(child));
  mirror.add<Transform>(child).position.x = 1;
  mirror.add<Parent>(child, {parent});
  mirrored.update();
  EXPECT_EQ(mirror.get<const WorldTransform>(child).position.x, 1.0f);
  mirror.next_tick();
  ASSERT_TRUE(mirror.create_given(parent));
  mirror.add<Transform>(parent).position.x = 2;
  mirrored.update();
  mirrored.check();
  EXPECT_EQ(mirror.get<const WorldTransform>(child).position.x, 3.0f);
  EXPECT_EQ(mirrored.children(parent), (std::vector<Entity>{child}));
}

TEST_F(HierarchyTest, AnEntityIsPlacedOnceItsParentsAreThere) {
  const Entity absent{50, 1};
  const Entity deck = world.make_below(absent, {5, 0, 0});
  const Entity nail = world.make_below(deck, {1, 0, 0});
  const Entity rock = world.make();
  const Entity orphan = world.make_below(ecs::null_entity);
  EXPECT_FALSE(hierarchy.is_placed(deck));
  EXPECT_FALSE(hierarchy.is_placed(nail));
  EXPECT_TRUE(hierarchy.is_placed(rock));
  EXPECT_TRUE(hierarchy.is_placed(orphan));
  const Entity ship = world.make({100, 0, 0});
  world.get<Parent>(deck).entity = ship;
  EXPECT_TRUE(hierarchy.is_placed(nail));
  EXPECT_EQ(hierarchy.world(nail).position.x, 106);
  world.destroy(ship);
  EXPECT_FALSE(hierarchy.is_placed(nail));
  world.get<Parent>(deck).entity = nail;  // a cycle: its members are roots
  EXPECT_TRUE(hierarchy.is_placed(nail));
}

TEST_F(HierarchyTest, DeadParentsAreReplacedByNull) {
  const Entity ship = world.make({100, 0, 0});
  const Entity flag = world.make_below(ship, {1, 0, 0});
  const Entity thought = world.create();  // without Transform
  world.add<Parent>(thought, {ship});
  const Entity lost = world.make_below({50, 7});
  const auto parent = [&](Entity entity) { return world.get<const Parent>(entity).entity; };
  hierarchy.drop_dead_parents();
  EXPECT_EQ(parent(lost), ecs::null_entity) << "names nothing";
  EXPECT_EQ(parent(flag), ship);
  update();
  world.next_tick();
  hierarchy.drop_dead_parents();
  world.next_tick();
  world.destroy(ship);
  const Entity other = world.make();  // perhaps at the same index
  hierarchy.drop_dead_parents();
  EXPECT_EQ(parent(flag), ecs::null_entity);
  EXPECT_EQ(parent(thought), ecs::null_entity);
  update();
  EXPECT_EQ(position(flag).x, 1);
  world.next_tick();
  world.get<Parent>(lost).entity = ship;
  world.get<Parent>(flag).entity = other;
  hierarchy.drop_dead_parents();
  EXPECT_EQ(parent(lost), ecs::null_entity);
  EXPECT_EQ(parent(flag), other);
  update();
}

TEST_F(HierarchyTest, RandomDeathsLeaveNoDeadParent) {
  core::Random random(5);
  std::vector<Entity> all;
  for (int tick = 0; tick < 100; ++tick) {
    for (std::uint32_t more = random.below(6); more > 0; --more) {
      const Entity parent = all.empty() ? Entity{} : all[random.below(static_cast<std::uint32_t>(all.size()))];
      all.push_back(parent ? world.make_below(parent) : world.make());
      const Entity dead = all[random.below(static_cast<std::uint32_t>(all.size()))];
      if (world.valid(dead) && random.chance(1, 2)) world.destroy(dead);
    }
    hierarchy.drop_dead_parents();
    update();
    world.view<const Parent>().each([&](Entity entity, const Parent& parent) {
      EXPECT_TRUE(!parent.entity || world.valid(parent.entity)) << to_string(entity);
    });
    world.next_tick();
  }
}

}  // namespace
}  // namespace mobula::hierarchy
