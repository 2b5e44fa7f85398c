// Players whose avatar dies: another entity in its place, or none. Also players whose entity is the level's.
#include <mobula/schema/demo_commands_generated.h>

#include <gmock/gmock.h>

#include <map>
#include <mobula/server/game/commands.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <resource/test_level.hpp>
#include <server/session/server_accounts.hpp>

namespace mobula::server::server_avatars_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using transport::ReasonCode;

class ServerAvatars : public test::ServerAccounts {
 protected:
  // Replaces the player's avatar in the next tick by the returned entity.
  ecs::Entity respawn(std::uint32_t player) {
    ecs::Entity fresh;
    game.on_tick = [&](World& world) {
      const ecs::Entity former = world.player_entity(player);
      if (former) world.destroy(former);
      fresh = *world.create(demo::Health{.current = 7}, demo::Inventory{}, Relevance{.owner = player});
      world.set_player_entity(player, fresh);
    };
    village->tick();
    return fresh;
  }
  void die(std::uint32_t player) {
    game.on_tick = [=](World& world) { world.destroy(world.player_entity(player)); };
    village->tick();
  }
  // Returns whether the client learns that this is its entity.
  bool learns(Client& client, ecs::Entity entity) {
    return village->tick_until([&] { return client.connection.player_entity() == entity; });
  }
  std::uint32_t health_of(ecs::Entity entity) {
    return server().world().registry().get<const demo::Health>(entity).current;
  }
  std::size_t avatars() { return server().world().registry().pool<demo::Health>().size(); }
};

TEST_F(ServerAvatars, AClientLearnsItsNewEntityAndOwnsIt) {
  serve();
  Client& anna = join_and_play("anna");
  Client& bob = join_and_play("bob");
  const ecs::Entity bobs = bob.connection.player_entity();
  for (int deaths = 0; deaths < 3; ++deaths) {
    const ecs::Entity fresh = respawn(1);
    ASSERT_TRUE(learns(anna, fresh));
    ASSERT_TRUE(village->tick_until([&] { return village->mirrors(anna) && village->mirrors(bob); }));
    EXPECT_TRUE(anna.connection.mirror()->registry().valid(fresh));
    EXPECT_THAT(server().world().viewer(1).viewpoints(), ElementsAre(fresh));
    EXPECT_EQ(server().world().player_entity(1), fresh);
  }
  EXPECT_EQ(bob.connection.player_entity(), bobs);
  EXPECT_EQ(avatars(), 2u);
}

TEST_F(ServerAvatars, CommandsAndLeaveReceiveTheLivingEntity) {
  serve();
  Client& anna = join_and_play("anna");
  const ecs::Entity fresh = respawn(1);
  anna.connection.set_command(test::move_command(42, 0));  // on its way while the client has the former entity
  village->ticks(10);
  EXPECT_EQ(health_of(fresh), 42u);
  anna.connection.close(anna.port);
  village->ticks(5);
  ASSERT_EQ(game.gone.size(), 1u);
  EXPECT_EQ(game.gone[0].entity, fresh);
  EXPECT_EQ(avatars(), 0u);
}

TEST_F(ServerAvatars, AReplacementCountsWithinTheTick) {
  serve();
  Client& anna = join_and_play("anna");
  std::vector<ecs::Entity> given;
  game.on_tick = [&](World& world) {
    for (int i = 0; i < 3; ++i) {
      given.push_back(*world.create(demo::Health{}));
      world.set_player_entity(1, given.back());
      EXPECT_EQ(world.player_entity(1), given.back());
    }
  };
  village->tick();
  EXPECT_TRUE(learns(anna, given.back())) << "the last one counts";
}

TEST_F(ServerAvatars, AnEntityDestroyedAndNotReplacedIsNull) {
  serve();
  Client& anna = join_and_play("anna");
  die(1);
  EXPECT_TRUE(learns(anna, ecs::null_entity));
  EXPECT_EQ(server().world().player_entity(1), ecs::null_entity);
  EXPECT_EQ(server().sessions()[0]->player.entity, ecs::null_entity);
  ASSERT_EQ(server().known_players().size(), 1u);
  EXPECT_EQ(server().known_players()[0].entity, ecs::null_entity);
  const ecs::Entity fresh = respawn(1);
  EXPECT_TRUE(learns(anna, fresh));
  EXPECT_THAT(server().world().viewer(1).viewpoints(), ElementsAre(fresh)) << "they follow over the time without one";
}

// TinyGame::leave destroys the player's entity without asking, as the README's game does.
TEST_F(ServerAvatars, AGameMayDestroyTheNullEntityOfALeaver) {
  test::TinyGame careless;
  test::Village place(careless);
  Client& anna = place.join("anna");
  ASSERT_TRUE(place.tick_until([&] { return place.mirrors(anna); }));
  place.server->world().destroy(place.server->world().player_entity(1));
  place.ticks(3);
  anna.connection.close(anna.port);
  place.ticks(5);
  EXPECT_EQ(careless.left, 1);
}

// Each command gives both players other entities.
class RebirthGame : public test::TinyGame {
 public:
  CommandTable commands() override {
    Commands<demo::commands::Command, demo::commands::BodyTraits> all;
    all.add<demo::commands::Move>([this](World& world, const Player& player, const demo::commands::Move& /*move*/,
                                         const CommandContext& /*context*/) -> core::Status {
      ++ran[world.tick()];
      EXPECT_EQ(player.entity, world.player_entity(player.id));
      for (const std::uint32_t each : {1u, 2u}) world.set_player_entity(each, *world.create(demo::Health{}));
      return core::Done{};
    });
    return all.table();
  }

  std::map<ecs::Tick, int> ran;  // commands by tick
};

TEST_F(ServerAvatars, CommandsOfATickSeeEarlierReplacements) {
  RebirthGame reborn;
  test::Village place(reborn);
  Client& anna = place.join("anna");
  Client& bob = place.join("bob");
  ASSERT_TRUE(place.tick_until([&] { return place.mirrors(anna) && place.mirrors(bob); }));
  for (int i = 0; i < 20; ++i) {
    for (Client* each : {&anna, &bob}) each->connection.set_command(test::move_command(1, 0));
    place.tick();
  }
  place.ticks(10);
  EXPECT_TRUE(std::ranges::any_of(reborn.ran, [](const auto& tick) { return tick.second > 1; }));
}

TEST_F(ServerAvatars, LeaversOfATickSeeEarlierDestructions) {
  game.keep = true;
  serve();
  Client& anna = join_and_play("anna");
  Client& bob = join_and_play("bob");
  game.on_leave = [](World& world, const Player& player) { world.destroy(world.player_entity(3 - player.id)); };
  for (Client* each : {&anna, &bob}) each->connection.close(each->port);
  village->ticks(5);
  ASSERT_EQ(game.gone.size(), 2u);
  EXPECT_NE(game.gone[0].entity, ecs::null_entity);
  EXPECT_EQ(game.gone[1].entity, ecs::null_entity);
}

TEST_F(ServerAvatars, AReconnectedClientHasTheNewEntity) {
  serve();
  Client& anna = join_and_play("anna");
  for (const bool mirror_kept : {true, false}) {
    SCOPED_TRACE(mirror_kept);
    lose(anna);
    const ecs::Entity fresh = respawn(1);
    village->ticks(20);
    if (mirror_kept) {
      ASSERT_TRUE(anna.connection.can_rejoin());
      anna.connection.rejoin(village->now);
      ASSERT_TRUE(learns(anna, fresh));
      ASSERT_TRUE(village->tick_until([&] { return village->mirrors(anna); }));
      village->ticks(10);
    } else {
      EXPECT_EQ(join_and_play("anna").connection.player_entity(), fresh);
    }
    EXPECT_EQ(avatars(), 1u);
  }
  EXPECT_EQ(game.players.size(), 1u) << "the game does not notice";
}

TEST_F(ServerAvatars, AnEntityLostWhileDisconnectedIsNull) {
  serve();
  Client& anna = join_and_play("anna");
  lose(anna);
  die(1);
  anna.connection.rejoin(village->now);
  ASSERT_TRUE(learns(anna, ecs::null_entity));
  lose(anna);
  village->ticks(31 * 20);
  ASSERT_EQ(game.gone.size(), 1u);
  EXPECT_EQ(game.gone[0].entity, ecs::null_entity);
}

TEST_F(ServerAvatars, ASecondLogInTakesTheNewEntityOver) {
  serve();
  Client& first = join_and_play("anna");
  const ecs::Entity fresh = respawn(1);
  Client& second = join_and_play("anna");
  EXPECT_EQ(second.connection.player_entity(), fresh);
  EXPECT_EQ(end_of(first).code, ReasonCode::replaced);
  EXPECT_EQ(game.players.size(), 1u);
  const ecs::Entity next = respawn(1);
  EXPECT_TRUE(learns(second, next));
  EXPECT_EQ(avatars(), 1u);
}

TEST_F(ServerAvatars, AnAccountThatLeftGetsItsLastEntityBack) {
  game.keep = true;
  serve();
  Client& anna = join_and_play("anna");
  const ecs::Entity fresh = respawn(1);
  anna.connection.close(anna.port);
  village->ticks(5);
  ASSERT_EQ(server().known_players().size(), 1u);
  EXPECT_EQ(server().known_players()[0].entity, fresh) << "as it is saved";
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), fresh);
  EXPECT_EQ(game.players.back().entity, fresh);
}

TEST_F(ServerAvatars, ARestoredPlayerWithoutEntityKeepsItsNumber) {
  serve();
  server().restore_players(8, {{5, "Anna", "anna", ecs::null_entity, true}});
  join_and_play("anna");
  EXPECT_EQ(game.players.back().id, 5u);
  EXPECT_EQ(game.players.back().entity, ecs::null_entity);
}

TEST_F(ServerAvatars, AFullWorldRefusesJoinersUntilThereIsRoom) {
  serve({.entities_max = 4});  // the sleepers and one avatar
  Client& anna = join_and_play("anna");
  const transport::Reason full = end_of(join("bob"));
  EXPECT_EQ(full.code, ReasonCode::server_full);
  EXPECT_THAT(full.text, HasSubstr("the world is full"));
  EXPECT_EQ(server().players(), 1u);
  EXPECT_EQ(server().world().try_viewer(2), nullptr);
  EXPECT_TRUE(village->mirrors(anna));
  anna.connection.close(anna.port);
  village->ticks(5);
  join_and_play("bob");
}

// --- Reloads -------------------------------------------------------------------------------------------------------

// Each player is the well of the level.
class WellGame : public test::KeepingGame {
 public:
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    players.push_back(player);
    return player.entity ? player.entity : world.level_entities()[0];
  }
  void level_changed(World& world, const LevelChange& change) override {
    for (const auto& [entity, successor] : change.removed) {
      EXPECT_TRUE(world.registry().valid(entity)) << "it exists until the game has seen it";
      changes.emplace_back(entity, successor);
    }
    if (world.try_viewer(1) == nullptr) return;
    EXPECT_EQ(world.player_entity(1), world.level_entities().empty() ? ecs::null_entity : world.level_entities()[0]);
  }

  std::vector<std::pair<ecs::Entity, ecs::Entity>> changes;
};

std::shared_ptr<const resource::Resource> well(int health) {
  return test::load_text(R"({"entities":{"well":{"components":{"Health":{"current":)" + std::to_string(health) +
                         "}}}}}");
}

TEST(ServerReload, APlayersEntityFollowsToItsSuccessor) {
  WellGame game;
  game.keep = true;
  test::Village village(game, {.level = well(1)});
  test::Village::Client& anna = village.join("anna");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(anna); }));
  server::Server& server = *village.server;
  const ecs::Entity former = server.world().player_entity(1);
  ASSERT_TRUE(server.reload_level(well(2)).ok());
  const ecs::Entity successor = server.world().level_entities()[0];
  EXPECT_NE(successor, former);
  EXPECT_FALSE(server.world().registry().valid(former));
  EXPECT_THAT(game.changes, ElementsAre(std::pair(former, successor)));
  EXPECT_EQ(server.sessions()[0]->player.entity, successor) << "before the next tick";
  EXPECT_TRUE(village.tick_until([&] { return anna.connection.player_entity() == successor; }));
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(anna); }));
  ASSERT_TRUE(server.reload_level(test::load_text(R"({"entities":{}})")).ok());
  EXPECT_TRUE(village.tick_until([&] { return !anna.connection.player_entity(); })) << "no successor";
}

TEST(ServerReload, TheEntityOfAFormerPlayerFollowsToItsSuccessor) {
  WellGame game;
  game.keep = true;
  test::Village village(game, {.level = well(1)});
  client::ConnectionConfig config;
  transport::UserData account{};
  account[0] = std::byte{'a'};
  config.transport.token = test::test_token(1, account);
  test::Village::Client& anna = village.join(config);
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(anna); }));
  anna.connection.close(anna.port);
  village.ticks(5);
  ASSERT_TRUE(village.server->reload_level(well(2)).ok());
  ASSERT_EQ(village.server->known_players().size(), 1u);
  EXPECT_EQ(village.server->known_players()[0].entity, village.server->world().level_entities()[0]);
}

TEST(ServerReload, ARefusedReloadChangesNothingAndIsNotReported) {
  WellGame game;
  test::Village village(game, {.level = well(1), .entities_max = 4});
  test::Village::Client& anna = village.join("anna");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(anna); }));
  const std::uint64_t before = village.published_hash();
  const std::uint32_t version = village.server->world().level_version();
  const ecs::Entity own = village.server->world().player_entity(1);
  const auto reloaded = village.server->reload_level(well(2));  // the world has no room for both wells
  ASSERT_FALSE(reloaded.ok());
  EXPECT_STREQ(reloaded.error().reason, "too many entities");
  EXPECT_THAT(reloaded.error().message, HasSubstr("the world is full"));
  village.ticks(5);
  EXPECT_EQ(village.published_hash(), before);
  EXPECT_EQ(village.server->world().level_version(), version);
  EXPECT_EQ(village.server->world().player_entity(1), own);
  EXPECT_TRUE(game.changes.empty());
  EXPECT_TRUE(village.mirrors(anna));
}

}  // namespace
}  // namespace mobula::server::server_avatars_test
