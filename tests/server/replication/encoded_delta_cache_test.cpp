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

// What a codec writes that is asked directly.
template <class Write>
std::string written(const wire::EntityLayout& layout, bool owner, Write&& write) {
  core::Bytes bytes(layout.bits_max / 8 + 16);
  core::BitWriter bits(bytes);
  write(wire::EntityCodec(layout, owner), bits);
  return text(bytes, bits.bits());
}

std::string copied(EncodedDeltaCache& strings, EncodedDeltaCache::Bits bits) {
  core::Bytes bytes(bits.count() / 8 + 16);
  core::BitWriter writer(bytes);
  strings.copy(bits, writer);
  EXPECT_EQ(writer.bits(), bits.count());
  return text(bytes, bits.count());
}

class EncodedDeltaCacheTest : public testing::Test {
 protected:
  void publish() {
    world.publish();
    strings.begin_tick(world.registry.tick());
  }

  test::RandomWorld world{1};
  ecs::Registry& registry = world.registry;
  EncodedDeltaCache strings{world.publisher.published()};
};

TEST_F(EncodedDeltaCacheTest, AreWhatTheCodecWritesWhoeverAsksFirst) {
  Published& published = world.publisher.published();
  test::PublishedHistory history;
  for (int i = 0; i < 60; ++i) {
    world.changes(15);
    history.note(published, world.publish(), registry.tick());
    const ecs::Tick now = registry.tick();
    strings.begin_tick(now);
    for (int asked = 0; asked < 60 && !world.alive.empty(); ++asked) {
      const ecs::Entity entity = world.alive[world.random.below(static_cast<std::uint32_t>(world.alive.size()))];
      const PublishedEntity& told = published.entity(entity.index);
      const wire::EntityLayout& layout = published.codecs().entity(told.prototype);
      const bool owner = world.random.chance(1, 2);
      const Words& words = *history.at(entity, now);
      ASSERT_EQ(copied(strings, strings.whole(entity.index, owner)),
                written(layout, owner, [&](const wire::EntityCodec& codec, core::BitWriter& bits) {
                  codec.write_whole(words.data(), bits);
                }));
      if (told.structure_tick == now) continue;
      const ecs::Tick b1 = told.structure_tick + world.random.below(now - told.structure_tick);
      const ecs::Tick oldest = std::max(told.structure_tick, b1 - std::min(b1, wire::b2_age_max));
      const ecs::Tick b2 = b1 > oldest ? oldest + world.random.below(b1 - oldest) : 0;
      const auto change = strings.change(entity.index, b1, b2, owner);
      ASSERT_TRUE(change.known());
      ASSERT_EQ(copied(strings, change),
                written(layout, owner, [&](const wire::EntityCodec& codec, core::BitWriter& bits) {
                  codec.write_change(words.data(),
                                     {.b1 = history.at(entity, b1)->data(),
                                      .b2 = b2 != 0 ? history.at(entity, b2)->data() : nullptr,
                                      .time = {now - b1, b1 - b2}},
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
      strings.whole(entity.index, owner);
      strings.change(entity.index, now - 1, 0, owner);
      strings.change(entity.index, now - 1, now - 2, owner);
      strings.change(entity.index, now - 2, 0, owner);
    }
    EXPECT_EQ(strings.made(), 8u);
  }
}

TEST_F(EncodedDeltaCacheTest, TheOwnersTellMore) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity).item_count = 8;
  publish();
  EXPECT_GT(strings.whole(entity.index, true).count(), strings.whole(entity.index, false).count());
}

TEST_F(EncodedDeltaCacheTest, OfATickAreGoneWithTheNext) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 1;
  publish();
  const std::string before = copied(strings, strings.whole(entity.index, false));
  world.end_tick();
  registry.get<demo::Health>(entity).current = 2;
  publish();
  EXPECT_NE(copied(strings, strings.whole(entity.index, false)), before);
}

TEST(EncodedDeltaCache, ThereIsNoneOfAChangeSinceWhatTheLogHasForgotten) {
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *test::game_schema()).ok());
  Publisher publisher(registry, *test::game_schema(), 128);
  EncodedDeltaCache strings(publisher.published());
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  for (ecs::Tick tick = 1; tick <= 30; ++tick) {
    registry.set_tick(tick);
    registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(tick);
    publisher.publish();
    registry.clear_journal();
  }
  strings.begin_tick(30);
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(strings.change(entity.index, 29, 28, false).known());
    EXPECT_FALSE(strings.change(entity.index, 5, 0, false).known());
    EXPECT_FALSE(strings.change(entity.index, 29, 5, false).known()) << "b2 is a fixed function of what is known";
  }
}

#ifdef MOBULA_ASSERTS
TEST_F(EncodedDeltaCacheTest, ATickBeginsOnce) {
  publish();
  EXPECT_DEATH(strings.begin_tick(registry.tick()), "a tick begins once");
}
#endif

}  // namespace
}  // namespace mobula::server
