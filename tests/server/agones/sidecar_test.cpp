// Health, counters, contact and shutdown of the client of Agones' sidecar.
#include <gtest/gtest.h>

#include <server/agones/sidecar_fixture.hpp>

namespace mobula::agones {
namespace sidecar_test {

using test::ModelCounter;
using test::players_path;
using test::second;
using test::SidecarModel;
using test::SidecarTest;
using test::SidecarTwin;
using test::Trouble;

// --- Health ---

TEST_F(SidecarTest, PingsAreSentEveryTwoSecondsWhileTicksRun) {
  open();
  pass(60 * second);
  EXPECT_GE(stats().pings, 29);
  EXPECT_LE(stats().pings, 31);
  EXPECT_EQ(twin.with_model([](SidecarModel& model) { return model.pings; }), stats().pings);
}

TEST_F(SidecarTest, NoPingIsSentWhileTicksHang) {
  open();
  pass(10 * second);
  pass(7 * second, false);
  const std::uint64_t before = stats().pings;
  EXPECT_EQ(stats().tick_stops, 1);
  pass(60 * second, false);
  EXPECT_EQ(stats().pings, before);
  EXPECT_EQ(stats().tick_stops, 1);
  sidecar->tick_ran();
  sidecar->update(now);
  idle();
  EXPECT_EQ(stats().pings, before + 1);
}

TEST_F(SidecarTest, NoPingIsSentBeforeTheFirstTick) {
  open();
  pass(30 * second, false);
  EXPECT_EQ(sent("/health"), 0);
  EXPECT_EQ(stats().tick_stops, 0);
}

TEST_F(SidecarTest, ASilentPingDoesNotHoldUpStateAndCounters) {
  twin.set_trouble(Trouble::silent, "/health");
  open({.request_timeout = 600 * second});
  unanswered_ = 1;
  sidecar->ready();
  sidecar->set_counter(Counter::players, {3, 100});
  pass(5 * second);
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_EQ(players(), (ModelCounter{3, 100}));
  EXPECT_EQ(sent("/health"), 1);
}

TEST_F(SidecarTest, PingsGoOnAfterATimeout) {
  twin.set_trouble(Trouble::silent, "/health");
  open({.request_timeout = second / 10});
  pass(second);
  EXPECT_GT(stats().unanswered, 0);
  twin.set_trouble(Trouble::none, "/health");
  pass(4 * second);
  EXPECT_GE(stats().pings, 1);
}

// --- Counters ---

TEST_F(SidecarTest, CountersAreSentWhenTheyChange) {
  open();
  sidecar->set_counter(Counter::players, {3, 50});
  sidecar->set_counter(Counter::worlds, {1, 4});
  pass(20 * second);
  EXPECT_EQ(twin.bodies(players_path), std::vector<std::string>{R"({"capacity":"50","count":"3"})"});
  EXPECT_EQ(twin.bodies("/v1beta1/counters/worlds"), std::vector<std::string>{R"({"capacity":"4","count":"1"})"});
  EXPECT_TRUE(sidecar->counter_sent(Counter::players));
  EXPECT_EQ(stats().counters_sent, 2);
}

TEST_F(SidecarTest, ACounterIsSentOncePerSecondAndEndsAtItsLastValue) {
  open();
  for (std::uint64_t i = 1; i <= 100; ++i) {
    sidecar->set_counter(Counter::players, {i % 40, 100});
    pass(second / 10);
  }
  EXPECT_GE(sent(players_path), 9);
  EXPECT_LE(sent(players_path), 11);
  pass(2 * second);
  EXPECT_EQ(players(), (ModelCounter{20, 100}));
}

TEST_F(SidecarTest, ACounterIsSentAgainAfterAnError) {
  open();
  for (const Trouble trouble : {Trouble::unavailable, Trouble::lost_request, Trouble::lost_answer, Trouble::no_http,
                                Trouble::nonsense, Trouble::wrong_object}) {
    twin.set_trouble(trouble, players_path);
    const auto value = static_cast<std::uint64_t>(trouble) + 1;
    sidecar->set_counter(Counter::players, {value, 100});
    pass(3 * second);
    EXPECT_FALSE(sidecar->counter_sent(Counter::players));
    twin.set_trouble(Trouble::none, players_path);
    pass(10 * second);
    EXPECT_TRUE(sidecar->counter_sent(Counter::players));
    EXPECT_EQ(players()->count, static_cast<std::int64_t>(value));
  }
}

TEST_F(SidecarTest, AFormerValueIsSentAgainAfterALostAnswer) {
  open();
  sidecar->set_counter(Counter::players, {1, 100});
  pass(2 * second);
  twin.set_trouble(Trouble::lost_answer, players_path);
  sidecar->set_counter(Counter::players, {2, 100});
  pass(second / 2);
  ASSERT_EQ(players()->count, 2);
  twin.set_trouble(Trouble::none, players_path);
  sidecar->set_counter(Counter::players, {1, 100});
  pass(5 * second);
  EXPECT_EQ(players()->count, 1);
}

TEST_F(SidecarTest, AValueThatChangesDuringARequestIsSentNext) {
  open();
  sidecar->set_counter(Counter::players, {1, 100});
  sidecar->update(now);
  sidecar->set_counter(Counter::players, {2, 100});
  idle();
  EXPECT_FALSE(sidecar->counter_sent(Counter::players));
  pass(2 * second);
  EXPECT_EQ(players()->count, 2);
}

TEST_F(SidecarTest, ABusyCounterLeavesTheOtherItsTurn) {
  open({.counter_interval = 0});
  sidecar->set_counter(Counter::worlds, {1, 10});
  for (std::uint64_t i = 1; i <= 10; ++i) {
    sidecar->set_counter(Counter::players, {i, 100});
    pass(second / 20);
  }
  EXPECT_TRUE(sidecar->counter_sent(Counter::worlds));
}

TEST_F(SidecarTest, AnUndeclaredCounterDoesNotHoldUpTheOther) {
  open();
  twin.with_model([](SidecarModel& model) { model.counters.erase("players"); });
  sidecar->set_counter(Counter::players, {1, 10});
  sidecar->set_counter(Counter::worlds, {2, 10});
  pass(60 * second);
  EXPECT_TRUE(sidecar->counter_sent(Counter::worlds));
  EXPECT_FALSE(sidecar->counter_sent(Counter::players));
  EXPECT_LE(sent(players_path), 14);
}

TEST_F(SidecarTest, ACountAboveTheResourcesCapacityIsRefused) {
  open();
  sidecar->set_counter(Counter::players, {101, 0});
  pass(2 * second);
  EXPECT_GT(stats().refused, 0);
  EXPECT_EQ(players(), (ModelCounter{0, 100}));
  sidecar->set_counter(Counter::players, {100, 0});
  pass(10 * second);
  EXPECT_EQ(players(), (ModelCounter{100, 100}));
}

// --- Contact ---

TEST_F(SidecarTest, ASidecarThatStartsAgainGetsCountersAndState) {
  open();
  sidecar->ready();
  sidecar->set_counter(Counter::players, {7, 100});
  pass(13 * second);
  twin.stop();
  pass(20 * second);
  EXPECT_EQ(stats().times_lost, 1);
  EXPECT_FALSE(stats().answers);
  twin.with_model([](SidecarModel& model) {
    model.state = "Scheduled";
    model.counters["players"] = {0, 100};
  });
  twin.start();
  pass(4 * second);  // before the next regular read of the state
  EXPECT_TRUE(stats().answers);
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_EQ(players(), (ModelCounter{7, 100}));
}

TEST_F(SidecarTest, SingleFailuresAreNoLossOfContact) {
  open();
  for (int i = 0; i < 6; ++i) {
    twin.set_trouble(Trouble::lost_request, "/health");
    pass(2 * second);
    twin.set_trouble(Trouble::none, "/health");
    pass(4 * second);
  }
  EXPECT_GE(stats().unanswered, 6);
  EXPECT_EQ(stats().times_lost, 0);
  EXPECT_TRUE(stats().answers);
}

TEST_F(SidecarTest, ConnectionsThatCloseAfterEachAnswerAreEnough) {
  twin.set_trouble(Trouble::closes_after);
  open();
  sidecar->ready();
  sidecar->set_counter(Counter::players, {7, 100});
  pass(20 * second);
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_EQ(players(), (ModelCounter{7, 100}));
  EXPECT_EQ(stats().unanswered, 0);
  EXPECT_EQ(sent("/ready"), 1);
}

TEST_F(SidecarTest, AnUpdateDoesNotBlock) {
  twin.set_trouble(Trouble::silent);
  open({.request_timeout = 5 * second});
  sidecar->ready();
  sidecar->set_counter(Counter::players, {7, 100});
  const core::Nanoseconds begin = core::monotonic_now();
  for (int i = 0; i < 200; ++i) {
    sidecar->tick_ran();
    sidecar->update(now += second / 20);
    events.run_until(0);
  }
  EXPECT_LT(core::monotonic_now() - begin, 5 * second);
}

// --- Shutdown ---

TEST(SendShutdown, EndsTheGameServer) {
  SidecarTwin twin;
  EXPECT_TRUE(send_shutdown(twin.url(), 10 * second).ok());
  EXPECT_EQ(twin.state(), "Shutdown");
  EXPECT_EQ(twin.bodies("/shutdown"), std::vector<std::string>{"{}"});
}

TEST(SendShutdown, EndsAfterItsTime) {
  SidecarTwin twin;
  twin.set_trouble(Trouble::silent);
  EXPECT_STREQ(send_shutdown(twin.url(), second / 10).error().reason, "timed out");
  twin.stop();
  EXPECT_STREQ(send_shutdown(twin.url(), second / 10).error().reason, "not running");
}

}  // namespace sidecar_test
}  // namespace mobula::agones
