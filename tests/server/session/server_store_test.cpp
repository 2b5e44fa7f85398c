// Restarts of servers: the world, its level and its players are restored.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <examples/demo/demo_game.hpp>
#include <headless/temporary_folder.hpp>
#include <limits>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>
#include <stdexcept>

namespace mobula::server {
namespace {

using test::Village;

// A saved world, and the servers that run it one after the other.
class Lives {
 public:
  void begin(Game& game, std::shared_ptr<const resource::Resource> level = test::hamlet()) {
    village.reset();
    store.reset();
    auto opened = store::Store::open({.path = folder.path() + "/world.db", .schema = test::game_schema()});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store = std::move(*opened);
    village = std::make_unique<Village>(
        game, ServerConfig{.level = std::move(level), .verify_one_in = 1, .store = store.get(), .checkpoint_ticks = 5});
  }
  // Saves the world as at a regular shutdown.
  void end() {
    const core::Status saved = village->server->finish_store();
    ASSERT_TRUE(saved.ok()) << saved.error().message;
  }
  // Writes a checkpoint. The server can then be dropped as if it were killed.
  void crash() {
    while (!store->ready()) ::usleep(500);
    ASSERT_TRUE(village->server->checkpoint().ok());
    while (!store->ready()) ::usleep(500);
  }

  Village::Client& join(const std::string& account) {
    client::ConnectionConfig config;
    config.name = account;
    transport::UserData who{};
    std::memcpy(who.data(), account.data(), account.size());
    config.transport.token = test::test_token(++tokens_, who);
    return village->join(std::move(config));
  }
  // Runs until the mirror was verified 20 times. Returns whether that happened without a mismatch.
  bool mirrors(Village::Client& client) {
    const bool verified = village->tick_until([&] { return client.connection.stats().verified_ticks > 20; });
    return verified && client.connection.stats().mismatched_ticks == 0;
  }
  ecs::Registry& registry() { return village->server->world().registry(); }

  client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  std::unique_ptr<store::Store> store;
  std::unique_ptr<Village> village;

 private:
  std::uint64_t tokens_ = 500;
};

TEST(ServerStore, TheWorldContinuesAfterARestart) {
  Lives lives;
  for (const bool crashes : {false, true}) {
    demo::DemoGame game;
    lives.begin(game);
    lives.village->ticks(23);
    crashes ? lives.crash() : lives.end();
    const ecs::Tick tick = lives.village->server->world().tick();
    const std::uint32_t entities = lives.registry().entities().size();
    demo::DemoGame next;
    lives.begin(next);
    EXPECT_EQ(lives.village->server->world().tick(), tick);
    EXPECT_EQ(lives.registry().entities().size(), entities);
  }
}

// An operator may save between two ticks. Changes of the tick that runs next must not count as saved.
TEST(ServerStore, ChangesAfterACheckpointAreSavedByTheNext) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  lives.village->ticks(7);
  lives.crash();
  const ecs::Entity made = lives.registry().create();
  lives.registry().add<demo::Health>(made);
  ecs::Entity wanderer;
  lives.registry().view<demo::Wander, engine::Transform>().each(
      [&](ecs::Entity entity, demo::Wander& wander, engine::Transform&) {
        wander.radius = 0;
        wanderer = entity;
      });
  Village::Client& ada = lives.join("ada");
  ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete(); }));
  lives.end();
  const ecs::Entity avatar = ada.connection.player_entity();

  demo::DemoGame next;
  lives.begin(next);
  EXPECT_TRUE(lives.registry().has<demo::Health>(made));
  EXPECT_TRUE(lives.registry().has<demo::Avatar>(avatar));
  EXPECT_EQ(lives.registry().get<const demo::Wander>(wanderer).radius, 0);
}

// The random sequence continues too: a restarted world equals an uninterrupted one after the same ticks.
TEST(ServerStore, ARestartDoesNotChangeTheSimulation) {
  demo::DemoGame uninterrupted;
  Village reference(uninterrupted, ServerConfig{.level = test::hamlet(), .verify_one_in = 1});
  reference.ticks(60);
  Lives lives;
  demo::DemoGame before;
  lives.begin(before);
  lives.village->ticks(30);
  lives.end();
  demo::DemoGame after;
  lives.begin(after);
  lives.village->ticks(30);
  const auto places = [](World& world) {
    std::vector<std::array<float, 3>> all;
    world.registry().view<const demo::Wander, const engine::Transform>().each(
        [&](ecs::Entity, const demo::Wander&, const engine::Transform& transform) {
          all.push_back({transform.position.x, transform.position.y, transform.position.z});
        });
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(lives.village->server->world().tick(), reference.server->world().tick());
  EXPECT_EQ(places(lives.village->server->world()), places(reference.server->world()));
}

TEST(ServerStore, PlayersKeepTheirEntities) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  Village::Client& ada = lives.join("ada");
  Village::Client& bo = lives.join("bo");
  ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete() && bo.connection.complete(); }));
  const ecs::Entity avatar = ada.connection.player_entity();
  lives.registry().get<demo::Avatar>(avatar).score = 77;
  const std::uint32_t player = lives.registry().get<const demo::Avatar>(avatar).player;
  lives.crash();

  demo::DemoGame next;
  lives.begin(next);
  Village::Client& stranger = lives.join("eve");
  Village::Client& again = lives.join("ada");
  ASSERT_TRUE(lives.village->tick_until([&] { return again.connection.complete() && stranger.connection.complete(); }));
  EXPECT_EQ(again.connection.player_entity(), avatar);
  EXPECT_NE(stranger.connection.player_entity(), avatar);
  EXPECT_EQ(lives.registry().get<const demo::Avatar>(avatar).score, 77u);
  EXPECT_EQ(lives.registry().get<const demo::Avatar>(avatar).player, player);
  EXPECT_EQ(stranger.connection.player_entity().generation >> 20, lives.store->incarnation());
  EXPECT_TRUE(lives.mirrors(again));
}

// A game whose players die, and get another entity if it respawns them. Those of restored players are kept.
class MortalGame : public test::TinyGame {
 public:
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    if (!player.entity) return TinyGame::join(world, player);
    players.push_back(player);
    return player.entity;
  }
  void tick(World& world) override {
    for (const std::uint32_t player : std::exchange(dying, {})) {
      world.destroy(world.player_entity(player));
      if (respawns) world.set_player_entity(player, *world.create(demo::Health{.current = 7}));
    }
  }

  std::vector<std::uint32_t> dying;
  bool respawns = true;
};

TEST(ServerStore, ARestoredPlayerHasItsLastEntity) {
  Lives lives;
  MortalGame game;
  lives.begin(game);
  Village::Client& ada = lives.join("ada");
  Village::Client& bo = lives.join("bo");
  ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete() && bo.connection.complete(); }));
  game.dying = {1};
  lives.village->ticks(3);
  const ecs::Entity fresh = lives.village->server->world().player_entity(1);
  game.dying = {2};
  game.respawns = false;
  lives.village->ticks(3);
  lives.end();

  MortalGame next;
  lives.begin(next);
  Village::Client& again = lives.join("ada");
  ASSERT_TRUE(lives.village->tick_until([&] { return again.connection.player_entity() == fresh; }));
  ASSERT_EQ(next.players.size(), 1u);
  EXPECT_EQ(next.players[0].id, 1u);
  EXPECT_EQ(next.players[0].entity, fresh);
  Village::Client& bo_again = lives.join("bo");
  ASSERT_TRUE(lives.village->tick_until([&] { return bo_again.connection.player_entity() != ecs::null_entity; }));
  EXPECT_EQ(next.players.back().id, 2u) << "a player without an entity keeps its number";
  EXPECT_EQ(next.players.back().entity, ecs::null_entity);
}

TEST(ServerStore, AnAvatarWithoutAPlaceIsRestoredAndJoins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {nan, std::numeric_limits<float>::infinity(), 1e30f, -0.0f}) {
    SCOPED_TRACE(bad);
    Lives lives;
    demo::DemoGame game;
    lives.begin(game);
    Village::Client& ada = lives.join("ada");
    ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete(); }));
    const ecs::Entity avatar = ada.connection.player_entity();
    lives.registry().get<engine::Transform>(avatar).position = {bad, 0, 0};
    lives.registry().get<demo::Velocity>(avatar).linear = {bad, 0, nan};
    lives.village->ticks(50);
    lives.end();

    demo::DemoGame next;
    lives.begin(next);
    const float restored = lives.registry().get<const engine::Transform>(avatar).position.x;
    EXPECT_EQ(std::isnan(bad), std::isnan(restored));
    EXPECT_FALSE(std::isinf(restored)) << "the rules keep it in the world";
    lives.registry().view<const demo::Wander, const engine::Transform>().each(
        [](ecs::Entity mob, const demo::Wander&, const engine::Transform& transform) {
          EXPECT_TRUE(std::isfinite(transform.position.x) && std::isfinite(transform.position.z)) << to_string(mob);
        });
    Village::Client& again = lives.join("ada");
    ASSERT_TRUE(lives.mirrors(again));
    EXPECT_EQ(again.connection.player_entity(), avatar);
    EXPECT_NE(again.connection.mirror()->tick_of(avatar), 0u);
    lives.registry().get<engine::Transform>(avatar).position = {};
    lives.registry().get<demo::Velocity>(avatar).linear = {};
    lives.village->ticks(6);
    EXPECT_GT(again.connection.mirror()->size(), 10u) << "sees its surroundings";
    EXPECT_TRUE(lives.mirrors(again));
  }
}

// The last ticks of a world: saved, restored, and run to the end.
TEST(ServerStore, AWorldRunsToItsLastTick) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  lives.registry().set_tick(ecs::ticks_max - 900);
  Village::Client& ada = lives.join("ada");
  ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete(); }));
  ada.connection.set_command(test::move_command(1, 0));
  const float before = lives.registry().get<const engine::Transform>(ada.connection.player_entity()).position.x;
  lives.village->ticks(60);
  EXPECT_GT(lives.registry().get<const engine::Transform>(ada.connection.player_entity()).position.x, before);
  const ecs::Entity avatar = ada.connection.player_entity();
  EXPECT_TRUE(lives.mirrors(ada));
  lives.end();

  demo::DemoGame next;
  lives.begin(next);
  EXPECT_GT(lives.village->server->world().tick(), ecs::ticks_max - 900);
  EXPECT_EQ(lives.village->server->world().tick_after(1), lives.village->server->world().tick() + 1);
  EXPECT_EQ(lives.village->server->world().tick_after(~0u), ~0u) << "does not wrap";
  EXPECT_EQ(lives.village->server->world().tick_after(70'000), ~0u);
  Village::Client& again = lives.join("ada");
  ASSERT_TRUE(lives.mirrors(again));
  EXPECT_EQ(again.connection.player_entity(), avatar);
  ASSERT_TRUE(lives.village->tick_until([&] { return lives.village->server->drained(); }, 1000));
  EXPECT_EQ(lives.village->server->world().tick(), ecs::ticks_max + 1);
  EXPECT_EQ(again.connection.stats().mismatched_ticks, 0u);
  lives.end();
  lives.store.reset();
  const auto worn = store::Store::open({.path = lives.folder.path() + "/world.db", .schema = test::game_schema()});
  ASSERT_FALSE(worn.ok());
  EXPECT_STREQ(worn.error().reason, "worn out");
}

TEST(ServerStore, APlayerThatDoesNotReconnectLeaves) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  Village::Client& ada = lives.join("ada");
  ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete(); }));
  const ecs::Entity avatar = ada.connection.player_entity();
  lives.crash();
  demo::DemoGame next;
  lives.begin(next);
  EXPECT_TRUE(lives.registry().valid(avatar));
  lives.village->ticks(31 * 20);
  EXPECT_FALSE(lives.registry().valid(avatar));
}

TEST(ServerStore, AChangedLevelReplacesTheSavedOne) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  lives.village->ticks(5);
  lives.end();
  demo::DemoGame plain;
  Village reference(plain, ServerConfig{.level = test::hamlet()});
  reference.ticks(5);
  const core::Result<LevelChange> change = reference.server->reload_level(test::rebuilt_hamlet());
  ASSERT_TRUE(change.ok());

  demo::DemoGame next;
  lives.begin(next, test::rebuilt_hamlet());
  EXPECT_EQ(lives.registry().entities().size(), reference.server->world().registry().entities().size());
  EXPECT_EQ(lives.village->server->world().level()->identity(), test::rebuilt_hamlet()->identity());
  lives.village->ticks(5);
  lives.end();
  // The new level is saved now, and its entities are known.
  demo::DemoGame last;
  lives.begin(last, test::hamlet());
  EXPECT_EQ(lives.village->server->world().level()->identity(), test::hamlet()->identity());
  lives.registry().check();
}

// An update of the game may refuse the saved level. The world is not lost then.
TEST(ServerStore, AnUnplayableSavedLevelCanBeReplaced) {
  class Stricter : public test::TinyGame {
    core::Status check_level(const resource::Resource* level) override {
      if (level->identity() == test::hamlet()->identity()) return core::Error{"bad level", "not any more"};
      return core::Done{};
    }
  };
  Lives lives;
  test::TinyGame game;
  lives.begin(game);
  lives.village->ticks(5);
  lives.end();
  Stricter stricter;
  EXPECT_THROW(lives.begin(stricter), std::runtime_error);
  Stricter next;
  lives.begin(next, test::rebuilt_hamlet());
  EXPECT_EQ(lives.village->server->world().level()->identity(), test::rebuilt_hamlet()->identity());
}

TEST(ServerStore, AReloadedLevelIsSaved) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  lives.village->ticks(8);  // more than the interval of checkpoints
  ASSERT_TRUE(lives.village->server->reload_level(test::rebuilt_hamlet()).ok());
  lives.village->ticks(8);
  lives.end();
  demo::DemoGame next;
  lives.begin(next, test::rebuilt_hamlet());
  EXPECT_EQ(lives.village->server->world().level_version(), 0u) << "the level was not replaced";
}

TEST(ServerStore, TheSavedLevelIsUsedIfNoneIsConfigured) {
  Lives lives;
  demo::DemoGame game;
  lives.begin(game);
  lives.end();
  demo::DemoGame next;
  lives.begin(next, nullptr);
  ASSERT_NE(lives.village->server->world().level(), nullptr);
  Village::Client& ada = lives.join("ada");
  ASSERT_TRUE(lives.village->tick_until([&] { return ada.connection.complete(); }));
  EXPECT_TRUE(lives.mirrors(ada));
}

TEST(ServerStore, AWorldThatBeganWithoutALevelRefusesOne) {
  Lives lives;
  test::TinyGame game;
  lives.begin(game, nullptr);
  lives.end();
  EXPECT_THROW(lives.begin(game, test::hamlet()), std::runtime_error);
  lives.begin(game, nullptr);
  EXPECT_EQ(lives.village->server->world().level(), nullptr);
}

// The store has noted the changes of the tick already, so that this one would be missing in the file.
TEST(ServerStoreDeathTest, ASaveChangesNoEntities) {
  struct Hoarder : test::TinyGame {
    core::Bytes save(const World&) override {
      world->registry().create();
      return {};
    }
    core::Status start(World& started) override {
      world = &started;
      return core::Done{};
    }
    World* world = nullptr;
  };
  Hoarder game;
  Lives lives;
  lives.begin(game);
  EXPECT_DEATH(lives.end(), "Game::save");
}

}  // namespace
}  // namespace mobula::server
