#include <gtest/gtest.h>

#include <mobula/server/relevance.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

// Players see 50 metres far.
class NearGame : public test::TinyGame {
 public:
  [[nodiscard]] std::vector<Layer> layers() const override { return {{"near", 50}}; }
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    const core::Result<ecs::Entity> entity = TinyGame::join(world, player);
    world.registry().add<engine::Transform>(*entity);
    return entity;
  }
  void tick(World& world) override {
    if (const auto what = std::exchange(once, nullptr)) what(world);
  }

  std::function<void(World&)> once;
};

class ServerLook : public testing::Test {
 protected:
  void SetUp() override {
    place(20);  // so that the client knows such entities, and is told of the next without delay
    ASSERT_TRUE(tick_until([&] {
      return ada.connection.player_entity() && ada.connection.mirror() != nullptr && sees(made.front()) &&
             sees(ada.connection.player_entity());
    }));
  }
  void place(float x, std::uint32_t room = 0) {
    World& world = village.server->world();
    made.push_back(world.registry().create());
    world.registry().add<engine::Transform>(made.back()).position.x = x;
    if (room != 0) world.registry().add<Relevance>(made.back()).room = room;
  }
  // Of the state that the client has; 0: none.
  [[nodiscard]] ecs::Tick tick_of(ecs::Entity entity) const { return ada.connection.mirror()->tick_of(entity); }
  [[nodiscard]] bool sees(ecs::Entity entity) const { return tick_of(entity) != 0; }
  // Gives the tick in which it is done.
  ecs::Tick in_a_tick(std::function<void(World&)> what) {
    ecs::Tick done = 0;
    game.once = [&, what = std::move(what)](World& world) {
      what(world);
      done = world.tick();
    };
    village.tick();
    return done;
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) village.tick();
  }
  template <class Condition>
  bool tick_until(Condition&& condition) {
    for (int i = 0; i < 200 && !condition(); ++i) village.tick();
    return condition();
  }
  [[nodiscard]] Viewer& viewer() { return *village.server->world().viewer(game.players.front().id); }

  NearGame game;
  test::Village village{game, {}, {}, 1};
  test::Village::Client& ada = village.join("ada");
  std::vector<ecs::Entity> made;
};

TEST_F(ServerLook, WhoComesIsSeenInTheTickInWhichItCame) {
  for (const std::size_t count : {1u, 32u, 33u, 40u}) {
    SCOPED_TRACE(std::to_string(count) + " at once");
    made.clear();
    const ecs::Tick tick = in_a_tick([&](World&) {
      for (std::size_t i = 0; i < count; ++i) place(10);
    });
    ticks(10);
    for (const ecs::Entity entity : made) EXPECT_EQ(tick_of(entity), tick) << to_string(entity);
  }
}

TEST_F(ServerLook, WhoComesFarAwayIsNotSeen) {
  in_a_tick([&](World&) { place(60); });
  ticks(20);
  EXPECT_FALSE(sees(made.back()));
}

TEST_F(ServerLook, WhoWalksByIsSeenSoonAndSeenNoMoreBeyondTheLeaveRadius) {
  in_a_tick([&](World&) { place(100); });
  const auto walk_to = [&](float x) {
    in_a_tick([&](World& world) { world.registry().get<engine::Transform>(made.back()).position.x = x; });
    ticks(8);
  };
  walk_to(40);
  EXPECT_TRUE(sees(made.back()));
  walk_to(100);
  EXPECT_FALSE(sees(made.back()));
}

TEST_F(ServerLook, AnotherRoomIsSeenAtOnceThoughNothingMovesInTheWorld) {
  in_a_tick([&](World&) { place(10, 7); });
  ticks(20);
  EXPECT_FALSE(sees(made.back()));
  const ecs::Tick entered = in_a_tick([&](World&) { viewer().enter_room(7); });
  ticks(10);
  EXPECT_EQ(tick_of(made.back()), entered);
  in_a_tick([&](World&) { viewer().leave_room(7); });
  ticks(10);
  EXPECT_FALSE(sees(made.back()));
}

}  // namespace
}  // namespace mobula::server
