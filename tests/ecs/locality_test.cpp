#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/ecs/locality.hpp>
#include <string>

namespace mobula::ecs::locality_test {
namespace {

struct Position {
  float x = 0, y = 0, z = 0;
};
struct Velocity {
  float x = 0, y = 0, z = 0;
};
struct Name {
  std::string text;
};

struct DefragmenterTest : testing::Test {
  Registry registry;
  std::vector<Entity> entities;

  Pool& positions() { return registry.pool<Position>(); }
  Pool& velocities() { return registry.pool<Velocity>(); }
  Defragmenter defragmenter() { return {registry, positions().id(), {velocities().id()}}; }
  double figure() { return locality(positions().set(), velocities()); }

  Entity create() {
    const Entity entity = registry.create();
    const auto x = static_cast<float>(entity.index);
    registry.add<Position>(entity, {x, 0, 0});
    registry.add<Velocity>(entity, {x, 1, 1});
    return entity;
  }
  void fill(std::uint32_t count) {
    while (count-- > 0) entities.push_back(create());
  }
  template <class T>
  void toggle(Entity entity) {
    if (registry.has<T>(entity)) return registry.remove<T>(entity);
    registry.add<T>(entity, {static_cast<float>(entity.index), 1, 1});
  }
  void churn(core::Random& random, std::uint32_t operations) {
    for (; operations > 0; --operations) {
      Entity& entity = entities[random.below(static_cast<std::uint32_t>(entities.size()))];
      switch (random.below(4)) {
        case 0: toggle<Position>(entity); break;
        case 1: toggle<Velocity>(entity); break;
        default: registry.destroy(entity); entity = create();
      }
    }
  }
  template <class T>
  void expect_intact() {
    const Pool& pool = registry.pool<T>();
    for (std::uint32_t position = 0; position < pool.size(); ++position)
      ASSERT_EQ(pool.template typed_address<const T>(position)->x, static_cast<float>(pool.indices()[position]));
  }
  // Checks the order guaranteed after an undisturbed round.
  void expect_mended(const Pool& lead, const Pool& follower) {
    std::uint32_t next = 0;
    std::uint32_t common = 0;
    for (const std::uint32_t index : lead.indices())
      if (follower.contains(index)) {
        ASSERT_EQ(follower.indices()[next++], index);
        ++common;
      }
    if (lead.order_owner() == OrderOwner::nobody) {
      for (std::uint32_t position = 0; position < common; ++position)
        ASSERT_EQ(lead.indices()[position], follower.indices()[position])
            << "shared entities are at the same positions";
    }
  }
};

using Locality = DefragmenterTest;

TEST_F(Locality, IsTheShareOfSequentialSteps) {
  fill(5);
  EXPECT_EQ(figure(), 1.0);
  velocities().swap(1, 4);  // 0 4 2 3 1: of the steps 0-4, 4-2, 2-3, 3-1 one is sequential
  EXPECT_EQ(figure(), 0.25);
  EXPECT_EQ(iteration_order(positions().set(), velocities()), (std::vector<std::uint32_t>{0, 4, 2, 3, 1}));
  registry.remove<Velocity>(entities[0]);  // 1 4 2 3: the last fills the gap
  EXPECT_EQ(iteration_order(positions().set(), velocities()), (std::vector<std::uint32_t>{0, 2, 3, 1}));
  EXPECT_EQ(figure(), 1.0 / 3);
}

TEST_F(Locality, IsPerfectForNoneOrOneEntity) {
  EXPECT_EQ(figure(), 1.0);
  fill(1);
  EXPECT_EQ(figure(), 1.0);
  EXPECT_EQ(iteration_order(positions().set(), registry.pool<Name>()), std::vector<std::uint32_t>());
}

TEST_F(Locality, IsNearZeroForARandomOrder) {
  constexpr std::uint64_t seed = 21;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  fill(5000);
  for (std::uint32_t i = 4999; i > 0; --i) velocities().swap(i, random.below(i + 1));
  EXPECT_LT(figure(), 0.01);
}

std::string text_of(const core::Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TEST(DrawIteration, ShowsADiagonalForASequentialOrder) {
  const std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5};
  const std::string black(1, 0);
  const std::string white = "\xff";
  EXPECT_EQ(text_of(draw_iteration(order, 3, 3)),
            "P5\n3 3\n255\n" + white + white + black + white + black + white + black + white + white);
}

TEST(DrawIteration, IsPalerWhereFewerStepsGo) {
  const std::vector<std::uint32_t> order{0, 3, 2, 1};
  const std::string half = "\x60";  // 255 - 64 - 191 / 2
  EXPECT_EQ(text_of(draw_iteration(order, 2, 2)), "P5\n2 2\n255\n" + half + half + half + half);
}

TEST(DrawIteration, AnEmptyOrderIsWhite) { EXPECT_EQ(text_of(draw_iteration({}, 2, 1)), "P5\n2 1\n255\n\xff\xff"); }

// Requirement: 100,000 entities, 1,000,000 operations of churn, 400,000 moves.
TEST_F(DefragmenterTest, RestoresOrderAfterAMillionOperations) {
  constexpr std::uint64_t seed = 31;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  fill(100000);
  churn(random, 1000000);
  EXPECT_LT(figure(), 0.1);
  Defragmenter tested = defragmenter();
  std::uint32_t moves = 0;
  while (tested.rounds() == 0 && moves < 400000) {
    const std::uint32_t made = tested.defragment(2000);
    ASSERT_LE(made, 2000u);
    moves += made;
  }
  EXPECT_LE(moves, 400000u);
  EXPECT_GE(figure(), 0.99);
  RecordProperty("moves", static_cast<int>(moves));
  expect_mended(positions(), velocities());
  expect_intact<Position>();
  expect_intact<Velocity>();
  registry.check();
}

TEST_F(DefragmenterTest, WithAnyBudgetDoesTheSame) {
  for (const std::uint32_t budget : {2u, 3u, 7u, 100u, 100000u}) {
    SCOPED_TRACE(budget);
    core::Random random(budget);
    fill(300);
    churn(random, 3000);
    Defragmenter tested = defragmenter();
    for (int calls = 0; tested.rounds() == 0; ++calls) {
      ASSERT_LE(tested.defragment(budget), budget);
      ASSERT_LT(calls, 20000) << "it makes progress";
      registry.check();
    }
    expect_mended(positions(), velocities());
    expect_intact<Position>();
    expect_intact<Velocity>();
  }
}

TEST_F(DefragmenterTest, MovesAndMarksNothingIfInOrder) {
  fill(1000);
  for (std::size_t i = 900; i < 1000; ++i) registry.remove<Velocity>(entities[i]);
  registry.set_tick(7);
  Defragmenter tested = defragmenter();
  EXPECT_EQ(tested.defragment(100000), 0u);
  EXPECT_EQ(tested.rounds(), 1u);
  for (const Pool* pool : {&positions(), &velocities()})
    for (const Tick tick : pool->change_ticks()) EXPECT_EQ(tick, 1u);
}

TEST_F(DefragmenterTest, VisitsNoMoreEntitiesThanItsBudgetAllows) {
  fill(1000);
  Defragmenter tested = defragmenter();
  for (std::uint32_t calls = 1; tested.rounds() == 0; ++calls) {
    tested.defragment(2);
    if (tested.rounds() > 0) {
      EXPECT_EQ(calls, (1000 + 2 * Defragmenter::examined_per_move - 1) / (2 * Defragmenter::examined_per_move));
    }
  }
  EXPECT_EQ(tested.defragment(0), 0u);
}

TEST_F(DefragmenterTest, KeepsUpWhileEverythingChanges) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    fill(500);
    Defragmenter tested = defragmenter();
    for (int round = 0; round < 400; ++round) {
      churn(random, random.below(20));
      for (std::uint32_t i = random.below(10); i > 0 && entities.size() > 100; --i) {
        registry.destroy(entities.back());
        entities.pop_back();
      }
      const std::uint32_t budget = random.below(60);
      ASSERT_LE(tested.defragment(budget), budget);
      expect_intact<Position>();
      expect_intact<Velocity>();
      registry.check();
    }
    const std::uint64_t rounds = tested.rounds() + 2;  // the current round has been disturbed
    while (tested.rounds() < rounds) tested.defragment(64);
    expect_mended(positions(), velocities());
    EXPECT_EQ(figure(), 1.0);
  }
}

TEST_F(DefragmenterTest, SupportsSeveralFollowersAndAnyComponents) {
  constexpr std::uint64_t seed = 41;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  fill(600);
  churn(random, 6000);
  for (const Entity entity : entities)
    if (random.chance(3, 4)) registry.emplace<Name>(entity, "entity number " + to_string(entity));
  Pool& names = registry.pool<Name>();
  for (std::uint32_t i = names.size() - 1; i > 0; --i) names.swap(i, random.below(i + 1));
  Defragmenter tested(registry, positions().id(), {velocities().id(), names.id()});
  while (tested.rounds() == 0) tested.defragment(50);
  EXPECT_EQ(locality(positions().set(), velocities()), 1.0);
  EXPECT_EQ(locality(positions().set(), names), 1.0);
  std::uint32_t in_all = 0;
  while (in_all < positions().size() && velocities().contains(positions().indices()[in_all]) &&
         names.contains(positions().indices()[in_all]))
    ++in_all;
  EXPECT_GT(in_all, 100u);
  for (std::uint32_t position = 0; position < positions().size(); ++position) {
    const std::uint32_t index = positions().indices()[position];
    const bool all = velocities().contains(index) && names.contains(index);
    ASSERT_EQ(all, position < in_all) << "entities in all pools come first";
    if (!all) continue;
    ASSERT_EQ(velocities().find(index), position);
    ASSERT_EQ(names.find(index), position);
  }
  for (const Entity entity : entities)
    if (registry.has<Name>(entity)) {
      ASSERT_EQ(registry.get<const Name>(entity).text, "entity number " + to_string(entity));
    }
  registry.check();
}

TEST_F(DefragmenterTest, FollowsALeadWithAnOrderOwner) {
  constexpr std::uint64_t seed = 51;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  fill(400);
  churn(random, 4000);
  positions().claim_order(OrderOwner::sort);
  const std::vector<std::uint32_t> order(positions().indices().begin(), positions().indices().end());
  Defragmenter tested = defragmenter();
  while (tested.rounds() == 0) tested.defragment(50);
  EXPECT_TRUE(std::equal(order.begin(), order.end(), positions().indices().begin(), positions().indices().end()));
  expect_mended(positions(), velocities());
  EXPECT_EQ(figure(), 1.0);
}

TEST_F(DefragmenterTest, LeavesAFollowerWithAnOrderOwnerAlone) {
  constexpr std::uint64_t seed = 61;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  fill(400);
  for (std::uint32_t i = 399; i > 0; --i) velocities().swap(i, random.below(i + 1));
  velocities().claim_order(OrderOwner::sort);
  Defragmenter tested = defragmenter();
  EXPECT_EQ(tested.defragment(100), 0u);  // examines all: the round ends
  EXPECT_EQ(tested.defragment(10), 0u);
  velocities().release_order();
  EXPECT_EQ(tested.defragment(1000), 0u) << "it waits for the next round";
  EXPECT_GT(tested.defragment(10000), 0u);
  EXPECT_EQ(figure(), 1.0);
}

TEST_F(DefragmenterTest, DefragmentingDuringIterationAsserts) {
  fill(3);
  Defragmenter tested = defragmenter();
  EXPECT_DEATH(registry.view<Velocity>().each([&](Velocity&) { tested.defragment(10); }),
               "defragmented while it is iterated");
}

TEST_F(DefragmenterTest, FollowersThatAreNoPoolsOrTheSameAssert) {
  const PoolId lead = positions().id();
  const PoolId follower = velocities().id();
  EXPECT_DEATH(Defragmenter(registry, lead, {follower, lead}), "does not follow itself");
  EXPECT_DEATH(Defragmenter(registry, lead, {follower, follower}), "pool .*Velocity follows twice");
  EXPECT_DEATH(Defragmenter(registry, lead, {follower, registry.pool_count()}), "a follower is a pool of the registry");
  EXPECT_DEATH(Defragmenter(registry, registry.pool_count(), {follower}), "there is no such pool");
}

}  // namespace
}  // namespace mobula::ecs::locality_test
