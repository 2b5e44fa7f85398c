// The wanted state of the game server, and the state that Agones gives it.
#include <gtest/gtest.h>

#include <server/agones/sidecar_fixture.hpp>

namespace mobula::agones {
namespace sidecar_state_test {

using test::players_path;
using test::second;
using test::SidecarModel;
using test::SidecarTest;
using test::Trouble;

class SidecarStateTest : public SidecarTest {};

TEST_F(SidecarStateTest, ReadyIsSentOnceAndRead) {
  open();
  sidecar->ready();
  ASSERT_TRUE(until([&] { return sidecar->settled(); }));
  pass(60 * second);
  EXPECT_EQ(sent("/ready"), 1);
  EXPECT_EQ(sidecar->state(), "Ready");
}

TEST_F(SidecarStateTest, NothingIsWantedBeforeTheFirstCall) {
  open();
  pass(20 * second);
  EXPECT_EQ(twin.state(), "Scheduled");
  EXPECT_EQ(sidecar->state(), "Scheduled");
}

TEST_F(SidecarStateTest, StatesFollowEachOther) {
  open();
  sidecar->ready();
  pass(second);
  EXPECT_EQ(twin.state(), "Ready");
  sidecar->allocate();
  pass(second);
  EXPECT_EQ(twin.state(), "Allocated");
  sidecar->reserve(30);
  pass(second);
  EXPECT_EQ(twin.state(), "Reserved");
  EXPECT_EQ(twin.bodies("/reserve"), std::vector<std::string>{R"({"seconds":"30"})"});
}

TEST_F(SidecarStateTest, AStateThatWasNotSentIsReplaced) {
  open();
  sidecar->ready();
  sidecar->allocate();
  pass(5 * second);
  EXPECT_EQ(sent("/ready"), 0);
  EXPECT_EQ(twin.state(), "Allocated");
}

TEST_F(SidecarStateTest, ASidecarThatStartsLaterGetsTheState) {
  twin.stop();
  open();
  sidecar->ready();
  sidecar->set_counter(Counter::players, {1, 100});
  pass(30 * second);
  EXPECT_FALSE(sidecar->settled());
  EXPECT_FALSE(stats().answers);
  EXPECT_EQ(stats().times_lost, 1);
  twin.start();
  pass(2 * second + second / 2);  // the next ping ends all waits
  EXPECT_TRUE(sidecar->settled());
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_TRUE(sidecar->counter_sent(Counter::players));
}

TEST_F(SidecarStateTest, AfterAnAbsenceTheNextPingEndsAllWaits) {
  open();
  for (int absence = 20; absence < 30; ++absence) {
    twin.stop();
    absence % 2 == 0 ? sidecar->ready() : sidecar->allocate();
    pass(absence * second);
    twin.start();
    pass(2 * second + second / 2);
    EXPECT_TRUE(sidecar->settled()) << absence << " s";
  }
}

TEST_F(SidecarStateTest, RepeatsBecomeRarer) {
  twin.set_trouble(Trouble::unavailable, "/ready");
  open();
  sidecar->ready();
  pass(2 * second);
  const std::size_t early = sent("/ready");
  EXPECT_GE(early, 3);
  EXPECT_LE(early, 4);
  pass(60 * second);
  EXPECT_GE(sent("/ready"), early + 7);
  EXPECT_LE(sent("/ready"), early + 10);
  twin.set_trouble(Trouble::none, "/ready");
  pass(10 * second);
  EXPECT_EQ(twin.state(), "Ready");
}

TEST_F(SidecarStateTest, ALostRequestIsRepeated) {
  twin.set_trouble(Trouble::lost_request, "/ready");
  open();
  sidecar->ready();
  ASSERT_TRUE(until([&] { return sent("/ready") == 1; }));
  twin.set_trouble(Trouble::none, "/ready");
  pass(10 * second);
  EXPECT_EQ(twin.state(), "Ready");
  EXPECT_EQ(sent("/ready"), 2);
}

TEST_F(SidecarStateTest, ALostAnswerIsNotRepeatedAfterAnAllocation) {
  twin.set_trouble(Trouble::lost_answer, "/ready");
  open();
  sidecar->ready();
  ASSERT_TRUE(until([&] { return twin.state() == "Ready"; }));
  twin.with_model([](SidecarModel& model) { model.allocate_by_agones(); });
  twin.set_trouble(Trouble::none, "/ready");
  pass(30 * second);
  EXPECT_TRUE(sidecar->settled());
  EXPECT_EQ(twin.state(), "Allocated");
  EXPECT_EQ(sent("/ready"), 1);
}

TEST_F(SidecarStateTest, ALostAnswerAfterUseIsRepeated) {
  open();
  sidecar->allocate();
  pass(second);
  twin.set_trouble(Trouble::lost_request, "/ready");
  sidecar->ready();
  ASSERT_TRUE(until([&] { return sent("/ready") == 1; }));
  twin.set_trouble(Trouble::none, "/ready");
  pass(10 * second);
  EXPECT_EQ(twin.state(), "Ready");
}

TEST_F(SidecarStateTest, AnAllocationThatAgonesLostIsSentAgain) {
  open();
  sidecar->ready();
  pass(second);
  sidecar->allocate();
  pass(second);
  twin.with_model([](SidecarModel& model) { model.state = "Ready"; });
  pass(30 * second);
  EXPECT_EQ(twin.state(), "Allocated");
  EXPECT_EQ(sent("/allocate"), 2);
}

TEST_F(SidecarStateTest, AnAllocationByAgonesIsLeftAlone) {
  open();
  sidecar->ready();
  pass(second);
  twin.with_model([](SidecarModel& model) { model.state = "Allocated"; });
  pass(60 * second);
  EXPECT_EQ(sent("/ready"), 1);
  EXPECT_EQ(sidecar->state(), "Allocated");
}

TEST_F(SidecarStateTest, AnEndedReservationIsLeftAlone) {
  open();
  sidecar->reserve(5);
  pass(second);
  twin.with_model([](SidecarModel& model) { model.state = "Ready"; });
  pass(60 * second);
  EXPECT_EQ(sent("/reserve"), 1);
}

TEST_F(SidecarStateTest, AnUnhealthyGameServerIsNotAskedAgain) {
  twin.with_model([](SidecarModel& model) { model.state = "Unhealthy"; });
  twin.set_trouble(Trouble::unavailable, "/ready");
  open();
  pass(second);
  sidecar->ready();
  pass(20 * second);
  const std::size_t before = sent("/ready");
  pass(60 * second);
  EXPECT_EQ(sent("/ready"), before);
  EXPECT_FALSE(sidecar->ending());
}

TEST_F(SidecarStateTest, AShutdownByAgonesIsNoticed) {
  open();
  sidecar->ready();
  pass(second);
  EXPECT_FALSE(sidecar->ending());
  twin.with_model([](SidecarModel& model) { model.state = "Shutdown"; });
  pass(12 * second);
  EXPECT_TRUE(sidecar->ending());
}

TEST_F(SidecarStateTest, ADeletedGameServerIsEnding) {
  open();
  sidecar->ready();
  twin.with_model([](SidecarModel& model) { model.deleted = true; });
  pass(12 * second);
  EXPECT_TRUE(sidecar->ending());
}

TEST_F(SidecarStateTest, NonsenseAboutTheStateIsCountedAndReadAgain) {
  twin.set_trouble(Trouble::nonsense, "/gameserver");
  open();
  sidecar->ready();
  pass(15 * second);
  EXPECT_EQ(sidecar->state(), "");
  EXPECT_GE(stats().unanswered, 2);
  twin.set_trouble(Trouble::wrong_object, "/gameserver");
  pass(25 * second);
  EXPECT_EQ(sidecar->state(), "");
  EXPECT_GE(stats().malformed, 2);
  EXPECT_EQ(twin.state(), "Ready");
  twin.set_trouble(Trouble::none, "/gameserver");
  pass(15 * second);
  EXPECT_EQ(sidecar->state(), "Ready");
}

// Requests and answers are lost at random, and Agones allocates the server as soon as it is ready.
TEST_F(SidecarStateTest, LostAnswersNeverUndoAnAllocationByAgones) {
  core::Random random(7);
  constexpr Trouble troubles[] = {Trouble::none, Trouble::lost_request, Trouble::lost_answer, Trouble::unavailable};
  for (int round = 0; round < 30; ++round) {
    twin.with_model([](SidecarModel& model) { model = {}; });
    open();
    sidecar->ready();
    for (int step = 0; step < 8; ++step) {
      twin.set_trouble(troubles[random.below(4)], "/ready");
      twin.set_trouble(troubles[random.below(4)], "/gameserver");
      pass(second / 2);
      if (random.chance(1, 2)) twin.with_model([](SidecarModel& model) { model.allocate_by_agones(); });
    }
    twin.set_trouble(Trouble::none, "/ready");
    twin.set_trouble(Trouble::none, "/gameserver");
    pass(20 * second);
    ASSERT_TRUE(sidecar->settled()) << "round " << round;
    ASSERT_NE(twin.state(), "Scheduled") << "round " << round;
    ASSERT_EQ(twin.with_model([](SidecarModel& model) { return model.undone_allocations; }), 0) << "round " << round;
  }
}

// The process wants states and counters at random, and any request may go wrong.
TEST_F(SidecarStateTest, AfterRandomTroubleTheLastValuesHold) {
  core::Random random(8);
  constexpr const char* paths[] = {"/ready", "/allocate", "/gameserver", "/health", players_path};
  open();
  std::string wanted;
  std::uint64_t count = 0;
  for (int round = 0; round < 20; ++round) {
    for (int step = 0; step < 5; ++step) {
      for (const char* const path : paths) twin.set_trouble(any_trouble(random), path);
      wanted = random.chance(1, 2) ? "Ready" : "Allocated";
      wanted == "Ready" ? sidecar->ready() : sidecar->allocate();
      sidecar->set_counter(Counter::players, {count = random.below(101), 100});
      pass(second);
    }
    for (const char* const path : paths) twin.set_trouble(Trouble::none, path);
    pass(20 * second);
    ASSERT_EQ(twin.state(), wanted) << "round " << round;
    ASSERT_EQ(players()->count, static_cast<std::int64_t>(count)) << "round " << round;
  }
}

}  // namespace sidecar_state_test
}  // namespace mobula::agones
