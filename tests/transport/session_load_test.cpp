#include <gtest/gtest.h>

#include <set>
#include <transport/session_pair.hpp>

namespace mobula::transport::session_load_test {
namespace {

using core::millisecond;
using core::second;

// Sessions are compared with a model on bad networks.

struct Load {
  NetworkConditions conditions;
  std::uint32_t messages = 0;  // reliable, per direction
  std::uint32_t size_max = 0;
  std::uint32_t per_step_max = 0;
  core::Nanoseconds step = 20 * millisecond;
  int steps_max = 0;
  // A control load above the rate leaves no rate for unreliable messages.
  Lane lane = Lane::bulk;
};

// All reliable messages of each side arrive in order and unchanged; unreliable ones unchanged and at most once.
void run_load(const Load& load, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Pair pair(load.conditions, {}, seed);
  std::array<std::vector<std::uint16_t>, 2> sizes;  // sizes of sent messages
  std::array<std::uint32_t, 2> fetched{};
  std::array<std::set<std::uint32_t>, 2> seen;
  std::uint32_t unreliable_sent = 0;
  core::Bytes message;
  int step = 0;
  for (; step < load.steps_max && (fetched[0] < load.messages || fetched[1] < load.messages); ++step) {
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::uint32_t n = random.below(load.per_step_max + 1); n > 0 && sizes[side].size() < load.messages; --n) {
        const std::uint32_t size = random.below(load.size_max + 1);
        if (!pair.sides[side].send_reliable(message_of(sizes[side].size(), size), load.lane).ok()) break;
        sizes[side].push_back(static_cast<std::uint16_t>(size));
      }
      ASSERT_TRUE(pair.sides[side].send_unreliable(number_message(unreliable_sent++, 4 + random.below(300))).ok());
    }
    pair.step(load.step);
    for (std::size_t side = 0; side < 2; ++side) {
      while (pair.sides[side].next_reliable(message, load.lane)) {
        const std::uint32_t number = fetched[side]++;
        ASSERT_LT(number, sizes[1 - side].size());
        ASSERT_EQ(message, message_of(number, sizes[1 - side][number])) << number;
      }
      while (pair.sides[side].next_unreliable(message)) {
        const auto number = core::load<std::uint32_t>(message.data());
        ASSERT_EQ(message, number_message(number, message.size()));
        ASSERT_LT(number, unreliable_sent);
        ASSERT_TRUE(seen[side].insert(number).second) << number;
      }
    }
  }
  EXPECT_EQ(fetched[0], load.messages) << "after steps: " << step;
  EXPECT_EQ(fetched[1], load.messages) << "after steps: " << step;
  EXPECT_FALSE(pair.sides[0].failed() || pair.sides[1].failed());
  EXPECT_EQ(pair.sides[0].stats().malformed, 0u);
  if (load.lane == Lane::control) return;
  const double received = static_cast<double>(seen[0].size() + seen[1].size()) / unreliable_sent;
  EXPECT_GT(received, 0.9 * (1'000'000 - load.conditions.loss_ppm) / 1e6 * step / (step + 120.0));
}

TEST(SessionLoad, SmallMessagesAtQuarterLossAndQuarterDuplicates) {
  run_load({.conditions = {.latency = 40 * millisecond,
                           .jitter = 30 * millisecond,
                           .loss_ppm = 250'000,
                           .duplicate_ppm = 250'000,
                           .reorder_ppm = 300'000},
            .messages = 200'000,
            .size_max = 24,
            .per_step_max = 400,
            .steps_max = 20'000},
           1);
}

TEST(SessionLoad, MessagesOfAllSizesAtQuarterLoss) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    run_load({.conditions = {.latency = 40 * millisecond,
                             .jitter = 60 * millisecond,
                             .loss_ppm = 250'000,
                             .duplicate_ppm = 250'000,
                             .reorder_ppm = 100'000},
              .messages = 600,
              .size_max = 20'000,
              .per_step_max = 3,
              .steps_max = 20'000},
             seed);
  }
}

TEST(SessionLoad, OneSecondLatencyAndQuarterLoss) {
  run_load({.conditions = {.latency = second,
                           .jitter = 200 * millisecond,
                           .loss_ppm = 250'000,
                           .duplicate_ppm = 250'000,
                           .reorder_ppm = 300'000},
            .messages = 3000,
            .size_max = 500,
            .per_step_max = 4,
            .step = 50 * millisecond,
            .steps_max = 20'000},
           9);
}

TEST(SessionLoad, BothLanesAtOneThirdReorderedAndQuarterLoss) {
  for (const Lane lane : {Lane::control, Lane::bulk}) {
    run_load({.conditions = {.latency = 100 * millisecond,
                             .jitter = 50 * millisecond,
                             .loss_ppm = 250'000,
                             .duplicate_ppm = 250'000,
                             .reorder_ppm = 333'000},
              .messages = 3000,
              .size_max = 1000,
              .per_step_max = 6,
              .steps_max = 20'000,
              .lane = lane},
             10);
  }
}

// One message, chunk and datagram per step until both 16-bit counters wrap; every 50th datagram is lost.
TEST(SessionLoad, SequencesAndChunkNumbersWrap) {
  constexpr std::uint32_t steps = 70'000;
  Session sender({}, 0);
  Session receiver({}, 0);
  core::Bytes message;
  std::uint32_t fetched = 0;
  std::uint32_t sent = 0;
  for (std::uint32_t step = 0; step < steps + 100; ++step) {
    const core::Nanoseconds now = step * 20 * millisecond;
    if (step < steps) {
      ASSERT_TRUE(sender.send_reliable(core::as_bytes(&step, 1)).ok());
    }
    sender.flush(now, [&](core::ByteView body) {
      if (++sent % 50 != 0) receiver.receive(body, now + millisecond);
    });
    receiver.flush(now, [&](core::ByteView body) { sender.receive(body, now + 2 * millisecond); });
    while (receiver.next_reliable(message)) {
      ASSERT_EQ(message.size(), 4u);
      ASSERT_EQ(core::load<std::uint32_t>(message.data()), fetched++);
    }
  }
  EXPECT_EQ(fetched, steps);
  EXPECT_GT(sender.stats().datagrams_sent, 65'536u);
  EXPECT_GT(sender.stats().chunks_repeated, 1'000u);
  EXPECT_EQ(sender.stats().malformed + receiver.stats().malformed, 0u);
  EXPECT_EQ(sender.reliable_backlog_bytes(), 0u);
}

TEST(SessionLoad, LargestMessageArrives) {
  Pair pair({.latency = 20 * millisecond, .jitter = 10 * millisecond, .loss_ppm = 100'000}, {}, 4);
  const core::Bytes large = message_of(7, 4 * 1024 * 1024);
  ASSERT_TRUE(pair.sides[0].send_reliable(large).ok());
  core::Bytes message;
  int steps = 0;
  while (!pair.sides[1].next_reliable(message) && steps++ < 5000) pair.step();
  EXPECT_TRUE(message == large);
  EXPECT_FALSE(pair.sides[1].next_reliable(message));
}

}  // namespace
}  // namespace mobula::transport::session_load_test
