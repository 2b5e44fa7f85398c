// Entities that go out of view continue their courses at the clients if their layer has them do so.
#include <gtest/gtest.h>

#include <server/near_game.hpp>

namespace mobula::server::visibility_query_test {
namespace {

using engine::Transform;

// A ship that flies away from the players, who see 50 m far.
class FlightGame : public test::NearGame {
 public:
  explicit FlightGame(bool continues) : continues_(continues) {}

  [[nodiscard]] std::vector<Layer> layers() const override {
    return {{.name = "things", .radius = 50}, {.name = "ships", .radius = 50, .continues_out_of_view = continues_}};
  }
  void tick(World& world) override {
    if (!ship) {
      ship = *world.create(Transform{}, Relevance{.layer = 1});
      world.registry().get<Transform>(ship).position.x = 30;
    }
    world.registry().get<Transform>(ship).position.x += 0.5f;
  }

  ecs::Entity ship;

 private:
  bool continues_;
};

// Returns how far a client shows the ship 60 ticks after it went out of its view.
float shown_at_last(bool continues) {
  FlightGame game(continues);
  test::Village village(game);
  test::Village::Client& ada = village.join("ada");
  const auto is_stale = [&] {
    const client::Mirror* const mirror = ada.connection.mirror();
    return mirror != nullptr && mirror->is_stale(game.ship);
  };
  EXPECT_TRUE(village.tick_until(is_stale));
  village.ticks(60);
  EXPECT_TRUE(is_stale());
  const auto* const shown = ada.connection.mirror()->registry().try_get<const Transform>(game.ship);
  return shown == nullptr ? 0 : shown->position.x;
}

TEST(VisibilityQuery, AnEntityContinuesOutOfViewAsItsLayerHasIt) { EXPECT_GT(shown_at_last(true), 85); }

TEST(VisibilityQuery, AnEntityStandsStillOutOfViewByDefault) { EXPECT_LT(shown_at_last(false), 62); }

}  // namespace
}  // namespace mobula::server::visibility_query_test
