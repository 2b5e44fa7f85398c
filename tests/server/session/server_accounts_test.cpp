// Accounts: repeated log-ins, the maximum number of players, and entities that stay in the world.
#include <gmock/gmock.h>

#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <server/session/server_accounts.hpp>
#include <stdexcept>

namespace mobula::server {
namespace {

using test::ServerAccounts;
using testing::HasSubstr;
using transport::Reason;
using transport::ReasonCode;

TEST_F(ServerAccounts, ASecondLogInTakesThePlayerOver) {
  serve();
  Client& first = join_and_play("anna");
  EXPECT_EQ(game.players.at(0).account, "anna");
  const ecs::Entity own = first.connection.player_entity();
  Client& second = join_and_play("anna");
  EXPECT_EQ(second.connection.player_entity(), own);
  EXPECT_EQ(end_of(first), (Reason{ReasonCode::replaced, "the same account logged in again"}));
  EXPECT_FALSE(first.connection.can_rejoin());
  EXPECT_EQ(game.players.size(), 1u) << "the game does not notice";
  EXPECT_TRUE(game.gone.empty());
  EXPECT_EQ(server().players(), 1u);
  EXPECT_EQ(server().stats().replaced, 1u);
  village->ticks(700);
  EXPECT_TRUE(village->mirrors(second));
  second.connection.set_command(test::move_command(42, 0));
  village->ticks(10);
  EXPECT_EQ(server().world().registry().get<const demo::Health>(own).current, 42);
  second.connection.close(second.port);
  village->ticks(5);
  EXPECT_EQ(game.gone.size(), 1u);
}

// The kick may be in any tick, also in the one in which Hello arrives.
TEST_F(ServerAccounts, AKickedPlayerLeavesBeforeItsAccountJoinsAgain) {
  game.keep = true;
  serve();
  for (int ticks = 0; ticks < 6; ++ticks) {
    SCOPED_TRACE(ticks);
    const std::string account = "anna" + std::to_string(ticks);
    Client& first = join_and_play(account);
    const ecs::Entity own = first.connection.player_entity();
    Client& second = join(account);
    village->ticks(ticks);
    ASSERT_TRUE(server().kick(game.players.back().id, "rude").ok());
    if (closed(second)) continue;
    ASSERT_TRUE(village->tick_until([&] { return closed(second) || village->mirrors(second); }));
    EXPECT_TRUE(closed(second) || second.connection.player_entity() == own);
    EXPECT_LE(server().players(), static_cast<std::size_t>(ticks) + 1);
  }
}

TEST_F(ServerAccounts, ASecondLogInMayBeRefused) {
  serve({.duplicate_login = DuplicateLogin::refuse});
  Client& first = join_and_play("anna");
  Client& second = join("anna");
  EXPECT_EQ(end_of(second).code, ReasonCode::refused);
  EXPECT_THAT(second.connection.reason().text, HasSubstr("already here"));
  EXPECT_TRUE(village->mirrors(first));
  lose(first);
  const ecs::Entity own = first.connection.player_entity();
  Client& third = join_and_play("anna");
  EXPECT_EQ(third.connection.player_entity(), own);
  EXPECT_EQ(server().stats().rejoins, 1u);
  ASSERT_TRUE(first.connection.can_rejoin());
  first.connection.rejoin(village->now);
  EXPECT_THAT(end_of(first).text, HasSubstr("session over")) << "its tokens belong to the replaced session";
  EXPECT_TRUE(village->mirrors(third));
}

TEST_F(ServerAccounts, ARefusedClientReplacesNoPlayer) {
  serve();
  Client& first = join_and_play("anna");
  client::ConnectionConfig config;
  config.schema = test::load_schema("struct Other (component) { value:int; }");
  transport::UserData user_data{};
  user_data[0] = std::byte{'a'};
  std::ranges::copy(core::as_bytes("anna", 4), user_data.begin());
  config.transport.token = test::test_token(77, user_data);
  Client& wrong = village->join(config);
  EXPECT_THAT(end_of(wrong).text, HasSubstr("other schema"));
  EXPECT_TRUE(village->mirrors(first));
}

TEST_F(ServerAccounts, ClientsWithoutAnAccountAreDistinct) {
  serve();
  Client& first = join_and_play("");
  Client& second = join_and_play("");
  EXPECT_TRUE(village->mirrors(first));
  EXPECT_TRUE(village->mirrors(second));
  EXPECT_EQ(server().players(), 2u);
}

TEST_F(ServerAccounts, UnprintableUserDataIsAnAccountInHex) {
  serve();
  join_and_play("\x01\xff");
  join_and_play("0x01");
  EXPECT_EQ(game.players.at(0).account, "0x01ff");
  EXPECT_EQ(game.players.at(1).account, "0x30783031");
}

TEST_F(ServerAccounts, AccountsOfTwoSpellingsOfALetterDiffer) {
  serve();
  join_and_play("\xc3\xa9");
  join_and_play("e\xcc\x81");
  EXPECT_EQ(game.players.at(0).account, "\xc3\xa9");
  EXPECT_EQ(game.players.at(1).account, "e\xcc\x81");
  EXPECT_EQ(server().players(), 2u);
}

TEST_F(ServerAccounts, ManyLogInsAtOnceEndAsOnePlayer) {
  serve();
  std::vector<Client*> all;
  for (int i = 0; i < 5; ++i) all.push_back(&join("anna"));
  const auto still_in = [&] {
    return std::ranges::count_if(all, [](const Client* client) { return !closed(*client); });
  };
  ASSERT_TRUE(village->tick_until([&] { return still_in() == 1; }));
  village->ticks(20);
  EXPECT_EQ(still_in(), 1);
  EXPECT_EQ(game.players.size(), 1u);
  EXPECT_TRUE(game.gone.empty());
  EXPECT_EQ(server().players(), 1u);
}

TEST_F(ServerAccounts, DisconnectedPlayersCountForTheMaximum) {
  serve({.players_max = 2});
  Client& anna = join_and_play("anna");
  Client& bob = join_and_play("bob");
  Client& eve = join("eve");
  EXPECT_EQ(end_of(eve).code, ReasonCode::server_full);
  EXPECT_THAT(eve.connection.reason().text, HasSubstr("2 of 2 players are in"));
  lose(anna);
  EXPECT_EQ(end_of(join("eve")).code, ReasonCode::server_full);
  join_and_play("anna");
  bob.connection.close(bob.port);
  village->ticks(10);
  join_and_play("eve");
  EXPECT_EQ(server().players(), 2u);
}

TEST_F(ServerAccounts, AnAccountGetsItsFormerEntityAgain) {
  const ecs::Entity own = play_and_leave("anna");
  Client& second = join_and_play("anna");
  EXPECT_EQ(second.connection.player_entity(), own);
  ASSERT_EQ(game.players.size(), 2u);
  EXPECT_EQ(game.players[0].entity, ecs::null_entity);
  EXPECT_EQ(game.players[1].entity, own);
  EXPECT_NE(game.players[1].id, game.players[0].id);
  second.connection.close(second.port);
  village->ticks(5);
  server().world().registry().destroy(own);
  EXPECT_NE(join_and_play("anna").connection.player_entity(), own) << "the former entity was destroyed";
}

TEST_F(ServerAccounts, AHookMayKickAPlayerWhileAnotherLeaves) {
  serve();
  lose(join_and_play("anna"));
  Client& bob = join_and_play("bob");
  game.on_leave = [](World& world, const Player& player) {
    if (player.id == 1) world.kick(2, "as his friend has left");
  };
  game.on_tick = [](World& world) { world.kick(1, "rude"); };
  EXPECT_EQ(end_of(bob), (Reason{ReasonCode::kicked, "as his friend has left"}));
}

// The session in the middle stays, and the one after it has a hook that throws. All can leave then.
TEST_F(ServerAccounts, AnExceptionAsGracePeriodsEndLosesNoSession) {
  serve({.rejoin_grace = core::second});
  std::vector<Client*> clients;
  for (const char* account : {"anna", "bert", "cleo"}) clients.push_back(&join_and_play(account));
  lose(*clients[0]);
  lose(*clients[2]);
  game.on_leave = [](World&, const Player& player) {
    if (player.account == "cleo") throw std::runtime_error("cleo stays");
  };
  EXPECT_THROW(village->ticks(60), std::runtime_error);
  game.on_leave = nullptr;
  server().shut_down(village->now, clients[1]->port);
  EXPECT_EQ(server().players(), 0u);
}

}  // namespace
}  // namespace mobula::server
