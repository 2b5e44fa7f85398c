#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/report_json.hpp>
#include <client/bots/reports.hpp>
#include <nlohmann/json.hpp>

namespace mobula::client {
namespace {

nlohmann::ordered_json json_of(const BotsReport& report) {
  return nlohmann::ordered_json::parse(to_json(report, judge(report, limits_of({}, report.clients, true))));
}

TEST(ReportJson, HasEachMeasureUnderItsName) {
  const BotsReport report = test::some_report();
  const auto json = json_of(report);
  for (const RunMeasure& each : run_measures())
    EXPECT_DOUBLE_EQ(json[std::string(each.name)].get<double>(), each.value(report)) << each.name;
  for (const IntervalMeasure& each : interval_measures()) {
    const auto& whole = json[std::string(each.name)];
    const auto& last = json["last_step"][std::string(each.name)];
    const double value = each.value(report.whole);
    EXPECT_EQ(whole.is_null(), std::isnan(value)) << each.name;
    if (!whole.is_null()) {
      EXPECT_NEAR(whole.get<double>(), value, 0.0006) << each.name;
      EXPECT_NEAR(last.get<double>(), each.value(report.steps.back().measured), 0.0006) << each.name;
    }
  }
}

TEST(ReportJson, HasConditionsLimitsAndResults) {
  const auto json = json_of(test::some_report());
  EXPECT_EQ(json["good"], false);
  EXPECT_EQ(json["limits"].size(), 4u);
  EXPECT_EQ(json["limits"][0]["limit"], "joined>=20");
  EXPECT_EQ(json["limits"][0]["value"], 19);
  EXPECT_EQ(json["limits"][0]["met"], false);
  EXPECT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["steps"][0]["to"], 20);
  EXPECT_EQ(json["samples"].size(), 2u);
  EXPECT_EQ(json["samples"][1]["playing"], 19);
  EXPECT_EQ(json["disconnected"]["timed out"], 1);
  EXPECT_EQ(json["run"]["seed"], 5);
  EXPECT_EQ(json["run"]["server"], "127.0.0.1:7777");
}

TEST(ReportJson, HasPredictions) {
  const auto json = json_of(test::report_of_predictions());
  EXPECT_EQ(json["predicted_ticks"], 4000);
  EXPECT_EQ(json["late_mispredictions"], 90);
  EXPECT_EQ(json["remote_mispredictions"], 3);
  EXPECT_EQ(json["level_mispredictions"], 5);
  EXPECT_EQ(json["mean_correction_cm"], 50.5);
  EXPECT_EQ(json["max_correction_cm"], 100);
  EXPECT_EQ(json["mean_input_delay_ms"], 50);
  EXPECT_TRUE(json_of(test::some_report())["mean_correction_cm"].is_null());
}

TEST(ReportJson, IsValidForAnEmptyRunAndInvalidText) {
  BotsReport report = test::empty_report();
  report.refusals.add("refused: \xff\xfe");
  const auto json = json_of(report);
  EXPECT_TRUE(json["p99_interval_ms"].is_null());
  EXPECT_TRUE(json["last_step"].is_null());
  EXPECT_EQ(json["refused"].size(), 1u);
}

}  // namespace
}  // namespace mobula::client
