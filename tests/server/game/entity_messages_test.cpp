#include <gtest/gtest.h>

#include <mobula/server/game/entity_messages.hpp>

namespace mobula::server {
namespace {

constexpr ecs::Entity door{5, 1};

TEST(EntityMessages, AreTakenOnceInTheOrderOfSending) {
  EntityMessages messages;
  for (const std::byte each : {std::byte{1}, std::byte{2}}) ASSERT_TRUE(messages.send(door, core::Bytes(1, each)).ok());
  const std::vector<wire::Forward> taken = messages.take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].entity, door);
  EXPECT_EQ(taken[0].kind, wire::ForwardKind::message);
  EXPECT_EQ(taken[0].passed, 0);
  EXPECT_EQ(taken[0].bytes, core::Bytes(1, std::byte{1}));
  EXPECT_EQ(taken[1].bytes, core::Bytes(1, std::byte{2}));
  EXPECT_TRUE(messages.take().empty());
}

TEST(EntityMessages, NullReceivesNone) {
  EntityMessages messages;
  EXPECT_TRUE(messages.send(ecs::null_entity, core::Bytes(1)).ok());
  EXPECT_TRUE(messages.take().empty());
}

TEST(EntityMessages, TooManyBytesAreRefused) {
  EntityMessages messages;
  EXPECT_STREQ(messages.send(door, core::Bytes(EntityMessages::message_bytes_max + 1)).error().reason, "large message");
  const core::Bytes largest(EntityMessages::message_bytes_max);
  std::size_t sent = 0;
  while (messages.send(door, largest).ok()) ++sent;
  EXPECT_EQ(sent, EntityMessages::bytes_per_tick_max / (largest.size() + 32));
  EXPECT_STREQ(messages.send(door, largest).error().reason, "too many messages");
  EXPECT_EQ(messages.take().size(), sent);
  EXPECT_TRUE(messages.send(door, largest).ok()) << "the next tick has its own bytes";
}

TEST(EntityMessages, ThoseOfOtherZonesDoNotCount) {
  EntityMessages messages;
  for (int i = 0; i < 100; ++i)
    messages.receive({.entity = door, .bytes = core::Bytes(EntityMessages::message_bytes_max)});
  EXPECT_TRUE(messages.send(door, core::Bytes(1)).ok());
  EXPECT_EQ(messages.take().size(), 101u);
}

}  // namespace
}  // namespace mobula::server
