// The example of docs/prediction.md in C, against the server of the same rules in C++.
#include <gtest/gtest.h>

#include <client/c/guest.hpp>
#include <client/prediction/slide_game.hpp>

extern "C" {
mobula_result begin_to_predict(mobula_client client);
mobula_result predict_frame(mobula_client client, std::int64_t now, mobula_entity avatar, float* x);
}

namespace mobula::c {
namespace {

// A slide with more bodies than an array of a fixed size would hold.
class CrowdedSlide : public test::SlideGame {
 public:
  core::Status start(server::World& world) override {
    for (int i = 0; i < 300; ++i) static_cast<void>(world.create(court::Body{}, court::Surface{}));
    return core::Done{};
  }
};

TEST(CPredictionPage, TheExampleMovesItsAvatarBeforeTheServerDoes) {
  test::SlideGame game;
  test::Village village(game, {}, {.latency = 100 * core::millisecond});
  test::Guest guest(village);
  ASSERT_EQ(begin_to_predict(guest.client()), MOBULA_OK);
  float x = 0;
  const auto ticks = [&](int count) {
    for (int i = 0; i < count; ++i) {
      village.tick();
      ASSERT_EQ(predict_frame(guest.client(), village.now, guest.status().player, &x), MOBULA_OK) << test::error_text();
    }
  };
  const auto truth = [&] {
    const ecs::Entity avatar = test::to_entity(guest.status().player);
    return village.server->world().registry().get<const court::Body>(avatar).position.x;
  };
  ticks(100);
  guest.set_command(core::Bytes(1, std::byte{'r'}));
  ticks(2);
  EXPECT_GT(x, 0.01f);
  EXPECT_EQ(truth(), 0);
  ticks(100);
  auto counters = test::sized<mobula_prediction_counters>();
  ASSERT_EQ(mobula_prediction_statistics(guest.client(), &counters), MOBULA_OK);
  EXPECT_EQ(counters.remote_mispredictions, 0u);
  EXPECT_NEAR(x, truth(), 0.1f) << "it slides on while rounding keeps its velocity";
}

TEST(CPredictionPage, TheExampleMovesItsAvatarAmongManyBodies) {
  CrowdedSlide game;
  test::Village village(game, {}, {.latency = 100 * core::millisecond});
  test::Guest guest(village);
  ASSERT_EQ(begin_to_predict(guest.client()), MOBULA_OK);
  ASSERT_TRUE(guest.play());
  for (const mobula_entity entity : guest.entities())
    ASSERT_EQ(mobula_prediction_set_predicted(guest.client(), entity, 1), MOBULA_OK);
  float x = 0;
  const auto ticks = [&](int count) {
    for (int i = 0; i < count; ++i) {
      village.tick();
      ASSERT_EQ(predict_frame(guest.client(), village.now, guest.status().player, &x), MOBULA_OK) << test::error_text();
    }
  };
  ticks(60);
  guest.set_command(core::Bytes(1, std::byte{'r'}));
  ticks(2);
  EXPECT_GT(x, 0.01f);
}

}  // namespace
}  // namespace mobula::c
