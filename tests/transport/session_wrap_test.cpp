// Sessions that last: every 16-bit number wraps, and silences take half of the sequences and more.
#include <gtest/gtest.h>

#include <seeds.hpp>
#include <set>
#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

constexpr core::Nanoseconds step = second / 60;

// Two sessions that are ticked 60 times per second and send each other an unreliable message in each tick. Each
// direction of the path can be cut.
class Long {
 public:
  explicit Long(std::uint32_t loss_ppm, std::uint64_t seed = 1)
      : pair_({.latency = 30 * millisecond, .jitter = 10 * millisecond, .loss_ppm = loss_ppm}, {}, seed) {}

  void tick() {
    pair_.deliver();
    for (std::size_t side = 0; side < 2; ++side) {
      EXPECT_TRUE(session(side).send_unreliable(number_message(++sent_), ++tagged_[side]).ok());
      session(side).flush(pair_.now, [&](core::ByteView body) {
        if (!cut[side]) pair_.network.send(Pair::address(side), Pair::address(1 - side), body, pair_.now);
      });
      Fate fate;
      while (session(side).next_fate(fate)) EXPECT_TRUE(fates_[side].insert(fate.tag).second) << "tag " << fate.tag;
    }
    pair_.now += step;
    for (std::size_t side = 0; side < 2; ++side) unreliable_received[side] += all_unreliable(session(side)).size();
  }
  void ticks(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) tick();
  }
  // Sends a reliable message each way and returns whether each arrives once within two seconds.
  bool reliable_arrives() {
    const core::Bytes message = number_message(++reliable_);
    for (std::size_t side = 0; side < 2; ++side) EXPECT_TRUE(session(side).send_reliable(message).ok());
    std::array<std::vector<core::Bytes>, 2> received;
    for (int i = 0; i < 120; ++i) {
      tick();
      for (std::size_t side = 0; side < 2; ++side)
        for (core::Bytes& each : all_reliable(session(side))) received[side].push_back(std::move(each));
    }
    const std::vector<core::Bytes> once(1, message);
    return received[0] == once && received[1] == once;
  }
  // Expects that every tag but those of the last second has its fate.
  void expect_fates() const {
    for (std::size_t side = 0; side < 2; ++side) EXPECT_GE(fates_[side].size() + 60, tagged_[side]);
  }
  [[nodiscard]] Session& session(std::size_t side) { return pair_.sides[side]; }

  std::array<bool, 2> cut{};  // by sender
  std::array<std::uint64_t, 2> unreliable_received{};

 private:
  Pair pair_;
  std::uint32_t sent_ = 0;
  std::uint32_t reliable_ = 0;
  std::array<std::uint32_t, 2> tagged_{};
  std::array<std::set<std::uint32_t>, 2> fates_;
};

TEST(SessionWrap, AReliableMessageAfterAQuietWrapArrivesOnce) {
  for (const std::uint32_t loss_ppm : {0u, 100'000u}) {
    SCOPED_TRACE(loss_ppm);
    Long pair(loss_ppm);
    EXPECT_TRUE(pair.reliable_arrives());
    for (const std::uint32_t quiet : {40'000u, 70'000u}) {
      pair.ticks(quiet);
      EXPECT_TRUE(pair.reliable_arrives()) << "after " << quiet;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      EXPECT_GT(pair.unreliable_received[side], 110'000 * (1'000'000 - 1.1 * loss_ppm) / 1e6);
      EXPECT_EQ(pair.session(side).stats().malformed, 0u);
      EXPECT_EQ(pair.session(side).stats().stale, 0u);
    }
    pair.expect_fates();
  }
}

TEST(SessionWrap, ChunkNumbersWrapUnderLoss) {
  Pair pair({.latency = 20 * millisecond, .loss_ppm = 100'000});
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  for (int i = 0; i < 10'000 && received < 70'000; ++i) {
    for (; sent < 70'000 && pair.sides[0].reliable_backlog_bytes() < 16'000; ++sent)
      ASSERT_TRUE(pair.sides[0].send_reliable(number_message(sent, 300)).ok());
    pair.step();
    for (const core::Bytes& message : all_reliable(pair.sides[1])) ASSERT_EQ(message, number_message(received++, 300));
  }
  EXPECT_EQ(received, 70'000u);
}

// The silent side and the others know nothing of each other for half of all sequences, a little less, or more.
TEST(SessionWrap, ASilenceOfHalfTheSequencesEndsWell) {
  const std::array<std::array<bool, 2>, 3> cuts{{{true, true}, {true, false}, {false, true}}};
  const auto stride = static_cast<std::uint32_t>(16 / test::few_or_all(4, 16));
  for (const std::array<bool, 2>& cut : cuts) {
    for (std::uint32_t silent = 32'760; silent <= 32'775; silent += stride) {
      SCOPED_TRACE(testing::Message() << silent << " ticks, cut " << cut[0] << cut[1]);
      Long pair(0);
      ASSERT_TRUE(pair.reliable_arrives());
      pair.cut = cut;
      pair.ticks(silent);
      pair.cut = {};
      EXPECT_TRUE(pair.reliable_arrives());
      pair.unreliable_received = {};
      pair.ticks(60);
      for (std::size_t side = 0; side < 2; ++side) {
        EXPECT_GT(pair.unreliable_received[side], 55u);
        EXPECT_EQ(pair.session(side).stats().malformed, 0u);
        EXPECT_EQ(pair.session(side).stats().stale, 0u);
      }
      pair.expect_fates();
    }
  }
}

// A side sends at most unacknowledged_max sequences without an answer; then headers alone, four per second.
TEST(SessionWrap, SequencesDoNotRiseWithoutAnAnswer) {
  Session session({}, 0);
  std::set<std::uint16_t> sequences;
  std::uint64_t bodies = 0;
  core::Nanoseconds now = 0;
  for (std::uint32_t i = 0; i < SentHistory::unacknowledged_max + 6000u; ++i, now += step) {
    ASSERT_TRUE(session.send_unreliable(number_message(i)).ok());
    for (const core::Bytes& body : all_bodies(session, now)) {
      ++bodies;
      const bool is_first = sequences.insert(core::load<std::uint16_t>(body.data())).second;
      ASSERT_TRUE(is_first || body.size() == body_header_bytes);
    }
  }
  EXPECT_EQ(sequences.size(), SentHistory::unacknowledged_max + 1u);
  EXPECT_NEAR(static_cast<double>(bodies - sequences.size()), 6000 / 16, 10) << "one per 250 ms, which are 16 ticks";
  EXPECT_EQ(session.budget_bytes(now), 0u);
}

TEST(SessionWrap, RandomCutsEndWell) {
  test::for_each_seed(1, test::few_or_all(2, 4), 100'000, [](std::uint64_t seed) {
    core::Random random(seed);
    Long pair(random.below(2) * 50'000, seed);
    for (int i = 0; i < 12; ++i) {
      pair.cut = {random.chance(2, 3), random.chance(2, 3)};
      pair.ticks(random.below(18'000));
      // One direction may heal before the other.
      pair.cut[random.below(2)] = false;
      pair.ticks(random.below(200));
      pair.cut = {};
      pair.ticks(300);
      while (!all_reliable(pair.session(0)).empty() || !all_reliable(pair.session(1)).empty()) continue;
      ASSERT_TRUE(pair.reliable_arrives()) << "cut " << i;
    }
    pair.expect_fates();
  });
}

}  // namespace
}  // namespace mobula::transport
