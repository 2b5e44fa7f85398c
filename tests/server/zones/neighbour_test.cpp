// Two zones with a border at x = 0, each a whole server, and each a client of the other.
#include <mobula/server/zones/neighbour.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <mobula/server/zones/border.hpp>
#include <mobula/server/zones/zone_map.hpp>
#include <mobula/server/zones/zone_pass.hpp>
#include <seeds.hpp>
#include <server/near_game.hpp>

namespace mobula::server {
namespace {

using test::Village;

constexpr float radius = 50;  // NearGame has it
constexpr std::string_view map_json =
    R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "entities_per_zone": 4096})";

// Counts the identities that it is asked about.
struct AskedGame : test::NearGame {
  core::Status authenticate(const Identity& /*identity*/) override {
    ++asked;
    return core::Done{};
  }
  int asked = 0;
};

// A zone with its connection to the other one.
struct ZoneServer {
  ZoneServer(const ZoneMap& map, std::uint32_t number, const transport::NetworkConditions& conditions,
             std::uint64_t seed)
      : zone(number), village(game, config(map, number), conditions, seed), neighbour(registry(), 1 - number) {}

  static ServerConfig config(const ZoneMap& map, std::uint32_t number) {
    const auto zone_of = [map](const Identity& identity) -> std::optional<ZoneRegion> {
      const auto zone = read_zone_pass(identity, test::test_transport().private_key);
      if (!zone || *zone >= map.zones().size()) return std::nullopt;
      return ZoneRegion{*zone, map.zones()[*zone].region};
    };
    return {.entities_max = map.entities_max(),
            .zone = ZoneConfig{map.indices(number), {number, map.zones()[number].region}, std::nullopt, zone_of}};
  }
  void connect(ZoneServer& other, std::uint64_t client_id) {
    const transport::UserData pass = zone_pass(zone, client_id, test::test_transport().private_key);
    client::ConnectionConfig link;
    link.transport.token = test::test_token(client_id, pass);
    link.name = "zone " + std::to_string(zone);
    link.spectate = true;
    link.schema = test::game_schema();
    connection = &other.village.join(std::move(link)).connection;
  }
  ecs::Registry& registry() { return village.server->world().registry(); }
  ecs::Entity make(float x) {
    return *village.server->world().create(engine::Transform{.position = {.x = x, .y = 0, .z = 0}}, demo::Health{});
  }
  void tick() {
    village.tick();
    if (connection == nullptr) return;
    neighbour.update(*connection, village.now);
    neighbour.show(*connection, neighbour.ended());  // as ZoneHost does for all neighbours
    if (neighbour.was_heard()) village.server->world().note_heard(1 - zone);
  }

  std::uint32_t zone;
  AskedGame game;
  Village village;
  Neighbour neighbour;
  client::Connection* connection = nullptr;
};

struct ZonePair {
  explicit ZonePair(const transport::NetworkConditions& conditions = {}, std::uint64_t seed = 1)
      : west(map, 0, conditions, seed), east(map, 1, conditions, seed + 1) {
    east.connect(west, 1001);
    west.connect(east, 1002);
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) {
      west.tick();
      east.tick();
    }
  }

  ZoneMap map = std::move(*ZoneMap::parse(map_json));
  ZoneServer west;
  ZoneServer east;
};

// Expects that `there` has exactly the ghosts of `here` that it may see, with their values.
void expect_ghosts(ZoneServer& here, ZoneServer& there, const Region& region) {
  ecs::Registry& ghosts = there.registry();
  here.registry().view<const engine::Transform>().each([&](ecs::Entity entity, const engine::Transform& transform) {
    if (here.registry().entities().is_ghost(entity)) return;
    const float distance = std::sqrt(region.distance_squared(transform.position));
    if (distance > radius * Layer::usual_leave_ratio) ASSERT_FALSE(ghosts.valid(entity)) << distance;
    if (distance > radius) return;
    ASSERT_TRUE(ghosts.entities().is_ghost(entity)) << distance;
    ASSERT_NEAR(ghosts.get<const engine::Transform>(entity).position.x, transform.position.x, 0.01f);
    ASSERT_EQ(ghosts.get<const demo::Health>(entity).current, here.registry().get<const demo::Health>(entity).current);
  });
}

TEST(Neighbour, HasGhostsOfTheBorderStrip) {
  ZonePair pair;
  const ecs::Entity near = pair.west.make(-20);
  const ecs::Entity far = pair.west.make(-200);
  pair.ticks(20);
  ASSERT_TRUE(pair.east.neighbour.is_current());
  EXPECT_TRUE(pair.east.registry().entities().is_ghost(near));
  EXPECT_FALSE(pair.east.registry().valid(far));
  pair.west.registry().get<engine::Transform>(near).position.x = -200;
  pair.ticks(Ghosts::linger_ticks + 20);
  EXPECT_FALSE(pair.east.registry().valid(near));
  EXPECT_EQ(pair.west.village.server->spectators(), 0u) << "a neighbour does not count";
}

// A client on the other side sees it under the same handle.
TEST(Neighbour, ClientsSeeGhostsAsTheySeeOthers) {
  ZonePair pair;
  const ecs::Entity entity = pair.west.make(-20);
  Village::Client& client = pair.east.village.join("anna");
  pair.ticks(40);
  const auto sees = [&](ecs::Entity each) { return client.connection.mirror()->registry().valid(each); };
  EXPECT_TRUE(sees(entity));
  pair.west.registry().get<demo::Health>(entity).current = 3;
  pair.ticks(20);
  const ecs::Registry& mirror = client.connection.mirror()->registry();
  EXPECT_EQ(mirror.get<const demo::Health>(entity).current, 3);
  pair.west.village.server->world().destroy(entity);
  pair.ticks(20);
  EXPECT_FALSE(pair.east.registry().valid(entity));
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
}

TEST(Neighbour, GhostsFollowRandomWalksAtFivePercentLoss) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(2, 6), 400, [](std::uint64_t seed) {
    ZonePair pair({.latency = 20 * core::millisecond, .loss_ppm = 50'000}, seed);
    core::Random random(seed);
    std::vector<std::pair<ZoneServer*, ecs::Entity>> all;
    for (int i = 0; i < 60; ++i) {
      ZoneServer& zone = i % 2 == 0 ? pair.west : pair.east;
      all.emplace_back(&zone, zone.make(i % 2 == 0 ? random.uniform(-150, 0) : random.uniform(0, 150)));
    }
    for (int tick = 0; tick < 200; ++tick) {
      for (const auto& [zone, entity] : all) {
        engine::Transform& transform = zone->registry().get<engine::Transform>(entity);
        transform.position.x += random.uniform(-4, 4);
        if (random.chance(1, 20))
          zone->registry().get<demo::Health>(entity).current = static_cast<std::uint16_t>(random.below(100));
      }
      pair.ticks(1);
    }
    pair.ticks(60);
    expect_ghosts(pair.west, pair.east, pair.map.zones()[1].region);
    expect_ghosts(pair.east, pair.west, pair.map.zones()[0].region);
    EXPECT_GT(pair.east.neighbour.stats().gained, 10u);
    EXPECT_GT(pair.east.neighbour.stats().checked, 1000u);
    EXPECT_EQ(pair.east.neighbour.stats().corrected, 0u);
    EXPECT_EQ(pair.east.neighbour.stats().refused, 0u);
    EXPECT_GT(pair.east.connection->stats().verified_ticks, 100u);
    EXPECT_EQ(pair.east.connection->stats().mismatched_ticks, 0u);
  });
}

// A zone gives an entity with all below it to the other one.
void cross(ZoneServer& from, ZoneServer& to, ecs::Entity root) {
  World& source = from.village.server->world();
  World& target = to.village.server->world();
  const core::Result<ZonePack> packed = source.pack_for_zone({&root, 1});
  ASSERT_TRUE(packed.ok());
  from.neighbour.keep(packed->entities, source.schema());
  const core::Status received = target.receive(*packed);
  ASSERT_TRUE(received.ok()) << received.error().message;
}

// Clients on both sides see the entity in each tick, whichever zone has it.
TEST(Neighbour, AnEntityThatCrossesIsSeenAllTheTime) {
  ZonePair pair({.latency = 20 * core::millisecond});
  World& west = pair.west.village.server->world();
  const ecs::Entity root = pair.west.make(-10);
  const ecs::Entity child = pair.west.make(1);
  const ecs::Entity other = pair.west.make(-12);
  ASSERT_TRUE(west.hierarchy().set_parent(child, root).ok());
  west.registry().add<demo::Target>(root, {other});
  Village::Client& anna = pair.west.village.join("anna");
  Village::Client& bert = pair.east.village.join("bert");
  pair.ticks(40);
  const auto both_see = [&](ecs::Entity entity) {
    return anna.connection.mirror()->registry().valid(entity) && bert.connection.mirror()->registry().valid(entity);
  };
  ASSERT_TRUE(both_see(root) && both_see(child));
  for (int i = 0; i < 6; ++i) {
    ZoneServer& from = i % 2 == 0 ? pair.west : pair.east;
    ZoneServer& to = i % 2 == 0 ? pair.east : pair.west;
    cross(from, to, root);
    for (int tick = 0; tick < 40; ++tick) {
      to.registry().get<engine::Transform>(root).position.z += 0.1f;
      pair.ticks(1);
      ASSERT_TRUE(both_see(root) && both_see(child)) << "crossing " << i << ", tick " << tick;
    }
    EXPECT_TRUE(from.registry().entities().is_ghost(root));
    EXPECT_FALSE(to.registry().entities().is_ghost(root));
    EXPECT_EQ(to.registry().get<const engine::Parent>(child).entity, root);
    EXPECT_EQ(to.registry().get<const demo::Target>(root).entity, other);
    EXPECT_NEAR(from.registry().get<const engine::Transform>(root).position.z,
                to.registry().get<const engine::Transform>(root).position.z, 0.5f);
  }
  EXPECT_EQ(anna.connection.stats().mismatched_ticks + bert.connection.stats().mismatched_ticks, 0u);
  pair.west.registry().check();
  pair.east.registry().check();
}

// The other zone has detached the child, which is not known here yet.
TEST(Neighbour, AGhostBelowAnEntityDoesNotCrossOrEndWithIt) {
  ZonePair pair;
  World& west = pair.west.village.server->world();
  const ecs::Entity root = pair.west.make(-10);
  const ecs::Entity child = pair.west.make(1);
  ASSERT_TRUE(west.hierarchy().set_parent(child, root).ok());
  ecs::Guests(west.registry()).set_ghost(child, true);
  EXPECT_EQ(west.pack_for_zone({&root, 1})->entities, std::vector{root});
  west.destroy_tree(root);
  pair.west.tick();
  EXPECT_TRUE(west.is_ghost(child));
  EXPECT_EQ(west.registry().get<const engine::Parent>(child).entity, root) << "the other zone writes it";
}

// The index had another entity before, whose end has not arrived.
TEST(Neighbour, AReceivedEntityReplacesTheGhostAtItsIndex) {
  ZonePair pair;
  const ecs::Entity former = pair.west.make(-10);
  pair.ticks(20);
  ASSERT_TRUE(pair.east.registry().entities().is_ghost(former));
  pair.west.village.server->world().destroy(former);
  const ecs::Entity entity = pair.west.make(-10);
  ASSERT_EQ(entity.index, former.index);
  cross(pair.west, pair.east, entity);
  EXPECT_FALSE(pair.east.registry().valid(former));
  pair.ticks(40);
  EXPECT_TRUE(pair.east.registry().valid(entity));
  EXPECT_FALSE(pair.east.registry().entities().is_ghost(entity));
  EXPECT_TRUE(pair.west.registry().entities().is_ghost(entity));
}

// Each ends with the other, by a listener of the game.
TEST(Neighbour, GivenUpEntitiesHaveNotEnded) {
  ZonePair pair;
  World& west = pair.west.village.server->world();
  ecs::Registry& registry = west.registry();
  server::Border border(registry, pair.map, 0);
  const std::array guests{ecs::Entity{4096 + 5, 1}, ecs::Entity{4096 + 6, 1}};
  for (const ecs::Entity each : guests) ASSERT_TRUE(ecs::Guests(registry).receive(each, false));
  registry.destroying().connect([&](std::span<const ecs::Entity> entities) {
    if (std::ranges::count(entities, guests[0]) > 0) registry.destroy(guests[1]);
  });
  west.give_up(guests);
  for (const ecs::Entity each : guests) EXPECT_FALSE(registry.valid(each));
  EXPECT_TRUE(border.take_ended().empty());
}

TEST(Neighbour, AnEntityThatAWorldHasIsNotReceived) {
  ZonePair pair;
  World& west = pair.west.village.server->world();
  const ecs::Entity entity = pair.west.make(-10);
  ZonePack packed = *west.pack_for_zone({&entity, 1});
  EXPECT_STREQ(west.receive(packed).error().reason, "handle in use");
  packed.entities[0] = {5, 77};
  EXPECT_STREQ(west.receive(packed).error().reason, "handle in use") << "it was never created";
  const ecs::Entity guest{5000, 3};
  ASSERT_TRUE(ecs::Guests(west.registry()).receive(guest, true));
  packed.entities[0] = guest;
  EXPECT_TRUE(west.receive(packed).ok());
  EXPECT_STREQ(west.receive(packed).error().reason, "handle in use");
  west.destroy(guest);
  ASSERT_TRUE(west.hierarchy().set_parent(pair.west.make(-9), entity).ok());
  ZonePack twice = *west.pack_for_zone({&entity, 1});
  ASSERT_EQ(twice.entities.size(), 2u);
  ASSERT_TRUE(ecs::Guests(west.registry()).receive(guest, true));
  twice.entities = {guest, guest};
  EXPECT_STREQ(west.receive(twice).error().reason, "handle in use");
  EXPECT_TRUE(west.registry().entities().is_ghost(guest)) << "nothing has changed";
  packed.entities.clear();
  EXPECT_STREQ(west.receive(packed).error().reason, "invalid");
  EXPECT_EQ(west.registry().entities().size(), 3u);
}

TEST(Neighbour, GhostsStandStillWhileTheConnectionIsLost) {
  ZonePair pair;
  const ecs::Entity entity = pair.west.make(-20);
  pair.ticks(20);
  ASSERT_TRUE(pair.east.registry().valid(entity));
  World& east = pair.east.village.server->world();
  const ecs::Tick age = east.ghost_age(entity);
  EXPECT_LT(age, 5u);
  pair.west.village.server->shut_down(pair.west.village.now, pair.west.village.server_port);
  pair.ticks(10);
  EXPECT_GE(east.ghost_age(entity), age + 8);
  EXPECT_FALSE(pair.east.neighbour.is_current());
  EXPECT_TRUE(pair.east.registry().valid(entity));
  pair.ticks(static_cast<int>(Neighbour::keep_lost / Village::tick_length) + 10);
  EXPECT_FALSE(pair.east.registry().valid(entity));
}

TEST(Neighbour, ResumesALostConnectionWithoutTheGame) {
  ZonePair pair;
  const ecs::Entity entity = pair.west.make(-20);
  pair.ticks(40);
  Village& west = pair.west.village;
  pair.east.connection->pipe_closed("the cable is cut", west.now);
  west.server->pipe_closed(west.clients.front()->port.from, west.now);
  ASSERT_GT(pair.east.connection->rejoin_tokens(), 0u);
  ASSERT_TRUE(west.tick_until([&] { return pair.east.connection->can_rejoin(); }, 5));
  pair.east.connection->rejoin(west.now);
  pair.ticks(40);
  EXPECT_TRUE(pair.east.neighbour.is_current()) << pair.east.connection->reason().text;
  EXPECT_TRUE(pair.east.registry().entities().is_ghost(entity));
  EXPECT_LT(pair.east.village.server->world().ghost_age(entity), 5u);
  EXPECT_EQ(pair.west.game.asked, 0);
}

// A pass of another key is an account, which the game judges.
TEST(Neighbour, AClientsTokenOpensNoBorder) {
  ZonePair pair;
  client::ConnectionConfig forged;
  core::SecretKey other{};
  forged.transport.token = test::test_token(2000, zone_pass(1, 2000, other));
  const Village::Client& client = pair.west.village.join(std::move(forged));
  pair.west.make(-20);
  pair.ticks(20);
  const Viewer* const viewer = pair.west.village.server->world().try_viewer(client.connection.player());
  ASSERT_NE(viewer, nullptr);
  EXPECT_FALSE(viewer->zone());
  EXPECT_EQ(pair.west.village.server->players(), 1u);
}

}  // namespace
}  // namespace mobula::server
