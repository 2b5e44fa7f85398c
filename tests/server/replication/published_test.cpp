#include <gtest/gtest.h>

#include <algorithm>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using Words = std::vector<std::uint32_t>;

class PublishedTest : public testing::Test {
 protected:
  ecs::Tick publish() {
    world.publish();
    const ecs::Tick tick = registry.tick();
    world.end_tick();
    return tick;
  }
  Words now(ecs::Entity entity) {
    Words words(published.codecs().entity(published.entity(entity.index).prototype).words);
    published.words_now(entity.index, words.data());
    return words;
  }
  // Returns no words if they are not available.
  Words at(ecs::Entity entity, ecs::Tick tick) {
    Words words(published.codecs().entity(published.entity(entity.index).prototype).words);
    if (!published.words_at(entity.index, tick, words.data())) words.clear();
    return words;
  }

  test::RandomWorld world{1};
  ecs::Registry& registry = world.registry;
  Published& published = world.publisher.published();
};

// All states of every living entity since its last change of composition.
TEST(Published, FormerStatesAreThoseOfAReferenceHistory) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomWorld world(seed);
    Published& published = world.publisher.published();
    test::PublishedHistory history;
    for (int i = 0; i < 80; ++i) {
      world.changes(world.random.below(20));
      history.note(published, world.publish(), world.registry.tick());
      published.check();
      ASSERT_EQ(published.size(), world.alive.size());
      for (const ecs::Entity entity : world.alive) {
        const PublishedEntity& told = published.entity(entity.index);
        ASSERT_EQ(told.entity, entity);
        Words words(published.codecs().entity(told.prototype).words);
        for (ecs::Tick tick = 1; tick <= world.registry.tick(); ++tick) {
          ASSERT_EQ(published.words_at(entity.index, tick, words.data()), tick >= told.structure_tick);
          if (tick < told.structure_tick) continue;
          ASSERT_EQ(words, *history.at(entity, tick)) << to_string(entity) << " at " << tick;
        }
      }
      world.end_tick();
    }
  }
}

TEST_F(PublishedTest, AnUpdateIsToldFromNoUpdate) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 4;
  publish();
  const ecs::PoolId pool = registry.pool_of<demo::Health>();
  demo::Health health = registry.get<demo::Health>(entity);
  const auto* bytes = reinterpret_cast<const std::byte*>(&health);
  EXPECT_FALSE(published.update(entity.index, pool, bytes, 2));
  health.current = 5;
  EXPECT_TRUE(published.update(entity.index, pool, bytes, 3));
  EXPECT_FALSE(published.update(entity.index, pool, bytes, 4));
  EXPECT_EQ(published.changed(entity.index, false), 3u);
  published.check();
}

TEST_F(PublishedTest, KnowsWhatTheLastChangesWereOf) {
  const ecs::Entity still = registry.create();
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  const ecs::Tick first = publish();
  EXPECT_EQ(published.last_change(), first);
  EXPECT_TRUE(published.changed_last(still.index));
  publish();  // nothing
  EXPECT_EQ(published.last_change(), first);
  registry.get<demo::Inventory>(entity).items[0] = 3;  // its owner's alone
  const ecs::Tick third = publish();
  EXPECT_EQ(published.last_change(), third);
  EXPECT_EQ(published.change_before(), first);
  EXPECT_TRUE(published.changed_last(entity.index));
  EXPECT_FALSE(published.changed_last(still.index));
  registry.destroy(still);
  const ecs::Tick fourth = publish();
  EXPECT_EQ(published.last_change(), fourth);
  EXPECT_EQ(published.change_before(), third);
  EXPECT_TRUE(published.changed_last(still.index));
  EXPECT_FALSE(published.changed_last(entity.index));
}

TEST_F(PublishedTest, OwnerOnlyChangesAreNoChangesForOthers) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  const ecs::Tick first = publish();
  const PublishedEntity before = published.entity(entity.index);
  const std::uint64_t all = published.hash();
  registry.get<demo::Inventory>(entity).items[0] = 3;
  const ecs::Tick second = publish();
  EXPECT_EQ(published.changed(entity.index, false), first);
  EXPECT_EQ(published.changed(entity.index, true), second);
  EXPECT_EQ(published.entity(entity.index).hash, before.hash);
  EXPECT_NE(published.entity(entity.index).owner_hash, before.owner_hash);
  EXPECT_EQ(published.hash(), all);
  published.check();
}

TEST_F(PublishedTest, TheHashKnowsHandlePrototypeInstanceAndValue) {
  const auto hash_of = [&](std::uint32_t index, auto&& make) {
    ecs::Entity entity;
    do entity = registry.create();
    while (entity.index < index);
    make(entity);
    publish();
    const std::uint64_t hash = published.entity(entity.index).hash;
    EXPECT_EQ(published.entity(entity.index).entity, entity);
    return hash;
  };
  const ecs::PoolId body = registry.pool_of<demo::RenderData>("Body");
  const ecs::PoolId fog = registry.pool_of<demo::RenderData>("Fog");
  const std::uint64_t hashes[] = {
      hash_of(0, [](ecs::Entity) {}),
      hash_of(1, [](ecs::Entity) {}),
      hash_of(2, [&](ecs::Entity entity) { registry.add_bytes(entity, body); }),
      hash_of(3, [&](ecs::Entity entity) { registry.add_bytes(entity, fog); }),
      hash_of(4, [&](ecs::Entity entity) { registry.add<demo::Health>(entity); }),
      hash_of(5, [&](ecs::Entity entity) { registry.add<demo::Health>(entity).current = 1; }),
  };
  EXPECT_EQ(std::set<std::uint64_t>(std::begin(hashes), std::end(hashes)).size(), std::size(hashes));
}

TEST_F(PublishedTest, ADestroyedEntityLeavesNothingButItsTick) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  publish();
  registry.destroy(entity);
  const ecs::Tick gone = publish();
  EXPECT_FALSE(published.entity(entity.index).entity);
  EXPECT_EQ(published.hash(), 0u);
  EXPECT_EQ(published.size(), 0u);
  EXPECT_EQ(published.changed(entity.index, false), gone);
  published.erase(entity.index, gone + 1);
  published.erase(12345, gone + 1);
  EXPECT_EQ(published.changed(entity.index, false), gone) << "erasing nobody does nothing";
  published.check();
}

TEST_F(PublishedTest, ANewCompositionForgetsWhatWasBefore) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 3;
  const ecs::Tick first = publish();
  registry.add<demo::Team>(entity);
  const ecs::Tick second = publish();
  EXPECT_TRUE(at(entity, first).empty());
  EXPECT_EQ(at(entity, second), now(entity));
  registry.get<demo::Health>(entity).current = 4;
  publish();
  EXPECT_FALSE(at(entity, second).empty());
  EXPECT_NE(at(entity, second), now(entity));
}

TEST(Published, WithoutALogOnlyThePresentIsKnown) {
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *test::game_schema()).ok());
  Publisher publisher(registry, *test::game_schema(), 0);
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 3;
  publisher.publish();
  registry.clear_journal();
  registry.set_tick(2);
  registry.get<demo::Health>(entity).current = 4;
  publisher.publish();
  Words words(2);
  EXPECT_FALSE(publisher.published().words_at(entity.index, 1, words.data()));
  EXPECT_TRUE(publisher.published().words_at(entity.index, 2, words.data()));
}

#ifdef MOBULA_ASSERTS
TEST_F(PublishedTest, PlacingNoEntityIsAMistake) {
  EXPECT_DEATH(published.place(ecs::null_entity, ecs::empty_prototype, 1), "null_entity is not published");
}
#endif

}  // namespace
}  // namespace mobula::server
