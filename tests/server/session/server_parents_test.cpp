// Entities and their parents, from the game through the server to a mirror and its hierarchy.
#include <gtest/gtest.h>

#include <headless/temporary_folder.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <resource/test_level.hpp>
#include <seeds.hpp>
#include <server/tiny_game.hpp>
#include <set>

namespace mobula::server::server_parents_test {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

constexpr std::uint8_t small = 1;

// Players stand at the origin.
class HarbourGame : public test::TinyGame {
 public:
  [[nodiscard]] std::vector<Layer> layers() const override { return {{"scenery", 120}, {"small", 40}}; }
  [[nodiscard]] const InterestRule* interest_rule() const override { return has_rule ? &rule : nullptr; }
  core::Result<Entity> join(World& world, const Player& player) override {
    const core::Result<Entity> entity = TinyGame::join(world, player);
    world.registry().add<Transform>(*entity);
    return entity;
  }
  void tick(World& world) override {
    if (const auto what = std::exchange(once, nullptr)) what(world);
  }

  struct Fog : InterestRule {
    [[nodiscard]] bool may_see(const Viewer& /*viewer*/, Entity entity) const override { return entity != hidden; }
    Entity hidden;
  };
  Fog rule;
  bool has_rule = false;
  std::function<void(World&)> once;
};

class ServerParents : public testing::Test {
 protected:
  using Client = test::Village::Client;

  void start(ServerConfig config = {}, const transport::NetworkConditions& conditions = {}) {
    village = std::make_unique<test::Village>(game, std::move(config), conditions);
  }
  Client& join() {
    Client& client = village->join("ada");
    EXPECT_TRUE(village->tick_until([&] { return client.connection.complete(); }));
    return client;
  }
  [[nodiscard]] World& world() { return village->server->world(); }
  [[nodiscard]] ecs::Registry& registry() { return world().registry(); }
  Entity make(float x, Entity parent = {}) {
    const Entity entity = registry().create();
    registry().add<Transform>(entity).position.x = x;
    if (parent) registry().add<Parent>(entity, {parent});
    return entity;
  }
  // Makes a ship that is out of reach, with a flag and a deck that are within it, and a nail in the deck.
  void make_ship() {
    ship = make(130);
    flag = make(-110, ship);
    deck = make(-125, ship);
    nail = make(0.5f, deck);
    registry().add<Relevance>(nail).layer = small;
  }
  // Calls a function in the next tick, and runs some more.
  void once(std::function<void(World&)> what) {
    game.once = std::move(what);
    village->ticks(12);
  }
  static bool sees(const Client& client, Entity entity) { return client.connection.mirror()->tick_of(entity) != 0; }
  [[nodiscard]] bool sees_ship(const Client& client) const {
    return sees(client, ship) && sees(client, flag) && sees(client, deck) && sees(client, nail);
  }
  [[nodiscard]] bool sees_any_of_the_ship(const Client& client) const {
    return sees(client, ship) || sees(client, flag) || sees(client, deck) || sees(client, nail);
  }
  // Returns where a mirror's hierarchy places an entity; NaN if it does not.
  static float placed(Client& client, Entity entity) {
    hierarchy::Hierarchy hierarchy(client.connection.mirror()->registry());
    return hierarchy.is_placed(entity) ? hierarchy.world(entity).position.x : std::nanf("");
  }
  // Asserts that no mirror has an entity without its parent, nor shows it where it is not.
  void expect_no_orphans(Client& client) {
    ecs::Registry& mirrored = client.connection.mirror()->registry();
    mirrored.view<const Parent, const Transform>().each([&](Entity entity, const Parent& parent, const Transform&) {
      EXPECT_TRUE(!parent.entity || mirrored.valid(parent.entity)) << to_string(entity);
    });
  }

  HarbourGame game;
  std::unique_ptr<test::Village> village;
  Entity ship, flag, deck, nail;
};

TEST_F(ServerParents, AChildInReachBringsItsParentsIntoView) {
  start();
  make_ship();
  Client& ada = join();
  ASSERT_TRUE(sees_ship(ada));
  EXPECT_NEAR(placed(ada, flag), 20, 0.1);
  EXPECT_NEAR(placed(ada, deck), 5, 0.1);
  EXPECT_NEAR(placed(ada, nail), 5.5, 0.1);
}

TEST_F(ServerParents, AParentStaysInViewAsLongAsAChild) {
  start();
  make_ship();
  Client& ada = join();
  once([&](World&) {
    registry().get<Transform>(ship).position.x = 500;
    registry().get<Transform>(flag).position.x = -480;
  });
  EXPECT_TRUE(sees(ada, ship) && sees(ada, flag));
  EXPECT_FALSE(sees(ada, deck) || sees(ada, nail));
  EXPECT_NEAR(placed(ada, flag), 20, 0.1);
  once([&](World&) { registry().get<Transform>(flag).position.x = 0; });
  EXPECT_FALSE(sees_any_of_the_ship(ada));
}

TEST_F(ServerParents, AParentOfAnotherGroupHidesItsChildren) {
  start();
  make_ship();
  registry().add<Relevance>(ship).interest_group = 7;
  Client& ada = join();
  EXPECT_FALSE(sees_any_of_the_ship(ada));
  once([&](World& in) { in.viewer(game.players.front().id).join_group(7); });
  EXPECT_TRUE(sees_ship(ada));
  once([&](World&) { registry().get<Relevance>(ship).interest_group = 8; });
  EXPECT_FALSE(sees_any_of_the_ship(ada));
}

TEST_F(ServerParents, AParentThatTheRuleHidesHidesItsChildren) {
  game.has_rule = true;
  start();
  make_ship();
  game.rule.hidden = deck;
  Client& ada = join();
  EXPECT_TRUE(sees(ada, ship) && sees(ada, flag));
  EXPECT_FALSE(sees(ada, deck) || sees(ada, nail));
  game.rule.hidden = {};
  village->ticks(12);
  EXPECT_TRUE(sees_ship(ada));
}

// The delta that names the new parent is that which has it, or has lost the child.
TEST_F(ServerParents, ANewParentIsSentWithTheChildThatNamesIt) {
  start();
  Client& ada = join();
  for (int i = 0; i < 8; ++i) {  // at each turn of the client's queries
    make_ship();
    const Entity bird = make(10);
    const Entity ghost = make(15);
    village->ticks(8 + i);
    game.once = [&](World& in) {
      const Entity far = make(200);
      registry().add<Parent>(bird, {far});
      registry().get<Transform>(bird).position.x = -190;
      const Entity hidden = make(20);
      in.registry().add<Relevance>(hidden).interest_group = 9;
      registry().add<Parent>(ghost, {hidden});
    };
    for (int tick = 0; tick < 10; ++tick) {
      village->tick();
      expect_no_orphans(ada);
    }
    EXPECT_NEAR(placed(ada, bird), 10, 0.1);
    EXPECT_FALSE(sees(ada, ghost));
  }
}

TEST_F(ServerParents, ASpawnedChildBringsItsParents) {
  start();
  Client& ada = join();
  ship = make(130);
  village->ticks(8);
  EXPECT_FALSE(sees(ada, ship));
  once([&](World&) {
    flag = make(-110, ship);
    deck = make(-125, ship);
    nail = make(0.5f, deck);
  });
  EXPECT_TRUE(sees_ship(ada));
  village->server->sessions()[0]->replication.view->check();
}

// Observations of a client while it joins.
struct Arrival {
  std::set<Entity> orphans;            // children that were seen without their parent
  std::size_t delta_entities_max = 0;  // entities that one delta brought
};

class LateJoin : public ServerParents {
 protected:
  static constexpr int pairs = 1000;

  // Starts a world of 1,000 parents out of reach with a child each. Their first states take some fifty deltas.
  void start_pairs(std::uint32_t loss_ppm, std::uint64_t seed) {
    ServerConfig config;
    config.delta_bytes_per_tick_max = 1200;
    village = std::make_unique<test::Village>(
        game, std::move(config), transport::NetworkConditions{.latency = 50 * core::millisecond, .loss_ppm = loss_ppm},
        seed);
    children.clear();
    for (int i = 0; i < pairs; ++i) {
      const float x = 121.0f + static_cast<float>(i % 100);
      children.emplace_back(make(-x + static_cast<float>(i % 50), make(x)), static_cast<float>(i % 50));
    }
  }
  Arrival follow(Client& client) {
    Arrival arrival;
    EXPECT_TRUE(village->tick_until([&] { return client.connection.mirror() != nullptr; }));
    std::size_t had = 0;
    for (int tick = 0; tick < 600 && !client.connection.complete(); ++tick) {
      village->tick();
      const std::size_t has = client.connection.mirror()->size();
      arrival.delta_entities_max = std::max(arrival.delta_entities_max, has - std::min(had, has));
      had = has;
      note_orphans(client, arrival);
    }
    EXPECT_TRUE(client.connection.complete());
    return arrival;
  }
  void note_orphans(Client& client, Arrival& arrival) {
    hierarchy::Hierarchy hierarchy(client.connection.mirror()->registry());
    for (const auto& [child, x] : children) {
      if (!sees(client, child)) continue;
      if (!hierarchy.is_placed(child)) {
        arrival.orphans.insert(child);
      } else {
        EXPECT_NEAR(hierarchy.world(child).position.x, x, 0.1) << to_string(child);
      }
    }
  }

  void expect_all_placed(Client& client) {
    Arrival after;
    note_orphans(client, after);
    EXPECT_TRUE(after.orphans.empty());
    for (const auto& [child, x] : children) EXPECT_TRUE(sees(client, child)) << to_string(child);
  }

  std::vector<std::pair<Entity, float>> children;
};

TEST_F(LateJoin, WithASmallBudgetParentsComeFirst) {
  start_pairs(0, 1);
  Client& ada = village->join("ada");
  EXPECT_EQ(follow(ada).orphans.size(), 0u);
  expect_all_placed(ada);
}

// A child is without its parent only if that was in a delta that has not arrived. So no seed exceeds what those held.
TEST_F(LateJoin, OnlyLostDeltasPartChildrenFromParents) {
  std::size_t orphans = 0;
  test::for_each_seed(1, test::few_or_all(6, 24), 100'000, [&](std::uint64_t seed) {
    start_pairs(50'000, seed);
    Client& ada = village->join("ada");
    const Arrival arrival = follow(ada);
    const std::uint64_t missing = village->server->stats().deltas_sent - ada.connection.stats().deltas;
    EXPECT_LE(arrival.orphans.size(), missing * arrival.delta_entities_max);
    orphans += arrival.orphans.size();
    expect_all_placed(ada);
  });
  EXPECT_TRUE(test::soaks() || orphans > 0) << "no seed loses a delta of parents";
}

TEST_F(ServerParents, AParentOfFiftyChildrenTeleports) {
  start();
  ship = make(130);
  std::vector<Entity> children;
  for (int i = 0; i < 50; ++i) children.push_back(make(-110.0f - static_cast<float>(i) / 10, ship));
  Client& ada = join();
  for (const float x : {1000.0f, 130.0f, -5000.0f, 135.0f}) {
    once([&](World&) { registry().get<Transform>(ship).position.x = x; });
    const bool near = x > 0 && x < 200;
    EXPECT_EQ(sees(ada, ship), near) << x;
    for (const Entity child : children) EXPECT_EQ(sees(ada, child), near) << x;
    if (near) {
      EXPECT_NEAR(placed(ada, children.back()), x - 114.9f, 0.1);
    }
  }
  EXPECT_EQ(ada.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ServerParents, ChildrenOfADestroyedParentAreRootsEverywhere) {
  start();
  make_ship();
  Client& ada = join();
  once([&](World&) {
    registry().destroy(ship);
    registry().get<Transform>(flag).position.x = 20;
  });
  EXPECT_FALSE(sees(ada, ship));
  EXPECT_EQ(registry().get<const Parent>(flag).entity, ecs::null_entity);
  ASSERT_TRUE(sees(ada, flag));
  EXPECT_NEAR(placed(ada, flag), 20, 0.1);
  Client& late = join();
  ASSERT_TRUE(sees(late, flag));
  EXPECT_NEAR(placed(late, flag), 20, 0.1) << "not unknown: the server's Parent is null";
}

// The clients' part of the level has an empty entity in place of the ship, so all below it is sent.
TEST_F(ServerParents, AParentThatTheLevelHidesIsSentWithItsChild) {
  const std::string level =
      R"({"entities":{"ship":{"server_only":true,"components":{"Transform":{"position":[200,0,0]}}},)"
      R"("flag":{"parent":"/ship","components":{"Transform":{"position":[-190,0,0]}},)"
      R"("children":{"knot":{"components":{"Transform":{"position":[-1,0,0]}}}}}}})";
  ServerConfig config;
  config.level = test::load_text(level);
  start(config);
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  client::ResourceFolder store = *client::ResourceFolder::open(folder.path());
  auto reception = store.receive(config.level->identity(), config.level->clients_bytes().size());
  ASSERT_TRUE(*(*reception)->append(0, config.level->clients_bytes()));
  for (client::ResourceStore* resources :
       {static_cast<client::ResourceStore*>(nullptr), static_cast<client::ResourceStore*>(&store)}) {
    Client& client = village->join(client::ConnectionConfig{
        .transport = {}, .name = "ada", .schema = test::game_schema(), .resources = resources});
    ASSERT_TRUE(village->tick_until([&] { return client.connection.complete(); }));
    const std::span<const Entity> entities = world().level_entities();
    ASSERT_EQ(entities.size(), 3u);
    for (const Entity entity : entities) ASSERT_TRUE(sees(client, entity)) << to_string(entity);
    EXPECT_NEAR(placed(client, entities[1]), 10, 0.1);
    EXPECT_NEAR(placed(client, entities[2]), 9, 0.1);
  }
}

TEST_F(ServerParents, EventsAboutAParentReachWhoSeesItsChild) {
  start();
  make_ship();
  Client& ada = join();
  int received = 0;
  const auto send = [&](bool destroys) {
    game.once = [&, destroys](World& in) {
      const core::Bytes bytes(1);
      EXPECT_TRUE(in.events().send(bytes, Audience::seers_of(ship), Reliability::reliable).ok());
      if (destroys) in.destroy_tree(ship);
    };
    for (int i = 0; i < 8; ++i) {
      village->tick();
      received += static_cast<int>(ada.connection.events().size());
    }
  };
  send(false);
  EXPECT_EQ(received, 1) << "beyond its own radius";
  once([&](World&) { registry().get<Transform>(ship).position.x = 1000; });
  send(false);
  EXPECT_EQ(received, 1) << "out of view with its children";
  once([&](World&) { registry().get<Transform>(ship).position.x = 130; });
  send(true);
  EXPECT_EQ(received, 2) << "destroyed with its children";
}

}  // namespace
}  // namespace mobula::server::server_parents_test
