#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <server/random_world.hpp>
#include <set>

namespace mobula::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PublisherTest : public testing::Test {
 protected:
  // Publishes, ends the tick, gives what changed.
  std::vector<std::uint32_t> publish() {
    const std::span<const std::uint32_t> changed = world.publish();
    std::vector<std::uint32_t> result(changed.begin(), changed.end());
    world.end_tick();
    return result;
  }
  [[nodiscard]] const wire::RowTable& rows() const { return world.publisher.rows(); }

  test::RandomWorld world{1};
  ecs::Registry& registry = world.registry;
};

TEST_F(PublisherTest, ANewEntityIsPublishedWithItsComponents) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 7;
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  const wire::EntityRow& row = rows().entity(entity.index);
  EXPECT_EQ(row.entity, entity);
  EXPECT_EQ(row.tick, 1u);
  EXPECT_EQ(row.structure_tick, 1u);
  EXPECT_THAT(registry.prototypes().pools(row.prototype), ElementsAre(registry.pool_of<demo::Health>()));
  EXPECT_EQ(rows().size(), 1u);
  EXPECT_THAT(publish(), IsEmpty());
}

TEST_F(PublisherTest, AWriteIsPublished) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  const ecs::Entity other = registry.create();
  registry.add<demo::Health>(other);
  publish();
  const std::uint64_t before = rows().hash();
  registry.get<demo::Health>(other).current = 3;
  EXPECT_THAT(publish(), ElementsAre(other.index));
  EXPECT_NE(rows().hash(), before);
  EXPECT_EQ(rows().entity(other.index).tick, 2u);
  EXPECT_EQ(rows().entity(other.index).structure_tick, 1u);
  EXPECT_EQ(rows().entity(entity.index).tick, 1u);
}

TEST_F(PublisherTest, AWriteThatChangesNothingThatCanBeSentIsNotPublished) {
  const ecs::Entity entity = registry.create();
  registry.add<engine::Transform>(entity).position.x = 1.0f;
  publish();
  registry.get<engine::Transform>(entity).position.x = 1.0f;
  EXPECT_THAT(publish(), IsEmpty());
  registry.get<engine::Transform>(entity).position.x = 1.001f;  // a tenth of a step
  EXPECT_THAT(publish(), IsEmpty());
  registry.get<engine::Transform>(entity).position.x = 1.01f;
  EXPECT_THAT(publish(), ElementsAre(entity.index));
}

TEST_F(PublisherTest, AMoveInAPoolIsNotPublished) {
  const ecs::Entity first = registry.create();
  registry.add<demo::Health>(first);
  const ecs::Entity last = registry.create();
  registry.add<demo::Health>(last);
  publish();
  registry.destroy(first);  // the last component moves into the gap, which is stamped
  EXPECT_THAT(publish(), ElementsAre(first.index));
  EXPECT_EQ(rows().entity(last.index).tick, 1u);
}

TEST_F(PublisherTest, AddingAndRemovingAComponentIsStructure) {
  const ecs::Entity entity = registry.create();
  publish();
  registry.add<demo::Health>(entity);
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_EQ(rows().entity(entity.index).structure_tick, 2u);
  registry.remove<demo::Health>(entity);
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_EQ(rows().entity(entity.index).structure_tick, 3u);
  EXPECT_EQ(rows().entity(entity.index).prototype, ecs::empty_prototype);
}

TEST_F(PublisherTest, RemovingAndAddingInOneTickPublishesTheNewValueOnly) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 1;
  publish();
  registry.remove<demo::Health>(entity);
  registry.add<demo::Health>(entity).current = 2;
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_EQ(rows().entity(entity.index).structure_tick, 1u);
  EXPECT_EQ(rows().entity(entity.index).tick, 2u);
}

TEST_F(PublisherTest, TheOrderInWhichComponentsCameDoesNotMatter) {
  const ecs::Entity a = registry.create();
  registry.add<demo::Health>(a);
  registry.add<demo::Team>(a);
  const ecs::Entity b = registry.create();
  registry.add<demo::Team>(b);
  registry.add<demo::Health>(b);
  publish();
  EXPECT_NE(registry.prototype(a), registry.prototype(b));
  EXPECT_EQ(rows().entity(a.index).prototype, rows().entity(b.index).prototype);
}

TEST_F(PublisherTest, ADestroyedEntityIsErasedAndItsIndexMayServeAnother) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  publish();
  registry.destroy(entity);
  ecs::Entity heir;
  do heir = registry.create();
  while (heir.index != entity.index);
  EXPECT_THAT(publish(), testing::Contains(entity.index));
  EXPECT_EQ(rows().entity(entity.index).entity, heir);
  registry.destroy(heir);
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_FALSE(rows().entity(entity.index).entity);
}

TEST_F(PublisherTest, WhatCameAndWentInOneTickWasNeverThere) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  registry.destroy(entity);
  publish();
  EXPECT_EQ(rows().size(), 0u);
  EXPECT_EQ(rows().hash(), 0u);
}

TEST_F(PublisherTest, ComponentsThatAreNotSentNeverAppear) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  publish();
  const std::uint64_t before = rows().hash();
  registry.add<demo::Wander>(entity);
  struct Local {
    int value;
  };
  registry.add<Local>(entity);
  publish();
  EXPECT_EQ(rows().hash(), before);
  EXPECT_EQ(rows().entity(entity.index).tick, 1u);
  EXPECT_EQ(world.publisher.rows().entity(entity.index).prototype,
            registry.prototypes().intern(std::vector{registry.pool_of<demo::Health>()}));
  registry.get<demo::Wander>(entity).radius = 99;
  registry.get<Local>(entity).value = 99;
  EXPECT_THAT(publish(), IsEmpty());
}

// Everything alive, encoded anew.
struct Naive {
  explicit Naive(test::RandomWorld& world) : table(world.registry, *test::game_schema()) {
    for (const ecs::Entity entity : world.alive) {
      std::vector<ecs::PoolId> sent;
      for (ecs::PoolId pool = 0; pool < world.registry.pool_count(); ++pool)
        if (world.registry.pool(pool).contains(entity.index) && table.codec(pool) != nullptr) sent.push_back(pool);
      table.place(entity, world.registry.prototypes().intern(sent), 1);
      for (const ecs::PoolId pool : sent) table.update(entity.index, pool, world.registry.try_read(entity, pool), 1);
    }
  }
  [[nodiscard]] std::map<std::uint32_t, std::uint64_t> hashes() const {
    std::map<std::uint32_t, std::uint64_t> result;
    for (std::uint32_t index = 0; index < table.index_end(); ++index)
      if (table.entity(index).entity) result[index] = table.entity(index).hash;
    return result;
  }
  wire::RowTable table;
};

std::set<std::uint32_t> difference(const std::map<std::uint32_t, std::uint64_t>& a,
                                   const std::map<std::uint32_t, std::uint64_t>& b) {
  std::set<std::uint32_t> result;
  const auto missing_in = [&](const auto& from, const auto& in) {
    for (const auto& [index, hash] : from)
      if (const auto found = in.find(index); found == in.end() || found->second != hash) result.insert(index);
  };
  missing_in(a, b);
  missing_in(b, a);
  return result;
}

TEST(Publisher, OverRandomHistoriesPublishesWhatANaiveEncodingOfEverythingFinds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomWorld world(seed);
    // Pools of several blocks, in some of the histories.
    for (int i = seed % 4 == 0 ? 300 : 0; i > 0; --i) world.registry.add<engine::Transform>(world.create());
    std::map<std::uint32_t, std::uint64_t> before;
    for (int tick = 1; tick <= 60; ++tick) {
      world.changes(world.random.below(30));
      std::set<std::uint32_t> touched;
      for (const ecs::JournalEntry& entry : world.registry.journal())
        for (std::uint32_t i = 0; i < entry.count; ++i) touched.insert(entry.first.index + i);
      const std::span<const std::uint32_t> list = world.publish();
      const std::set<std::uint32_t> changed(list.begin(), list.end());
      ASSERT_EQ(changed.size(), list.size()) << "no index twice";

      const Naive naive(world);
      ASSERT_EQ(naive.table.hash(), world.publisher.rows().hash()) << "tick " << tick;
      ASSERT_EQ(naive.table.size(), world.publisher.rows().size());
      const std::map<std::uint32_t, std::uint64_t> now = naive.hashes();
      const std::set<std::uint32_t> differs = difference(before, now);
      for (const std::uint32_t index : differs) {
        ASSERT_TRUE(changed.contains(index)) << "tick " << tick << ": " << index << " changed in silence";
        if (now.contains(index)) {
          ASSERT_EQ(world.publisher.rows().entity(index).tick, world.registry.tick());
        }
      }
      for (const std::uint32_t index : changed)
        ASSERT_TRUE(differs.contains(index) || touched.contains(index))
            << "tick " << tick << ": no change of " << index;
      before = now;
      world.publisher.rows().check();
      world.end_tick();
    }
  }
}

TEST(Publisher, WhatWasPublishedIsReclaimedWhenItsEntityIsGone) {
  test::RandomWorld world(1);
  for (int i = 0; i < 20; ++i) world.changes(40);
  world.publish();
  world.end_tick();
  while (!world.alive.empty()) world.destroy(0);
  world.publish();
  world.end_tick();
  ecs::PrototypeTable& prototypes = world.registry.prototypes();
  for (int round = 0; round < 10; ++round) world.publisher.forget(prototypes.reclaim(prototypes.size()));
  EXPECT_EQ(prototypes.count(), 1u) << "the empty one";
}

}  // namespace
}  // namespace mobula::server
