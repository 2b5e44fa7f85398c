#include <client/simulated_clock.hpp>
#include <gtest/gtest.h>

namespace mobula::client {
namespace {

using test::Moment;
using test::Path;
using test::SimulatedClock;

constexpr core::Nanoseconds ms = core::millisecond;

// Statistics of a run. summarise() also checks what always holds: target and view never go back, and the view never
// passes the newest delta.
struct Summary {
  double server_error_mean = 0;
  double server_error_max = 0;
  double ahead_of_truth = 0;     // target, mean
  double view_behind_truth = 0;  // mean
  double starved = 0;            // fraction of the time in which the view had no newer delta
  int view_jumps = 0;
  int target_jumps = 0;
  double late = 0;  // fraction of the commands
  double margin_mean = 0;
  int margin_max = 0;
};

Summary summarise(const SimulatedClock& world) {
  Summary summary;
  const double per_ms = static_cast<double>(ms) / static_cast<double>(world.tick_length());
  const auto count = static_cast<double>(world.moments.size());
  for (std::size_t i = 0; i < world.moments.size(); ++i) {
    const Moment& moment = world.moments[i];
    const double error = moment.server - moment.truth;
    summary.server_error_mean += error / count;
    summary.server_error_max = std::max(summary.server_error_max, std::abs(error));
    summary.ahead_of_truth += (moment.target - moment.truth) / count;
    summary.view_behind_truth += (moment.truth - moment.view) / count;
    EXPECT_LE(moment.view, moment.newest);
    if (moment.view == moment.newest) summary.starved += 1 / count;
    if (i == 0) continue;
    const Moment& before = world.moments[i - 1];
    const double passed = static_cast<double>(moment.now - before.now) / static_cast<double>(ms) * per_ms;
    EXPECT_GE(moment.view, before.view);
    EXPECT_GE(moment.target, before.target);
    if (moment.view - before.view > passed * 1.05 + 1e-6) ++summary.view_jumps;
    if (moment.target - before.target > passed * 1.10 + 1e-6) ++summary.target_jumps;
  }
  for (const int margin : world.margins) {
    summary.late += (margin < 0 ? 1.0 : 0.0) / static_cast<double>(world.margins.size());
    summary.margin_mean += margin / static_cast<double>(world.margins.size());
    summary.margin_max = std::max(summary.margin_max, margin);
  }
  return summary;
}

Summary run(SimulatedClock& world, core::Nanoseconds time) {
  world.moments.clear();
  world.margins.clear();
  world.run(time);
  return summarise(world);
}

TEST(ServerClock, KnowsNothingBeforeTheFirstDelta) {
  ServerClock clock(20);
  EXPECT_FALSE(clock.known());
  EXPECT_EQ(clock.server_tick(core::second), 0);
  EXPECT_EQ(clock.target_tick(core::second), 0);
  EXPECT_EQ(clock.view_tick(core::second), 0);
  clock.on_delta(700, 2 * core::second);
  EXPECT_TRUE(clock.known());
  EXPECT_EQ(clock.server_tick(2 * core::second), 700);
  EXPECT_NEAR(clock.target_tick(2 * core::second), 701, 1);
  EXPECT_NEAR(clock.view_tick(2 * core::second), 699, 1);
}

TEST(ServerClock, IsAccurateOnManyKindsOfPath) {
  for (const std::uint32_t rate : {10u, 20u, 60u, 128u})
    for (const core::Nanoseconds delay : {1 * ms, 40 * ms, 150 * ms})
      for (const core::Nanoseconds jitter : {0 * ms, 10 * ms, 100 * ms})
        for (const std::uint32_t loss_permille : {0u, 20u, 100u}) {
          SCOPED_TRACE(testing::Message() << rate << " Hz, " << delay / ms << " ms, jitter " << jitter / ms
                                          << " ms, loss " << loss_permille);
          SimulatedClock world(rate, {delay, jitter, loss_permille}, rate + loss_permille);
          world.run(10 * core::second);
          const Summary summary = run(world, 20 * core::second);
          const double jitter_ticks = static_cast<double>(jitter) / static_cast<double>(world.tick_length());
          const double delay_ticks = static_cast<double>(delay) / static_cast<double>(world.tick_length());
          EXPECT_LE(std::abs(summary.server_error_mean), 0.3 + 0.2 * jitter_ticks);
          EXPECT_LE(summary.server_error_max, 0.4 + 0.4 * jitter_ticks);
          EXPECT_LE(summary.late, 0.06);
          EXPECT_LE(summary.margin_mean, 1.8 + jitter_ticks / 2);
          EXPECT_LE(summary.view_behind_truth, delay_ticks + 3.5 + jitter_ticks);
          EXPECT_LE(summary.starved, 0.04);
          EXPECT_EQ(summary.view_jumps, 0);
          EXPECT_EQ(summary.target_jumps, 0);
        }
}

TEST(ServerClock, IsAccurateAfterTwoSeconds) {
  SimulatedClock world(60, {30 * ms, 5 * ms, 10}, 3);
  world.run(2 * core::second);
  const Summary summary = run(world, 2 * core::second);
  EXPECT_LE(summary.server_error_max, 0.5);
  EXPECT_LE(summary.late, 0.06);
  EXPECT_EQ(summary.view_jumps + summary.target_jumps, 0);
}

TEST(ServerClock, APerfectPathCostsOneTickOfViewAndNoMargin) {
  SimulatedClock world(50, {20 * ms, 0, 0}, 5);
  world.run(10 * core::second);
  const Summary summary = run(world, 10 * core::second);
  EXPECT_NEAR(summary.view_behind_truth, 2, 0.2);
  EXPECT_EQ(summary.late, 0);
  EXPECT_LE(summary.margin_mean, 1);
}

TEST(ServerClock, IsSoonAccurateAfterAStallOfTheServer) {
  for (const std::uint32_t rate : {20u, 60u})
    for (const core::Nanoseconds stall : {300 * ms, 1000 * ms, 5000 * ms, 60'000 * ms}) {
      SCOPED_TRACE(testing::Message() << rate << " Hz, " << stall / ms << " ms");
      SimulatedClock world(rate, {40 * ms, 8 * ms, 10}, 7);
      world.run(5 * core::second);
      world.stall(stall);
      Summary summary = run(world, stall + core::second);
      EXPECT_LE(summary.margin_max, rate == 20 ? 14 : 20) << "8 ticks, the RTT and some more";
      world.run(5 * core::second);
      summary = run(world, 5 * core::second);
      EXPECT_LE(summary.server_error_max, 0.6);
      EXPECT_LE(summary.late, 0.06);
      EXPECT_LE(summary.margin_mean, 3);
    }
}

TEST(ServerClock, AStallOfTheServerDoesNotCountAsJitter) {
  SimulatedClock world(60, {40 * ms, 5 * ms, 0}, 12);
  world.run(5 * core::second);
  const double before = world.clock.view_delay();
  world.stall(core::second);
  world.run(1500 * ms);
  EXPECT_LE(world.clock.view_delay(), before + 1);
}

TEST(ServerClock, AnRttRaisedByAStallCountsLittle) {
  ServerClock clock(60);
  core::Nanoseconds now = 0;
  for (ecs::Tick tick = 1; tick < 100; ++tick) {
    now += core::second / 60;
    clock.on_delta(tick, now);
    clock.on_link({.rtt = 60 * ms}, now);
  }
  const double before = clock.server_tick(now);
  clock.on_link({.rtt = 3 * core::second}, now);
  EXPECT_NEAR(clock.server_tick(now), before, 1.5);
}

TEST(ServerClock, JumpsOnceAfterAPauseOfTheClient) {
  for (const core::Nanoseconds pause : {2 * core::second, 300 * core::second}) {
    SimulatedClock world(60, {40 * ms, 8 * ms, 10}, 8);
    world.run(5 * core::second);
    world.pause(pause);
    const Summary during = run(world, pause + 3 * core::second);
    EXPECT_LE(during.view_jumps, 2);
    EXPECT_LE(during.target_jumps, 2);
    const Summary summary = run(world, 5 * core::second);
    EXPECT_LE(summary.server_error_max, 0.6);
    EXPECT_LE(summary.late, 0.06);
    EXPECT_LE(summary.view_behind_truth, 8);
    EXPECT_EQ(summary.view_jumps + summary.target_jumps, 0);
  }
}

TEST(ServerClock, FollowsAPathThatGetsLongerOrShorter) {
  for (const core::Nanoseconds delay : {5 * ms, 120 * ms, 400 * ms}) {
    SCOPED_TRACE(testing::Message() << delay / ms << " ms");
    SimulatedClock world(60, {60 * ms, 5 * ms, 0}, 9);
    world.run(5 * core::second);
    world.set_paths({delay, 5 * ms, 0});
    const Summary change = run(world, 15 * core::second);
    EXPECT_LE(change.margin_max, 16);
    const Summary summary = run(world, 5 * core::second);
    EXPECT_LE(summary.server_error_max, 0.6);
    EXPECT_LE(summary.late, 0.06);
    EXPECT_LE(summary.margin_mean, 2);
  }
}

// The path to the server is longer than the path back. Only the server's feedback shows that.
TEST(ServerClock, TheMarginCompensatesForUnequalPaths) {
  SimulatedClock world(60, {20 * ms, 2 * ms, 0}, 10);
  world.set_up({140 * ms, 2 * ms, 0});
  world.run(15 * core::second);
  const Summary summary = run(world, 10 * core::second);
  EXPECT_LE(summary.late, 0.06);
  EXPECT_LE(summary.margin_mean, 2);
}

TEST(ServerClock, SurvivesASecondWithoutAnyDatagram) {
  SimulatedClock world(30, {40 * ms, 8 * ms, 10}, 11);
  world.run(5 * core::second);
  world.set_paths({40 * ms, 8 * ms, 1000});
  world.run(1 * core::second);
  world.set_paths({40 * ms, 8 * ms, 10});
  world.run(3 * core::second);
  const Summary summary = run(world, 5 * core::second);
  EXPECT_LE(summary.server_error_max, 0.6);
  EXPECT_LE(summary.late, 0.06);
}

TEST(ServerClock, NeverGoesBackOnRandomInput) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    core::Random random(seed);
    ServerClock clock(1 + random.below(1000));
    core::Nanoseconds now = random.below(1000) * core::second;
    double target = 0;
    double view = 0;
    ecs::Tick newest = 0;
    for (int step = 0; step < 300; ++step) {
      now += (random.chance(1, 9) ? 30 : 1) * random.below(100) * ms - (random.chance(1, 9) ? 200 * ms : 0);
      const ecs::Tick tick = random.chance(1, 9) ? static_cast<ecs::Tick>(random.next()) : newest + random.below(5);
      newest = std::max(newest, tick);
      clock.on_delta(tick, now);
      clock.on_link({.rtt = random.below(2000) * ms, .rtt_variation = random.below(2000) * ms}, now);
      clock.on_feedback({.done = random.below(1000), .margin = static_cast<std::int8_t>(random.below(256))}, now);
      const double next_target = clock.target_tick(now);
      const double next_view = clock.view_tick(now);
      ASSERT_TRUE(std::isfinite(clock.server_tick(now)));
      ASSERT_GE(next_target, target);
      ASSERT_GE(next_view, view);
      ASSERT_LE(next_view, newest);
      target = next_target;
      view = next_view;
    }
  }
}

}  // namespace
}  // namespace mobula::client
