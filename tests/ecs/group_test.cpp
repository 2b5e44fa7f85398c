#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/scratch.hpp>
#include <numeric>
#include <ranges>

#include "ecs/visit.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

static_assert(std::ranges::input_range<Group<Position, const Label>>);

// Entity and the sum of its components; each and range must agree.
template <class Walked>
std::map<Entity, std::int32_t> visit(const Walked& group) {
  const std::map<Entity, std::int32_t> visited = test::visit_both_ways(group);
  EXPECT_EQ(group.size(), visited.size());
  return visited;
}

struct GroupTest : testing::Test {
  World world{{.entities = {}, .pools = small_pages}};
  std::vector<Entity> entities;

  void fill(int count = 500, std::uint64_t seed = 3) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    for (int i = 0; i < count; ++i) {
      const Entity entity = entities.emplace_back(world.create());
      if (random.chance(2, 3)) world.add(entity, make<Position>(i));
      if (random.chance(2, 3)) world.add(entity, make<Health>(i));
      if (random.chance(1, 3)) world.add(entity, make<Label>(i));
      if (random.chance(1, 5)) world.add<Marker>(entity);
    }
  }
  template <class... Ts>
  std::map<Entity, std::int32_t> expected(bool unmarked = false) {
    std::map<Entity, std::int32_t> found;
    for (const Entity entity : entities)
      if ((world.has<Ts>(entity) && ...) && !(unmarked && world.has<Marker>(entity)))
        found[entity] = (value_of(world.get<const Ts>(entity)) + ...);
    return found;
  }
  void expect_all_groups() {
    EXPECT_EQ(visit(world.group<Position, const Health>()), (expected<Position, Health>()));
    EXPECT_EQ(visit(world.group<Label>(with<const Position>, exclude<Marker>)), (expected<Label, Position>(true)));
    EXPECT_EQ(visit(world.group<>(with<Position, Label>)), (expected<Position, Label>()));
    EXPECT_EQ(visit(world.group<>(with<Health>, exclude<Marker>)), (expected<Health>(true)));
    world.check();
  }
};

TEST_F(GroupTest, AGroupMadeAfterItsEntitiesHoldsThemAll) {
  fill();
  expect_all_groups();
}

TEST_F(GroupTest, AGroupMadeBeforeItsEntitiesHoldsThemAll) {
  expect_all_groups();
  fill();
  expect_all_groups();
}

TEST_F(GroupTest, BulkWorkKeepsGroupsCurrent) {
  expect_all_groups();
  entities.resize(300);
  ASSERT_TRUE(world.create(std::span(entities), Position{1}, Health{2}));
  expect_all_groups();
  EXPECT_EQ((world.group<Position, Health>().size()), 300u) << "reported for both pools, each entity enters once";
  world.add<Label>(std::span(entities).subspan(50, 100), make<Label>(3));
  expect_all_groups();
  world.add<Marker>(std::span(entities).subspan(100, 100));
  expect_all_groups();
  world.remove<Marker>(std::span(entities).subspan(120, 50));
  expect_all_groups();
  world.remove<Health>(std::span(entities).subspan(10, 200));
  expect_all_groups();
  world.destroy(std::span(entities).subspan(0, 130));
  entities.erase(entities.begin(), entities.begin() + 130);
  expect_all_groups();
}

TEST_F(GroupTest, RangesAndColumnsKeepGroupsCurrent) {
  expect_all_groups();
  const PoolId pools[] = {world.pool_of<Position>(), world.pool_of<Health>()};
  const std::vector<PrototypeId> prototypes(100, world.prototypes().intern(pools));
  std::vector<std::uint32_t> offsets(100);
  std::iota(offsets.begin(), offsets.end(), 0);
  const EntityRange range = world.begin_spawn(prototypes);
  for (const PoolId pool : pools)
    world.add_column(range, pool, offsets, reinterpret_cast<const std::byte*>(offsets.data()));
  world.end_spawn(range);
  for (std::uint32_t i = 0; i < 100; ++i) entities.push_back(range.at(i));
  expect_all_groups();
  EXPECT_EQ((world.group<Position, Health>().size()), 100u);
  world.destroy(range.at(5));
  world.destroy_range(range);
  entities.clear();
  expect_all_groups();
}

TEST_F(GroupTest, TheSamePoolsAreTheSameGroupInWhateverOrder) {
  fill();
  GroupSet& set = world.group<Position, Health>().set();
  EXPECT_EQ(&(world.group<Position, const Health>().set()), &set);
  EXPECT_EQ(&(world.group<Health, Position>().set()), &set);
  EXPECT_EQ(visit(world.group<Health, Position>()), (expected<Position, Health>()));
  EXPECT_NE(&(world.group<>(with<Position, Health>).set()), &set);
  EXPECT_EQ(&(world.group<>(with<Health, Position>).set()), &(world.group<>(with<Position, Health>).set()));
}

TEST_F(GroupTest, ContainsNeedsALivingEntity) {
  const Entity entity = world.create();
  world.add<Position>(entity);
  world.add<Health>(entity);
  const auto group = world.group<Position, Health>();
  EXPECT_TRUE(group.contains(entity));
  world.destroy(entity);
  EXPECT_FALSE(group.contains(entity));
  const Entity next = world.create();
  ASSERT_EQ(next.index, entity.index);
  world.add<Position>(next);
  world.add<Health>(next);
  EXPECT_TRUE(group.contains(next));
  EXPECT_FALSE(group.contains(entity));
}

TEST_F(GroupTest, MembersOfAnOwningGroupLieSideBySide) {
  fill();
  const auto group = world.group<Position, Health>();
  for (std::uint32_t position = 0; position < group.size(); ++position)
    ASSERT_EQ(world.pool<Position>().indices()[position], world.pool<Health>().indices()[position]);
}

template <class Walked>
void expect_change_ticks(World& world, const Walked& group, Tick position, Tick health) {
  for (const bool as_range : {false, true}) {
    world.set_tick(2 * world.tick());
    const Tick now = world.tick();
    if (as_range) {
      for (const auto element : group) EXPECT_TRUE(world.valid(std::get<0>(element)));
    } else {
      group.each([](const auto&...) {});
    }
    for (std::uint32_t place = 0; place < group.size(); ++place) {
      const std::uint32_t index = group.set().indices()[place];
      Pool& positions = world.pool<Position>();
      Pool& healths = world.pool<Health>();
      ASSERT_EQ(positions.change_ticks()[positions.find(index) / 64] == now, position == 1);
      ASSERT_EQ(healths.change_ticks()[healths.find(index) / 64] == now, health == 1);
    }
  }
}

TEST_F(GroupTest, OnlyMutableAccessMarksBlocks) {
  fill();
  expect_change_ticks(world, world.group<Position, Health>(), 1, 1);
  expect_change_ticks(world, world.group<const Position, Health>(), 0, 1);
  expect_change_ticks(world, world.group<Position, const Health>(), 1, 0);
  expect_change_ticks(world, world.group<const Position, const Health>(), 0, 0);
  expect_change_ticks(world, world.group<>(with<Position, const Health>), 1, 0);
  expect_change_ticks(world, world.group<>(with<const Position, Health>), 0, 1);
}

TEST_F(GroupTest, EnteringAndLeavingMarkOnlyMovedBlocks) {
  for (int i = 0; i < 300; ++i) world.add<Position>(entities.emplace_back(world.create()), {i});
  const auto group = world.group<Position, Health>();
  world.set_tick(5);
  world.add<Health>(entities[200]);  // entity 200 moves to the front, entity 0 to its position
  const Pool& pool = world.pool<Position>();
  EXPECT_EQ(std::vector<Tick>(pool.change_ticks().begin(), pool.change_ticks().end()),
            (std::vector<Tick>{5, 1, 1, 5, 1}));
  EXPECT_EQ(group.size(), 1u);
}

TEST_F(GroupTest, MembersAreReorderedAsRequested) {
  fill();
  const auto group = world.group<Position, Health>();
  std::vector<std::uint32_t> order(group.size());
  std::iota(order.rbegin(), order.rend(), 0);
  const std::vector<std::uint32_t> before(group.set().indices().begin(), group.set().indices().end());
  Scratch scratch;
  group.set().reorder(0, order, scratch);
  EXPECT_TRUE(std::equal(before.rbegin(), before.rend(), group.set().indices().begin()));
  expect_all_groups();
}

TEST_F(GroupTest, ListenersOfAConstructionFindTheEntityInItsGroup) {
  const auto group = world.group<Position, Health>();
  int heard = 0;
  world.signals<Health>().construct.connect([&](std::span<const Entity> changed) {
    for (const Entity entity : changed) heard += group.contains(entity) ? 1 : 0;
  });
  world.signals<Health>().destroy.connect([&](std::span<const Entity> changed) {
    for (const Entity entity : changed) heard += group.contains(entity) ? 100 : 0;
  });
  const Entity entity = world.create();
  world.add<Position>(entity);
  world.add<Health>(entity);
  EXPECT_EQ(heard, 1);
  world.remove<Health>(entity);
  EXPECT_EQ(heard, 101);
}

// Components that a listener adds during a bulk create may complete a group before its other pools are reported.
TEST_F(GroupTest, ListenerCompletesAGroupOnceDuringABulkCreate) {
  const auto group = world.group<Position, Health, Label>();
  world.signals<Position>().construct.connect([&](std::span<const Entity> changed) {
    for (const Entity entity : changed) world.add(entity, make<Label>(1));
  });
  entities.resize(70);
  ASSERT_TRUE(world.create(std::span(entities), Position{}, Health{}));
  EXPECT_EQ(group.size(), 70u);
  world.check();
}

TEST(GroupListeners, MayCreateEntitiesDuringABulkCreate) {
  World world;
  const auto group = world.group<>(with<Position, Health>);
  bool once = false;
  world.created().connect([&](std::span<const Entity>) {
    if (std::exchange(once, true)) return;
    for (int i = 0; i < 256; ++i) {
      const Entity entity = world.create();
      world.add<Position>(entity);
      world.add<Health>(entity);
    }
  });
  std::vector<Entity> made(256);
  ASSERT_TRUE(world.create(made, Position{}, Health{}));
  EXPECT_EQ(group.size(), 512u);
  world.check();
}

TEST(GroupListeners, KeepGroupsCurrentWhenThrowingInABulkCreate) {
  for (const bool from_created : {false, true}) {
    World world;
    const auto owning = world.group<Position, Health>();
    const auto observing = world.group<>(with<Health>);
    const auto refuse = [](std::span<const Entity>) { throw 1; };
    (from_created ? world.created() : world.signals<Position>().construct).connect(refuse);
    std::vector<Entity> made(2);
    EXPECT_THROW(world.create(made, Position{}, Health{}), int);
    EXPECT_EQ(owning.size(), 2u);
    EXPECT_EQ(observing.size(), 2u);
    world.check();
  }
}

TEST_F(GroupTest, APoolIsOwnedByOneGroupAndObservedByMany) {
  world.group<Position, Health>();
  EXPECT_DEATH((world.group<Position, Label>()), "the order of pool Position already has an owner");
  EXPECT_DEATH((world.group<Position>(with<Health>)), "the order of pool Position already has an owner");
  EXPECT_DEATH(world.pool<Health>().claim_order(OrderOwner::sort), "the order of pool Health already has an owner");
  world.group<Label>(with<Position>, exclude<Marker>);
  world.group<>(with<Position, Health>);
  fill();
  expect_all_groups();
}

TEST_F(GroupTest, NoGroupClaimsAPoolDuringIteration) {
  world.add<Position>(world.create());
  EXPECT_DEATH(world.view<Position>().each([&](Position&) { world.group<Position, Health>(); }),
               "pool Position is reordered while it is iterated");
}

}  // namespace
}  // namespace mobula::ecs
