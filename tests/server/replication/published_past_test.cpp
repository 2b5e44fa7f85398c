#include <gtest/gtest.h>

#include <map>
#include <seeds.hpp>
#include <server/random_world.hpp>

namespace mobula::server {
namespace {

constexpr ecs::Tick past_ticks = 10;

using WordsByTick = std::map<ecs::Tick, std::vector<std::uint32_t>>;

std::vector<std::uint32_t> words_at(Published& published, const Published::Past& past, ecs::Tick tick) {
  std::vector<std::uint32_t> words(published.codecs().entity(past.prototype).words);
  EXPECT_TRUE(published.words_of(past, tick, words.data())) << tick;
  return words;
}

// Reference: the words of all entities at the end of each of the last ticks.
TEST(PublishedPast, KnowsEntitiesOfTheLastTicksAlsoIfTheyEnded) {
  std::uint64_t ended = 0;
  const std::uint64_t seeds = test::few_or_all(4, 16);
  test::for_each_seed(1, seeds, 150, [&](std::uint64_t seed) {
    test::RandomWorld world(seed);
    Published& published = world.publisher.published();
    std::vector<core::StringId32> all;
    for (const reflect::Component& component : world.schema->components()) all.push_back(component.id);
    published.keep_past(all, past_ticks);
    std::map<ecs::Tick, std::map<ecs::Entity, std::vector<std::uint32_t>>> history;
    for (int i = 0; i < 150; ++i) {
      world.changes(world.random.below(12));
      world.publish();
      const ecs::Tick now = world.registry.tick();
      published.forget_past(now);
      for (const ecs::Entity entity : world.alive) {
        std::vector<std::uint32_t> words(published.codecs().entity(published.entity(entity.index).prototype).words);
        published.words_now(entity.index, words.data());
        history[now][entity] = std::move(words);
      }
      for (ecs::Tick tick = now - std::min(now - 1, past_ticks - 1); tick <= now; ++tick) {
        for (const auto& [entity, expected] : history[tick]) {
          const Published::Past past = published.past(entity.index, tick);
          if (expected.empty() && !past.entity) continue;  // without components nothing is kept
          ASSERT_EQ(past.entity, entity) << tick << " in " << now;
          ASSERT_EQ(words_at(published, past, tick), expected) << tick << " in " << now;
          ended += past.former != nullptr ? 1 : 0;
        }
      }
      history.erase(history.begin(), history.lower_bound(now - std::min(now, past_ticks)));
      world.end_tick();
    }
  });
  EXPECT_GT(ended, 1000u);
}

TEST(PublishedPast, ForgetsWhatEndedBeforeTheWindow) {
  test::RandomWorld world(1);
  Published& published = world.publisher.published();
  const core::StringId32 kept[] = {core::StringId32("Transform")};
  published.keep_past(kept, past_ticks);
  const ecs::Entity entity = world.create();
  world.registry.add<engine::Transform>(entity);
  const auto tick = [&] {
    world.publish();
    published.forget_past(world.registry.tick());
    world.end_tick();
  };
  tick();
  EXPECT_TRUE(published.is_kept(entity.index));
  world.destroy(0);
  tick();
  EXPECT_FALSE(published.is_kept(entity.index));
  for (ecs::Tick i = 0; i < past_ticks; ++i) {
    EXPECT_EQ(published.past(entity.index, 1).entity, entity) << i;
    tick();
  }
  tick();
  EXPECT_FALSE(published.past(entity.index, 1).entity);
}

TEST(PublishedPast, IsKeptOfMarkedEntitiesAlone) {
  test::RandomWorld world(1);
  Published& published = world.publisher.published();
  const core::StringId32 kept[] = {core::StringId32("Transform")};
  const core::StringId32 marks[] = {core::StringId32("Health")};
  published.keep_past(kept, past_ticks, marks);
  const ecs::Entity entity = world.create();
  world.registry.add<engine::Transform>(entity);
  const auto tick = [&] {
    world.publish();
    world.end_tick();
    return published.is_kept(entity.index);
  };
  EXPECT_FALSE(tick());
  const ecs::PoolId health = world.registry.find_pool(marks[0], marks[0]);
  world.registry.add_bytes(entity, health);
  EXPECT_TRUE(tick());
  world.registry.remove<engine::Transform>(entity);
  EXPECT_FALSE(tick());
}

}  // namespace
}  // namespace mobula::server
