#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <client/bots/reports.hpp>

namespace mobula::client {
namespace {

using test::some_report;
using testing::HasSubstr;
using testing::Not;

TEST(BotsReport, TheTableHasMirrorsAndTheirEntities) {
  BotsReport report = some_report();
  EXPECT_THAT(to_table(report), HasSubstr("events received         154\n"));
  EXPECT_THAT(to_table(report), HasSubstr("entities mirrored       30 to 40 per bot\n"));
  report.mirrors = 5;
  EXPECT_THAT(to_table(report), HasSubstr("entities mirrored       30 to 40 per bot, by 5 of them\n"));
  report.mirrors = 0;
  EXPECT_THAT(to_table(report), HasSubstr("entities mirrored       none\n"));
}

TEST(BotsReport, TheTableHasReasonsOfRefusalsAndLosses) {
  const std::string table = to_table(some_report());
  EXPECT_THAT(table, HasSubstr("19 of 20"));
  EXPECT_THAT(table, HasSubstr("lost, or never joined   1, the first: timed out\n"));
  EXPECT_THAT(table, HasSubstr("disconnected            1: timed out\n"));
  EXPECT_THAT(table, HasSubstr("refused                 1: server full"));
  EXPECT_THAT(to_table(test::empty_report()), Not(HasSubstr("lost, or")));
}

TEST(BotsReport, TheTableHasALinePerStep) {
  BotsReport report = some_report();
  EXPECT_THAT(to_table(report), HasSubstr("\n1     0 to 20 "));
  EXPECT_THAT(to_table(report), HasSubstr("\n2     20 "));
  report.steps.pop_back();
  EXPECT_THAT(to_table(report), Not(HasSubstr("\nstep ")));
}

TEST(BotsReport, TheTableHasPredictions) {
  const std::string table = to_table(test::report_of_predictions());
  EXPECT_THAT(table, HasSubstr("ticks predicted         4000, 700 computed again after 120 rollbacks, 2 stalls\n"));
  EXPECT_THAT(table, HasSubstr("mispredictions          90 late, 3 remote, 5 level\n"));
  EXPECT_THAT(table, HasSubstr("corrections             100 of mean 50.5 cm, p50 "));
  EXPECT_THAT(table, HasSubstr("max 100.0 cm\n"));
  EXPECT_THAT(table, HasSubstr("input delay             mean 50.0 ms"));
  EXPECT_THAT(to_table(some_report()), Not(HasSubstr("predict")));
}

TEST(BotsReport, WarnsIfTheBotsOwnMachineWasLate) {
  IntervalStats interval = some_report().whole;
  EXPECT_EQ(lateness_warning(interval), "");
  interval.cpu = interval.length;
  EXPECT_THAT(lateness_warning(interval), HasSubstr("100% of a core"));
  interval.cpu = 0;
  for (int i = 0; i < 10; ++i) interval.lags_us.add(20'000);
  EXPECT_THAT(lateness_warning(interval), HasSubstr("loop p99 20.0 ms"));
  BotsReport report = some_report();
  report.whole = interval;
  EXPECT_THAT(to_table(report), HasSubstr("Warning: "));
}

TEST(ReasonCounts, CountEachReasonAndBoundTheirNumber) {
  ReasonCounts counts;
  for (int i = 0; i < 100; ++i) counts.add("reason " + std::to_string(i % 50));
  EXPECT_EQ(counts.total(), 100u);
  EXPECT_EQ(counts.by_reason().size(), ReasonCounts::reasons_max + 1);
  EXPECT_EQ(counts.by_reason().at("reason 0"), 2u);
  EXPECT_EQ(counts.by_reason().at("other"), 100 - 2 * ReasonCounts::reasons_max);
}

TEST(IntervalStats, AddsUp) {
  const BotsReport report = some_report();
  EXPECT_EQ(report.whole.length, 10 * core::second);
  EXPECT_EQ(report.whole.counts[Count::events], 154u);
  EXPECT_EQ(report.whole.intervals_us.count(), 63u);
  IntervalStats interval = report.whole;
  interval.corrections_um.add(5);
  interval.input_delays_us.add(5);
  interval.add(interval);
  EXPECT_EQ(interval.corrections_um.count(), 2u);
  EXPECT_EQ(interval.input_delays_us.count(), 2u);
  interval.clear();
  EXPECT_EQ(interval.corrections_um.count(), 0u);
  EXPECT_EQ(interval.input_delays_us.count(), 0u);
  EXPECT_EQ(interval.length, 0);
  EXPECT_EQ(interval.counts[Count::events], 0u);
  EXPECT_EQ(interval.intervals_us.count(), 0u);
}

}  // namespace
}  // namespace mobula::client
