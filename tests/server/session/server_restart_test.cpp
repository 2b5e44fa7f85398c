// Players that are saved, and restored after a restart of the server.
#include <gmock/gmock.h>

#include <server/session/server_accounts.hpp>

namespace mobula::server {
namespace {

using test::ServerAccounts;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ServerAccounts, PresentAndFormerPlayersAreSaved) {
  game.keep = true;
  serve();
  Client& gone = join_and_play("gone");
  gone.connection.close(gone.port);
  join_and_play("here");
  Client& away = join_and_play("away");
  lose(away);
  watch("eve");
  EXPECT_EQ(server().next_player(), 5u);
  std::vector<std::string> known;
  for (const KnownPlayer& each : server().known_players()) {
    known.push_back(each.account + (each.present ? " " + std::to_string(each.id) + " " + each.name : ""));
    EXPECT_TRUE(server().world().registry().valid(each.entity));
  }
  EXPECT_THAT(known, ElementsAre("here 2 here", "away 3 away", "gone"));
  ASSERT_TRUE(server().kick(2, "rude").ok());
  EXPECT_EQ(server().known_players().size(), 3u) << "until Game::leave was called";
}

TEST_F(ServerAccounts, ARestoredPlayerIsClaimedByItsAccountOrLeaves) {
  serve();
  const std::vector<ecs::Entity>& sleepers = game.sleepers;
  server().restore_players(8, {{5, "Anna", "anna", sleepers[0], true},
                               {6, "Bob", "bob", sleepers[1], true},
                               {7, "?", "", ecs::null_entity, true},
                               {0, "", "eve", sleepers[2], false}});
  EXPECT_EQ(server().players(), 3u);
  village->ticks(1);
  ASSERT_EQ(game.gone.size(), 1u) << "a player without an account cannot be claimed";
  EXPECT_EQ(game.gone[0].id, 7u);
  Client& anna = join_and_play("anna");
  EXPECT_EQ(anna.connection.player_entity(), sleepers[0]);
  ASSERT_EQ(game.players.size(), 1u);
  EXPECT_EQ(game.players[0].id, 5u) << "she is still player 5";
  EXPECT_EQ(game.players[0].entity, sleepers[0]);
  Client& eve = join_and_play("eve");
  EXPECT_EQ(eve.connection.player_entity(), sleepers[2]);
  EXPECT_EQ(game.players.back().id, 8u) << "new ids follow the saved ones";
  village->ticks(20 * 20);
  EXPECT_EQ(game.gone.size(), 1u);
  village->ticks(20 * 20);
  ASSERT_EQ(game.gone.size(), 2u) << "the grace period of 30 s is over";
  EXPECT_EQ(game.gone[1].id, 6u);
  EXPECT_EQ(game.gone[1].entity, sleepers[1]);
  EXPECT_EQ(server().players(), 2u);
  EXPECT_TRUE(village->mirrors(anna));
}

TEST_F(ServerAccounts, ARestoredPlayerStaysIfTheGameRefusesItsClient) {
  serve();
  server().restore_players(8, {{5, "Anna", "anna", game.sleepers[0], true}});
  game.refuse_former = true;
  EXPECT_THAT(end_of(join("anna")).text, HasSubstr("asleep"));
  EXPECT_EQ(server().players(), 1u);
  game.refuse_former = false;
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), game.sleepers[0]);
  EXPECT_EQ(server().players(), 1u);
}

TEST_F(ServerAccounts, InvalidSavedPlayersAreSkipped) {
  serve();
  const ecs::Entity stale{game.sleepers[0].index, game.sleepers[0].generation + 1};
  server().restore_players(3, {{0, "zero", "zero", game.sleepers[0], true},
                               {1, "one", "one", stale, true},
                               {1, "one again", "again", game.sleepers[1], true},
                               {3, "future", "future", game.sleepers[1], true},
                               {0, "", "former", stale, false},
                               {0, "", "", game.sleepers[2], false}});
  EXPECT_EQ(server().players(), 1u) << "one, without its dead entity; only one player may have the id 1";
  EXPECT_EQ(server().next_player(), 3u);
  Client& one = join_and_play("one");
  EXPECT_NE(one.connection.player_entity(), stale);
  EXPECT_EQ(game.players.back().id, 1u);
  EXPECT_EQ(game.players.back().entity, ecs::null_entity);
  EXPECT_EQ(server().known_players().size(), 1u);
}

TEST_F(ServerAccounts, ARestoredPlayerCanBeKickedAndBanned) {
  serve();
  server().restore_players(8, {{5, "Anna", "anna", game.sleepers[0], true}, {6, "Bob", "bob", game.sleepers[1], true}});
  EXPECT_TRUE(server().kick(5, "").ok());
  EXPECT_TRUE(server().ban("bob", "", 0).ok());
  EXPECT_EQ(server().players(), 0u);
  EXPECT_EQ(game.gone.size(), 2u);
  village->ticks(700);
  EXPECT_EQ(game.gone.size(), 2u);
}

}  // namespace
}  // namespace mobula::server
