// Players and things that are moved across the world within a tick.
#include <gtest/gtest.h>

#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <server/near_game.hpp>

namespace mobula::server {
namespace {

constexpr ecs::Tick gained_within = 4;
constexpr ecs::Tick lost_within = gained_within + 3;

class ServerTeleport : public testing::Test {
 protected:
  void SetUp() override {
    in_a_tick([&](World& world) { make(world, {20, 0, 0}); });  // the client then knows the prototype
    ASSERT_TRUE(village.tick_until([&] {
      return ada.connection.player_entity() && ada.connection.mirror() != nullptr && sees(made.front()) && sees(me());
    }));
    in_a_tick([&](World& world) {
      for (const ecs::Entity entity : std::exchange(made, {})) world.destroy(entity);
    });
    village.ticks(10);
  }
  [[nodiscard]] ecs::Entity me() const { return ada.connection.player_entity(); }
  const client::Mirror& mirror() { return *ada.connection.mirror(); }
  [[nodiscard]] bool sees(ecs::Entity entity) const { return ada.connection.mirror()->tick_of(entity) != 0; }
  ecs::Entity make(World& world, const engine::Vec3& position) {
    made.push_back(*world.create(engine::Transform{.position = position}));
    return made.back();
  }
  static void teleport(World& world, ecs::Entity entity, const engine::Vec3& position) {
    world.registry().get<engine::Transform>(entity).position = position;
    world.cut(entity);
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
  ecs::Tick teleport_me(const engine::Vec3& position) {
    return in_a_tick([&](World& world) { teleport(world, me(), position); });
  }
  std::vector<ecs::Entity> make_around(const engine::Vec3& centre, int count) {
    std::vector<ecs::Entity> group;
    in_a_tick([&](World& world) {
      for (int i = 0; i < count; ++i)
        group.push_back(make(world, {centre.x + static_cast<float>(i % 5), 0, centre.z + static_cast<float>(i / 5)}));
    });
    return group;
  }
  // Ticks until all deltas of ticks up to `tick` have arrived.
  void tick_to(ecs::Tick tick) {
    while (mirror().tick() < tick) village.tick();
  }
  void expect_gained(const std::vector<ecs::Entity>& group, ecs::Tick teleport) {
    for (const ecs::Entity entity : group) {
      EXPECT_TRUE(sees(entity)) << to_string(entity);
      EXPECT_LE(mirror().tick_of(entity), teleport + gained_within);
    }
  }
  void expect_lost(const std::vector<ecs::Entity>& group) {
    for (const ecs::Entity entity : group) EXPECT_FALSE(sees(entity)) << to_string(entity);
  }

  test::NearGame game;
  test::Village village{game, {}, {}, 1};
  test::Village::Client& ada = village.join("ada");
  std::vector<ecs::Entity> made;
};

TEST_F(ServerTeleport, AViewerSeesTheGoalAndLosesWhatItLeft) {
  const std::vector<ecs::Entity> here = make_around({0, 0, 0}, 20);
  const std::vector<ecs::Entity> there = make_around({300, 0, 0}, 20);
  village.ticks(12);
  expect_lost(there);
  const ecs::Tick teleport = teleport_me({300, 0, 0});
  tick_to(teleport + gained_within);
  expect_gained(there, teleport);
  tick_to(teleport + lost_within);
  expect_lost(here);
}

TEST_F(ServerTeleport, AViewerThatReturnsSoonSeesItsPlaceAgain) {
  const std::vector<ecs::Entity> here = make_around({0, 0, 0}, 20);
  const std::vector<ecs::Entity> there = make_around({300, 0, 0}, 20);
  for (const int stay : {1, 2, 3, 4, 5, 8}) {
    SCOPED_TRACE(std::to_string(stay) + " ticks away");
    village.ticks(12);
    teleport_me({300, 0, 0});
    for (int i = 1; i < stay; ++i) village.tick();
    const ecs::Tick back = teleport_me({0, 0, 0});
    tick_to(back + gained_within);
    for (const ecs::Entity entity : here) EXPECT_TRUE(sees(entity)) << to_string(entity);
    tick_to(back + lost_within);
    expect_lost(there);
    EXPECT_TRUE(village.mirrors(ada));
  }
}

TEST_F(ServerTeleport, GoalsOnBordersOfCellsAndOfTheRangeAreSeen) {
  const float goals[] = {50, 25, -0.0f, 512, -512, 64, 128, -64, 100, 49.99f};
  for (const float x : goals) {
    SCOPED_TRACE(x);
    const std::vector<ecs::Entity> there = make_around({x, 0, -x}, 3);
    village.ticks(8);
    in_a_tick([&](World& world) { teleport(world, me(), {-300, 0, -300}); });
    village.ticks(8);
    expect_lost(there);
    const ecs::Tick teleport = teleport_me({x, 0, -x});
    tick_to(teleport + gained_within);
    expect_gained(there, teleport);
    EXPECT_TRUE(village.mirrors(ada));
  }
}

TEST_F(ServerTeleport, ThingsThatComeAreGainedAndThoseThatGoLost) {
  const std::vector<ecs::Entity> near = make_around({0, 0, 0}, 10);
  const std::vector<ecs::Entity> far = make_around({400, 0, 400}, 10);
  village.ticks(12);
  const ecs::Tick swap = in_a_tick([&](World& world) {
    for (std::size_t i = 0; i < near.size(); ++i) {
      teleport(world, near[i], {400, 0, static_cast<float>(i)});
      teleport(world, far[i], {10, 0, static_cast<float>(i)});
    }
  });
  tick_to(swap + gained_within);
  expect_gained(far, swap);
  tick_to(swap + lost_within);
  expect_lost(near);
}

TEST_F(ServerTeleport, AHundredThatSwapPlacesInOneTickAllStayInView) {
  std::vector<ecs::Entity> all;
  in_a_tick([&](World& world) {
    for (int i = 0; i < 100; ++i)
      all.push_back(make(world, {static_cast<float>(i % 10) * 4 - 20, 0, static_cast<float>(i / 10) * 4 - 20}));
  });
  ASSERT_TRUE(village.tick_until([&] { return ada.connection.complete() && sees(all.back()); }));
  village.ticks(8);
  const auto position = [&](ecs::Entity entity, double tick) {
    const auto shown = client::sample<engine::Transform>(mirror(), entity, tick);
    return shown ? shown->position : engine::Vec3{.x = -1e9f, .y = 0, .z = 0};
  };
  std::vector<engine::Vec3> before;
  for (const ecs::Entity entity : all) before.push_back(position(entity, mirror().tick()));
  ada.connection.mirror()->set_view_tick(mirror().tick());
  const ecs::Tick swap = in_a_tick([&](World& world) {
    for (std::size_t i = 0; i < all.size(); ++i) teleport(world, all[i], before[(i + 37) % all.size()]);
  });
  // A budget of 24 KiB for a tick has room for all; it takes at most a second in any case.
  for (ecs::Tick tick = swap; tick < swap + 20; ++tick) {
    for (const ecs::Entity entity : all) EXPECT_TRUE(sees(entity)) << to_string(entity) << " in tick " << tick;
    village.tick();
  }
  EXPECT_TRUE(ada.connection.complete());
  EXPECT_TRUE(village.mirrors(ada));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(position(all[i], swap + 20.0), before[(i + 37) % all.size()]);
    const ecs::Tick told = mirror().tick_of(all[i]);
    for (const double age : {0.25, 0.5, 1.5}) EXPECT_EQ(position(all[i], told - age), before[i]);
  }
}

TEST_F(ServerTeleport, ATeleportedParentTakesFiftyChildrenAlong) {
  ecs::Entity parent;
  std::vector<ecs::Entity> children;
  in_a_tick([&](World& world) {
    parent = make(world, {10, 0, 0});
    for (int i = 0; i < 50; ++i) {
      children.push_back(make(world, {static_cast<float>(i) / 10, 0, 0}));
      ASSERT_TRUE(world.hierarchy().set_parent(children.back(), parent).ok());
    }
  });
  ASSERT_TRUE(village.tick_until([&] { return ada.connection.complete() && sees(children.back()); }));
  village.ticks(8);
  const ecs::Tick leave = in_a_tick([&](World& world) { teleport(world, parent, {400, 0, 0}); });
  tick_to(leave + lost_within);
  expect_lost(children);
  EXPECT_FALSE(sees(parent));
  const ecs::Tick back = in_a_tick([&](World& world) { teleport(world, parent, {-10, 0, 0}); });
  tick_to(back + gained_within);
  EXPECT_TRUE(sees(parent));
  for (std::size_t i = 0; i < children.size(); ++i) {
    EXPECT_TRUE(sees(children[i]));
    const auto shown = client::sample_world(mirror(), children[i], mirror().tick());
    ASSERT_TRUE(shown);
    EXPECT_NEAR(static_cast<double>(shown->position.x), -10 + static_cast<double>(i) / 10, 0.02);
  }
}

TEST_F(ServerTeleport, CutCountsFromItsFirstCall) {
  ecs::Entity thing;
  in_a_tick([&](World& world) { thing = make(world, {5, 0, 0}); });
  for (std::uint8_t count = 1; count < 4; ++count) {
    in_a_tick([&](World& world) {
      world.cut(thing);
      EXPECT_EQ(world.registry().get<engine::Cuts>(thing).count, count);
    });
  }
  in_a_tick([&](World& world) {
    world.registry().get<engine::Cuts>(thing).count = 255;
    world.cut(thing);
    EXPECT_EQ(world.registry().get<engine::Cuts>(thing).count, 0);
  });
}

}  // namespace
}  // namespace mobula::server
