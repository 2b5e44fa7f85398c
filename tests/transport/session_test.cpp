#include <gtest/gtest.h>

#include <transport/allocation_count.hpp>
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

TEST(Session, NoDatagramIsLongerThanItMayBe) {
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

TEST(Session, TellsWhenAReliableMessageHasArrived) {
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
    Pair pair({.latency = 15 * millisecond, .jitter = 40 * millisecond, .loss_permille = 300}, {}, seed);
    core::Random random(seed);
    std::uint64_t fetched = 0;
    ReliableId sent = 0;
    for (int i = 0; i < 400; ++i) {
      if (i < 300) sent = *pair.sides[0].send_reliable(message_of(1, random.below(4000)));
      pair.step();
      fetched += all_reliable(pair.sides[1]).size();
      ASSERT_FALSE(pair.sides[0].reliable_delivered(fetched + 1));
    }
    EXPECT_TRUE(pair.sides[0].reliable_delivered(sent));
  }
}

// --- Limits --------------------------------------------------------------------------------------------------------

TEST(Session, RefusesWhatIsTooLargeOrTooMuch) {
  Session session({.reliable_queue_bytes_max = 10'000, .unreliable_queue_bytes_max = 3'000}, 0);
  EXPECT_STREQ(session.send_reliable(core::Bytes(max_reliable_size + 1)).error().reason, "too large");
  EXPECT_STREQ(session.send_unreliable(core::Bytes(max_unreliable_size + 1)).error().reason, "too large");
  EXPECT_TRUE(session.send_reliable(core::Bytes(9'996)).ok());
  EXPECT_STREQ(session.send_reliable({}).error().reason, "queue full");
  EXPECT_TRUE(session.send_unreliable(core::Bytes(1150)).ok());
  EXPECT_TRUE(session.send_unreliable(core::Bytes(1150)).ok());
  EXPECT_STREQ(session.send_unreliable(core::Bytes(1150)).error().reason, "queue full");
  EXPECT_TRUE(session.send_unreliable(core::Bytes(690)).ok());
  session.check();
}

TEST(Session, ALargeMessageDoesNotStarveUnreliableOnes) {
  Pair pair({.latency = millisecond}, {.reliable_bytes_per_flush = 4096});
  ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 500'000)).ok());
  for (std::uint32_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(pair.sides[0].send_unreliable(number_message(i, 900)).ok());
    const std::uint64_t before = pair.sides[0].stats().bytes_sent;
    pair.step();
    EXPECT_LE(pair.sides[0].stats().bytes_sent - before, 4096u + 900 + 6 * 20);
    const std::vector<core::Bytes> messages = all_unreliable(pair.sides[1]);
    if (i > 0) {
      ASSERT_EQ(messages.size(), 1u);
      EXPECT_EQ(messages[0], number_message(i - 1, 900));
    }
  }
  EXPECT_EQ(all_reliable(pair.sides[1]).size(), 1u);
}

TEST(Session, WhatNobodyFetchesStopsThePeerAndIsNotLost) {
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

TEST(Session, UnreliableMessagesThatNobodyFetchesAreDropped) {
  Pair pair({}, {.unreliable_inbox_bytes_max = 5'000});
  for (std::uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(pair.sides[0].send_unreliable(number_message(i, 1000)).ok());
  pair.step();
  pair.step();
  const std::vector<core::Bytes> messages = all_unreliable(pair.sides[1]);
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[3], number_message(3, 1000));
  EXPECT_EQ(pair.sides[1].stats().unreliable_dropped, 16u);
}

TEST(Session, AMessageLargerThanAllowedBreaksTheSession) {
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

TEST(Session, ABurstLongerThanOneHeaderReportsIsAcknowledgedWhole) {
  Pair pair({.latency = millisecond});
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
  Pair pair({.latency = 50 * millisecond, .loss_permille = 100}, {}, 6);
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

TEST(Session, RepeatsLittleOnAGoodNetwork) {
  Pair pair({.latency = 60 * millisecond, .jitter = 5 * millisecond}, {}, 2);
  ASSERT_TRUE(pair.sides[0].send_reliable(message_of(1, 2'000'000)).ok());
  for (int i = 0; i < 600; ++i) pair.step();
  EXPECT_EQ(pair.sides[0].reliable_backlog_bytes(), 0u);
  EXPECT_LE(pair.sides[0].stats().chunks_repeated, 20u);
}

TEST(Session, SurvivesAClockThatJumps) {
  Pair pair({.latency = 10 * millisecond, .loss_permille = 200}, {}, 3);
  for (std::uint64_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(pair.sides[0].send_reliable(message_of(i, 3000)).ok());
    pair.step();
    pair.now += 3600 * second;
    pair.step();
  }
  for (int i = 0; i < 2000; ++i) pair.step();
  EXPECT_EQ(all_reliable(pair.sides[1]).size(), 20u);
}

TEST(Session, AllocatesNothingInSteadyState) {
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

// --- Hostile bytes. A plain session has no MAC: who can reach it with well-formed bytes can say anything, so what ---
// --- is promised is that nothing breaks, that what is malformed leaves no trace, and that limits hold. ---------------

TEST(Session, WhatIsMalformedLeavesNoTrace) {
  Session sender({}, 0);
  ASSERT_TRUE(sender.send_unreliable(message_of(1, 20)).ok());
  ASSERT_TRUE(sender.send_reliable(message_of(2, 20)).ok());
  const core::Bytes good = all_bodies(sender, 0).at(0);
  Session receiver({}, 0);

  core::Bytes cut = good;
  cut.pop_back();
  core::Bytes extra = good;
  extra.push_back(std::byte{1});
  core::Bytes future_ack = good;
  core::store(future_ack.data() + 2, std::uint16_t{1});  // the receiver has sent nothing
  core::Bytes far_chunk = good;
  core::store(far_chunk.data() + 8 + 22 + 2, std::uint16_t{256});
  core::Bytes empty_chunk(good.begin(), good.begin() + 8);
  empty_chunk.insert(empty_chunk.end(), {std::byte{0}, std::byte{0x80}, std::byte{0}, std::byte{0}});
  std::uint64_t malformed = 0;
  for (const core::Bytes& bad : {cut, extra, future_ack, far_chunk, empty_chunk, core::Bytes(), core::Bytes(7)}) {
    receiver.receive(bad, 0);
    EXPECT_EQ(receiver.stats().malformed, ++malformed);
    EXPECT_TRUE(all_unreliable(receiver).empty());
  }
  receiver.receive(good, 0);
  EXPECT_EQ(all_unreliable(receiver).size(), 1u);
  EXPECT_EQ(all_reliable(receiver).size(), 1u);
  receiver.receive(good, 0);
  EXPECT_EQ(receiver.stats().duplicates, 1u);
  EXPECT_TRUE(all_unreliable(receiver).empty());
}

// A session in the middle of a conversation, and a datagram that it would take next.
struct Midway {
  Session receiver;
  core::Bytes body;
};
Midway midway() {
  Pair pair({.latency = millisecond, .loss_permille = 200}, {}, 5);
  for (std::uint64_t i = 0; i < 200; ++i) {
    if (!pair.sides[0].send_reliable(message_of(i, 700)).ok()) std::abort();
    if (!pair.sides[1].send_reliable(message_of(i, 500)).ok()) std::abort();
    pair.step();
  }
  all_reliable(pair.sides[1]);
  for (int i = 0; i < 3; ++i) {
    if (!pair.sides[0].send_unreliable(message_of(3, 100)).ok()) std::abort();
  }
  return {pair.sides[1], all_bodies(pair.sides[0], pair.now).at(0)};
}

std::size_t delivered_bytes(Session& session) {
  std::size_t bytes = 0;
  for (const core::Bytes& message : all_reliable(session)) bytes += message.size();
  for (const core::Bytes& message : all_unreliable(session)) bytes += message.size();
  return bytes;
}

TEST(Session, EveryTruncationIsIgnoredOrDeliversWhatWasSent) {
  const Midway start = midway();
  Session whole = start.receiver;
  whole.receive(start.body, 0);
  const std::vector<core::Bytes> sent = all_unreliable(whole);
  ASSERT_EQ(sent.size(), 3u);
  for (std::size_t size = 0; size < start.body.size(); ++size) {
    Session session = start.receiver;
    session.receive(core::ByteView(start.body).first(size), 0);
    session.check();
    const std::vector<core::Bytes> heard = all_unreliable(session);
    ASSERT_LE(heard.size(), sent.size());
    for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], sent[i]);
  }
}

TEST(Session, NoFlippedBitBreaksAnything) {
  const Midway start = midway();
  for (std::size_t bit = 0; bit < start.body.size() * 8; ++bit) {
    core::Bytes flipped = start.body;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    Session session = start.receiver;
    session.receive(flipped, 0);
    session.check();
    ASSERT_LE(delivered_bytes(session), 256u * 1200u);
    session.flush(second, [](core::ByteView) {});
    session.check();
  }
}

TEST(Session, RandomBytesBreakNothing) {
  constexpr std::uint64_t seed = 8;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  const SessionConfig config{.reliable_receive_bytes_max = 10'000, .reliable_inbox_bytes_max = 80'000};
  Session session(config, 0);
  for (int round = 0; round < 30'000; ++round) {
    if (session.failed()) session = Session(config, 0);
    core::Bytes bytes(random.below(60));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    // Half of them get past the first checks.
    if (bytes.size() > 12 && random.below(2) == 0) {
      core::store(bytes.data() + 2, std::uint16_t{0});
      const bool chunk = random.below(2) == 0;
      const std::size_t rest = bytes.size() - (chunk ? 12 : 10);
      core::store(bytes.data() + 8, static_cast<std::uint16_t>(rest | (chunk ? 0x8000u : 0u)));
      if (chunk) core::store(bytes.data() + 10, static_cast<std::uint16_t>(random.below(200)));
    }
    session.receive(bytes, round * millisecond);
    session.flush(round * millisecond, [](core::ByteView) {});
    session.check();
    if (random.below(100) == 0) delivered_bytes(session);
  }
  EXPECT_GT(session.stats().datagrams_sent, 0u);
}

TEST(Session, ASequenceFarAheadMakesOldOnesStaleAndNoMore) {
  Session sender({}, 0);
  Session receiver({}, 0);
  ASSERT_TRUE(sender.send_unreliable(message_of(1, 20)).ok());
  core::Bytes body = all_bodies(sender, 0).at(0);
  core::store(body.data(), std::uint16_t{30'000});
  receiver.receive(body, 0);
  EXPECT_EQ(all_unreliable(receiver).size(), 1u);
  EXPECT_LE(all_bodies(receiver, 0).size(), 32u);
  core::store(body.data(), std::uint16_t{30'000 - 1024});
  receiver.receive(body, 0);
  EXPECT_EQ(receiver.stats().stale, 1u);
  core::store(body.data(), std::uint16_t{30'000 - 1023});
  receiver.receive(body, 0);
  EXPECT_EQ(all_unreliable(receiver).size(), 1u);
}

}  // namespace
}  // namespace mobula::transport
