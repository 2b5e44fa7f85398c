#include <gtest/gtest.h>

#include <functional>
#include <transport/allocation_count.hpp>
#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

// Both ends of a connection.
std::uint64_t bytes_of_two(const std::function<void(Pair&)>& talk) {
  Pair pair({.latency = 30 * millisecond, .loss_ppm = 20'000}, {}, 4);
  const std::uint64_t before = allocated_bytes();
  talk(pair);
  EXPECT_EQ(pair.network.in_flight(), 0u);
  return allocated_bytes() - before;
}
// Runs until nothing is in flight. The network keeps the memory of at most a few datagrams.
void idle(Pair& pair, int steps) {
  core::Bytes inbox;
  for (int i = 0; i < steps; ++i) {
    pair.step();
    for (Session& side : pair.sides) {
      while (side.next_reliable(inbox) || side.next_reliable(inbox, Lane::bulk) || side.next_unreliable(inbox))
        continue;
    }
  }
  while (pair.network.in_flight() > 0) {
    pair.now += second;
    pair.deliver();
  }
}

TEST(SessionMemory, AnIdleSessionIsSmall) {
  const std::uint64_t heap = bytes_of_two([](Pair& pair) {
    for (Session& side : pair.sides) {
      ASSERT_TRUE(side.send_reliable(message_of(1, 2000)).ok());
      ASSERT_TRUE(side.send_unreliable(message_of(2, 500)).ok());
    }
    idle(pair, 1000);
    pair.network = SimulatedNetwork(1, {});
  });
  EXPECT_LE(sizeof(Session) + heap / 2, 6u * 1024);
}

TEST(SessionMemory, FreesMemoryAfterABurst) {
  std::uint64_t most = 0;
  const std::uint64_t heap = bytes_of_two([&](Pair& pair) {
    const std::uint64_t before = allocated_bytes();
    for (std::size_t side = 0; side < 2; ++side) {
      ASSERT_TRUE(pair.sides[side].send_reliable(message_of(1, 1'000'000), Lane::bulk).ok());
      ASSERT_TRUE(pair.sides[side].send_reliable(message_of(1, 200'000)).ok());
      for (std::uint32_t tag = 0; tag < 100; ++tag) {
        ASSERT_TRUE(pair.sides[side].send_unreliable(message_of(1, 1000), tag).ok());
      }
    }
    idle(pair, 50);
    most = allocated_bytes() - before;
    idle(pair, 2500);
    EXPECT_EQ(pair.sides[0].reliable_backlog_bytes(Lane::bulk), 0u);
    Fate fate;
    for (Session& side : pair.sides) {
      while (side.next_fate(fate)) continue;
    }
    idle(pair, 600);
    pair.network = SimulatedNetwork(1, {});
  });
  EXPECT_GT(most, 2'000'000u);
  EXPECT_LE(sizeof(Session) + heap / 2, 6u * 1024);
}

TEST(SessionMemory, AllocatesNothingInSteadyState) {
  Pair pair({.latency = 10 * millisecond});
  const core::Bytes small = message_of(1, 60);
  const core::Bytes large = message_of(2, 1100);
  core::Bytes inbox;
  const auto round = [&] {
    for (Session& side : pair.sides) {
      if (!side.send_reliable(small).ok() || !side.send_unreliable(large).ok()) std::abort();
      if (!side.send_unreliable(small).ok()) std::abort();
    }
    pair.step();
    for (Session& side : pair.sides) {
      while (side.next_reliable(inbox)) continue;
      while (side.next_unreliable(inbox)) continue;
    }
  };
  for (int i = 0; i < 200; ++i) round();
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 1000; ++i) round();
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace mobula::transport
