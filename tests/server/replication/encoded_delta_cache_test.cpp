#include <gtest/gtest.h>

#include <reflect/compile_schema.hpp>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using Words = std::vector<std::uint32_t>;

std::string text(const core::Bytes& bytes, std::size_t count) {
  core::BitReader bits(bytes);
  std::string all;
  while (count-- > 0) all += bits.read_bool() ? '1' : '0';
  return all;
}

// Returns the bits that a codec writes directly.
template <class Write>
std::string written(const wire::EntityLayout& layout, bool owner, ecs::Tick tick, Write&& write) {
  core::Bytes bytes(layout.bits_max / 8 + 16);
  core::BitWriter bits(bytes);
  write(wire::EntityCodec(layout, owner, tick), bits);
  return text(bytes, bits.bits());
}

std::string copied(EncodedDeltaCache& encoded, EncodedDeltaCache::EncodedDelta delta) {
  core::Bytes bytes(delta.count() / 8 + 16);
  core::BitWriter writer(bytes);
  encoded.copy(delta, writer);
  EXPECT_EQ(writer.bits(), delta.count());
  return text(bytes, delta.count());
}

class EncodedDeltaCacheTest : public testing::Test {
 protected:
  void publish() {
    world.publish();
    encoded.begin_tick(world.registry.tick());
  }

  test::RandomWorld world{1, test::load_game_schema_without_courses()};
  ecs::Registry& registry = world.registry;
  EncodedDeltaCache encoded{world.publisher.published()};
};

TEST_F(EncodedDeltaCacheTest, AreAsTheCodecWritesInAnyOrder) {
  Published& published = world.publisher.published();
  test::PublishedHistory history;
  for (int i = 0; i < 60; ++i) {
    world.changes(15);
    history.note(published, world.publish(), registry.tick());
    const ecs::Tick now = registry.tick();
    encoded.begin_tick(now);
    for (int asked = 0; asked < 60 && !world.alive.empty(); ++asked) {
      const ecs::Entity entity = world.alive[world.random.below(static_cast<std::uint32_t>(world.alive.size()))];
      const PublishedEntity& told = published.entity(entity.index);
      const wire::EntityLayout& layout = published.codecs().entity(told.prototype);
      const bool owner = world.random.chance(1, 2);
      const Words& words = *history.at(entity, now);
      ASSERT_EQ(copied(encoded, encoded.full_state(entity.index, owner)),
                written(layout, owner, now, [&](const wire::EntityCodec& codec, core::BitWriter& bits) {
                  codec.write_full(words.data(), bits);
                }));
      if (told.structure_tick == now) continue;
      const ecs::Tick baseline = told.structure_tick + world.random.below(now - told.structure_tick);
      const ecs::Tick oldest =
          std::max(told.structure_tick, baseline - std::min(baseline, wire::previous_baseline_age_max));
      BaselineTicks ticks{.baseline = baseline};
      if (baseline > oldest) ticks.previous = oldest + world.random.below(baseline - oldest);
      const ecs::Tick early_oldest = std::max(oldest, baseline - std::min(baseline, wire::early_baseline_age_max));
      if (ticks.previous > early_oldest) ticks.early = early_oldest + world.random.below(ticks.previous - early_oldest);
      const auto change = encoded.delta(entity.index, ticks, owner);
      ASSERT_TRUE(change.available());
      const auto words_at = [&](ecs::Tick tick) { return tick != 0 ? history.at(entity, tick)->data() : nullptr; };
      const wire::Baselines baselines{
          .baseline = words_at(baseline),
          .previous_baseline = words_at(ticks.previous),
          .early_baseline = words_at(ticks.early),
          .time = {.age = now - baseline, .span = baseline - ticks.previous, .early = baseline - ticks.early}};
      ASSERT_EQ(copied(encoded, change),
                written(layout, owner, now, [&](const wire::EntityCodec& codec, core::BitWriter& bits) {
                  codec.write_delta(words.data(), baselines, bits);
                }));
    }
    world.end_tick();
  }
}

TEST_F(EncodedDeltaCacheTest, AreMadeOnceForAllThatKnowTheSame) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity);
  registry.add<demo::Health>(entity);
  const ecs::Entity mover = registry.create();
  registry.add<engine::Transform>(mover);
  for (int i = 0; i < 5; ++i) {
    publish();
    world.end_tick();
    registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(i);
  }
  publish();
  const ecs::Tick now = registry.tick();
  const auto ask = [&](ecs::Entity of, bool owner) {
    encoded.full_state(of.index, owner);
    for (const BaselineTicks& ticks : {BaselineTicks{now - 1, 0, 0}, BaselineTicks{now - 1, now - 2, 0},
                                       BaselineTicks{now - 1, now - 2, now - 4}, BaselineTicks{now - 2, 0, 0}})
      encoded.delta(of.index, ticks, owner);
  };
  for (int again = 0; again < 2; ++again) {
    for (const bool owner : {false, true}) ask(entity, owner);
    EXPECT_EQ(encoded.made(), 6u) << "nothing of it is extrapolated, so only its baseline counts";
  }
  for (int again = 0; again < 2; ++again) {
    for (const bool owner : {false, true}) ask(mover, owner);
    EXPECT_EQ(encoded.made(), 6u + 10u);
  }
}

TEST_F(EncodedDeltaCacheTest, TheOwnersHaveMore) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity).item_count = 8;
  publish();
  EXPECT_GT(encoded.full_state(entity.index, true).count(), encoded.full_state(entity.index, false).count());
}

TEST_F(EncodedDeltaCacheTest, EntriesLastUntilTheNextTick) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 1;
  publish();
  const std::string before = copied(encoded, encoded.full_state(entity.index, false));
  world.end_tick();
  registry.get<demo::Health>(entity).current = 2;
  publish();
  EXPECT_NE(copied(encoded, encoded.full_state(entity.index, false)), before);
}

TEST(EncodedDeltaCache, ADeltaNeedsABaselineInTheLog) {
  const auto schema = test::load_game_schema_without_courses();
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *schema).ok());
  Publisher publisher(registry, *schema, 128);
  EncodedDeltaCache encoded(publisher.published());
  const ecs::Entity entity = registry.create();
  registry.add<engine::Transform>(entity);
  for (ecs::Tick tick = 1; tick <= 30; ++tick) {
    registry.set_tick(tick);
    registry.get<engine::Transform>(entity).position.x = static_cast<float>(tick);
    publisher.publish();
    registry.clear_journal();
  }
  encoded.begin_tick(30);
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(encoded.delta(entity.index, {29, 28, 0}, false).available());
    EXPECT_FALSE(encoded.delta(entity.index, {5, 0, 0}, false).available());
    EXPECT_FALSE(encoded.delta(entity.index, {29, 14, 0}, false).available()) << "the client counts on it";
    EXPECT_FALSE(encoded.delta(entity.index, {29, 28, 21}, false).available()) << "the client counts on it";
  }
}

#ifdef MOBULA_ASSERTS
TEST_F(EncodedDeltaCacheTest, ATickBeginsOnce) {
  publish();
  EXPECT_DEATH(encoded.begin_tick(registry.tick()), "a tick begins once");
}
#endif

}  // namespace
}  // namespace mobula::server
