#include <gtest/gtest.h>

#include <array>
#include <mobula/ecs/audit.hpp>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using test::Health;
using test::Mana;
using test::Position;
using test::Thought;
using test::World;

// 200 entities with Position and Health: four blocks each. State after a tick: audited, and the next tick has begun.
struct ChangeTickAuditTest : testing::Test {
  World world;
  std::vector<Entity> entities = std::vector<Entity>(200);
  ChangeTickAudit audit{world};

  ChangeTickAuditTest() {
    EXPECT_TRUE(world.create(std::span(entities), Position{}, Health{}));
    EXPECT_TRUE(next_tick().empty()) << "the first call only takes hashes";
  }
  std::vector<UnmarkedBlock> next_tick() {
    std::vector<UnmarkedBlock> found = audit.run();
    world.set_tick(world.tick() + 1);
    return found;
  }
};

TEST_F(ChangeTickAuditTest, AWriteThroughAKeptReferenceIsFound) {
  Health& kept = world.get<Health>(entities[130]);
  EXPECT_TRUE(next_tick().empty()) << "the block is marked, and nothing was written";
  kept.value = 1;
  const PoolId pool = world.pool_of<Health>();
  const std::vector<UnmarkedBlock> expected{{pool, 2, entities[128]}};
  const std::vector<UnmarkedBlock> found = next_tick();
  EXPECT_EQ(found, expected);
  EXPECT_EQ(to_string(found[0], world), "block 2 of pool Health, from entity " + to_string(entities[128]) +
                                            " on, has changed without a change tick");
  EXPECT_TRUE(next_tick().empty()) << "it is reported once";
}

TEST_F(ChangeTickAuditTest, WritesInSeveralPoolsAndBlocksAreFound) {
  Health& health = world.get<Health>(entities[0]);
  Position& first = world.get<Position>(entities[63]);
  Position& last = world.get<Position>(entities[199]);
  EXPECT_TRUE(next_tick().empty());
  health.value = first.value = last.value = 7;
  const PoolId positions = world.pool_of<Position>();
  const std::vector<UnmarkedBlock> expected{
      {positions, 0, entities[0]}, {positions, 3, entities[192]}, {world.pool_of<Health>(), 0, entities[0]}};
  EXPECT_EQ(next_tick(), expected);
}

TEST_F(ChangeTickAuditTest, MarkedWritesAreNotReported) {
  world.get<Health>(entities[3]).value = 5;
  world.view<Position, const Health>().each(
      [](Position& position, const Health& health) { position.value = health.value; });
  world.patch<Health>(entities[190], [](Health& health) { ++health.value; });
  const std::int32_t value = 9;
  std::memcpy(world.try_write(entities[70], world.pool_of<Health>()), &value, sizeof value);
  EXPECT_TRUE(next_tick().empty());
}

TEST_F(ChangeTickAuditTest, AReadIsNotReported) {
  EXPECT_EQ(world.get<const Health>(entities[3]).value, 100);
  EXPECT_TRUE(next_tick().empty());
}

TEST_F(ChangeTickAuditTest, MovesAreNotReported) {
  world.pool<Health>().swap(3, 170);
  EXPECT_TRUE(next_tick().empty());
  world.remove<Health>(entities[10]);
  world.remove<Health>(entities[20]);
  EXPECT_TRUE(next_tick().empty());
  world.group<Position, Health>();
  EXPECT_TRUE(next_tick().empty());
}

TEST_F(ChangeTickAuditTest, AddsAreNotReported) {
  world.add<Mana>(entities[5]);
  world.add<Health>(world.create());
  EXPECT_TRUE(next_tick().empty());
  world.add<Mana>(entities[6]);
  EXPECT_TRUE(next_tick().empty());
}

TEST_F(ChangeTickAuditTest, RemovesAreNotReported) {
  world.remove<Health>(entities[199]);  // the last: nothing moves
  EXPECT_TRUE(next_tick().empty());
  for (std::size_t i = 100; i < 150; ++i) world.destroy(entities[i]);
  EXPECT_TRUE(next_tick().empty());
  world.remove<Health>(std::span<const Entity>(entities).first(100));
  EXPECT_TRUE(next_tick().empty());
  world.add<Health>(entities[0]);
  EXPECT_TRUE(next_tick().empty());
}

TEST_F(ChangeTickAuditTest, FindsAWriteAfterTheBlockShrank) {
  world.remove<Health>(entities[199]);
  Health& kept = world.get<Health>(entities[198]);
  EXPECT_TRUE(next_tick().empty());
  kept.value = 1;
  EXPECT_EQ(next_tick().size(), 1u);
}

TEST_F(ChangeTickAuditTest, ReportsAWriteInTheSameTickAfterTheAudit) {
  world.get<Health>(entities[0]).value = 1;
  EXPECT_TRUE(audit.run().empty());
  world.get<Health>(entities[0]).value = 2;  // a publisher would have missed it
  EXPECT_EQ(audit.run().size(), 1u);
}

TEST_F(ChangeTickAuditTest, ServerOnlyComponentsAreNotAudited) {
  Thought& kept = world.add<Thought>(entities[0]);
  EXPECT_TRUE(next_tick().empty());
  kept.content = std::make_unique<std::int32_t>(4);
  EXPECT_TRUE(next_tick().empty());
}

}  // namespace
}  // namespace mobula::ecs
