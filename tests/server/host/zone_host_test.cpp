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

// Counts what the games of both zones receive, by the handle's text.
struct Postman : test::CountingGame {
  static inline std::map<std::string, int> messages;
  static inline std::map<std::string, int> events;  // in the zone of the entity, and in the other

  void receive(World& world, ecs::Entity entity, core::ByteView) override {
    EXPECT_FALSE(world.is_ghost(entity));
    ++messages[ecs::to_string(entity)];
  }
  void tick(World& world) override {
    if (world.events().size() > 0) ++events[world.zone()->region.x_min < 0 ? "west" : "east"];
  }
};

TEST_F(ZoneHostTest, AMessageToAGhostIsReceivedInItsZone) {
  make_game = [] { return std::make_unique<Postman>(); };
  Postman::messages.clear();
  int step = 0;
  ecs::Entity walker;
  const auto send = [&](World& world) { EXPECT_TRUE(world.messages().send(walker, core::Bytes(3)).ok()); };
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    int& received = Postman::messages[ecs::to_string(walker)];
    switch (step) {
      case 0: walker = make(west, -5); return ++step == 0;
      case 1:
        if (!east.is_ghost(walker)) return false;
        send(east);
        return ++step == 0;
      case 2:  // it crosses while messages are on their way
        if (received < 1) return false;
        walk(west, walker, 5);
        return ++step == 0;
      case 3:
        if (received < 20) send(received % 2 == 0 ? east : west);
        return has(east, walker) && is_settled() && received >= 20 && ++step == 0;
      default: return true;
    }
  });
  EXPECT_GE(Postman::messages[ecs::to_string(walker)], 20);
}

TEST_F(ZoneHostTest, EventsAboutAGhostAreSentInBothZones) {
  make_game = [] { return std::make_unique<Postman>(); };
  Postman::events.clear();
  int step = 0;
  ecs::Entity walker;
  const auto send = [&](World& world) {
    EXPECT_TRUE(world.events().send(core::Bytes(3), Audience::seers_of(walker), Reliability::reliable).ok());
  };
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    switch (step) {
      case 0: walker = make(west, -5); return ++step == 0;
      case 1:
        if (!east.is_ghost(walker)) return false;
        send(west);
        return ++step == 0;
      case 2:
        if (Postman::events["east"] == 0) return false;
        EXPECT_EQ(Postman::events, (std::map<std::string, int>{{"east", 1}, {"west", 1}}));
        send(east);
        return ++step == 0;
      case 3:
        if (Postman::events["west"] < 2) return false;
        return ++step == 0;
      default: return ++step == 40;
    }
  });
  EXPECT_EQ(Postman::events, (std::map<std::string, int>{{"east", 2}, {"west", 2}})) << "none returns";
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

// It would cross by itself later in the same tick.
TEST_F(ZoneHostTest, AnEntityThatAHookSendsAlongCrossesOnce) {
  static ecs::Entity pet;
  struct Tamer : test::CountingGame {
    core::Status may_leave(World& world, const Player& player, std::string_view) override {
      return world.hierarchy().set_parent(pet, player.entity);
    }
  };
  pet = {};
  make_game = [] { return std::make_unique<Tamer>(); };
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (!pet) {
      const ecs::Entity own = make(west, 5);
      pet = make(west, 5);
      worlds.find(west_world)->server().restore_players(2, {{1, "Anna", "anna", own, true}});
    }
    if (!has(east, pet) || !is_settled()) return false;
    for (const auto& [key, value] : placer->directory().keys())
      EXPECT_FALSE(key.starts_with(cluster::crossings_prefix)) << key << " cannot be read";
    return true;
  });
}

// The game destroys a part of it the first time, and refuses the player.
TEST_F(ZoneHostTest, ARefusedArrivalEndsNoneOfItsEntities) {
  static ecs::Entity pet;
  static int arrivals;
  struct Doubter : test::CountingGame {
    core::Status unpack(World& world, const Player& /*player*/, core::ByteView /*data*/) override {
      if (++arrivals > 1) return core::Done{};
      world.destroy(pet);
      return core::Error{"doubt", "not yet"};
    }
  };
  pet = {};
  arrivals = 0;
  make_game = [] { return std::make_unique<Doubter>(); };
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    if (!pet) {
      const ecs::Entity own = make(west, 5);
      pet = make(west, 5);
      EXPECT_TRUE(west.hierarchy().set_parent(pet, own).ok());
      worlds.find(west_world)->server().restore_players(2, {{1, "Anna", "anna", own, true}});
    }
    if (!has(east, pet) || arrivals < 2 || !is_settled()) return false;
    EXPECT_EQ(west.registry().entities().elsewhere_at(pet.index), pet) << "its index stays reserved";
    return true;
  });
  EXPECT_EQ(arrivals, 2);
}

// The new zone has none of the level, as the entities come from the zone that was split.
TEST_F(ZoneHostTest, EntitiesFollowSplitsAndMerges) {
  constexpr const char* far_world = "land.far";
  const ZoneMap whole = std::move(*ZoneMap::parse(two_zones));
  const ZoneMap split = std::move(*whole.split("east", {.at = 10, .name = "far"}));
  int step = 0;
  int waited = 0;
  std::vector<ecs::Entity> beyond;
  ecs::Entity near;
  const auto each = [&](World& world) {
    return std::ranges::all_of(beyond, [&](ecs::Entity entity) { return has(world, entity); });
  };
  run([&](Worlds& worlds) {
    const auto& [west, east] = pair(worlds);
    HostedWorld* const far = worlds.find(far_world);
    const bool seen = std::ranges::all_of(beyond, [&](ecs::Entity entity) { return west.is_ghost(entity); });
    switch (step) {
      case 0:
        near = make(east, 5);
        for (int i = 0; i < 40; ++i) beyond.push_back(make(east, 20));
        return ++step == 0;
      case 1:
        if (!west.is_ghost(beyond.back())) return false;
        set_map(split.to_json());
        return ++step == 0;
      case 2:  // it is not open yet
        EXPECT_TRUE(each(east));
        if (east.zone()->region != split.zones()[1].region || ++waited < 20) return false;
        create(far_world);
        return ++step == 0;
      case 3:
        if (far == nullptr || !each(far->server().world()) || !seen) return false;
        EXPECT_TRUE(has(east, near));
        EXPECT_EQ(east.zone()->region, split.zones()[1].region);
        EXPECT_EQ(far->server().world().zone()->region, split.zones()[2].region);
        return ++step == 0;
      case 4:
        if (!is_settled() || !far->server().world().is_ghost(near)) return false;
        set_map(split.merge("far", "east")->to_json());
        return ++step == 0;
      default:
        if (!each(east) || !is_settled() || !seen) return false;
        EXPECT_EQ(east.zone()->region, whole.zones()[1].region);
        return true;
    }
  });
  EXPECT_EQ(step, 5);
  names.emplace_back(far_world);
  run([&](Worlds& worlds) {
    EXPECT_TRUE(each(world(worlds, east_world))) << "after a restart";
    return true;
  });
}

TEST_F(ZoneHostTest, AnotherMapIsNotFollowed) {
  testing::internal::CaptureStderr();
  int step = 0;
  run([&](Worlds& worlds) {
    if (step++ == 0) set_map(R"({"zones": [{"name": "west", "x": [null, 5]}, {"name": "north", "x": [5, null]}]})");
    EXPECT_EQ(world(worlds, west_world).zone()->region.x_max, 0);
    return step > 60;
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("the new map of land is not used"));
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
