// Lines about a prediction of the demo, by its own rules and by others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <demo/demo_player.hpp>
#include <examples/demo/demo_game.hpp>
#include <examples/demo/rules/rules.hpp>
#include <headless/prediction_lines.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/core/format.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/schema/components.hpp>
#include <nlohmann/json.hpp>
#include <server/hamlet.hpp>

namespace mobula::client {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

// Rules of a client of another version: avatars drift aside.
void drifting_step(prediction::PredictedWorld& world, ecs::Tick tick, std::span<const prediction::Command> commands) {
  demo::rules.step(world, tick, commands);
  world.each<const demo::Walker, demo::Pose>(
      [](const demo::Walker& /*walker*/, demo::Pose& pose) { pose.position.x += 0.01f; });
}

class PredictionLinesTest : public testing::Test {
 protected:
  void play(const prediction::Rules& rules, int ticks) {
    prediction_ = std::make_unique<Prediction>(rules, PredictionConfig{}, client.connection);
    lines = std::make_unique<PredictionLines>(*prediction_, client.connection);
    DemoPlayer player;
    for (int i = 0; i < ticks; ++i) {
      if (client.connection.state() == Connection::State::playing)
        if (const core::Bytes command = player.next_command(village.now); !command.empty())
          client.connection.set_command(command);
      village.tick();
      prediction_->update(village.now);
      found += lines->note(village.now);
    }
  }
  [[nodiscard]] const PredictionStats& stats() const { return prediction_->stats(); }

  demo::DemoGame game;
  test::Village village{game, {.level = test::hamlet()}, {.latency = 40 * core::millisecond}};
  ResourceMemory level;
  test::Village::Client& client = join();
  std::unique_ptr<PredictionLines> lines;
  std::string found;

 private:
  test::Village::Client& join() {
    EXPECT_TRUE(level.add(test::hamlet()->clients_bytes()));
    return village.join(ConnectionConfig{.transport = {}, .name = "ada", .schema = demo_schema(), .resources = &level});
  }

  std::unique_ptr<Prediction> prediction_;
};

TEST_F(PredictionLinesTest, TheRulesOfTheServerAreNotMispredicted) {
  play(demo::rules, 400);
  EXPECT_EQ(found, "");
  EXPECT_EQ(stats().remote_mispredictions, 0u);
  EXPECT_GT(stats().ticks, 300u);
  EXPECT_THAT(lines->summary(),
              ContainsRegex("^predicted: [0-9]+ ticks, mispredictions [0-9]+ late, 0 remote and 0 level, "));
}

TEST_F(PredictionLinesTest, OtherRulesAreNamedByTheirFirstDifference) {
  play({.step = &drifting_step, .reads = demo::rules.reads}, 100);
  const std::string avatar = to_string(client.connection.player_entity());
  EXPECT_THAT(found, StartsWith("mispredicted: tick "));
  EXPECT_THAT(found, HasSubstr(", entity " + avatar + ", remote: Pose.position.x is "));
  EXPECT_THAT(found, ContainsRegex("Pose.position.x is -?[0-9.]+, predicted -?[0-9.]+"));
  EXPECT_GT(stats().remote_mispredictions, 50u);
  EXPECT_LE(std::count(found.begin(), found.end(), '\n'), 5 * PredictionLines::lines_per_second + 5);
  EXPECT_THAT(found, HasSubstr(" more like it)"));
  EXPECT_THAT(lines->summary(), HasSubstr(core::format("{} remote", stats().remote_mispredictions)));
}

TEST_F(PredictionLinesTest, TheMembersAreThoseOfTheStatistics) {
  play({.step = &drifting_step, .reads = demo::rules.reads}, 100);
  const auto json = nlohmann::json::parse("{\"ticks\":1" + lines->members() + "}");
  EXPECT_EQ(json["predicted_ticks"], stats().ticks);
  EXPECT_EQ(json["late_mispredictions"], stats().late_mispredictions);
  EXPECT_EQ(json["remote_mispredictions"], stats().remote_mispredictions);
  EXPECT_EQ(json["level_mispredictions"], stats().level_mispredictions);
  EXPECT_EQ(json["rollbacks"], stats().rollbacks);
  EXPECT_EQ(json["replayed_ticks"], stats().ticks_replayed);
  EXPECT_EQ(json["prediction_stalls"], stats().stalls);
  EXPECT_EQ(json["prediction_stalled_ms"], stats().stalled_time / core::millisecond);
  EXPECT_EQ(json["prediction_corrections"], stats().corrections);
  EXPECT_NEAR(json["max_correction_cm"].get<double>(), 100 * stats().greatest_correction, 0.01);
  EXPECT_GT(json["p50_correction_cm"], 0.5);
  EXPECT_LE(json["p50_correction_cm"], json["p99_correction_cm"]);
  EXPECT_NEAR(json["input_delay_ms"].get<double>(), stats().input_delay * 50, 0.1);
}

TEST_F(PredictionLinesTest, NothingIsPredictedBeforeTheFirstTick) {
  play(demo::rules, 1);
  EXPECT_EQ(lines->summary(), "predicted: nothing yet\n");
}

}  // namespace
}  // namespace mobula::client
