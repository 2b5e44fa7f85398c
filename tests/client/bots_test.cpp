#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/client/bots.hpp>
#include <nlohmann/json.hpp>

namespace mobula::client {
namespace {

TEST(Summarise, GivesMeanAndNearestRanks) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const IntervalSummary summary = summarise(values);
  EXPECT_DOUBLE_EQ(summary.mean, 50.5);
  EXPECT_DOUBLE_EQ(summary.p50, 50);
  EXPECT_DOUBLE_EQ(summary.p99, 99);
}

TEST(Summarise, OfOneValueAllAreThatValue) {
  std::vector<double> values{7};
  const IntervalSummary summary = summarise(values);
  EXPECT_DOUBLE_EQ(summary.mean, 7);
  EXPECT_DOUBLE_EQ(summary.p50, 7);
  EXPECT_DOUBLE_EQ(summary.p99, 7);
}

TEST(Summarise, OfFewValuesTheNinetyNinthIsTheGreatest) {
  std::vector<double> values{3, 1, 2};
  const IntervalSummary summary = summarise(values);
  EXPECT_DOUBLE_EQ(summary.p50, 2);
  EXPECT_DOUBLE_EQ(summary.p99, 3);
}

TEST(Summarise, OfNothingIsZero) {
  std::vector<double> values;
  EXPECT_DOUBLE_EQ(summarise(values).mean, 0);
  EXPECT_DOUBLE_EQ(summarise(values).p99, 0);
}

BotsReport report() {
  BotsReport report;
  report.clients = 20;
  report.joined = 19;
  report.seconds = 5.5;
  report.bytes_received = 123456789012;
  report.patch_interval_ms = {.mean = 50.25, .p50 = 50, .p99 = 61.5};
  report.mismatches = 2;
  report.events = 77;
  report.mirrors = 19;
  report.entities_min = 30;
  report.entities_max = 40;
  report.lost = 1;
  report.first_loss = "timed out";
  return report;
}

TEST(BotsReport, AsJsonHasTheStableKeysInOrder) {
  const auto json = nlohmann::ordered_json::parse(to_json(report()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(
      keys, testing::ElementsAre("clients", "joined", "seconds", "bytes_received", "patch_interval_ms", "mismatches"));
  EXPECT_EQ(json["clients"], 20);
  EXPECT_EQ(json["joined"], 19);
  EXPECT_DOUBLE_EQ(json["seconds"].get<double>(), 5.5);
  EXPECT_EQ(json["bytes_received"], 123456789012);
  EXPECT_EQ(json["mismatches"], 2);
  const auto& interval = json["patch_interval_ms"];
  EXPECT_EQ(interval.size(), 3u);
  EXPECT_DOUBLE_EQ(interval["mean"].get<double>(), 50.25);
  EXPECT_DOUBLE_EQ(interval["p50"].get<double>(), 50);
  EXPECT_DOUBLE_EQ(interval["p99"].get<double>(), 61.5);
}

TEST(BotsReport, AsATableSaysHowManyMirrorAndWhatTheyHave) {
  EXPECT_THAT(to_table(report()), testing::HasSubstr("events received         77\n"));
  EXPECT_THAT(to_table(report()), testing::HasSubstr("entities mirrored       30 to 40 per bot\n"));
  BotsReport some = report();
  some.mirrors = 5;
  EXPECT_THAT(to_table(some), testing::HasSubstr("entities mirrored       30 to 40 per bot, by 5 of them\n"));
  some.mirrors = 0;
  EXPECT_THAT(to_table(some), testing::HasSubstr("entities mirrored       none\n"));
}

TEST(BotsReport, AsATableSaysWhyABotWasClosed) {
  const std::string table = to_table(report());
  EXPECT_THAT(table, testing::HasSubstr("19 of 20"));
  EXPECT_THAT(table, testing::HasSubstr("timed out"));
  BotsReport good = report();
  good.lost = 0;
  EXPECT_THAT(to_table(good), testing::Not(testing::HasSubstr("closed")));
}

}  // namespace
}  // namespace mobula::client
