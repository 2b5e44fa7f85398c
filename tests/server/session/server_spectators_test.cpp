// Spectators: clients that observe the world without an entity.
#include <gmock/gmock.h>

#include <server/session/server_accounts.hpp>

namespace mobula::server {
namespace {

using test::ServerAccounts;
using testing::HasSubstr;
using transport::ReasonCode;

TEST_F(ServerAccounts, ASpectatorMirrorsTheWorldAndCannotAct) {
  serve({.players_max = 1, .spectators_max = 1});
  join_and_play("anna");
  Client& eve = watch("eve");
  EXPECT_EQ(eve.connection.player_entity(), ecs::null_entity);
  EXPECT_EQ(server().players(), 1u);
  EXPECT_EQ(server().spectators(), 1u);
  ASSERT_EQ(game.watchers.size(), 1u);
  EXPECT_TRUE(game.watchers[0].spectator);
  EXPECT_EQ(eve.connection.mirror()->registry().entities().size(), server().world().registry().entities().size());
  eve.connection.set_command(test::move_command(1, 0));
  village->ticks(10);
  EXPECT_EQ(server().stats().refusals.at("spectator"), 1u);
  EXPECT_EQ(server().stats().commands, 0u);
  EXPECT_THAT(end_of(join("bob", true)).text, HasSubstr("1 of 1 spectators are in"));
  eve.connection.close(eve.port);
  village->ticks(5);
  ASSERT_EQ(game.gone.size(), 1u);
  EXPECT_TRUE(game.gone[0].spectator);
  EXPECT_EQ(server().spectators(), 0u);
}

TEST_F(ServerAccounts, ADisconnectedSpectatorReconnects) {
  serve();
  Client& eve = watch("eve");
  village->ticks(5);
  lose(eve);
  ASSERT_TRUE(eve.connection.can_rejoin());
  eve.connection.rejoin(village->now);
  const std::uint64_t ticks = eve.connection.stats().ticks;
  EXPECT_TRUE(village->tick_until([&] { return eve.connection.stats().ticks > ticks + 3; }));
  EXPECT_EQ(server().spectators(), 1u);
  EXPECT_EQ(game.watchers.size(), 1u);
}

TEST_F(ServerAccounts, ASpectatorReplacesThePlayerOfItsAccount) {
  serve();
  Client& player = join_and_play("anna");
  watch("anna");
  EXPECT_EQ(end_of(player).code, ReasonCode::replaced);
  EXPECT_EQ(server().players(), 0u);
  EXPECT_EQ(server().spectators(), 1u);
  ASSERT_EQ(game.gone.size(), 1u);
  EXPECT_FALSE(game.gone[0].spectator);
}

TEST_F(ServerAccounts, AGameHasNoSpectatorsByDefault) {
  test::TinyGame quiet;
  test::Village where(quiet);
  client::ConnectionConfig config;
  config.spectate = true;
  Client& client = where.join(config);
  ASSERT_TRUE(where.tick_until([&] { return closed(client); }));
  EXPECT_THAT(client.connection.reason().text, HasSubstr("no spectators"));
}

TEST_F(ServerAccounts, ASpectatorKeepsTheFormerEntityOfItsAccount) {
  const ecs::Entity own = play_and_leave("anna");
  Client& looks_on = watch("anna");
  looks_on.connection.close(looks_on.port);
  village->ticks(5);
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), own);
}

}  // namespace
}  // namespace mobula::server
