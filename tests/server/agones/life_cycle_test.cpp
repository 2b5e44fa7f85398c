// Runs the calls of a program, with an event loop, against the stand-in.
#include <gtest/gtest.h>

#include <mobula/server/agones/life_cycle.hpp>
#include <net/peers.hpp>
#include <optional>
#include <server/agones/sidecar_twin.hpp>

namespace mobula::agones {
namespace life_cycle_test {

using test::ModelCounter;
using test::SidecarModel;
using test::SidecarTwin;
using test::Trouble;

constexpr core::Nanoseconds second = core::second;

class LifeCycleTest : public testing::Test {
 protected:
  void SetUp() override {
    twin.with_model([](SidecarModel& model) { model.counters = {{"players", {0, 1000}}, {"worlds", {0, 1000}}}; });
  }
  void open(LifeCycleConfig config = {}) {
    config.sidecar.url = twin.url();
    life.emplace(events, std::move(config));
  }
  // Ticks as a server does, 20 times per second of virtual time, with a real loop.
  void tick(core::Nanoseconds time, std::uint64_t players) {
    for (const core::Nanoseconds end = now + time; now < end; now += second / 20) {
      life->tick_ran(players, 1, now);
      (void)life->drain_wanted(now);
      net::run_for(events, core::millisecond);
    }
  }
  // Waits for a state at a time, for machines under load.
  [[nodiscard]] bool reaches(const std::string& state, std::uint64_t players) {
    return net::run_until_true(events, [&] {
      life->tick_ran(players, 1, now += core::millisecond);
      return twin.state() == state;
    });
  }

  net::EventLoop events;
  SidecarTwin twin;
  std::optional<LifeCycle> life;
  core::Nanoseconds now = 1000 * second;
};

TEST_F(LifeCycleTest, AServerIsReadyCountedPingedAndShutDown) {
  open({.players_max = 64, .worlds_max = 8});
  EXPECT_FALSE(life->drain_wanted(now));
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  tick(20 * second, 3);
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_GE(life->stats().pings, 5);
  twin.with_model([](const SidecarModel& model) {
    EXPECT_EQ(model.counters.at("players"), (ModelCounter{3, 64}));
    EXPECT_EQ(model.counters.at("worlds"), (ModelCounter{1, 8}));
  });
  life->shut_down();
  EXPECT_EQ(twin.state(), "Shutdown");
  const std::size_t pings = twin.bodies("/health").size();
  tick(10 * second, 3);
  life->shut_down();
  EXPECT_EQ(twin.bodies("/health").size(), pings);
  EXPECT_EQ(twin.bodies("/shutdown").size(), 1);
}

TEST_F(LifeCycleTest, NothingIsReadyBeforeTheWorldsAreOpen) {
  open();
  tick(5 * second, 0);
  EXPECT_EQ(twin.state(), "Scheduled");
}

TEST_F(LifeCycleTest, PlayersAllocateNothingByDefault) {
  open();
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  tick(3 * second, 1);
  tick(3 * second, 0);
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_EQ(twin.with_model([](const SidecarModel& model) { return model.ready_requests; }), 1);
}

TEST_F(LifeCycleTest, TheFirstPlayerAllocatesAndTheLastGivesBack) {
  open({.allocate_when_joined = true});
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  ASSERT_TRUE(reaches("Allocated", 1));
  tick(3 * second, 5);
  EXPECT_EQ(twin.bodies("/allocate").size(), 1);
  ASSERT_TRUE(reaches("Ready", 0));
}

TEST_F(LifeCycleTest, ASecondReadyDoesNotUndoAnAllocation) {
  open();
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  twin.with_model([](SidecarModel& model) { model.allocate_by_agones(); });
  life->ready();
  tick(5 * second, 0);
  EXPECT_EQ(twin.state(), "Allocated");
}

TEST_F(LifeCycleTest, PlayersBeforeReadyAllocateAtReady) {
  open({.allocate_when_joined = true});
  tick(5 * second, 1);
  EXPECT_EQ(twin.state(), "Scheduled");
  life->ready();
  ASSERT_TRUE(reaches("Allocated", 1));
}

TEST_F(LifeCycleTest, AnEmptyServerIsReservedForItsTime) {
  open({.allocate_when_joined = true, .reserve_seconds = 60});
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  ASSERT_TRUE(reaches("Allocated", 1));
  ASSERT_TRUE(reaches("Reserved", 0));
  EXPECT_EQ(twin.with_model([](const SidecarModel& model) { return model.reserved_seconds; }), 60);
  ASSERT_TRUE(reaches("Allocated", 1));
}

TEST_F(LifeCycleTest, AShutdownByAgonesWantsADrain) {
  open();
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  twin.with_model([](SidecarModel& model) { model.state = "Shutdown"; });
  ASSERT_TRUE(net::run_until_true(events, [&] { return life->drain_wanted(now += second / 20); }));
  life->shut_down();
  EXPECT_TRUE(life->drain_wanted(now));
}

TEST_F(LifeCycleTest, AHungTickStopsThePingsWhileTheLoopGoesOn) {
  open();
  life->ready();
  tick(5 * second, 0);
  ASSERT_TRUE(net::run_until_true(events, [&] {
    (void)life->drain_wanted(now += second / 20);
    return life->stats().tick_stops == 1;
  }));
  const std::uint64_t pings = life->stats().pings;
  for (int i = 0; i < 100; ++i) {
    (void)life->drain_wanted(now += second / 20);
    net::run_for(events, core::millisecond);
  }
  EXPECT_EQ(life->stats().pings, pings);
}

TEST_F(LifeCycleTest, AServerWithoutASidecarRunsAndEnds) {
  twin.stop();
  open({.shutdown_timeout = second / 4});
  life->ready();
  tick(30 * second, 2);
  EXPECT_FALSE(life->drain_wanted(now));
  EXPECT_GT(life->stats().unanswered, 0);
  const core::Nanoseconds begin = core::monotonic_now();
  life->shut_down();
  EXPECT_LT(core::monotonic_now() - begin, 10 * second);
}

TEST_F(LifeCycleTest, ASilentSidecarHoldsUpTheEndForItsTimeOnly) {
  twin.set_trouble(Trouble::silent);
  open({.shutdown_timeout = second / 10});
  life->ready();
  tick(5 * second, 2);
  const core::Nanoseconds begin = core::monotonic_now();
  life->shut_down();
  EXPECT_LT(core::monotonic_now() - begin, 10 * second);
}

TEST_F(LifeCycleTest, TheShutdownIsSentAfterTheLoopHasStopped) {
  open();
  life->ready();
  ASSERT_TRUE(reaches("Ready", 0));
  events.stop();
  life->shut_down();
  EXPECT_EQ(twin.state(), "Shutdown");
}

}  // namespace life_cycle_test
}  // namespace mobula::agones
