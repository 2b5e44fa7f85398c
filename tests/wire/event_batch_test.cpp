#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/hex.hpp>
#include <mobula/core/random.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

core::Bytes batch_of(ecs::Tick tick, const std::vector<Event>& events) {
  core::Bytes bytes(3, std::byte{9});  // bytes of an earlier batch
  begin_event_batch(tick, bytes);
  for (const Event& event : events) EXPECT_TRUE(add_to_event_batch({event.sequence, event.about, event.bytes}, bytes));
  return bytes;
}

std::vector<Event> some_events() {
  return {{0, {}, core::Bytes(3, std::byte{1})}, {4, {5, 6}, {}}, {65535, {0, 1}, core::Bytes(100, std::byte{2})}};
}

bool accepted(core::ByteView datagram) {
  const core::Bytes exact(datagram.begin(), datagram.end());
  EventBatch out;
  const core::Status decoded = decode_event_batch(exact, out);
  if (!decoded) {
    EXPECT_STREQ(decoded.error().reason, "malformed events");
    return false;
  }
  core::Bytes again;
  begin_event_batch(out.tick, again);
  for (const EventBatch::Event& event : out.events) EXPECT_TRUE(add_to_event_batch(event, again));
  EXPECT_EQ(again, exact);
  return true;
}

TEST(EventBatch, DecodesWhatWasEncoded) {
  const std::vector<Event> events = some_events();
  const core::Bytes bytes = batch_of(77, events);
  EventBatch out;
  ASSERT_TRUE(decode_event_batch(bytes, out).ok());
  EXPECT_EQ(out.tick, 77u);
  ASSERT_EQ(out.events.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(out.events[i].sequence, events[i].sequence);
    EXPECT_EQ(out.events[i].about, events[i].about);
    EXPECT_TRUE(std::ranges::equal(out.events[i].bytes, events[i].bytes));
  }
}

// The vector of protocol.md.
TEST(EventBatch, HasTheBytesThatTheSpecificationShows) {
  const core::Bytes bytes =
      batch_of(100, {{0, {}, core::Bytes(2, std::byte{0xaa})}, {2, {5, 0x00100001}, core::Bytes(1, std::byte{0xbb})}});
  EXPECT_EQ(core::to_hex(bytes),
            "01"
            "64000000"
            "0000"
            "0200"
            "aaaa"
            "0200"
            "0180"
            "05000000"
            "01001000"
            "bb");
}

TEST(EventBatch, ALargeEventIsAloneAndABatchKeepsWhatItHas) {
  core::Bytes bytes;
  begin_event_batch(1, bytes);
  const core::Bytes largest(max_event_bytes);
  EXPECT_TRUE(add_to_event_batch({0, {1, 1}, largest}, bytes));
  const core::Bytes before = bytes;
  EXPECT_FALSE(add_to_event_batch({1, {}, {}}, bytes));
  EXPECT_EQ(bytes, before);
  EXPECT_LE(bytes.size(), event_batch_bytes_max);
  EXPECT_TRUE(accepted(bytes));
}

TEST(EventBatch, SeveralEventsFitASmallDatagram) {
  core::Bytes bytes;
  begin_event_batch(1, bytes);
  std::uint16_t sequence = 1;
  while (add_to_event_batch({sequence, {}, {}}, bytes)) ++sequence;
  EXPECT_LE(bytes.size(), event_batch_bytes_shared);
  EXPECT_GT(bytes.size(), event_batch_bytes_shared - 4);
  EXPECT_TRUE(accepted(bytes));
}

TEST(EventBatch, RefusalsNameTheReason) {
  const auto expect = [](const char* what, const core::Bytes& bytes) {
    EventBatch out;
    const core::Status decoded = decode_event_batch(bytes, out);
    ASSERT_FALSE(decoded.ok()) << what;
    EXPECT_THAT(decoded.error().message, testing::HasSubstr(what));
  };
  const core::Bytes good = batch_of(1, some_events());
  core::Bytes bytes = good;
  bytes[0] = std::byte{0};
  expect("not a batch", bytes);
  expect("not a batch", core::Bytes(4, std::byte{1}));
  expect("at least one event", batch_of(1, {}));
  expect("ascending", batch_of(1, {{3, {}, {}}, {3, {}, {}}}));
  expect("ascending", batch_of(1, {{3, {}, {}}, {2, {}, {}}}));
  bytes = good;
  bytes[8] = std::byte{0x7f};
  expect("more than 1024 bytes", bytes);
  bytes = batch_of(1, {{0, {9, 1}, {}}});
  bytes[13] = std::byte{0};
  expect("about an entity of generation 0", bytes);
  bytes = good;
  bytes.resize(event_batch_bytes_max + 1);
  expect("longer", bytes);
  bytes = good;
  bytes.pop_back();
  expect("ends within an event", bytes);
}

TEST(EventBatch, DamagedAndRandomBytesAreRefusedOrWellFormed) {
  core::Random random(1);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    core::Bytes bytes = batch_of(random.below(100), some_events());
    for (std::uint32_t damage = 1 + random.below(4); damage > 0; --damage)
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] = static_cast<std::byte>(random.below(256));
    if (random.chance(1, 4)) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size()) + 16));
    if (!accepted(bytes)) ++refused;
  }
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace mobula::wire
