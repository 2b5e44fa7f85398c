// Deltas about a level that the client has on disk, from a hostile server or over a path that reorders.
#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <client/raw_delta.hpp>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/schema/engine.hpp>
#include <server/hamlet.hpp>

namespace mobula::client {
namespace {

class MirrorLevelTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::uint32_t count = level->level().num_entities;
    const wire::Level message{.identity = level->identity(),
                              .range = {.first = 0, .count = count, .generation = 1},
                              .tick = 1,
                              .present = core::Bytes((count + 7) / 8, std::byte{0xff})};
    mirror = std::move(*Mirror::make(test::game_schema(), 1000));
    ASSERT_TRUE(mirror->load_level(message, level).ok());
    entity = message.range.at(5);
    mirror->check();
  }
  // Applies a delta without moving and changed entities; `write` writes the rest. Returns whether it was applied.
  bool apply(const test::WriteBits& write) {
    ++sequence;
    const core::Bytes bytes = test::raw_lists({.sequence = sequence, .tick = 10 + sequence}, write);
    const bool applied = test::apply_delta(*mirror, bytes).ok();
    mirror->check();
    return applied;
  }
  // Gains an entity without components under id 0. The delta does not remove the level's entity at the same index.
  bool gain(ecs::Entity gained) {
    return apply([&](core::BitWriter& bits) {
      test::write_count(bits, 1);
      test::write_gained(bits, 0, gained, 0);
      test::write_count(bits, 0);
    });
  }
  // Loses and destroys the entity with an id, or the level's entity.
  bool destroy(std::uint32_t id, bool of_level) {
    return apply([&](core::BitWriter& bits) {
      test::write_count(bits, 0);
      test::write_count(bits, 1);
      bits.write_golomb(id, wire::id_order);
      bits.write_bool(true);
      bits.write_bool(of_level);
      if (of_level) bits.write_golomb(entity.index, wire::index_order);
    });
  }

  const std::shared_ptr<const resource::Resource> level = test::hamlet();
  std::unique_ptr<Mirror> mirror;
  ecs::Entity entity;
  std::uint32_t sequence = 0;
};

TEST_F(MirrorLevelTest, AnEntityGainedAtALevelIndexReplacesTheLevels) {
  const ecs::Entity usurper{entity.index, entity.generation + 1};
  ASSERT_TRUE(gain(usurper));
  EXPECT_FALSE(mirror->registry().valid(entity));
  EXPECT_TRUE(mirror->registry().valid(usurper));
  EXPECT_TRUE(destroy(7, true)) << "the entity is replaced already";
  EXPECT_TRUE(mirror->registry().valid(usurper));
  EXPECT_TRUE(destroy(0, false));
  EXPECT_TRUE(destroy(8, true));
  EXPECT_EQ(mirror->registry().entities().at(entity.index), ecs::null_entity);
}

TEST_F(MirrorLevelTest, ALateGainDoesNotReviveADestroyedEntity) {
  sequence = 1;
  ASSERT_TRUE(destroy(1, true));
  EXPECT_FALSE(mirror->registry().valid(entity));
  sequence = 0;
  ASSERT_TRUE(gain(entity));
  EXPECT_FALSE(mirror->registry().valid(entity));
}

TEST_F(MirrorLevelTest, AnEntityIsShownAsLoadedUntilItsFirstState) {
  mirror->set_view_tick(5);
  const auto before = sample<engine::Transform>(*mirror, entity, 5);
  ASSERT_TRUE(before);
  ASSERT_TRUE(gain(entity));  // without components
  const ecs::Tick tick = mirror->tick_of(entity);
  EXPECT_EQ(sample<engine::Transform>(*mirror, entity, tick - 5.0), before);
  EXPECT_EQ(sample<engine::Transform>(*mirror, entity, tick - 0.1), before);
  EXPECT_EQ(sample<engine::Transform>(*mirror, entity, tick), std::nullopt);
  EXPECT_TRUE(destroy(0, false));
}

}  // namespace
}  // namespace mobula::client
