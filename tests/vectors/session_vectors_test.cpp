// The session vectors: the committed ones are of every scenario, and new ones contain what they show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <mobula/core/log.hpp>
#include <vectors/scenarios.hpp>
#include <vectors/session_replay.hpp>

namespace mobula::test {
namespace {

constexpr const char* path = MOBULA_SOURCE_DIR "/schema/session_vectors.json";

Json committed() {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " is missing: make-session-vectors writes it";
  return file.good() ? Json::parse(file) : Json{{"sessions", Json::array()}};
}

// Returns the first difference when a session of a file is replayed.
std::string difference(const Json& file, const Json& session) { return SessionReplay(file, session).run(); }

class SessionVectors : public testing::Test {
 protected:
  SessionVectors() { core::set_log_level(core::LogLevel::off); }
  ~SessionVectors() override { core::set_log_level(core::LogLevel::info); }
};

TEST_F(SessionVectors, CommittedOnesAreOfEveryScenario) {
  const Json file = committed();
  EXPECT_EQ(file.at("sessions").size(), scenarios().size());
  for (const Scenario& scenario : scenarios()) {
    const bool has = std::ranges::any_of(file.at("sessions"), [&](const Json& session) {
      return session.at("name") == scenario.name && session.at("shows") == scenario.shows;
    });
    EXPECT_TRUE(has) << scenario.name;
  }
}

TEST_F(SessionVectors, NewOnesReplayFromTheirText) {
  Json sessions = Json::array();
  for (const Scenario& scenario : scenarios()) {
    MadeSession made = make_session(scenario);
    EXPECT_TRUE(made.mirrors) << scenario.name;
    EXPECT_EQ(made.stats.mismatched_ticks, 0u) << scenario.name;
    sessions.push_back(std::move(made.session));
  }
  const Json made = vectors_file(std::move(sessions));
  const Json file = Json::parse(file_text(made));
  EXPECT_EQ(file, made);
  for (const Json& session : file.at("sessions")) EXPECT_EQ(difference(file, session), "");
}

// Makes the session of a scenario.
MadeSession made_for(std::string_view name) {
  return make_session(*std::ranges::find_if(scenarios(), [&](const Scenario& each) { return each.name == name; }));
}

TEST_F(SessionVectors, PlainOneLosesNothing) {
  const MadeSession made = made_for("plain");
  EXPECT_EQ(made.datagrams_lost + made.stats.late_deltas, 0u);
  EXPECT_GT(made.stats.refused_commands, 0u);
}

TEST_F(SessionVectors, NetworksDoWhatTheirScenariosState) {
  EXPECT_GT(made_for("loss").datagrams_lost, 10u);
  const MadeSession late = made_for("late");
  EXPECT_GT(late.stats.late_deltas, 10u);
  EXPECT_EQ(late.datagrams_lost, 0u);
}

TEST_F(SessionVectors, IdsAreGainedAgain) {
  const MadeSession made = made_for("again");
  EXPECT_GT(made.gained, made.gained_entities + 4) << "by components, owner and visibility";
}

TEST_F(SessionVectors, LevelIsPartlyUnmodified) {
  const MadeSession made = made_for("level");
  EXPECT_EQ(made.unmodified, 1u) << "the box; the lid is below an entity that has changed";
}

TEST_F(SessionVectors, ReloadedLevelIsReceived) {
  const MadeSession made = made_for("reload");
  EXPECT_EQ(made.levels, 2u);
  EXPECT_EQ(made.session.at("levels").size(), 2u);
  EXPECT_GT(made.session.at("levels").at(1).at(0), 35);
  EXPECT_GT(made.datagrams_lost, 0u);
}

TEST_F(SessionVectors, LargeStatesArriveAsBodies) {
  const MadeSession made = made_for("large");
  EXPECT_GT(made.bodies, 1u);
  EXPECT_GT(made.datagrams_lost, 0u);
}

TEST_F(SessionVectors, CoursesAreUnderWayAndOutOfView) {
  const MadeSession made = made_for("courses");
  EXPECT_GT(made.under_way, 4u);
  EXPECT_GE(made.stale, 2u);
  EXPECT_GE(made.gained, made.gained_entities + 4) << "the owner of one changes, and one comes back into view";
  EXPECT_GT(made.stats.late_deltas, 5u);
  EXPECT_GT(made.datagrams_lost, 10u);
}

TEST_F(SessionVectors, CommandsAreLateDroppedAndRefused) {
  const MadeSession made = made_for("commands");
  EXPECT_GT(made.commands.late.run, 5u);
  EXPECT_GT(made.commands.late.dropped, 2u);
  EXPECT_GT(made.stats.refused_commands, 3u);
  std::size_t late = 0;
  std::size_t not_run = 0;
  for (const Json& each : made.session.at("commands")) {
    late += each.at(2) > each.at(1) ? 1 : 0;
    not_run += each.at(2) == 0 ? 1 : 0;
  }
  EXPECT_EQ(not_run, made.commands.late.dropped + made.stats.refused_commands);
  EXPECT_GT(late, 5u);
}

TEST_F(SessionVectors, ResumedOneKeepsItsMirror) {
  const MadeSession made = made_for("resumed");
  EXPECT_TRUE(made.resumed);
  EXPECT_EQ(made.stats.rejoins, 1u);
}

TEST_F(SessionVectors, AChangedFileIsNoticed) {
  const MadeSession made = made_for("plain");
  const Json file = vectors_file(Json::array({made.session}));
  Json other = made.session;
  other["entities"][0]["rows"][0]["words"][0] = 77;
  EXPECT_THAT(difference(file, other), testing::HasSubstr("at its end"));
  other = made.session;
  other["commands"][0][2] = 77;
  EXPECT_THAT(difference(file, other), testing::HasSubstr("at its end"));
  other = made.session;
  Json& steps = other["steps"];
  const auto delta = std::ranges::find_if(steps, [](const Json& step) { return step.contains("then"); });
  delta->at("then")["hash"] = hash_text(1);
  EXPECT_THAT(difference(file, other), testing::HasSubstr("instead of"));
  steps.erase(delta);
  EXPECT_THAT(difference(file, other), testing::HasSubstr("instead of")) << "the first delta is missing";
}

}  // namespace
}  // namespace mobula::test
