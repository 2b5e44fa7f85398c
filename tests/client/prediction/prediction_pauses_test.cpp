// Predictions of clients that pause for long, or whose clocks step.
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>

namespace mobula::client::prediction_pauses_test {
namespace {

using test::Court;

constexpr transport::NetworkConditions near{.latency = 50 * core::millisecond};
constexpr int ticks_per_minute = 60 * static_cast<int>(core::second / test::Village::tick_length);

// A player alone, and a crate that it predicts.
class PredictionPauses : public testing::Test {
 protected:
  void begin(const server::ServerConfig& config = {}) {
    court.emplace(1, near, 1, config);
    guest = &court->join_settled();
    guest->prediction.set_predicted(court->game.crates[0], true);
    court->play(60);
  }
  void pause_for_a_minute() {
    guest->paused = true;
    court->ticks(ticks_per_minute);
    guest->paused = false;
  }
  // Plays on, reconnects where that is needed, and waits until nothing moves.
  void go_on() {
    for (int i = 0; i < 200; ++i) {
      court->reconnect(*guest);
      court->play(1);
    }
    court->ticks(200);
  }
  void expect_agreement() {
    ASSERT_EQ(guest->connection().state(), Connection::State::playing);
    EXPECT_TRUE(court->agrees<court::Body>(*guest, guest->avatar()));
    EXPECT_TRUE(court->agrees<court::Thrower>(*guest, guest->avatar()));
    EXPECT_TRUE(guest->prediction.spawns().locals().empty());
    EXPECT_EQ(guest->effects.faults, 0u);
    EXPECT_EQ(guest->effects.running(), 0u);
    EXPECT_EQ(guest->prediction.stats().remote_mispredictions, 0u)
        << describe(guest->prediction.last_misprediction(), *guest->connection().mirror());
  }

  std::optional<Court> court;
  Court::Guest* guest = nullptr;
};

TEST_F(PredictionPauses, AMinuteEndsInARestartOfAKeptPlayer) {
  begin({.rejoin_grace = 300 * core::second});
  pause_for_a_minute();
  const std::uint64_t computed = guest->prediction.stats().ticks + guest->prediction.stats().ticks_replayed;
  go_on();
  expect_agreement();
  EXPECT_EQ(guest->connection().mirror_number(), 1u);
  EXPECT_EQ(guest->connection().stats().rejoins, 1u);
  const PredictionStats& stats = guest->prediction.stats();
  EXPECT_EQ(stats.restarts, 1u);
  EXPECT_LT(stats.ticks + stats.ticks_replayed - computed, 2000u) << "the minute is not computed";
}

// The game moves the avatar meanwhile, by less than the snap distance.
TEST_F(PredictionPauses, TheCorrectionOfAPauseIsSmoothedAndCounted) {
  court.emplace(0, near);
  guest = &court->join_settled({.position_component = "Body"});
  guest->paused = true;
  court->disturb_once([&](server::World& world) { world.registry().get<court::Body>(guest->avatar()).position.x = 3; });
  court->ticks(60);
  guest->paused = false;
  float last = 0;
  float greatest = 0;
  for (int i = 0; i < 60; ++i) {
    court->frame();
    const float now = guest->shown(guest->avatar())->position.x;
    greatest = std::max(greatest, std::abs(now - last));
    last = now;
  }
  EXPECT_EQ(guest->prediction.stats().restarts, 1u);
  EXPECT_EQ(guest->prediction.stats().corrections, 1u);
  EXPECT_NEAR(guest->prediction.stats().greatest_correction, 3, 0.01);
  EXPECT_NEAR(last, 3, 0.01);
  EXPECT_LT(greatest, 0.5f) << "it takes nine frames";
}

TEST_F(PredictionPauses, AMinuteEndsInANewMirrorOfARemovedPlayer) {
  begin();
  pause_for_a_minute();
  go_on();
  expect_agreement();
  EXPECT_EQ(guest->connection().mirror_number(), 2u);
  EXPECT_EQ(guest->prediction.stats().restarts, 0u);
}

TEST_F(PredictionPauses, AClockThatStepsAMinuteForwardsIsFollowed) {
  begin();
  guest->ahead += 60 * core::second;
  go_on();
  expect_agreement();
  EXPECT_EQ(guest->connection().mirror_number(), 1u);
  EXPECT_LE(guest->prediction.stats().restarts, 1u);
}

TEST_F(PredictionPauses, AClockThatStepsALittleForwardsIsFollowed) {
  begin();
  guest->ahead += 3 * core::second;
  go_on();
  expect_agreement();
  EXPECT_EQ(guest->connection().stats().rejoins, 0u);
}

TEST_F(PredictionPauses, AClockThatStepsBackIsFollowed) {
  begin();
  guest->ahead -= 3 * core::second;
  go_on();
  expect_agreement();
  EXPECT_EQ(guest->connection().mirror_number(), 1u);
}

}  // namespace
}  // namespace mobula::client::prediction_pauses_test
