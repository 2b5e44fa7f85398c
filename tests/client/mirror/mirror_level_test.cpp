// What a server that lies, or a path that is slow, may tell of the level that a client has on disk.
#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <client/raw_delta.hpp>
#include <server/hamlet.hpp>

namespace mobula::client {
namespace {

class MirrorLevelTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::uint32_t count = level->level().num_entities;
    const wire::Level told{.identity = level->identity(),
                           .range = {.first = 0, .count = count, .generation = 1},
                           .tick = 1,
                           .present = core::Bytes((count + 7) / 8, std::byte{0xff})};
    mirror = std::move(*Mirror::make(test::game_schema(), 1000));
    ASSERT_TRUE(mirror->load_level(told, level).ok());
    entity = told.range.at(5);
    mirror->check();
  }
  // Nothing moves or changes; then these bits.
  bool takes(const test::WriteBits& write) {
    ++sequence;
    const core::Bytes bytes = test::raw_lists({.sequence = sequence, .tick = 10 + sequence}, write);
    const bool taken = test::apply_delta(*mirror, bytes).ok();
    mirror->check();
    return taken;
  }
  // With no component, under id 0, at the index of one of the level that is not said to be gone.
  bool appear(ecs::Entity appearing) {
    return takes([&](core::BitWriter& bits) {
      test::write_count(bits, 1);
      test::write_appeared(bits, 0, appearing, 0);
      test::write_count(bits, 0);
    });
  }
  bool end(std::uint32_t id, bool of_level) {
    return takes([&](core::BitWriter& bits) {
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

TEST_F(MirrorLevelTest, AnotherEntityAtAnIndexOfTheLevelEndsTheOneThatWasThere) {
  const ecs::Entity usurper{entity.index, entity.generation + 1};
  ASSERT_TRUE(appear(usurper));
  EXPECT_FALSE(mirror->registry().valid(entity));
  EXPECT_TRUE(mirror->registry().valid(usurper));
  EXPECT_TRUE(end(7, true)) << "of who is not there any more";
  EXPECT_TRUE(mirror->registry().valid(usurper));
  EXPECT_TRUE(end(0, false));
  EXPECT_TRUE(end(8, true));
  EXPECT_EQ(mirror->registry().entities().at(entity.index), ecs::null_entity);
}

TEST_F(MirrorLevelTest, WhatWasDestroyedIsNotShownAsItWasUnderAnotherIdBefore) {
  sequence = 1;
  ASSERT_TRUE(end(1, true));
  EXPECT_FALSE(mirror->registry().valid(entity));
  sequence = 0;
  ASSERT_TRUE(appear(entity));
  EXPECT_FALSE(mirror->registry().valid(entity));
}

}  // namespace
}  // namespace mobula::client
