#include <gtest/gtest.h>

#include <mobula/prediction/effect.hpp>

namespace mobula::prediction {
namespace {

constexpr core::StringId32 splash("splash");

core::Bytes bytes_of(std::size_t count, int value) { return core::Bytes(count, static_cast<std::byte>(value)); }

TEST(EffectList, KeepsEffectsInOrderWithTheirPayloads) {
  EffectList list;
  for (int i = 0; i < 40; ++i)
    list.add({splash, static_cast<std::uint64_t>(i), 7, bytes_of(static_cast<std::size_t>(i), i)});
  ASSERT_EQ(list.size(), 40u);
  for (int i = 0; i < 40; ++i) {
    const Effect effect = list.at(static_cast<std::size_t>(i));
    EXPECT_EQ(effect.key, static_cast<std::uint64_t>(i));
    EXPECT_EQ(effect.tick, 7u);
    EXPECT_EQ(core::Bytes(effect.payload.begin(), effect.payload.end()), bytes_of(static_cast<std::size_t>(i), i));
  }
  list.clear();
  EXPECT_EQ(list.size(), 0u);
}

TEST(EffectList, CopiesThePayload) {
  EffectList list;
  core::Bytes payload = bytes_of(3, 1);
  list.add({splash, 1, 7, payload});
  payload.assign(3, std::byte{9});
  EXPECT_EQ(list.at(0).payload[0], std::byte{1});
}

TEST(Effect, NameAndKeyIdentifyIt) {
  const Effect effect{splash, 1, 7, {}};
  EXPECT_TRUE(effect.is_same({splash, 1, 8, {}}));
  EXPECT_FALSE(effect.is_same({splash, 2, 7, {}}));
  EXPECT_FALSE(effect.is_same({core::StringId32("flash"), 1, 7, {}}));
}

TEST(EffectListDeathTest, ALargePayloadFailsACheck) {
  EffectList list;
  list.add({splash, 1, 7, bytes_of(Effect::payload_max, 1)});
  EXPECT_DEATH(list.add({splash, 2, 7, bytes_of(Effect::payload_max + 1, 1)}), "has 1025 bytes; the maximum is 1024");
}

}  // namespace
}  // namespace mobula::prediction
