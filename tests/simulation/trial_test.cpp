#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <headless/temporary_folder.hpp>
#include <seeds.hpp>
#include <simulation/trial.hpp>
#include <sstream>

namespace mobula::sim {
namespace {

constexpr std::uint64_t golden_hash = 0xcfb9f3d691b60fa4;
constexpr Size small{.ticks = 200, .players = 4, .entities = 80};

Fault fault(Fault::Kind kind, std::uint32_t at, std::uint32_t ticks = 1, std::uint32_t operations = 0) {
  return {.kind = kind, .at = at, .ticks = ticks, .who = 1, .operations = operations, .network = {}, .by = 0};
}

TEST(Trial, NothingIsWrongInAnyScenario) {
  for (const Scenario& scenario : scenarios())
    test::for_each_seed(1, 1, small.ticks, [&](std::uint64_t seed) {
      SCOPED_TRACE(scenario.name);
      const Trial trial = run_trial(draw_plan(seed, scenario.name, small));
      EXPECT_EQ(trial.outcome.wrong, "") << to_string(trial.plan);
      EXPECT_GT(trial.outcome.ticks, small.ticks) << "and all came right after it";
      EXPECT_GT(trial.outcome.compared, 1000u);
    });
}

// Every fault of the disk, every end and start of a server, and other faults that are rare in a seed.
TEST(Trial, NothingIsWrongAfterDiskFailuresAndRestarts) {
  using Kind = Fault::Kind;
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  for (const std::uint32_t operations : {1u, 6u, 13u}) {
    if (operations == 6 && !test::runs_all()) continue;
    SCOPED_TRACE(std::to_string(operations) + " operations");
    Plan plan = draw_plan(operations, "calm", {.ticks = 420, .players = 4, .entities = 80});
    plan.has_level = plan.keeps_levels = plan.hides = true;
    plan.checkpoint_ticks = 10;
    plan.log_bytes = 100'000;
    plan.delta_bytes = 500;
    plan.history_bytes = short_history_bytes;
    plan.watches_memory = operations == 1;
    plan.refuses_second = operations == 6;
    plan.hostile_clients = operations == 13 ? 1 : 0;
    plan.players_max = plan.players;
    plan.faults = {fault(Kind::moved, 40),
                   fault(Kind::disk_full, 60, 40),
                   fault(Kind::twice, 80),
                   fault(Kind::reload, 90),
                   fault(Kind::crash, 120, 1, operations),
                   fault(Kind::kick, 150),
                   fault(Kind::disk_errors, 170, 50),
                   fault(Kind::crash, 190, 1, operations),
                   fault(Kind::ban, 220, 10),
                   fault(Kind::no_memory, 240, 40),
                   fault(Kind::crash, 300),
                   fault(Kind::reload, 320),
                   fault(Kind::reader, 340, 45),
                   fault(Kind::stop, 360),
                   fault(Kind::drain, 400)};
    const std::string path = folder.path() + "/trace";
    const Trial trial = run_trial(plan, path);
    EXPECT_EQ(trial.outcome.wrong, "");
    EXPECT_EQ(trial.outcome.restarts, 5u);
    std::stringstream trace;
    trace << std::ifstream(path).rdbuf();
    EXPECT_NE(trace.str().find("the server starts with the world of tick "), std::string::npos) << trace.str();
  }
}

// Each fault of a cluster, some of them together.
TEST(Trial, ZonesKeepEverythingUnderAllFaults) {
  using Kind = Fault::Kind;
  Plan plan = draw_plan(1, "calm-zones", {.ticks = 420, .players = 4, .entities = 120});
  plan.checkpoint_ticks = 20;
  plan.faults = {fault(Kind::parted, 20, 40),           fault(Kind::map, 30),
                 fault(Kind::node_killed, 50, 30),      fault(Kind::disk_full, 60, 30),
                 fault(Kind::no_majority, 100, 60),     fault(Kind::map, 130),
                 fault(Kind::node_cut, 170, 50),        fault(Kind::slow_coordinator, 200, 80),
                 fault(Kind::node_paused, 240, 60),     fault(Kind::cut, 250, 120),
                 fault(Kind::node_ended, 320, 20),      fault(Kind::mute, 330, 40),
                 fault(Kind::node_date, 340, 80),       fault(Kind::node_killed, 380, 30),
                 fault(Kind::coordinator_full, 390, 30)};
  plan.faults[12].by = -2000 * core::second;
  const Trial trial = run_trial(plan);
  EXPECT_EQ(trial.outcome.wrong, "");
  EXPECT_GE(trial.outcome.restarts, 4u);
  EXPECT_GT(trial.outcome.crossings, 40u);
}

// Without faults clients follow their players: no tick without the own entity, no command left out, nobody joins again.
TEST(Trial, ZonesWithoutFaultsGiveTheSameHash) {
  const Plan plan = draw_plan(2, "calm-zones", {.ticks = 150, .players = 12, .entities = 60});
  const Trial trial = run_trial(plan);
  EXPECT_EQ(trial.outcome.wrong, "");
  EXPECT_GT(trial.outcome.zone_changes, 0u);
  EXPECT_EQ(run_trial(plan).outcome.hash, trial.outcome.hash);
}

TEST(Trial, AChangeOfZoneDelaysCommandsByTwoTicks) {
  const Trial trial = run_trial(draw_plan(2, "calm-zones", {.ticks = 300, .players = 40, .entities = 60}));
  EXPECT_EQ(trial.outcome.wrong, "");
  EXPECT_GT(trial.outcome.delays_near_changes.count(), 50u);
  EXPECT_LE(trial.outcome.delays_near_changes.percentile(0.99), trial.outcome.delays.percentile(0.99) + 2);
}

// Nobody starves, and those who play miss no tick, although a tick has time for one alone.
TEST(Trial, NewcomersComeInOneByOne) {
  using Kind = Fault::Kind;
  Plan plan = draw_plan(11, "calm", {.ticks = 300, .players = 8, .entities = 80});
  plan.work_step = 30 * core::millisecond;
  plan.has_level = plan.keeps_levels = plan.hides = true;
  plan.hostile_clients = 2;
  for (std::uint32_t i = 0; i < 8; ++i) {
    plan.faults.push_back(fault(Kind::broken, 100));
    plan.faults.back().who = i;
  }
  plan.faults.push_back(fault(Kind::stall, 160, 40));
  plan.faults.push_back(fault(Kind::stop, 220));
  const Trial trial = run_trial(plan);
  EXPECT_EQ(trial.outcome.wrong, "");
  EXPECT_EQ(trial.outcome.restarts, 1u);
}

// Rules on both sides, and a game that rewinds: most ticks have to be as predicted, and most views are taken.
TEST(Trial, ClientsPredictAndAreRewoundUnderFaults) {
  const Size size{.ticks = 300, .players = 6, .entities = 80};
  for (const char* const scenario : {"calm", "network"}) {
    SCOPED_TRACE(scenario);
    Plan plan = draw_plan(1, scenario, size);
    plan.has_rules = plan.rewinds = true;
    plan.keeps_levels = plan.has_level;  // as in all plans with rules
    plan.changes_max = 6;
    const Trial trial = run_trial(plan);
    EXPECT_EQ(trial.outcome.wrong, "") << to_string(plan);
    EXPECT_GT(trial.outcome.certain, 200u);
    EXPECT_GT(trial.outcome.poses, 5000u);
  }
}

// The rules read the level, which is replaced again and again. Some clients keep levels.
TEST(Trial, ClientsPredictThroughReloadsOfTheLevel) {
  const Size size{.ticks = 400, .players = 8, .entities = 60};
  for (const char* const scenario : {"calm", "network"}) {
    SCOPED_TRACE(scenario);
    Plan plan = draw_plan(4, scenario, size);
    plan.has_level = plan.keeps_levels = true;
    plan.changes_max = 6;
    for (std::uint32_t at = 60; at < size.ticks; at += 35) plan.faults.push_back(fault(Fault::Kind::reload, at));
    std::ranges::stable_sort(plan.faults, {}, &Fault::at);
    const Trial trial = run_trial(plan);
    EXPECT_EQ(trial.outcome.wrong, "") << to_string(plan);
    EXPECT_GT(trial.outcome.certain, 200u);
  }
}

// The server stops when all seems quiet, and would lose the last commands.
TEST(Trial, WaitsForAServerThatStillDrainsAtTheEnd) {
  for (const auto& [seed, before_the_end] : {std::pair{18u, 3u}, std::pair{37u, 6u}, std::pair{41u, 2u}}) {
    Plan plan = draw_plan(seed, "all", {.ticks = 100, .players = 4, .entities = 40});
    plan.faults = {fault(Fault::Kind::drain, plan.ticks - before_the_end)};
    plan.faults[0].by = 4 * core::second;
    const Trial trial = run_trial(plan);
    EXPECT_EQ(trial.outcome.wrong, "") << "seed " << seed;
    EXPECT_EQ(trial.outcome.restarts, 1u);
  }
}

// The operations of the disk depend on the SQLite version. Without disk faults the hash is golden on every preset and
// machine.
TEST(Trial, TheSamePlanGivesThisHash) {
  Plan plan = draw_plan(3, "all", small);
  plan.work_step = 3 * core::millisecond;
  EXPECT_EQ(run_trial(plan).outcome.hash, run_trial(plan).outcome.hash) << "newcomers take the same turns";
  plan.work_step = 0;
  EXPECT_NE(run_trial(draw_plan(4, "all", small)).outcome.hash, run_trial(plan).outcome.hash);
  std::erase_if(plan.faults, [](const Fault& fault) {
    return fault.kind == Fault::Kind::disk_errors || fault.kind == Fault::Kind::disk_full ||
           fault.kind == Fault::Kind::no_memory || fault.kind == Fault::Kind::crash;
  });
  plan.faults.push_back(fault(Fault::Kind::crash, small.ticks - 9));
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  EXPECT_EQ(run_trial(plan).outcome.hash, golden_hash);
}

TEST(Trial, TracesEventsTickByTick) {
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  Plan plan = draw_plan(3, "calm", small);
  plan.faults = {fault(Fault::Kind::cut, 30, 5), fault(Fault::Kind::crash, 90)};
  const std::string path = folder.path() + "/trace";
  EXPECT_EQ(run_trial(plan, path).outcome.restarts, 1u);
  std::stringstream trace;
  trace << std::ifstream(path).rdbuf();
  EXPECT_NE(trace.str().find("30\ttick 30: cut of player 1 for 5 ticks\n"), std::string::npos) << trace.str();
  EXPECT_NE(trace.str().find("90\tthe server is killed\n"), std::string::npos);
  EXPECT_NE(trace.str().find("90\tthe server starts with the world of tick "), std::string::npos);
  for (const char* line : {"1\tis spawned\t132.1048577\n",
                           "0\tis [0 262000 256000 256000 1 2047 2047 4094 0 0 0 0 0 0 0 0 0 0 0]\t1.1048577\n"})
    EXPECT_TRUE(trace.str().find(line) != std::string::npos) << line;
  EXPECT_TRUE(trace.str().find("\tplayer 1 has it as it was in tick ") != std::string::npos);
}

#ifdef MOBULA_ASSERTS
// A world without room for the entities that the game creates.
TEST(Trial, AnAssertionIsFoundWithItsTextAndItsTick) {
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  const std::string path = folder.path() + "/trace";
  Plan plan = draw_plan(3, "calm", small);
  plan.has_level = false;
  plan.entities_max = 90;
  const Trial trial = run_trial(plan, path);
  EXPECT_THAT(trial.outcome.wrong, testing::MatchesRegex("ended by signal 6: .*check failed: .*"));
  EXPECT_GT(trial.outcome.ticks, 0u);
  std::stringstream trace;
  trace << std::ifstream(path).rdbuf();
  EXPECT_THAT(trace.str(), testing::EndsWith(std::to_string(trial.outcome.ticks) + "\tWRONG: " + trial.outcome.wrong +
                                             "\n" + trial.output));
}

#endif

TEST(Trial, EndsAPlanThatHangs) {
  Plan plan = draw_plan(3, "hostile", {.ticks = 1'000'000, .players = 4, .entities = 80});
  plan.seconds_max = 1;
  EXPECT_EQ(run_trial(plan).outcome.wrong, "did not end in 1 seconds");
  std::uint32_t trials = 0;
  static_cast<void>(shrink(plan, 60, [&](std::uint32_t tried, std::size_t) { trials = tried; }));
  EXPECT_EQ(trials, 1u) << "shrinking it would take hours";
}

// This plan never passes, as it has too many entities: its faults are not the cause.
TEST(Trial, ShrinkingRemovesUnneededParts) {
  Plan plan = draw_plan(3, "all", small);
  plan.entities_max = 40;
  const Trial trial = run_trial(plan);
  EXPECT_NE(trial.outcome.wrong, "");
  std::uint32_t trials = 0;
  const Plan least = shrink(plan, 60, [&](std::uint32_t tried, std::size_t) { trials = tried; });
  EXPECT_TRUE(least.faults.empty()) << to_string(least);
  EXPECT_EQ(least.unauthenticated_peers, 0u);
  EXPECT_GT(trials, 0u);
  EXPECT_NE(run_trial(least).outcome.wrong, "");
}

}  // namespace
}  // namespace mobula::sim
