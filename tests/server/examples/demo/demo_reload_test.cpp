// Clients that predict the demo's rules while its server reloads the level. A hut of the hamlet is missing in the
// rebuilt one.
#include <gtest/gtest.h>

#include <server/examples/demo/predicted_demo.hpp>

namespace demo::demo_reload_test {
namespace {

using mobula::test::hamlet;
using mobula::test::rebuilt_hamlet;
using mobula::transport::NetworkConditions;
using test::PredictedDemo;

constexpr mobula::core::Nanoseconds ms = mobula::core::millisecond;
constexpr NetworkConditions near{.latency = 30 * ms};

struct Place {
  float x;
  float z;
};
constexpr Place removed_hut{-30, 30};
constexpr Place kept_hut{30, 30};

class DemoReload : public testing::Test {
 protected:
  PredictedDemo::Guest& joined(bool has_levels = true) {
    PredictedDemo::Guest& guest = demo.join("ada", has_levels);
    demo.ticks(120);
    EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
    return guest;
  }
  void reload(const std::shared_ptr<const mobula::resource::Resource>& level) {
    ASSERT_TRUE(demo.village.server->reload_level(level).ok());
  }
  // Walks to a place, from beside a hut. Returns the distance that is left in the end.
  float walk(PredictedDemo::Guest& guest, const Place& to, int ticks = 150) {
    guest.client.input->set_command(mobula::test::walk_to_command(to.x, to.z));
    demo.ticks(ticks);
    const auto at = demo.truth().get<const Pose>(guest.avatar()).position;
    return std::hypot(at.x - to.x, at.z - to.z);
  }
  void put_beside(PredictedDemo::Guest& guest, const Place& place) {
    demo.put(guest.avatar(), place.x + 5, place.z);
    demo.ticks(40);
    before = guest.prediction.stats();
  }
  // Expects mispredictions of no other cause since the avatar was put there.
  void expect_only_level(const PredictedDemo::Guest& guest, std::uint64_t level) {
    const auto& stats = guest.prediction.stats();
    EXPECT_EQ(stats.remote_mispredictions, before.remote_mispredictions)
        << describe(guest.prediction.last_misprediction(), *guest.client.connection.mirror());
    EXPECT_EQ(stats.late_mispredictions, before.late_mispredictions);
    EXPECT_EQ(stats.level_mispredictions - before.level_mispredictions, level);
    EXPECT_TRUE(demo.agrees<Pose>(guest));
    EXPECT_TRUE(demo.agrees<Walker>(guest));
  }

  PredictedDemo demo{hamlet(), near};
  mobula::client::PredictionStats before;
};

TEST_F(DemoReload, ALevelThatTheClientHasIsPredictedAtOnce) {
  demo.keep(*rebuilt_hamlet());
  PredictedDemo::Guest& guest = joined();
  put_beside(guest, removed_hut);
  EXPECT_GT(walk(guest, removed_hut), 2);
  reload(rebuilt_hamlet());
  EXPECT_LT(walk(guest, removed_hut), 0.5f);
  expect_only_level(guest, 0);
  reload(hamlet());
  put_beside(guest, removed_hut);
  EXPECT_GT(walk(guest, removed_hut), 2);
  expect_only_level(guest, 0);
}

TEST_F(DemoReload, AnAvatarOnItsWayIsPredictedFromTheFirstTick) {
  demo.keep(*rebuilt_hamlet());
  PredictedDemo::Guest& guest = joined();
  for (int ticks = 1; ticks <= 40; ticks += 3) {
    SCOPED_TRACE(ticks);
    put_beside(guest, removed_hut);
    walk(guest, removed_hut, ticks);
    reload(rebuilt_hamlet());
    demo.ticks(150);
    expect_only_level(guest, 0);
    reload(hamlet());
    demo.ticks(10);
  }
}

TEST_F(DemoReload, ALevelThatTheClientLacksIsReceivedAndPredicted) {
  PredictedDemo::Guest& guest = joined();
  put_beside(guest, removed_hut);
  reload(rebuilt_hamlet());
  demo.ticks(20);
  EXPECT_TRUE(guest.client.connection.levels().is_here(guest.prediction.tick()));
  EXPECT_LT(walk(guest, removed_hut), 0.5f);
  expect_only_level(guest, 0);
  put_beside(guest, kept_hut);
  EXPECT_GT(walk(guest, kept_hut), 2);
  expect_only_level(guest, 0);
}

TEST_F(DemoReload, AMissingLevelExplainsWhatDiffers) {
  PredictedDemo::Guest& guest = joined(false);
  put_beside(guest, removed_hut);
  EXPECT_GT(walk(guest, removed_hut), 2);
  const std::uint64_t level = guest.prediction.stats().level_mispredictions - before.level_mispredictions;
  EXPECT_GT(level, 0u);
  expect_only_level(guest, level);
  EXPECT_EQ(guest.prediction.last_misprediction().cause, mobula::client::Misprediction::Cause::level);
}

TEST_F(DemoReload, AClientThatJoinsAfterItReadsTheNewLevel) {
  reload(rebuilt_hamlet());
  for (const bool has_received : {false, true}) {
    PredictedDemo::Guest& guest = joined();
    EXPECT_EQ(guest.client.connection.mirror()->state().level.copy, nullptr) << "no baseline is left";
    put_beside(guest, kept_hut);
    EXPECT_GT(walk(guest, kept_hut), 2) << has_received;
    expect_only_level(guest, 0);
    put_beside(guest, removed_hut);
    EXPECT_LT(walk(guest, removed_hut), 0.5f);
    expect_only_level(guest, 0);
  }
}

TEST_F(DemoReload, AResumedSessionReadsTheLevelOfItsWelcome) {
  demo.keep(*rebuilt_hamlet());
  PredictedDemo::Guest& guest = joined();
  put_beside(guest, removed_hut);
  guest.client.input->pipe_closed("cut", demo.village.now);
  demo.tick();
  reload(rebuilt_hamlet());
  demo.ticks(2);
  ASSERT_TRUE(guest.client.connection.can_rejoin());
  guest.client.port.from.port = 6000;
  guest.client.input->rejoin(demo.village.now);
  demo.ticks(60);
  EXPECT_EQ(guest.client.connection.mirror_number(), 1u);
  before = guest.prediction.stats();
  EXPECT_LT(walk(guest, removed_hut), 0.5f);
  expect_only_level(guest, 0);
}

TEST_F(DemoReload, NothingRemoteIsFoundWhilePlayersWalkAbout) {
  PredictedDemo::Guest& one = joined();
  PredictedDemo::Guest& two = joined();
  for (int i = 0; i < 6; ++i) {
    demo.play(60);
    reload(i % 2 == 0 ? rebuilt_hamlet() : hamlet());
  }
  demo.settle();
  for (PredictedDemo::Guest* const guest : {&one, &two}) {
    EXPECT_EQ(guest->prediction.stats().remote_mispredictions, 0u)
        << describe(guest->prediction.last_misprediction(), *guest->client.connection.mirror());
    EXPECT_TRUE(demo.agrees<Pose>(*guest));
    EXPECT_EQ(guest->faults, 0u);
  }
}

}  // namespace
}  // namespace demo::demo_reload_test
