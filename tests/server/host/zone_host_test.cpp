// Two zones of one node with a border at x = 0, with a real etcd.
#include <mobula/schema/components.hpp>
#include <mobula/server/store/database.hpp>
#include <server/host/cluster_worlds.hpp>

namespace mobula::server {
namespace zone_host_test {

constexpr const char* west_world = "land.west";
constexpr const char* east_world = "land.east";
constexpr const char* two_zones =
    R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "entities_per_zone": 1024})";

// Everything is seen at any distance.
class ZoneHostTest : public test::ClusterWorldsTest {
 protected:
  ZoneHostTest() : ClusterWorldsTest({west_world, east_world}, "land", two_zones) {}

  struct Pair {
    World& west;
    World& east;
  };
  static Pair pair(Worlds& worlds) { return {world(worlds, west_world), world(worlds, east_world)}; }
  static ecs::Entity make(World& world, float x) {
    return *world.create(engine::Transform{.position = {.x = x, .y = 0, .z = 0}}, demo::Health{});
  }
  static void walk(World& world, ecs::Entity entity, float x) {
    world.registry().get<engine::Transform>(entity).position.x = x;
  }
  static bool has(World& world, ecs::Entity entity) {
    return world.registry().valid(entity) && !world.is_ghost(entity);
  }
  // Both ledgers have settled.
  [[nodiscard]] bool is_settled() const { return placer->directory().crossings().empty(); }
};

TEST_F(ZoneHostTest, AnEntityCrossesByItsPlaceAndKeepsItsHandle) {
  int step = 0;
  ecs::Entity walker;
  ecs::Entity child;
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    switch (step) {
      case 0:
        walker = make(west, -5);
        child = make(west, 1);
        west.registry().get<demo::Health>(walker).current = 42;
        EXPECT_TRUE(west.hierarchy().set_parent(child, walker).ok());
        return ++step == 0;
      case 1:  // the other zone sees it
        if (!east.is_ghost(walker) || !east.is_ghost(child)) return false;
        walk(west, walker, 5);
        return ++step == 0;
      case 2:
        EXPECT_TRUE(has(west, walker) || west.is_ghost(walker)) << "seen all the time";
        if (!has(east, walker)) return false;
        EXPECT_TRUE(has(east, child));
        EXPECT_FALSE(has(west, walker));
        EXPECT_EQ(east.registry().get<const demo::Health>(walker).current, 42);
        EXPECT_EQ(east.registry().get<const engine::Parent>(child).entity, walker);
        return ++step == 0;
      case 3:
        if (!is_settled()) return false;
        walk(east, walker, -5);
        return ++step == 0;
      default: return has(west, walker) && has(west, child) && east.is_ghost(walker) && is_settled();
    }
  });
  EXPECT_EQ(step, 4);
}

// The index is reserved until the other zone reports the end. Both zones are restarted meanwhile.
TEST_F(ZoneHostTest, AnEntityThatEndsAbroadFreesItsIndexAtHome) {
  int step = 0;
  ecs::Entity walker;
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (step == 0) walker = make(west, 5);
    step = 1;
    return has(east, walker) && is_settled() && placer->directory().ledger(west_world).modified != 0;
  });
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (step == 1) {
      EXPECT_TRUE(has(east, walker)) << "after a restart";
      EXPECT_EQ(west.registry().entities().elsewhere_at(walker.index), walker);
      east.destroy(walker);
      step = 2;
    }
    return !west.registry().valid(walker) && !west.registry().entities().elsewhere_at(walker.index) && is_settled();
  });
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    EXPECT_FALSE(west.registry().entities().elsewhere_at(walker.index));
    EXPECT_FALSE(east.registry().valid(walker));
    EXPECT_EQ(make(west, -5).index, walker.index) << "it is free";
    return true;
  });
}

TEST_F(ZoneHostTest, APlayerCrossesWithItsEntity) {
  int step = 0;
  ecs::Entity own;
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (step == 0) {
      own = make(west, -5);
      worlds.find(west_world)->server().restore_players(2, {{1, "Anna", "anna", own, true}});
      walk(west, own, 5);
      step = 1;
    }
    if (accounts(worlds, east_world).empty()) return false;
    EXPECT_TRUE(accounts(worlds, west_world).empty());
    EXPECT_EQ(accounts(worlds, east_world), std::vector<std::string>{"anna"});
    EXPECT_TRUE(has(east, own));
    EXPECT_EQ(worlds.find(east_world)->server().known_players().front().entity, own);
    return is_settled();
  });
}

TEST_F(ZoneHostTest, APlayerWhoMayNotLeaveStays) {
  struct Fence : test::CountingGame {
    core::Status may_leave(World&, const Player&, std::string_view target) override {
      EXPECT_EQ(target, east_world);
      return core::Error{"fence", "there is a fence"};
    }
  };
  make_game = [] { return std::make_unique<Fence>(); };
  ecs::Entity own;
  testing::internal::CaptureStderr();
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (!own) {
      own = make(west, 5);
      worlds.find(west_world)->server().restore_players(2, {{1, "Anna", "anna", own, true}});
    }
    EXPECT_TRUE(has(west, own));
    return west.tick() > 60;
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("there is a fence"));
}

// Its index is above the player's, so that it would cross later in the same tick.
TEST_F(ZoneHostTest, AnEntityDestroyedByAHookDoesNotCross) {
  static ecs::Entity pet;
  struct Summoner : test::CountingGame {
    core::Status may_leave(World& world, const Player&, std::string_view) override {
      if (world.registry().valid(pet)) world.destroy(pet);
      return core::Done{};
    }
  };
  pet = {};
  make_game = [] { return std::make_unique<Summoner>(); };
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (!pet) {
      const ecs::Entity own = make(west, 5);
      pet = make(west, 5);
      worlds.find(west_world)->server().restore_players(2, {{1, "Anna", "anna", own, true}});
    }
    return !accounts(worlds, east_world).empty() && is_settled() && !west.registry().valid(pet);
  });
}

// The zone was saved before the crossing, and its process ended without another save.
TEST_F(ZoneHostTest, AnOlderSaveGivesUpWhatHasCrossed) {
  int step = 0;
  ecs::Entity walker;
  fails = true;  // the dropped world
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (step == 0) walker = make(west, -5);
    if (step == 1) walk(west, walker, 5);
    step = std::max(step, 1);
    if (!has(east, walker)) return false;
    worlds.drop(west_world);
    return true;
  });
  fails = false;
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    EXPECT_TRUE(has(east, walker));
    EXPECT_FALSE(has(west, walker));
    return is_settled();
  });
}

}  // namespace zone_host_test
}  // namespace mobula::server
