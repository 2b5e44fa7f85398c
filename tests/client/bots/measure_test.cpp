#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/measure.hpp>
#include <client/bots/reports.hpp>
#include <set>

namespace mobula::client {
namespace {

using test::some_report;

double value(const BotsReport& report, std::string_view name) {
  const auto found = measure(report, name);
  EXPECT_TRUE(found) << name;
  return found.value_or(-1);
}

TEST(Measure, NamesAreUniqueAndListed) {
  std::set<std::string_view> names;
  const std::string list = list_measures();
  for (const RunMeasure& each : run_measures()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_THAT(list, testing::HasSubstr(std::string(each.name) + " "));
  }
  for (const IntervalMeasure& each : interval_measures()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_THAT(list, testing::HasSubstr(std::string(each.name) + " "));
  }
  for (const std::string_view name : names) EXPECT_TRUE(is_measure(name)) << name;
}

TEST(Measure, ReturnsTheResultsOfTheRun) {
  const BotsReport report = some_report();
  EXPECT_EQ(value(report, "clients"), 20);
  EXPECT_EQ(value(report, "joined"), 19);
  EXPECT_EQ(value(report, "lost"), 1);
  EXPECT_EQ(value(report, "refusals"), 1);
  EXPECT_EQ(value(report, "disconnects"), 1);
  EXPECT_EQ(value(report, "seconds"), 10);
  EXPECT_EQ(value(report, "mismatches"), 2);
  EXPECT_EQ(value(report, "max_interval_ms"), 100);
  EXPECT_NEAR(value(report, "p50_interval_ms"), 16, 0.5);
  EXPECT_EQ(value(report, "bytes_in_per_bot_second"), 10'000);
  EXPECT_EQ(value(report, "loss_in_percent"), 2);
  EXPECT_EQ(value(report, "cpu_percent"), 20);
}

TEST(Measure, ThePrefixSelectsTheLastStep) {
  const BotsReport report = some_report();
  EXPECT_EQ(value(report, "last_step.max_interval_ms"), 31);
  EXPECT_EQ(value(report, "last_step.mismatches"), 0);
  EXPECT_EQ(value(report, "last_step.seconds"), 5);
  EXPECT_FALSE(is_measure("last_step.joined"));
  EXPECT_FALSE(measure(report, "last_step.joined"));
  EXPECT_TRUE(std::isnan(value(test::empty_report(), "last_step.mismatches")));
}

TEST(Measure, LossHasAtMostAHundredPercent) {
  BotsReport report = some_report();
  report.whole.counts[Count::session_datagrams_out] = 10;
  report.whole.counts[Count::losses_out] = 12;
  EXPECT_EQ(value(report, "loss_out_percent"), 100);
}

TEST(Measure, IsNaNWithoutMeasurements) {
  const BotsReport report = test::empty_report();
  for (const char* name : {"p99_interval_ms", "mean_join_ms", "max_rtt_ms", "loss_in_percent", "loss_out_percent",
                           "bytes_in_per_bot_second", "cpu_percent", "p99_lag_ms"})
    EXPECT_TRUE(std::isnan(value(report, name))) << name;
  EXPECT_EQ(value(report, "mismatches"), 0);
}

TEST(Measure, SuggestsANameForAnUnknownOne) {
  EXPECT_FALSE(is_measure("p99_intervall_ms"));
  EXPECT_FALSE(measure(some_report(), "p99_intervall_ms"));
  EXPECT_THAT(nearest_measure("p99_intervall_ms"), testing::HasSubstr("'p99_interval_ms'"));
  EXPECT_THAT(nearest_measure("last_step.p99_intervall_ms"), testing::HasSubstr("'last_step.p99_interval_ms'"));
  EXPECT_EQ(nearest_measure("something else"), "");
}

}  // namespace
}  // namespace mobula::client
