#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "prediction/prediction_bench.hpp"

namespace mobula::bench::prediction_bench_test {
namespace {

PredictionReport report() {
  PredictionReport made;
  made.games.push_back({.path = "near", .ticks = 100, .explained = 2, .correction_cm_p99 = 3});
  made.games.push_back({.path = "far", .ticks = 100, .explained = 5, .unexplained = 1, .correction_cm_p99 = 7});
  made.cost = {.ns_per_entity_tick = 12.34, .us_22x100 = 45.6};
  return made;
}

TEST(PredictionBench, JsonSumsUpTheGames) {
  const nlohmann::json json = nlohmann::json::parse(to_json(report()));
  EXPECT_EQ(json["explained"], 7);
  EXPECT_EQ(json["unexplained"], 1);
  EXPECT_EQ(json["correction_cm_p99"], 7);
  EXPECT_EQ(json["ns_per_entity_tick"], 12.3);
  EXPECT_EQ(json["us_22x100"], 45.6);
  EXPECT_EQ(json["games"].size(), 2u);
  EXPECT_EQ(json["games"][1]["path"], "far");
}

TEST(PredictionBench, TheTableHasALineForEachGame) {
  EXPECT_THAT(to_table(report()),
              testing::AllOf(testing::HasSubstr("near"), testing::HasSubstr("far"), testing::HasSubstr("45.6 µs")));
}

TEST(PredictionBench, AGameIsPlayedOnItsPath) {
  const PredictedGame game = play_predicted({"lossy", {.latency = 40 * core::millisecond, .loss_ppm = 50'000}}, 200);
  EXPECT_EQ(game.path, "lossy");
  EXPECT_GT(game.ticks, 150u);
  EXPECT_EQ(game.unexplained, 0u);
}

}  // namespace
}  // namespace mobula::bench::prediction_bench_test
