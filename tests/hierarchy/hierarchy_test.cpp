// World transforms, and misuse.
#include <hierarchy/checked_hierarchy.hpp>
#include <mobula/ecs/snapshot.hpp>

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;
using engine::Vec3;

TEST_F(HierarchyTest, UpdateGivesEachTransformAWorldTransform) {
  const Entity a = world.make({1, 2, 3});
  const Entity b = world.create();
  EXPECT_FALSE(world.has<WorldTransform>(a));
  update();
  EXPECT_EQ(position(a), (Vec3{1, 2, 3}));
  EXPECT_FALSE(world.has<WorldTransform>(b));
  world.add<Transform>(b);
  world.remove<Transform>(a);
  update();
  EXPECT_FALSE(world.has<WorldTransform>(a));
  EXPECT_TRUE(world.has<WorldTransform>(b));
}

TEST_F(HierarchyTest, ChildrenMoveWithTheirParents) {
  const Entity a = world.make({1, 0, 0});
  const Entity b = world.make_below(a, {0, 2, 0});
  const Entity c = world.make_below(b, {0, 0, 3});
  update();
  EXPECT_EQ(position(c), (Vec3{1, 2, 3}));
  for (int tick = 0; tick < 3; ++tick) {
    world.next_tick();
    world.get<Transform>(a).position.x += 1;
    update();
    EXPECT_EQ(position(c), (Vec3{2.0f + static_cast<float>(tick), 2, 3}));
  }
}

TEST_F(HierarchyTest, AWriteAfterTheUpdateOfItsTickIsFoundByTheNext) {
  const Entity a = world.make({1, 0, 0});
  const Entity b = world.make({5, 0, 0});
  const Entity c = world.make_below(a);
  update();
  world.get<Transform>(a).position.x = 2;
  world.next_tick();
  update();
  EXPECT_EQ(position(c), (Vec3{2, 0, 0}));
  world.get<Parent>(c).entity = b;
  world.next_tick();
  update();
  EXPECT_EQ(position(c), (Vec3{5, 0, 0}));
}

TEST_F(HierarchyTest, OnlyChangedTransformsAreMarked) {
  std::vector<Entity> roots;
  std::vector<Entity> leaves;
  for (int i = 0; i < 128; ++i) roots.push_back(world.make());
  for (const Entity root : roots) leaves.push_back(world.make_below(root));
  update();
  world.next_tick();
  update();
  for (const ecs::Tick tick : world.pool<WorldTransform>().change_ticks()) EXPECT_EQ(tick, 1u);

  world.next_tick();
  world.get<Transform>(roots[0]).position.x = 0;  // unchanged
  world.get<Transform>(roots[100]).position.x = 7;
  update();
  const ecs::Pool& worlds = world.pool<WorldTransform>();
  for (std::uint32_t block = 0; block < worlds.change_ticks().size(); ++block) {
    const bool holds_changed = worlds.find(roots[100].index) >> ecs::Pool::block_shift == block ||
                               worlds.find(leaves[100].index) >> ecs::Pool::block_shift == block;
    EXPECT_EQ(worlds.change_ticks()[block], holds_changed ? 3u : 1u) << block;
  }
}

TEST_F(HierarchyTest, ParentsComeBeforeTheirChildren) {
  std::vector<Entity> chain;
  for (int i = 0; i < 20; ++i) chain.push_back(world.make());
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) world.add<Parent>(chain[i], {chain[i + 1]});
  update();
  const ecs::Pool& worlds = world.pool<WorldTransform>();
  for (std::size_t i = 0; i + 1 < chain.size(); ++i)
    EXPECT_GT(worlds.find(chain[i].index), worlds.find(chain[i + 1].index));
  EXPECT_EQ(worlds.order_owner(), ecs::OrderOwner::hierarchy);
}

TEST_F(HierarchyTest, BulkSpawnsAreFound) {
  ecs::PrototypeTable& prototypes = world.prototypes();
  const ecs::PoolId parents = world.pool_of<Parent>();
  const ecs::PoolId transforms = world.pool_of<Transform>();
  const ecs::PrototypeId root = prototypes.with(ecs::empty_prototype, transforms);
  const ecs::PrototypeId child = prototypes.with(root, parents);
  update();
  std::vector<ecs::PrototypeId> kinds(100, child);
  kinds[0] = root;
  const ecs::EntityRange range = world.begin_spawn(kinds);
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> below;
  std::vector<Transform> rows;
  std::vector<Parent> named;
  for (std::uint32_t i = 0; i < 100; ++i) {
    all.push_back(i);
    rows.push_back({{1, 0, 0}, Transform{}.rotation});
    if (i == 0) continue;
    below.push_back(i);
    named.push_back({range.at(i / 2)});
  }
  world.add_column(range, transforms, all, reinterpret_cast<const std::byte*>(rows.data()));
  world.add_column(range, parents, below, reinterpret_cast<const std::byte*>(named.data()));
  world.end_spawn(range);
  update();
  EXPECT_EQ(position(range.at(0)).x, 1.0f);
  EXPECT_EQ(position(range.at(99)).x, 8.0f) << "99, 49, 24, 12, 6, 3, 1, 0";
  world.destroy_range(range);
  update();
  EXPECT_EQ(world.pool<WorldTransform>().size(), 0u);
}

TEST_F(HierarchyTest, ADeadParentLeavesRootsBehind) {
  const Entity a = world.make({1, 0, 0});
  const Entity b = world.make_below(a, {0, 1, 0});
  const Entity c = world.make_below(b, {0, 0, 1});
  update();
  world.destroy(a);
  const Entity again = world.make({9, 9, 9});
  ASSERT_EQ(again.index, a.index);
  update();
  EXPECT_EQ(position(c), (Vec3{0, 1, 1}));
  EXPECT_EQ(hierarchy.depth(b), 1u);
  EXPECT_TRUE(hierarchy.children(again).empty());
}

TEST_F(HierarchyTest, AParentWithoutTransformMovesNoChild) {
  const Entity top = world.make({1, 0, 0});
  const Entity folder = world.create();
  world.add<Parent>(folder, {top});
  const Entity a = world.make_below(folder, {0, 1, 0});
  update();
  EXPECT_EQ(position(a), (Vec3{0, 1, 0}));
  EXPECT_EQ(hierarchy.subtree(top), (std::vector<Entity>{top, folder, a}));
  world.add<Transform>(folder).position.z = 1;
  update();
  EXPECT_EQ(position(a), (Vec3{1, 1, 1}));
}

TEST_F(HierarchyTest, IsTheSameAfterASnapshot) {
  const Entity a = world.make({1, 0, 0});
  const Entity b = world.make_below(a, {2, 0, 0});
  core::Bytes bytes;
  ecs::save_snapshot(world, bytes);
  const std::size_t size = bytes.size();
  update();
  ecs::save_snapshot(world, bytes);
  EXPECT_EQ(bytes.size(), size) << "WorldTransforms are in no snapshot";
  hierarchy.destroy_tree(a);
  update();
  ASSERT_TRUE(ecs::load_snapshot(bytes, world).ok());
  update();
  EXPECT_EQ(position(b), (Vec3{3, 0, 0}));
  hierarchy.destroy_tree(a);
  ASSERT_TRUE(ecs::load_snapshot(bytes, world).ok()) << "without an update between";
  update();
  EXPECT_EQ(position(b), (Vec3{3, 0, 0}));
}

TEST_F(HierarchyTest, AnExistingRegistryIsAdopted) {
  test::World used;
  const Entity a = used.make({1, 0, 0});
  const Entity b = used.make_below(a, {1, 0, 0});
  {
    Hierarchy(used).update();
  }
  EXPECT_TRUE(used.has<WorldTransform>(b));
  const Entity c = used.make_below(b, {1, 0, 0});
  used.add<WorldTransform>(used.create());  // added by other code; removed again
  Hierarchy second(used);
  second.update();
  second.check();
  test::expect_agreement(second, used);
  EXPECT_EQ(used.get<const WorldTransform>(c).position.x, 3.0f);
}

TEST_F(HierarchyTest, WithoutTheSchemasComponentsItIsEmpty) {
  ecs::Registry bare;
  Hierarchy empty(bare);
  const Entity entity = bare.create();
  empty.update();
  empty.check();
  EXPECT_EQ(empty.depth(entity), 0u);
  EXPECT_TRUE(empty.children(entity).empty());
  EXPECT_TRUE(empty.refused().empty());
  empty.destroy_tree(entity);
  EXPECT_EQ(bare.entities().size(), 0u);
}

TEST_F(HierarchyTest, UpdatesMayRunInTheMiddleOfATick) {
  const Entity a = world.make({1, 0, 0});
  const Entity b = world.make_below(a);
  for (int i = 0; i < 3; ++i) {
    world.get<Transform>(a).position.x += 1;
    update();
    EXPECT_EQ(position(b).x, 2.0f + static_cast<float>(i));
  }
}

TEST_F(HierarchyTest, ReorderingDuringIterationFailsACheck) {
  const Entity a = world.make();
  const Entity b = world.make();
  update();
  world.add<Parent>(a, {b});
  EXPECT_DEATH(world.view<const WorldTransform>().each([&](const WorldTransform&) { hierarchy.update(); }),
               "while it is iterated");
}

TEST_F(HierarchyTest, AskingForTheSubtreeOfTheDeadFailsACheck) {
  const Entity a = world.make();
  world.destroy(a);
  EXPECT_DEATH(static_cast<void>(hierarchy.subtree(a)), "is dead");
  EXPECT_DEATH(hierarchy.destroy_tree(a), "is dead");
}

TEST_F(HierarchyTest, ASecondHierarchyOfOneRegistryFailsACheck) {
  EXPECT_DEATH(Hierarchy second(world), "already has an owner");
}

}  // namespace
}  // namespace mobula::hierarchy
