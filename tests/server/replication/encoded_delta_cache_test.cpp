#include <gtest/gtest.h>

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

  test::RandomWorld world{1};
  ecs::Registry& registry = world.registry;
  EncodedDeltaCache encoded{world.publisher.published()};
};

TEST_F(EncodedDeltaCacheTest, AreWhatTheCodecWritesWhoeverAsksFirst) {
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
      const ecs::Tick previous_baseline = baseline > oldest ? oldest + world.random.below(baseline - oldest) : 0;
      const auto change = encoded.delta(entity.index, baseline, previous_baseline, owner);
      ASSERT_TRUE(change.available());
      ASSERT_EQ(
          copied(encoded, change),
          written(layout, owner, now, [&](const wire::EntityCodec& codec, core::BitWriter& bits) {
            codec.write_delta(
                words.data(),
                {.baseline = history.at(entity, baseline)->data(),
                 .previous_baseline = previous_baseline != 0 ? history.at(entity, previous_baseline)->data() : nullptr,
                 .time = {now - baseline, baseline - previous_baseline}},
                bits);
          }));
    }
    world.end_tick();
  }
}

TEST_F(EncodedDeltaCacheTest, AreMadeOnceForAllThatKnowTheSame) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity);
  registry.add<demo::Health>(entity);
  for (int i = 0; i < 4; ++i) {
    publish();
    world.end_tick();
    registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(i);
  }
  publish();
  const ecs::Tick now = registry.tick();
  for (int again = 0; again < 2; ++again) {
    for (const bool owner : {false, true}) {
      encoded.full_state(entity.index, owner);
      encoded.delta(entity.index, now - 1, 0, owner);
      encoded.delta(entity.index, now - 1, now - 2, owner);
      encoded.delta(entity.index, now - 2, 0, owner);
    }
    EXPECT_EQ(encoded.made(), 8u);
  }
}

TEST_F(EncodedDeltaCacheTest, TheOwnersTellMore) {
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
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *test::game_schema()).ok());
  Publisher publisher(registry, *test::game_schema(), 128);
  EncodedDeltaCache encoded(publisher.published());
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  for (ecs::Tick tick = 1; tick <= 30; ++tick) {
    registry.set_tick(tick);
    registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(tick);
    publisher.publish();
    registry.clear_journal();
  }
  encoded.begin_tick(30);
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(encoded.delta(entity.index, 29, 28, false).available());
    EXPECT_FALSE(encoded.delta(entity.index, 5, 0, false).available());
    EXPECT_FALSE(encoded.delta(entity.index, 29, 5, false).available())
        << "previous_baseline is a fixed function of what is known";
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
