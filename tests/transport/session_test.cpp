#include <gtest/gtest.h>

#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

// --- Delivery ------------------------------------------------------------------------------------------------------

TEST(Session, DeliversBothKindsBothWays) {
  Pair pair({.latency = 10 * millisecond});
  const core::Bytes reliable = message_of(1, 5000);
  const core::Bytes unreliable = message_of(2, max_unreliable_size);
  for (Session& side : pair.sides) {
    ASSERT_TRUE(side.send_reliable(reliable).ok());
    ASSERT_TRUE(side.send_unreliable(unreliable).ok());
    ASSERT_TRUE(side.send_unreliable({}).ok());
  }
  for (int i = 0; i < 5; ++i) pair.step();
  for (Session& side : pair.sides) {
    EXPECT_EQ(all_reliable(side), (std::vector<core::Bytes>{reliable}));
    EXPECT_EQ(all_unreliable(side), (std::vector<core::Bytes>{unreliable, {}}));
  }
}

TEST(Session, SmallMessagesShareADatagram) {
  Session session({}, 0);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(session.send_unreliable(message_of(1, 50)).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(session.send_reliable(message_of(1, 50)).ok());
  EXPECT_EQ(all_bodies(session, 0).size(), 1u);
}

TEST(Session, NoDatagramExceedsTheMaximum) {
  core::Random random(5);
  Session session({}, 0);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(session.send_unreliable(message_of(1, random.below(max_unreliable_size + 1))).ok());
    ASSERT_TRUE(session.send_reliable(message_of(1, random.below(3000))).ok());
    for (const core::Bytes& body : all_bodies(session, i * millisecond)) {
      EXPECT_LE(body.size(), session_body_bytes_max);
    }
  }
}

TEST(Session, ReportsADeliveredReliableMessage) {
  Pair pair({.latency = 30 * millisecond});
  const ReliableId first = *pair.sides[0].send_reliable(message_of(1, 100));
  const ReliableId second_id = *pair.sides[0].send_reliable(message_of(2, 200'000));
  EXPECT_LT(first, second_id);
  bool first_alone = false;
  for (int i = 0; i < 60; ++i) {
    EXPECT_GE(pair.sides[0].reliable_delivered(first), pair.sides[0].reliable_delivered(second_id));
    first_alone |= pair.sides[0].reliable_delivered(first) && !pair.sides[0].reliable_delivered(second_id);
    pair.step();
  }
  EXPECT_TRUE(first_alone);
  EXPECT_TRUE(pair.sides[0].reliable_delivered(second_id));
  EXPECT_FALSE(pair.sides[0].reliable_delivered(second_id + 1));
  EXPECT_EQ(pair.sides[0].reliable_backlog_bytes(), 0u);
}

TEST(Session, DeliveredMeansThatThePeerCanFetchIt) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair({.latency = 15 * millisecond, .jitter = 40 * millisecond, .loss_ppm = 300'000}, {}, seed);
    core::Random random(seed);
    std::uint64_t fetched = 0;
    ReliableId sent = 0;
    for (int i = 0; i < 2000; ++i) {
      if (i < 300) sent = *pair.sides[0].send_reliable(message_of(1, random.below(4000)));
      pair.step();
      fetched += all_reliable(pair.sides[1]).size();
      ASSERT_FALSE(pair.sides[0].reliable_delivered(fetched + 1));
    }
    EXPECT_TRUE(pair.sides[0].reliable_delivered(sent));
  }
}

// --- Limits --------------------------------------------------------------------------------------------------------

TEST(Session, RefusesTooLargeMessagesAndFullQueues) {
  Session session({.reliable_queue_bytes_max = 10'000, .unreliable_queue_bytes_max = 3'000}, 0);
  EXPECT_STREQ(session.send_reliable(core::Bytes(4 * 1024 * 1024 + 1)).error().reason, "too large");
  EXPECT_STREQ(session.send_unreliable(core::Bytes(max_unreliable_size + 1)).error().reason, "too large");
  EXPECT_TRUE(session.send_reliable(core::Bytes(9'996)).ok());
  EXPECT_STREQ(session.send_reliable({}).error().reason, "queue full");
  EXPECT_TRUE(session.send_unreliable(core::Bytes(1150)).ok());
  EXPECT_TRUE(session.send_unreliable(core::Bytes(1150)).ok());
  EXPECT_STREQ(session.send_unreliable(core::Bytes(1150)).error().reason, "queue full");
  EXPECT_TRUE(session.send_unreliable(core::Bytes(652)).ok());
  session.check();
}

TEST(Session, FullReliableInboxStopsThePeerWithoutLoss) {
  const SessionConfig config{.reliable_receive_bytes_max = 10'000, .reliable_inbox_bytes_max = 80'000};
  Pair pair({.latency = millisecond}, config);
  for (std::uint64_t i = 0; i < 30; ++i) ASSERT_TRUE(pair.sides[0].send_reliable(message_of(i, 10'000)).ok());
  for (int i = 0; i < 100; ++i) pair.step();
  EXPECT_GT(pair.sides[0].reliable_backlog_bytes(), 200'000u);
  EXPECT_GT(pair.sides[1].stats().inbox_full, 0u);
  std::uint64_t next = 0;
  for (int i = 0; i < 400; ++i) {
    pair.step();
    for (const core::Bytes& message : all_reliable(pair.sides[1])) EXPECT_EQ(message, message_of(next++, 10'000));
  }
  EXPECT_EQ(next, 30u);
  EXPECT_EQ(pair.sides[0].reliable_backlog_bytes(), 0u);
}

TEST(Session, DropsUnreliableMessagesIfTheInboxIsFull) {
  Pair pair({}, {.unreliable_inbox_bytes_max = 5'000});
  for (std::uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(pair.sides[0].send_unreliable(number_message(i, 1000)).ok());
  pair.step();
  pair.step();
  const std::vector<core::Bytes> messages = all_unreliable(pair.sides[1]);
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[3], number_message(3, 1000));
  EXPECT_EQ(pair.sides[1].stats().unreliable_dropped, 16u);
}

TEST(Session, TooLargeMessageFailsTheSession) {
  Session sender({}, 0);
  Session receiver({.reliable_receive_bytes_max = 1000, .reliable_inbox_bytes_max = 70'000}, 0);
  ASSERT_TRUE(sender.send_reliable(message_of(1, 1000)).ok());
  ASSERT_TRUE(sender.send_reliable(message_of(2, 1001)).ok());
  for (const core::Bytes& body : all_bodies(sender, 0)) receiver.receive(body, 0);
  EXPECT_TRUE(receiver.failed());
  EXPECT_EQ(all_reliable(receiver), (std::vector<core::Bytes>{message_of(1, 1000)}));
  ASSERT_TRUE(sender.send_unreliable(message_of(1, 10)).ok());
  for (const core::Bytes& body : all_bodies(sender, 0)) receiver.receive(body, 0);
  EXPECT_TRUE(all_unreliable(receiver).empty());
}

// --- Acknowledgements and time -------------------------------------------------------------------------------------

TEST(Session, AcknowledgesABurstLongerThanOneHeader) {
  Pair pair({.latency = millisecond}, {.bytes_per_second_start = 4 * 1024 * 1024});
  for (std::uint32_t i = 0; i < 200; ++i) ASSERT_TRUE(pair.sides[0].send_unreliable(number_message(i, 1100)).ok());
  ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 100'000)).ok());
  for (int i = 0; i < 50; ++i) pair.step();
  EXPECT_EQ(all_unreliable(pair.sides[1]).size(), 200u);
  EXPECT_EQ(pair.sides[0].stats().datagrams_lost, 0u);
  EXPECT_EQ(pair.sides[0].stats().chunks_repeated, 0u);
  EXPECT_EQ(pair.sides[0].reliable_backlog_bytes(), 0u);
}

TEST(Session, IdleSessionsSendKeepalivesAndNothingElse) {
  Pair pair({.latency = 30 * millisecond}, {.keepalive_interval = 200 * millisecond});
  for (int i = 0; i < 500; ++i) pair.step();  // ten seconds
  for (const Session& side : pair.sides) {
    EXPECT_GE(side.stats().datagrams_sent, 49u);
    EXPECT_LE(side.stats().datagrams_sent, 51u);
    EXPECT_EQ(side.stats().bytes_sent, 8 * side.stats().datagrams_sent);
    EXPECT_EQ(side.stats().datagrams_lost, 0u);
  }
}

TEST(Session, MeasuresRoundTripAndLoss) {
  Pair pair({.latency = 50 * millisecond, .loss_ppm = 100'000}, {}, 6);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(pair.sides[0].send_unreliable(message_of(1, 10)).ok());
    ASSERT_TRUE(pair.sides[1].send_unreliable(message_of(1, 10)).ok());
    pair.step(10 * millisecond);
  }
  const SessionStats& stats = pair.sides[0].stats();
  EXPECT_GE(stats.rtt, 100 * millisecond);
  EXPECT_LE(stats.rtt, 125 * millisecond);
  EXPECT_NEAR(static_cast<double>(stats.datagrams_lost), 200, 60);
  EXPECT_NEAR(static_cast<double>(stats.datagrams_acked), 1790, 70);
}

TEST(Session, RepeatsFewChunksOnAGoodNetwork) {
  Pair pair({.latency = 60 * millisecond, .jitter = 5 * millisecond}, {}, 2);
  ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 2'000'000)).ok());
  for (int i = 0; i < 600; ++i) pair.step();
  EXPECT_EQ(pair.sides[0].reliable_backlog_bytes(), 0u);
  EXPECT_LE(pair.sides[0].stats().chunks_repeated, 20u);
}

TEST(Session, SurvivesAClockThatJumpsBackAndForth) {
  constexpr std::uint64_t seed = 21;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Pair pair({.latency = 10 * millisecond, .loss_ppm = 200'000}, {}, seed);
  core::Nanoseconds offset = 0;
  std::uint64_t fetched = 0;
  constexpr std::uint64_t messages = 300;
  for (std::uint64_t i = 0; i < 4000 && fetched < messages; ++i) {
    if (i < messages) {
      ASSERT_TRUE(pair.sides[0].send_reliable(message_of(i, 1500)).ok());
    }
    if (random.below(20) == 0)
      offset = static_cast<core::Nanoseconds>(random.below(200'000)) * second - 100'000 * second;
    pair.network.deliver(pair.now, [&](const Address&, const Address& to, core::ByteView body) {
      pair.sides[to.port].receive(body, pair.now + offset);
    });
    for (std::size_t side = 0; side < 2; ++side) {
      pair.sides[side].flush(pair.now + offset, [&](core::ByteView body) {
        pair.network.send(Pair::address(side), Pair::address(1 - side), body, pair.now);
      });
      pair.sides[side].check();
    }
    pair.now += 20 * millisecond;
    for (const core::Bytes& message : all_reliable(pair.sides[1])) ASSERT_EQ(message, message_of(fetched++, 1500));
  }
  EXPECT_EQ(fetched, messages);
}

TEST(Session, SurvivesAClockThatJumpsForward) {
  Pair pair({.latency = 10 * millisecond, .loss_ppm = 200'000}, {}, 3);
  for (std::uint64_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(pair.sides[0].send_reliable(message_of(i, 3000)).ok());
    pair.step();
    pair.now += 3600 * second;
    pair.step();
  }
  for (int i = 0; i < 2000; ++i) pair.step();
  EXPECT_EQ(all_reliable(pair.sides[1]).size(), 20u);
}

// A path that carries no bodies above 700 bytes to side 1, with loss. Small ones keep the session alive.
TEST(Session, ANarrowPathCarriesReliableAndUnreliableMessages) {
  for (const std::uint32_t loss_ppm : {0u, 50'000u}) {
    Pair pair({.latency = 30 * core::millisecond, .loss_ppm = loss_ppm});
    pair.network.limit(Pair::address(1), 700, SimulatedNetwork::Way::to);
    const core::Bytes control = message_of(1, 20'000);
    const core::Bytes bulk = message_of(2, 60'000);
    ASSERT_TRUE(pair.sides[0].send_reliable(control).ok());
    ASSERT_TRUE(pair.sides[0].send_reliable(bulk, Lane::bulk).ok());
    core::Bytes received;
    while (!pair.sides[1].next_reliable(received) && pair.now < 10 * core::second) pair.step();
    EXPECT_EQ(received, control);
    while (!pair.sides[1].next_reliable(received, Lane::bulk) && pair.now < 60 * core::second) pair.step();
    EXPECT_EQ(received, bulk);
    EXPECT_TRUE(pair.sides[0].stats().small_bodies);
    EXPECT_FALSE(pair.sides[1].stats().small_bodies);
    EXPECT_FALSE(pair.sides[0].path_shrank());
    const std::size_t most = pair.sides[0].unreliable_bytes_max();
    EXPECT_LT(most, 700u);
    std::size_t arrived = 0;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pair.sides[0].send_unreliable(message_of(3, most)).ok());
      pair.step();
      arrived += all_unreliable(pair.sides[1]).size();
    }
    EXPECT_GT(arrived, 80u);
  }
}

// Chunks that were cut for large bodies cannot be divided any more.
TEST(Session, APathThatShrinksUnderLargeChunksEndsTheSession) {
  Pair pair({.latency = 30 * core::millisecond});
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 5'000)).ok());
    pair.step();
    all_reliable(pair.sides[1]);
  }
  EXPECT_FALSE(pair.sides[0].stats().small_bodies);
  pair.network.limit(Pair::address(1), 700, SimulatedNetwork::Way::to);
  ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 50'000)).ok());
  for (int i = 0; i < 500 && !pair.sides[0].path_shrank(); ++i) {
    ASSERT_TRUE(pair.sides[0].send_unreliable(message_of(2, i % 2 == 0 ? 1'000 : 100)).ok());
    pair.step();
  }
  EXPECT_TRUE(pair.sides[0].path_shrank());
  EXPECT_FALSE(pair.sides[0].failed());
}

// A path that widens again is used again.
TEST(Session, APathThatWidensCarriesLargeBodiesAgain) {
  Pair pair({.latency = 10 * core::millisecond});
  pair.network.limit(Pair::address(1), 700, SimulatedNetwork::Way::to);
  const auto send = [&] {
    ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 5'000)).ok());
    pair.step();
    all_reliable(pair.sides[1]);
  };
  for (int i = 0; i < 200 && !pair.sides[0].stats().small_bodies; ++i) send();
  ASSERT_TRUE(pair.sides[0].stats().small_bodies);
  pair.network.heal(Pair::address(1));
  for (int i = 0; i < 400 && pair.sides[0].stats().small_bodies; ++i) send();
  EXPECT_FALSE(pair.sides[0].stats().small_bodies);
}

}  // namespace
}  // namespace mobula::transport
