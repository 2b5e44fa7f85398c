// Clients that predict the demo's rules, against its server.
#include <mobula/schema/demo_events_generated.h>

#include <gtest/gtest.h>

#include <examples/demo/rules/obstacles.hpp>
#include <seeds.hpp>
#include <server/examples/demo/predicted_demo.hpp>

namespace demo::demo_prediction_test {
namespace {

using mobula::client::PredictionStats;
using mobula::client::SpawnNotice;
using mobula::transport::NetworkConditions;
using test::PredictedDemo;

constexpr mobula::core::Nanoseconds ms = mobula::core::millisecond;
constexpr NetworkConditions near{.latency = 30 * ms};
constexpr NetworkConditions poor{.latency = 40 * ms, .jitter = 20 * ms, .loss_ppm = 50'000};

std::string last_of(const PredictedDemo::Guest& guest) {
  return describe(guest.prediction.last_misprediction(), *guest.client.connection.mirror());
}

// Waits until the clock of a guest has settled.
PredictedDemo::Guest& settled(PredictedDemo& demo) {
  PredictedDemo::Guest& guest = demo.join();
  demo.ticks(120);
  EXPECT_FALSE(guest.prediction.failure().has_value());
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
  return guest;
}

void expect_agreement(PredictedDemo& demo, const PredictedDemo::Guest& guest) {
  EXPECT_TRUE(demo.agrees<Pose>(guest));
  EXPECT_TRUE(demo.agrees<Velocity>(guest));
  EXPECT_TRUE(demo.agrees<Walker>(guest));
  EXPECT_EQ(guest.faults, 0u);
  for (const auto& [key, state] : guest.running) EXPECT_EQ(state, 2) << "begun and ended";
  EXPECT_TRUE(guest.prediction.spawns().locals().empty());
}

TEST(DemoPrediction, OnePlayerWithoutLossIsNeverMispredicted) {
  PredictedDemo demo(mobula::test::hamlet(), near);
  PredictedDemo::Guest& guest = settled(demo);
  demo.play(400);  // the clock learns how early commands must be given
  const PredictionStats before = guest.prediction.stats();
  demo.play(static_cast<int>(mobula::test::few_or_all(1500, 10'000)));
  const PredictionStats& stats = guest.prediction.stats();
  EXPECT_EQ(stats.remote_mispredictions, 0u) << last_of(guest);
  EXPECT_EQ(stats.late_mispredictions, before.late_mispredictions) << last_of(guest);
  EXPECT_GT(guest.spawns[SpawnNotice::Kind::matched], 40u);
  EXPECT_EQ(guest.spawns[SpawnNotice::Kind::vanished], 0u);
  EXPECT_GT(guest.confirmed, 80u) << "throws and impacts";
  demo.settle();
  expect_agreement(demo, guest);
}

TEST(DemoPrediction, LossLeavesOnlyExplainedMispredictions) {
  mobula::test::for_each_seed(1, 3, 1000, [](std::uint64_t seed) {
    PredictedDemo demo(mobula::test::hamlet(), poor, seed);
    PredictedDemo::Guest& one = settled(demo);
    PredictedDemo::Guest& two = settled(demo);
    demo.play(1000);
    demo.settle();
    for (PredictedDemo::Guest* const guest : {&one, &two}) {
      EXPECT_EQ(guest->prediction.stats().remote_mispredictions, 0u) << last_of(*guest);
      EXPECT_GT(guest->spawns[SpawnNotice::Kind::matched], 20u);
      EXPECT_GT(guest->confirmed, 40u);
      expect_agreement(demo, *guest);
    }
  });
}

TEST(DemoPrediction, AnAvatarStopsAtAHouseOnBothSides) {
  PredictedDemo demo(mobula::test::hamlet(), near);
  PredictedDemo::Guest& guest = settled(demo);
  guest.client.input->set_command(mobula::test::walk_to_command(30, 30));  // a hut is there
  demo.ticks(400);
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u) << last_of(guest);
  const auto at = demo.truth().get<const Pose>(guest.avatar()).position;
  EXPECT_GT(std::hypot(at.x - 30, at.z - 30), 2.3f);
  EXPECT_LT(std::hypot(at.x - 30, at.z - 30), 5);
  EXPECT_FALSE(demo.truth().get<const Walker>(guest.avatar()).has_goal);
  expect_agreement(demo, guest);
}

TEST(DemoPrediction, ATeleportMovesTheAvatarOnceForItsPlayer) {
  PredictedDemo demo(mobula::test::hamlet(), near);
  PredictedDemo::Guest& guest = settled(demo);
  demo.put(guest.avatar(), -20, 5);
  demo.ticks(40);
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 1u) << last_of(guest);
  EXPECT_NEAR(demo.truth().get<const Pose>(guest.avatar()).position.x, -20, 0.01f);
  expect_agreement(demo, guest);
}

TEST(DemoPrediction, OthersReceiveEventsOfStones) {
  PredictedDemo demo(mobula::test::hamlet(), near);
  PredictedDemo::Guest& thrower = settled(demo);
  PredictedDemo::Guest& other = settled(demo);
  demo.put(thrower.avatar(), 0, 0);
  demo.put(other.avatar(), 0, 3);
  demo.ticks(20);
  thrower.client.input->set_command(mobula::client::throw_command(0, 0.2f, 0.6f));
  demo.ticks(60);
  std::size_t thrown = 0;
  std::size_t hits = 0;
  for (const mobula::core::Bytes& event : other.events) {
    const events::Event& read = *flatbuffers::GetRoot<events::Event>(event.data());
    if (const auto* const body = read.body_as_StoneThrown()) {
      ++thrown;
      EXPECT_EQ(body->by()->index(), thrower.avatar().index);
    }
    if (const auto* const body = read.body_as_StoneHit()) {
      ++hits;
      EXPECT_GT(body->at()->z(), 3);
    }
  }
  EXPECT_EQ(thrown, 1u);
  EXPECT_EQ(hits, 1u);
}

}  // namespace
}  // namespace demo::demo_prediction_test
