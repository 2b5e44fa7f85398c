#include <gtest/gtest.h>

#include <map>
#include <set>
#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

// --- Priority of the lanes -----------------------------------------------------------------------------------------

// With 4 MiB of bulk in flight at 5% loss, control and unreliable messages arrive as fast as without bulk.
TEST(SessionLanes, BulkDelaysNeitherControlNorUnreliableMessages) {
  std::array<double, 2> control_mean{};
  std::array<double, 2> unreliable_mean{};
  for (const bool with_bulk : {false, true}) {
    Pair pair({.latency = 30 * millisecond, .loss_ppm = 50'000}, {}, 12);
    const core::Bytes large = message_of(9, max_reliable_size);
    if (with_bulk) {
      ASSERT_TRUE(pair.sides[0].send_reliable(large, Lane::bulk).ok());
    }
    core::Nanoseconds control_sum = 0;
    core::Nanoseconds unreliable_sum = 0;
    std::int64_t unreliable_received = 0;
    constexpr int rounds = 300;
    core::Bytes message;
    std::array<core::Nanoseconds, rounds> sent_at{};
    std::int64_t control_received = 0;
    for (int i = 0; i < rounds + 100; ++i) {
      if (i < rounds) {
        sent_at[static_cast<std::size_t>(i)] = pair.now;
        ASSERT_TRUE(pair.sides[0].send_reliable(number_message(static_cast<std::uint32_t>(i), 200)).ok());
        ASSERT_TRUE(pair.sides[0].send_unreliable(number_message(static_cast<std::uint32_t>(i), 900)).ok());
      }
      if (with_bulk && i < rounds / 2) {
        ASSERT_GT(pair.sides[0].reliable_backlog_bytes(Lane::bulk), 0u);
      }
      pair.step();
      for (; pair.sides[1].next_reliable(message); ++control_received) {
        control_sum += pair.now - sent_at[core::load<std::uint32_t>(message.data())];
      }
      for (; pair.sides[1].next_unreliable(message); ++unreliable_received) {
        unreliable_sum += pair.now - sent_at[core::load<std::uint32_t>(message.data())];
      }
    }
    EXPECT_EQ(control_received, rounds);
    EXPECT_GT(unreliable_received, rounds * 9 / 10);
    control_mean[with_bulk] = static_cast<double>(control_sum / control_received);
    unreliable_mean[with_bulk] = static_cast<double>(unreliable_sum / unreliable_received);
    EXPECT_EQ(pair.sides[0].stats().unreliable_expired, 0u);
    for (int i = 0; with_bulk && i < 5000 && !pair.sides[1].next_reliable(message, Lane::bulk); ++i) pair.step();
    if (with_bulk) {
      EXPECT_TRUE(message == large);
    }
  }
  EXPECT_LE(unreliable_mean[1], unreliable_mean[0] + 1e6);
  EXPECT_LE(control_mean[1], control_mean[0] * 1.2);
}

TEST(SessionLanes, SharesALowRateAndDefersBulk) {
  Session session({.bytes_per_second_start = 24'000, .bytes_per_second_max = 24'000}, 0);
  Session peer({}, 0);
  ASSERT_TRUE(session.send_reliable(message_of(1, 100'000), Lane::bulk).ok());
  std::array<int, 3> datagrams{};  // counts with control, unreliable, bulk
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(session.send_unreliable(message_of(2, 1100)).ok());
    if (i < 20) {
      ASSERT_TRUE(session.send_reliable(message_of(3, 1100)).ok());
    }
    for (const core::Bytes& body : all_bodies(session, i * 50 * millisecond)) {
      peer.receive(body, 0);
      const auto header = core::load<std::uint16_t>(body.data() + 8);
      ++datagrams[header >> 11 == 0 ? 1 : header >> 13 == 0 ? 0 : 2];
    }
    for (const core::Bytes& body : all_bodies(peer, i * 50 * millisecond)) session.receive(body, i * 50 * millisecond);
    if (i == 20) {
      EXPECT_NEAR(datagrams[0], datagrams[1], 2);
      EXPECT_GE(datagrams[0] + datagrams[1], 18) << "they use the whole rate";
    }
  }
  EXPECT_GT(datagrams[1], 70);
  EXPECT_LE(datagrams[2], 2);
  EXPECT_GT(session.stats().unreliable_expired, 10u);
}

// Rejoin tokens are such a message. A sender of deltas stays within the budget and sends what fits it.
TEST(SessionLanes, ALongControlMessageDoesNotDisplaceUnreliable) {
  constexpr std::size_t rate = 16 * 1024;
  constexpr core::Nanoseconds tick = second / 60;
  constexpr std::size_t long_bytes = 8192;
  // A datagram at this rate takes 4.4 ticks. Messages of up to 200 bytes may wait for one, and lag one tick.
  constexpr int gap_max = 6;
  for (const core::Nanoseconds latency : {5 * millisecond, 50 * millisecond}) {
    Pair pair({.latency = latency}, {.bytes_per_second_start = rate, .bytes_per_second_max = rate});
    core::Bytes message;
    core::Nanoseconds arrived = 0;
    int gap = 0;
    int gap_longest = 0;
    for (int i = 0; i < 600; ++i) {
      if (i == 120) {
        ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, long_bytes)).ok());
      }
      if (const std::size_t budget = std::min<std::size_t>(pair.sides[0].budget_bytes(pair.now), 200); budget > 0) {
        ASSERT_TRUE(pair.sides[0].send_unreliable(message_of(2, budget)).ok());
      }
      pair.step(tick);
      if (arrived == 0 && pair.sides[1].next_reliable(message)) arrived = pair.now - 120 * tick;
      gap = all_unreliable(pair.sides[1]).empty() ? gap + 1 : 0;
      if (i >= 60) gap_longest = std::max(gap_longest, gap);
    }
    EXPECT_LE(gap_longest, gap_max);
    ASSERT_GT(arrived, 0);
    EXPECT_LE(arrived, static_cast<core::Nanoseconds>(long_bytes * 2 * second / rate) + latency + second / 5)
        << "the message has half the rate at least";
  }
}

TEST(SessionLanes, AHeldBulkLaneStaysQueuedUntilItIsReleased) {
  Pair pair({.latency = millisecond});
  Session& sender = pair.sides[0];
  Session& receiver = pair.sides[1];
  sender.hold_bulk(true);
  ASSERT_TRUE(sender.send_reliable(message_of(1, 5000), Lane::bulk).ok());
  ASSERT_TRUE(sender.send_reliable(message_of(2, 5000)).ok());
  for (int i = 0; i < 100; ++i) pair.step();
  EXPECT_FALSE(receiver.has_reliable(Lane::bulk));
  EXPECT_TRUE(receiver.has_reliable());
  EXPECT_EQ(all_reliable(receiver), (std::vector<core::Bytes>{message_of(2, 5000)}));
  EXPECT_FALSE(receiver.has_reliable());
  sender.hold_bulk(false);
  for (int i = 0; i < 100; ++i) pair.step();
  core::Bytes message;
  ASSERT_TRUE(receiver.next_reliable(message, Lane::bulk));
  EXPECT_EQ(message, message_of(1, 5000));
}

TEST(SessionLanes, FullBulkInboxDelaysNothingElse) {
  const SessionConfig config{.reliable_receive_bytes_max = 10'000, .reliable_inbox_bytes_max = 80'000};
  Pair pair({.latency = millisecond}, config);
  for (std::uint64_t i = 0; i < 30; ++i) {
    ASSERT_TRUE(pair.sides[0].send_reliable(message_of(i, 10'000), Lane::bulk).ok());
  }
  for (int i = 0; i < 100; ++i) pair.step();
  EXPECT_GT(pair.sides[1].stats().inbox_full, 0u);
  for (std::uint64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(pair.sides[0].send_reliable(message_of(i, 100)).ok());
    ASSERT_TRUE(pair.sides[0].send_unreliable(message_of(i, 100)).ok());
    pair.step();
    pair.step();
    EXPECT_EQ(all_reliable(pair.sides[1]), (std::vector<core::Bytes>{message_of(i, 100)}));
    EXPECT_EQ(all_unreliable(pair.sides[1]).size(), 1u);
  }
}

// --- Fates, ages and budget ----------------------------------------------------------------------------------------

TEST(SessionLanes, ReportsTheFateOfEveryTaggedMessage) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair({.latency = 40 * millisecond, .jitter = 30 * millisecond, .loss_ppm = 200'000, .reorder_ppm = 100'000},
              {}, seed);
    core::Random random(seed);
    std::set<std::uint32_t> open;
    std::set<std::uint32_t> received;
    std::map<Fate::Outcome, int> outcomes;
    std::uint32_t tag = 0;
    Fate fate;
    for (int i = 0; i < 3000; ++i) {
      for (std::uint32_t n = random.below(4); i < 2800 && n > 0; --n) {
        const core::Bytes message = number_message(tag, 4 + random.below(600));
        if (random.below(3) == 0) {
          ASSERT_TRUE(pair.sides[0].send_unreliable(message_of(1, 3)).ok());
          continue;
        }
        ASSERT_TRUE(pair.sides[0].send_unreliable(message, tag).ok());
        open.insert(tag++);
      }
      pair.step();
      for (const core::Bytes& message : all_unreliable(pair.sides[1])) {
        if (message.size() != 3) received.insert(core::load<std::uint32_t>(message.data()));
      }
      while (pair.sides[0].next_fate(fate)) {
        ASSERT_EQ(open.erase(fate.tag), 1u);
        if (fate.outcome == Fate::Outcome::acked) {
          ASSERT_TRUE(received.contains(fate.tag));
        }
        ASSERT_LE(fate.sent_at, pair.now);
        ASSERT_GE(fate.sent_at, pair.now - 2 * second);
        ++outcomes[fate.outcome];
      }
      ASSERT_FALSE(pair.sides[1].next_fate(fate));
    }
    EXPECT_TRUE(open.empty());
    // A fifth, and late ones.
    EXPECT_GT(outcomes[Fate::Outcome::lost] * 1000.0 / tag, 180);
    EXPECT_LT(outcomes[Fate::Outcome::lost] * 1000.0 / tag, 400);
    EXPECT_EQ(outcomes[Fate::Outcome::dropped], 0);
  }
}

TEST(SessionLanes, DropsUnreliableMessagesQueuedForTooLong) {
  Session session({.unreliable_age_max = 100 * millisecond}, 0);
  ASSERT_TRUE(session.send_unreliable(message_of(1, 10), 7).ok());
  all_bodies(session, 0);
  for (std::uint32_t tag = 10; tag < 13; ++tag) ASSERT_TRUE(session.send_unreliable(message_of(1, 10), tag).ok());
  EXPECT_EQ(all_bodies(session, 101 * millisecond).size(), 0u);
  EXPECT_EQ(session.stats().unreliable_expired, 3u);
  Fate fate;
  for (std::uint32_t tag = 10; tag < 13; ++tag) {
    ASSERT_TRUE(session.next_fate(fate));
    EXPECT_EQ(fate.tag, tag);
    EXPECT_EQ(fate.outcome, Fate::Outcome::dropped);
  }
  EXPECT_FALSE(session.next_fate(fate)) << "the first one is in flight";
}

// A sender that stays within the budget has nothing dropped and still uses the full rate.
TEST(SessionLanes, BudgetPredictsTheNextFlush) {
  Pair pair({.latency = 20 * millisecond},
            {.unreliable_age_max = 50 * millisecond, .bytes_per_second_start = 60'000, .bytes_per_second_max = 60'000});
  Session& session = pair.sides[0];
  for (int i = 0; i < 500; ++i) {
    if (i % 10 == 0) {
      ASSERT_TRUE(session.send_reliable(message_of(1, 500)).ok());
    }
    while (session.budget_bytes(pair.now) > 0) {
      ASSERT_TRUE(session.send_unreliable(message_of(1, 300)).ok());
    }
    pair.step();
    all_unreliable(pair.sides[1]);
    EXPECT_LE(pair.sides[1].stats().unreliable_dropped, 0u);
  }
  EXPECT_EQ(session.stats().unreliable_expired, 0u);
  EXPECT_NEAR(static_cast<double>(session.stats().bytes_sent), 10 * 60'000, 40'000);
}

}  // namespace
}  // namespace mobula::transport
