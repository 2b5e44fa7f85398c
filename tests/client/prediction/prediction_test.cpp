#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <seeds.hpp>

namespace mobula::client::prediction_test {
namespace {

using test::Court;
using transport::NetworkConditions;

constexpr core::Nanoseconds ms = core::millisecond;
constexpr NetworkConditions near{.latency = 30 * ms};
constexpr NetworkConditions poor{.latency = 40 * ms, .jitter = 20 * ms, .loss_ppm = 50'000};

// Predicts all crates besides the own avatar.
void predict_crates(Court& court, Court::Guest& guest) {
  for (const ecs::Entity crate : court.game.crates) guest.prediction.set_predicted(crate, true);
}

// A guest that predicts everything, with a clock that has settled.
Court::Guest& settled_guest(Court& court, const PredictionConfig& config = {}) {
  Court::Guest& guest = court.join(config);
  court.ticks(60);
  predict_crates(court, guest);
  court.ticks(60);
  EXPECT_TRUE(guest.prediction.started());
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
  return guest;
}

void expect_agreement(Court& court, const Court::Guest& guest) {
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
  EXPECT_TRUE(court.agrees<court::Thrower>(guest, guest.avatar()));
  EXPECT_TRUE(court.agrees<court::Heading>(guest, guest.avatar()));
  for (const ecs::Entity crate : court.game.crates) {
    EXPECT_TRUE(court.agrees<court::Body>(guest, crate));
    EXPECT_TRUE(court.agrees<court::Crate>(guest, crate));
  }
  EXPECT_EQ(guest.effects.faults, 0u);
  EXPECT_EQ(guest.effects.running(), 0u);
  EXPECT_TRUE(guest.prediction.spawns().locals().empty());
}

std::string last_of(const Court::Guest& guest) {
  return describe(guest.prediction.last_misprediction(), *guest.connection().mirror());
}

TEST(Prediction, OnePlayerWithoutLossIsNeverMispredicted) {
  Court court(4, near);
  Court::Guest& guest = settled_guest(court);
  court.play(400);  // the clock learns how early commands must be given
  const PredictionStats before = guest.prediction.stats();
  court.play(static_cast<int>(test::few_or_all(2000, 20'000)));
  const PredictionStats& stats = guest.prediction.stats();
  EXPECT_EQ(stats.remote_mispredictions, before.remote_mispredictions) << last_of(guest);
  EXPECT_EQ(stats.late_mispredictions, before.late_mispredictions) << last_of(guest);
  EXPECT_GT(guest.effects.confirmed, 100u);
  EXPECT_EQ(guest.effects.cancelled[test::throw_effect.value], 0u);
  EXPECT_GT(guest.spawns[SpawnNotice::Kind::matched], 50u);
  court.ticks(120);
  expect_agreement(court, guest);
}

TEST(Prediction, LateCommandsExplainEachMisprediction) {
  test::for_each_seed(1, 3, 1000, [](std::uint64_t seed) {
    Court court(4, poor, seed);
    Court::Guest& guest = settled_guest(court);
    court.play(1000);
    court.ticks(120);
    const PredictionStats& stats = guest.prediction.stats();
    EXPECT_EQ(stats.remote_mispredictions, 0u) << last_of(guest);
    EXPECT_GT(stats.late_mispredictions, 0u);
    EXPECT_NE(last_of(guest).find(", late command: "), std::string::npos) << last_of(guest);
    EXPECT_GT(guest.effects.confirmed, 50u);
    expect_agreement(court, guest);
  });
}

TEST(Prediction, TwoPlayersWhoPushOneCrateAgreeInTheEnd) {
  test::for_each_seed(1, 3, 1000, [](std::uint64_t seed) {
    Court court(1, poor, seed);
    Court::Guest& one = settled_guest(court);
    Court::Guest& two = settled_guest(court);
    court.play(1000);
    court.ticks(200);
    EXPECT_GT(one.prediction.stats().remote_mispredictions + two.prediction.stats().remote_mispredictions, 0u);
    expect_agreement(court, one);
    expect_agreement(court, two);
  });
}

}  // namespace
}  // namespace mobula::client::prediction_test
