#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <cmath>
#include <limits>

namespace mobula::client::prediction_reporter_test {
namespace {

using test::Court;

constexpr core::Nanoseconds ms = core::millisecond;

const server::ClientSession& session_of(Court& court) { return *court.village.server->sessions().front(); }

TEST(PredictionReporter, AReportHasTheDifferences) {
  PredictionStats before;
  before.ticks = 100;
  before.sum_of_corrections = 2;
  PredictionStats now = before;
  now.ticks = 120;
  now.ticks_replayed = 9;
  now.rollbacks = 4;
  now.late_mispredictions = 3;
  now.remote_mispredictions = 1;
  now.level_mispredictions = 6;
  now.stalls = 2;
  now.corrections = 5;
  now.sum_of_corrections = 2.5004;
  now.input_delay = 1.5;
  EXPECT_EQ(report_of(before, now, 0.2506), (wire::PredictionReport{20, 9, 4, 3, 1, 2, 5, 500, 251, 24, 6}));
}

TEST(PredictionReporter, AReportIsBounded) {
  PredictionStats now;
  now.ticks = ~0ull;
  now.sum_of_corrections = 1e30;
  now.input_delay = 1e30;
  const wire::PredictionReport report = report_of({}, now, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(report.is_bounded());
  EXPECT_EQ(report.ticks, wire::max_reported_count);
  EXPECT_EQ(report.corrections_mm, wire::max_reported_count);
  EXPECT_EQ(report.greatest_correction_mm, wire::max_reported_count);
  EXPECT_EQ(report.input_delay, 0xffff);
  EXPECT_EQ(report_of({}, {}, std::nan("")).greatest_correction_mm, 0u);
}

TEST(PredictionReporter, TheServerSumsWhatClientsCount) {
  Court court(2, {.latency = 40 * ms, .jitter = 20 * ms, .loss_ppm = 50'000});
  Court::Guest& guest = court.join({.position_component = "Body"});
  court.ticks(60);
  for (const ecs::Entity crate : court.game.crates) guest.prediction.set_predicted(crate, true);
  court.play(600);
  court.ticks(100);  // nothing happens any more but that ticks are counted
  const PredictionStats& counted = guest.prediction.stats();
  const server::ReportedPrediction& reported = session_of(court).prediction;
  ASSERT_GT(counted.late_mispredictions, 0u);
  ASSERT_GT(counted.corrections, 0u);
  EXPECT_EQ(reported.totals.late_mispredictions, counted.late_mispredictions);
  EXPECT_EQ(reported.totals.remote_mispredictions, counted.remote_mispredictions);
  EXPECT_EQ(reported.totals.rollbacks, counted.rollbacks);
  EXPECT_EQ(reported.totals.ticks_replayed, counted.ticks_replayed);
  EXPECT_EQ(reported.totals.stalls, counted.stalls);
  EXPECT_EQ(reported.totals.corrections, counted.corrections);
  EXPECT_NEAR(static_cast<double>(reported.totals.corrections_mm), 1000 * counted.sum_of_corrections,
              0.5 * static_cast<double>(reported.reports));
  EXPECT_NEAR(reported.greatest_correction_mm, 1000 * counted.greatest_correction, 0.5);
  EXPECT_LE(counted.ticks - reported.totals.ticks, 30u) << "those since the last report, and on the way";
  const server::PredictionTotals& all = court.village.server->stats().predictions;
  EXPECT_EQ(all.ticks, reported.totals.ticks);
  EXPECT_EQ(all.corrections_mm, reported.totals.corrections_mm);
}

TEST(PredictionReporter, ReportsOncePerSecond) {
  Court court(0, {});
  court.join();
  court.ticks(100);
  const std::uint64_t before = session_of(court).prediction.reports;
  court.ticks(200);
  EXPECT_EQ(session_of(court).prediction.reports, before + 10);
}

TEST(PredictionReporter, NothingIsReportedWithoutAPrediction) {
  Court court(0, {});
  court.village.join("watcher", test::court_schema());
  court.village.ticks(100);
  ASSERT_EQ(court.village.server->sessions().size(), 1u);
  EXPECT_EQ(session_of(court).state, server::ClientSession::State::playing);
  EXPECT_EQ(session_of(court).prediction.reports, 0u);
}

TEST(PredictionReporter, ANewMirrorContinuesTheCounts) {
  Court court(0, {});
  Court::Guest& guest = court.join();
  court.ticks(100);
  const std::uint64_t ticks = session_of(court).prediction.totals.ticks;
  guest.client.connection.pipe_closed("cut", court.village.now);
  court.village.server->pipe_closed(guest.client.port.from, court.village.now);
  court.ticks(2);
  ASSERT_TRUE(guest.client.connection.can_rejoin());
  guest.client.connection.rejoin(court.village.now);
  court.ticks(100);
  const std::uint64_t now = session_of(court).prediction.totals.ticks;
  EXPECT_GT(now, ticks + 60);
  EXPECT_LE(now, guest.prediction.stats().ticks);
}

}  // namespace
}  // namespace mobula::client::prediction_reporter_test
