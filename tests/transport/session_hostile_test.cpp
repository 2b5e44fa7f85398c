#include <gtest/gtest.h>

#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

// --- Disconnect ----------------------------------------------------------------------------------------------------

TEST(SessionHostile, AcceptsNothingAfterADisconnect) {
  Session sender({}, 0);
  Session receiver({}, 0);
  ASSERT_TRUE(sender.send_unreliable(message_of(1, 20)).ok());
  for (const core::Bytes& body : all_bodies(sender, 0)) receiver.receive(body, 0);
  EXPECT_FALSE(receiver.disconnect_reason().has_value());
  core::Bytes body(session_body_bytes_max);
  body.resize(Session::write_disconnect({ReasonCode::shutting_down, "for repairs"}, body));
  receiver.receive(body, 0);
  ASSERT_TRUE(receiver.disconnect_reason().has_value());
  EXPECT_EQ(*receiver.disconnect_reason(), (Reason{ReasonCode::shutting_down, "for repairs"}));
  ASSERT_TRUE(sender.send_unreliable(message_of(1, 20)).ok());
  for (const core::Bytes& later : all_bodies(sender, 0)) receiver.receive(later, 0);
  EXPECT_EQ(all_unreliable(receiver).size(), 1u) << "only messages before the disconnect are delivered";
  EXPECT_EQ(receiver.stats().malformed, 0u);
}

TEST(SessionHostile, IgnoresAMalformedDisconnect) {
  Session receiver({}, 0);
  core::Bytes body(session_body_bytes_max);
  body.resize(Session::write_disconnect({ReasonCode::left, "x"}, body));
  body[10] = std::byte{0xff};
  receiver.receive(body, 0);
  core::store(body.data(), std::uint16_t{1});
  receiver.receive(body, 0);
  EXPECT_FALSE(receiver.disconnect_reason().has_value());
  EXPECT_EQ(receiver.stats().malformed, 2u);
}

// --- Hostile bytes. A session itself has no MAC, so well-formed bytes are accepted. Guaranteed is that nothing ------
// --- breaks, that malformed datagrams change nothing, and that limits hold. ----------------------------------------

TEST(SessionHostile, MalformedDatagramsChangeNothing) {
  Session sender({}, 0);
  ASSERT_TRUE(sender.send_unreliable(message_of(1, 20)).ok());
  ASSERT_TRUE(sender.send_reliable(message_of(2, 20)).ok());
  const core::Bytes good = all_bodies(sender, 0).at(0);
  Session receiver({}, 0);

  const core::Bytes cut(good.begin(), good.end() - 1);
  core::Bytes extra = good;
  extra.push_back(std::byte{1});
  core::Bytes future_ack = good;
  core::store(future_ack.data() + 2, std::uint16_t{1});  // the receiver has sent nothing
  core::Bytes far_chunk = good;
  core::store(far_chunk.data() + 8 + 2, std::uint16_t{256});
  core::Bytes empty_chunk(good.begin(), good.begin() + 8);
  empty_chunk.insert(empty_chunk.end(), {std::byte{0}, std::byte{0x08}, std::byte{0}, std::byte{0}});
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

// A connected session and a datagram that it would accept next.
struct Midway {
  Session receiver;
  core::Bytes body;
};
Midway midway() {
  Pair pair({.latency = millisecond, .loss_ppm = 200'000}, {}, 5);
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

TEST(SessionHostile, TruncatedDatagramsDeliverOnlySentMessages) {
  const Midway start = midway();
  Session whole = start.receiver;
  whole.receive(start.body, 0);
  const std::vector<core::Bytes> sent = all_unreliable(whole);
  ASSERT_EQ(sent.size(), 3u);
  for (std::size_t size = 0; size < start.body.size(); ++size) {
    Session session = start.receiver;
    session.receive(core::ByteView(start.body).first(size), 0);
    session.check();
    const std::vector<core::Bytes> received = all_unreliable(session);
    ASSERT_LE(received.size(), sent.size());
    for (std::size_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i], sent[i]);
  }
}

TEST(SessionHostile, SurvivesFlippedBits) {
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

TEST(SessionHostile, SurvivesRandomBytes) {
  constexpr std::uint64_t seed = 8;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  const SessionConfig config{.reliable_receive_bytes_max = 10'000, .reliable_inbox_bytes_max = 80'000};
  Session session(config, 0);
  for (int round = 0; round < 30'000; ++round) {
    if (session.failed()) session = Session(config, 0);
    core::Bytes bytes(random.below(60));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    // Half of them pass the first checks.
    if (bytes.size() > 12 && random.below(2) == 0) {
      core::store(bytes.data() + 2, std::uint16_t{0});
      const bool chunk = random.below(2) == 0;
      const std::size_t rest = bytes.size() - (chunk ? 12 : 10);
      core::store(bytes.data() + 8, static_cast<std::uint16_t>(rest | (chunk ? 0x800u : 0u)));
      if (chunk) core::store(bytes.data() + 10, static_cast<std::uint16_t>(random.below(200)));
    }
    session.receive(bytes, round * millisecond);
    session.flush(round * millisecond, [](core::ByteView) {});
    session.check();
    if (random.below(100) == 0) delivered_bytes(session);
  }
  EXPECT_GT(session.stats().datagrams_sent, 0u);
}

TEST(SessionHostile, SequenceFarAheadOnlyMakesOldOnesStale) {
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
