#include <gtest/gtest.h>

#include <limits>
#include <mobula/server/interest/relevance.hpp>
#include <server/near_game.hpp>

namespace mobula::server {
namespace {

class ServerVisibility : public testing::Test {
 protected:
  void SetUp() override {
    place(20);  // the client then knows their prototype, and receives further ones without delay
    ASSERT_TRUE(tick_until([&] {
      return ada.connection.player_entity() && ada.connection.mirror() != nullptr && sees(made.front()) &&
             sees(ada.connection.player_entity());
    }));
  }
  void place(float x, std::uint32_t group = 0) {
    World& world = village.server->world();
    made.push_back(world.registry().create());
    world.registry().add<engine::Transform>(made.back()).position.x = x;
    if (group != 0) world.registry().add<Relevance>(made.back()).interest_group = group;
  }
  // Returns the tick of the client's state of an entity; 0 if it has none.
  [[nodiscard]] ecs::Tick tick_of(ecs::Entity entity) const { return ada.connection.mirror()->tick_of(entity); }
  [[nodiscard]] bool sees(ecs::Entity entity) const { return tick_of(entity) != 0; }
  [[nodiscard]] int items_of(ecs::Entity entity) const {
    const ecs::Registry& mirrored = ada.connection.mirror()->registry();
    const core::StringId32 inventory(demo::Inventory::component_name);
    const std::byte* there = mirrored.try_read(entity, mirrored.find_pool(inventory, inventory));
    return there == nullptr ? -1 : core::load<demo::Inventory>(there).item_count;
  }
  // Calls a function in the next tick and returns that tick.
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
  [[nodiscard]] Viewer& viewer() { return village.server->world().viewer(game.players.front().id); }

  test::NearGame game;
  test::Village village{game, {}, {}, 1};
  test::Village::Client& ada = village.join("ada");
  std::vector<ecs::Entity> made;
};

TEST_F(ServerVisibility, ASilentPeriodRevealsNoHiddenEntity) {
  for (const int silent : {5, 6, 7, 8}) {
    SCOPED_TRACE(std::to_string(silent) + " ticks of silence");
    in_a_tick([&](World&) { place(10); });
    const ecs::Entity thing = made.back();
    ASSERT_TRUE(tick_until([&] { return sees(thing); }));
    village.full = ada.port.from;
    for (int i = 0; i < silent; ++i)
      in_a_tick([&](World& world) {
        world.registry().get<engine::Transform>(thing).position.x = 1000.0f + static_cast<float>(i);
      });
    village.full = {};
    ticks(10);
    EXPECT_TRUE(ada.connection.mirror()->is_stale(thing));
    const ecs::Registry& mirrored = ada.connection.mirror()->registry();
    const core::StringId32 transform(engine::Transform::component_name);
    const std::byte* there = mirrored.try_read(thing, mirrored.find_pool(transform, transform));
    ASSERT_NE(there, nullptr);
    EXPECT_NEAR(core::load<engine::Transform>(there).position.x, 10, 0.1f);
  }
}

TEST_F(ServerVisibility, ASpawnedEntityIsVisibleInItsTick) {
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

TEST_F(ServerVisibility, ADistantSpawnedEntityIsInvisible) {
  in_a_tick([&](World&) { place(60); });
  ticks(20);
  EXPECT_FALSE(sees(made.back()));
}

TEST_F(ServerVisibility, APassingEntityIsVisibleUntilTheLeaveRadius) {
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

TEST_F(ServerVisibility, AHiddenEntityIsStaleAndADestroyedOneRemoved) {
  in_a_tick([&](World&) { place(10); });
  ticks(8);
  client::Mirror& mirror = *ada.connection.mirror();
  in_a_tick([&](World& world) {
    world.registry().get<engine::Transform>(made.front()).position.x = 100;
    world.registry().destroy(made.back());
  });
  ticks(8);
  EXPECT_TRUE(mirror.is_stale(made.front()));
  EXPECT_FALSE(mirror.registry().valid(made.back()));
}

// The client has not acknowledged the loss when the entity dies. It could put that off for ever.
TEST_F(ServerVisibility, AnEntityThatDiesUnseenIsReportedOutOfView) {
  for (const bool arrives : {false, true}) {
    SCOPED_TRACE(arrives ? "the loss arrives" : "the loss is sent again");
    in_a_tick([&](World&) { place(10); });
    const ecs::Entity thing = made.back();
    ASSERT_TRUE(tick_until([&] { return sees(thing); }));
    arrives ? void(ada.mute = true) : village.network.set_conditions({.loss_ppm = 1'000'000});
    in_a_tick([&](World& world) { world.registry().get<engine::Transform>(thing).position.x = 100; });
    ticks(6);
    in_a_tick([&](World& world) { world.registry().destroy(thing); });
    ticks(2);
    ada.mute = false;
    village.network.set_conditions({});
    ticks(8);
    EXPECT_FALSE(village.server->world().registry().valid(thing));
    EXPECT_TRUE(ada.connection.mirror()->is_stale(thing));
    EXPECT_TRUE(ada.connection.mirror()->registry().valid(thing));
  }
}

TEST_F(ServerVisibility, OwnerOnlyFieldsAreSentToTheOwner) {
  const std::uint32_t own = game.players.front().id;
  in_a_tick([&](World& world) {
    place(10);
    world.registry().add<demo::Inventory>(made.back()).item_count = 3;
    world.registry().add<Relevance>(made.back()).owner = own + 1;
  });
  const auto items_when_given_to = [&](std::uint32_t player) {
    in_a_tick([&](World& world) { world.registry().get<Relevance>(made.back()).owner = player; });
    ticks(8);
    return items_of(made.back());
  };
  ticks(8);
  EXPECT_EQ(items_of(made.back()), 0) << "owned by another player";
  EXPECT_EQ(items_when_given_to(own), 3);
  EXPECT_EQ(items_when_given_to(own + 1), 0);
  EXPECT_EQ(items_when_given_to(0), 0) << "without an owner";
}

// 600 entities change in each tick, and 200 fit. One does not matter to the game: it is sent all the same, and its end
// at once.
TEST(ServerPriority, NoPriorityHidesAChangeOrAnEnd) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float priority : {0.0f, -1.0f, nan, 1e-30f, 1.0f}) {
    SCOPED_TRACE(priority);
    test::TinyGame game;
    test::Village village(game, ServerConfig{.verify_one_in = 1, .delta_bytes_per_tick_max = 1200});
    ecs::Registry& registry = village.server->world().registry();
    const ecs::Entity decor = registry.create();
    registry.add<engine::Transform>(decor);
    registry.add<Relevance>(decor).priority = priority;
    test::Village::Client& ada = village.join("ada");
    ASSERT_TRUE(village.tick_until([&] { return village.mirrors(ada); }));
    game.churn = 600;
    village.ticks(50);
    const core::StringId32 transform(engine::Transform::component_name);
    const auto shown = [&] {
      const ecs::Registry& mirrored = ada.connection.mirror()->registry();
      const std::byte* there = mirrored.try_read(decor, mirrored.find_pool(transform, transform));
      return there == nullptr ? nan : core::load<engine::Transform>(there).position.x;
    };
    registry.get<engine::Transform>(decor).position.x = 7;
    EXPECT_TRUE(village.tick_until([&] { return shown() == 7; }, 60));
    registry.destroy(decor);
    EXPECT_TRUE(village.tick_until([&] { return !ada.connection.mirror()->registry().valid(decor); }, 5));
    game.churn = 0;
    EXPECT_TRUE(village.tick_until([&] { return village.mirrors(ada); }));
    EXPECT_EQ(ada.connection.stats().mismatched_ticks, 0u);
  }
}

TEST_F(ServerVisibility, AJoinedGroupIsVisibleAtOnce) {
  in_a_tick([&](World&) { place(10, 7); });
  ticks(20);
  EXPECT_FALSE(sees(made.back()));
  const ecs::Tick entered = in_a_tick([&](World&) { viewer().join_group(7); });
  ticks(10);
  EXPECT_EQ(tick_of(made.back()), entered);
  in_a_tick([&](World&) { viewer().leave_group(7); });
  ticks(10);
  EXPECT_FALSE(sees(made.back()));
}

}  // namespace
}  // namespace mobula::server
