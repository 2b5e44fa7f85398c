#include <gtest/gtest.h>

#include <mobula/transport/rate_control.hpp>
#include <transport/bottleneck.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

// --- Token bucket --------------------------------------------------------------------------------------------------

TEST(RateControl, RefillDoesNotDependOnTheCallFrequency) {
  for (const core::Nanoseconds step : {10 * core::microsecond, 7 * millisecond, 200 * millisecond}) {
    RateControl rate({.floor = 50'000, .start = 50'000, .max = 50'000});
    std::uint64_t sent = 0;
    for (core::Nanoseconds now = step; now <= 10 * second; now += step) {
      rate.update(now, {});
      while (rate.budget() > 0) {
        rate.on_sent(700);
        rate.on_landed(700);
        sent += 700;
      }
    }
    EXPECT_NEAR(static_cast<double>(sent), 500'000, 12'000) << step;
  }
}

TEST(RateControl, PredictsItsBudget) {
  RateControl rate({.floor = 1000, .start = 100'000, .max = 100'000});
  for (int i = 0; i < 300; ++i) {
    rate.on_sent(1200);
    rate.on_landed(1200);
    const std::int64_t foreseen = rate.budget_at(i * 10 * millisecond);
    rate.update(i * 10 * millisecond, {});
    ASSERT_EQ(rate.budget(), foreseen);
  }
}

TEST(RateControl, StopsWithoutAcknowledgements) {
  RateControl rate({.floor = 16'384, .start = 262'144, .max = 4'000'000});
  std::uint64_t sent = 0;
  for (int i = 1; i < 1000; ++i) {
    rate.update(i * 10 * millisecond, {});
    for (; rate.budget() > 0; sent += 1200) rate.on_sent(1200);
  }
  EXPECT_LT(sent, 100'000u);
}

// --- Bottleneck. Every sender always has bulk to send. -------------------------------------------------------------

struct Load {
  Load(std::size_t pairs, const Bottleneck& link, const SessionConfig& config, std::uint64_t seed)
      : world(pairs, link, config, seed), fetched(pairs) {}

  BottleneckWorld world;
  std::vector<std::uint64_t> fetched;
  core::Nanoseconds queue_max = 0;
  core::Bytes message = message_of(1, 400'000);
  core::Bytes inbox;

  void run(core::Nanoseconds duration, core::Nanoseconds step = 20 * millisecond) {
    fetched.assign(fetched.size(), 0);
    queue_max = 0;
    for (const core::Nanoseconds end = world.now + duration; world.now < end;) {
      for (std::size_t i = 0; i < world.senders.size(); ++i) {
        while (world.senders[i].reliable_backlog_bytes(Lane::bulk) < 1'000'000) {
          ASSERT_TRUE(world.senders[i].send_reliable(message, Lane::bulk).ok());
        }
        while (world.receivers[i].next_reliable(inbox, Lane::bulk)) fetched[i] += inbox.size();
      }
      world.step(step);
      queue_max = std::max(queue_max, world.queue_delay());
    }
  }
  double share(std::size_t pair, core::Nanoseconds duration) const {
    return static_cast<double>(fetched[pair]) * 1e9 / static_cast<double>(duration) /
           static_cast<double>(world.link.bytes_per_second);
  }
};

TEST(RateControl, ConvergesToABottleneckAndRecoversWhenItOpens) {
  for (const std::uint64_t bandwidth : {50'000u, 200'000u, 1'000'000u}) {
    SCOPED_TRACE(bandwidth);
    Load load(1, {.bytes_per_second = bandwidth, .latency = 30 * millisecond}, {}, 1);
    load.run(20 * second);
    load.run(40 * second);
    EXPECT_GT(load.share(0, 40 * second), 0.75);
    EXPECT_LT(load.queue_max, 700 * millisecond);
    EXPECT_LT(load.world.senders[0].stats().rtt, 600 * millisecond);

    load.world.link.bytes_per_second = 3 * bandwidth;
    load.run(15 * second);
    load.run(30 * second);
    EXPECT_GT(load.share(0, 30 * second), 0.65);
    EXPECT_LT(load.queue_max, 500 * millisecond);

    load.world.link.bytes_per_second = bandwidth;
    load.run(15 * second);
    load.run(30 * second);
    EXPECT_GT(load.share(0, 30 * second), 0.65);
    EXPECT_LT(load.queue_max, 900 * millisecond);
  }
}

TEST(RateControl, TwoSessionsShareABottleneckAfterALateStart) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Load load(2, {.bytes_per_second = 400'000, .latency = 30 * millisecond}, {}, seed);
    Session late = std::move(load.world.senders[1]);
    Session late_receiver = std::move(load.world.receivers[1]);
    load.world.senders.pop_back();
    load.world.receivers.pop_back();
    load.run(20 * second);
    load.world.senders.push_back(std::move(late));
    load.world.receivers.push_back(std::move(late_receiver));
    load.fetched.resize(2);
    load.run(20 * second);
    load.run(60 * second);
    EXPECT_GT(load.share(0, 60 * second), 0.2);
    EXPECT_GT(load.share(1, 60 * second), 0.2);
    EXPECT_GT(load.share(0, 60 * second) + load.share(1, 60 * second), 0.75);
  }
}

TEST(RateControl, FivePercentRandomLossCostsLittle) {
  Load load(1, {.bytes_per_second = 1'000'000, .latency = 30 * millisecond, .loss_permille = 50}, {}, 7);
  load.run(20 * second);
  load.run(60 * second);
  EXPECT_GT(load.share(0, 60 * second), 0.4);
  EXPECT_GT(load.world.senders[0].stats().loss_permille, 10u);
}

TEST(RateControl, QuarterRandomLossDoesNotReduceItToTheFloor) {
  Load load(1, {.bytes_per_second = 100'000'000, .latency = 30 * millisecond, .loss_permille = 250}, {}, 8);
  load.run(20 * second);
  load.run(100 * second);
  EXPECT_GT(load.fetched[0], 100u * 32'768);
}

TEST(RateControl, TreatsQueueDropsAsCongestion) {
  Load load(1, {.bytes_per_second = 200'000, .latency = 30 * millisecond, .queue_bytes_max = 12'000}, {}, 9);
  load.run(20 * second);
  load.run(60 * second);
  EXPECT_GT(load.share(0, 60 * second), 0.6);
  const SessionStats& stats = load.world.senders[0].stats();
  EXPECT_LT(stats.allowed_bytes_per_second, 400'000u);
}

TEST(RateControl, StaysWithinItsLimits) {
  const SessionConfig config{
      .bytes_per_second_min = 20'000, .bytes_per_second_start = 100'000, .bytes_per_second_max = 150'000};
  Load narrow(1, {.bytes_per_second = 5'000, .latency = 30 * millisecond, .queue_bytes_max = 20'000}, config, 2);
  narrow.run(60 * second);
  EXPECT_EQ(narrow.world.senders[0].stats().allowed_bytes_per_second, 20'000u);
  Load wide(1, {.bytes_per_second = 50'000'000, .latency = 30 * millisecond}, config, 2);
  wide.run(10 * second);
  const std::uint64_t before = wide.world.senders[0].stats().bytes_sent;
  wide.run(20 * second);
  EXPECT_LE(wide.world.senders[0].stats().bytes_sent - before, 20u * 150'000 + 15'000);
  EXPECT_GE(wide.world.senders[0].stats().bytes_sent - before, 19u * 150'000);
}

}  // namespace
}  // namespace mobula::transport
