// Whose log-in it is: the same account again, how many may come, who may not, who looks on, who was there before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using client::Connection;
using testing::ElementsAre;
using testing::HasSubstr;
using transport::Reason;
using transport::ReasonCode;

// Keeps the entities of those who have left, and has a place for spectators.
class KeepingGame : public test::TinyGame {
 public:
  core::Status start(World& world) override {
    for (int i = 0; i < 3; ++i) sleepers.push_back(world.registry().create());
    return core::Done{};
  }
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    if (!player.entity) return TinyGame::join(world, player);
    players.push_back(player);
    if (refuse_former) return core::Error{"asleep", "not woken"};
    return player.entity;
  }
  core::Status spectate(World& world, const Player& player) override {
    watchers.push_back(player);
    EXPECT_NE(world.viewer(player.id), nullptr);
    return core::Done{};
  }
  void leave(World& world, const Player& player) override {
    gone.push_back(player);
    if (on_leave) on_leave(world, player);
    if (keep || !player.entity) return;
    TinyGame::leave(world, player);
  }
  void tick(World& world) override {
    TinyGame::tick(world);
    if (on_tick) std::exchange(on_tick, nullptr)(world);
  }

  std::vector<ecs::Entity> sleepers;
  std::vector<Player> watchers;
  std::vector<Player> gone;
  std::function<void(World&)> on_tick;
  std::function<void(World&, const Player&)> on_leave;
  bool keep = false;
  bool refuse_former = false;
};

class ServerAccounts : public testing::Test {
 protected:
  using Client = test::Village::Client;

  void serve(ServerConfig config = {}) { village.emplace(game, std::move(config)); }
  Client& join(const std::string& account, bool spectate = false) {
    client::ConnectionConfig config;
    config.name = account;
    config.spectate = spectate;
    transport::UserData user_data{};
    std::ranges::copy(core::as_bytes(account.data(), account.size()), user_data.begin());
    config.transport.token = test::test_token(++log_ins, user_data);
    return village->join(config);
  }
  Client& join_and_play(const std::string& account) {
    Client& client = join(account);
    EXPECT_TRUE(village->tick_until([&] { return village->mirrors(client); })) << to_string(client.connection.reason());
    village->ticks(5);  // it is given its tokens
    return client;
  }
  // In a game that keeps what its players leave.
  ecs::Entity play_and_leave(const std::string& account) {
    game.keep = true;
    serve();
    Client& client = join_and_play(account);
    const ecs::Entity own = client.connection.player_entity();
    client.connection.close(client.port);
    village->ticks(5);
    return own;
  }
  Client& watch(const std::string& account) {
    Client& client = join(account, true);
    EXPECT_TRUE(village->tick_until([&] { return client.connection.stats().ticks > 3; }));
    return client;
  }
  static bool closed(const Client& client) { return client.connection.state() == Connection::State::closed; }
  const Reason& end_of(Client& client) {
    EXPECT_TRUE(village->tick_until([&] { return closed(client); }));
    village->ticks(2);
    return client.connection.reason();
  }
  void lose(Client& client) {
    village->server->pipe_closed(client.port.from, village->now);
    client.connection.pipe_closed("cut", village->now);
    village->tick();
  }
  Server& server() { return *village->server; }

  KeepingGame game;
  std::optional<test::Village> village;
  std::uint64_t log_ins = 0;
};

TEST_F(ServerAccounts, WhoLogsInAgainTakesThePlayerOver) {
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

// Whenever that is: also in the tick in which the Hello comes.
TEST_F(ServerAccounts, WhoIsSentAwayHasLeftWhenTheSameAccountComes) {
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

TEST_F(ServerAccounts, OrIsRefusedUnlessTheOtherIsAway) {
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
  EXPECT_THAT(end_of(first).text, HasSubstr("session over")) << "its tokens are those of the session that was replaced";
  EXPECT_TRUE(village->mirrors(third));
}

TEST_F(ServerAccounts, WhoCannotComeInReplacesNobody) {
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

TEST_F(ServerAccounts, WhoNobodyKnowsIsNobodysDouble) {
  serve();
  Client& first = join_and_play("");
  Client& second = join_and_play("");
  EXPECT_TRUE(village->mirrors(first));
  EXPECT_TRUE(village->mirrors(second));
  EXPECT_EQ(server().players(), 2u);
}

TEST_F(ServerAccounts, UserDataThatIsNoTextIsAnAccountInHex) {
  serve();
  join_and_play("\x01\xff");
  join_and_play("0x01");
  EXPECT_EQ(game.players.at(0).account, "0x01ff");
  EXPECT_EQ(game.players.at(1).account, "0x30783031");
}

TEST_F(ServerAccounts, ManyAtOnceAreOnePlayerInTheEnd) {
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

TEST_F(ServerAccounts, NoMorePlayersThanMayBeAndWhoIsAwayKeepsAPlace) {
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

TEST_F(ServerAccounts, ASpectatorSeesAndDoesNothingElse) {
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

TEST_F(ServerAccounts, ASpectatorThatWasLostComesBackAsOne) {
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

TEST_F(ServerAccounts, WhoPlaysAndThenLooksOnNoLongerPlays) {
  serve();
  Client& player = join_and_play("anna");
  watch("anna");
  EXPECT_EQ(end_of(player).code, ReasonCode::replaced);
  EXPECT_EQ(server().players(), 0u);
  EXPECT_EQ(server().spectators(), 1u);
  ASSERT_EQ(game.gone.size(), 1u);
  EXPECT_FALSE(game.gone[0].spectator);
}

TEST_F(ServerAccounts, AGameThatSaysNothingHasNoSpectators) {
  test::TinyGame quiet;
  test::Village where(quiet);
  client::ConnectionConfig config;
  config.spectate = true;
  Client& client = where.join(config);
  ASSERT_TRUE(where.tick_until([&] { return closed(client); }));
  EXPECT_THAT(client.connection.reason().text, HasSubstr("no spectators"));
}

TEST_F(ServerAccounts, WhoIsBannedIsToldWhyUntilTheTimeIsUp) {
  serve();
  Client& eve = join_and_play("eve");
  Client& ada = join_and_play("ada");
  ASSERT_TRUE(server().ban("eve", "cheating", 30).ok());
  EXPECT_EQ(end_of(eve).code, ReasonCode::kicked);
  EXPECT_EQ(eve.connection.reason().text, "banned: cheating, until 2023-11-14 22:13 UTC");
  EXPECT_EQ(game.gone.size(), 1u);
  EXPECT_EQ(end_of(join("eve")), (Reason{ReasonCode::refused, "banned: cheating, until 2023-11-14 22:13 UTC"}));
  EXPECT_EQ(end_of(join("eve", true)).code, ReasonCode::refused) << "nor does she look on";
  EXPECT_TRUE(village->mirrors(ada));
  ASSERT_EQ(server().bans().size(), 1u);
  server().set_unix_time(test::test_unix_time + 30 - 1);
  EXPECT_EQ(end_of(join("eve")).code, ReasonCode::refused);
  server().set_unix_time(test::test_unix_time + 30);
  join_and_play("eve");
  EXPECT_TRUE(server().bans().empty());
}

TEST_F(ServerAccounts, ABanCanBeLifted) {
  serve();
  ASSERT_TRUE(server().ban("eve", "by mistake", 0).ok()) << "who is not here";
  EXPECT_EQ(end_of(join("eve")), (Reason{ReasonCode::refused, "banned: by mistake"}));
  ASSERT_TRUE(server().unban("eve").ok());
  join_and_play("eve");
  EXPECT_STREQ(server().unban("eve").error().reason, "not banned");
  EXPECT_STREQ(server().ban("", "everyone", 0).error().reason, "no account");
}

TEST_F(ServerAccounts, WhoIsBannedWhileAwayOrComingBackDoesNotComeBack) {
  serve();
  Client& away = join_and_play("eve");
  lose(away);
  ASSERT_TRUE(server().ban("eve", "cheating", 0).ok());
  EXPECT_EQ(server().players(), 0u) << "nobody is waited for";
  away.connection.rejoin(village->now);
  EXPECT_EQ(end_of(away), (Reason{ReasonCode::refused, "banned: cheating"}));

  Client& back = join_and_play("bob");
  lose(back);
  back.connection.rejoin(village->now);
  while (back.connection.state() == Connection::State::connecting) village->tick();
  ASSERT_TRUE(server().ban("bob", "cheating", 0).ok()) << "connected again, and no Hello yet or just now";
  EXPECT_EQ(end_of(back), (Reason{ReasonCode::kicked, "banned: cheating"}));
  EXPECT_EQ(server().players(), 0u);
  EXPECT_EQ(game.gone.size(), 2u);
}

TEST_F(ServerAccounts, WhoIsBannedWhileConnectingIsNotLetIn) {
  serve();
  Client& eve = join("eve");
  while (server().endpoint().sessions().empty()) village->tick();
  ASSERT_TRUE(server().ban("eve", "cheating", 0).ok());
  EXPECT_THAT(end_of(eve).text, HasSubstr("banned: cheating"));
  EXPECT_TRUE(game.players.empty());
}

TEST_F(ServerAccounts, AGameBansFromItsHooks) {
  serve();
  Client& eve = join_and_play("eve");
  Client& nobody = join_and_play("");
  game.on_tick = [](World& world) {
    world.ban(1, "cheating\n\xff" + std::string(5000, '!'), 60);  // whatever a player said, for instance
    world.ban(2, "too fast", 60);
    world.kick(99, "who is not there");
  };
  EXPECT_THAT(end_of(eve).text, HasSubstr("banned: cheating?"
                                          "?!!!"));
  EXPECT_EQ(end_of(nobody), (Reason{ReasonCode::kicked, "too fast"})) << "kicked, at least";
  EXPECT_EQ(server().bans().size(), 1u);
}

TEST_F(ServerAccounts, WhoseEntityStayedFindsItAgain) {
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
  EXPECT_NE(join_and_play("anna").connection.player_entity(), own) << "it lives no longer";
}

TEST_F(ServerAccounts, WhoLooksOnKeepsTheEntityThatStayed) {
  const ecs::Entity own = play_and_leave("anna");
  Client& looks_on = watch("anna");
  looks_on.connection.close(looks_on.port);
  village->ticks(5);
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), own);
}

TEST_F(ServerAccounts, WhoeverAHookSendsAwayWhileAnotherGoesGoesToo) {
  serve();
  lose(join_and_play("anna"));
  Client& bob = join_and_play("bob");
  game.on_leave = [](World& world, const Player& player) {
    if (player.id == 1) world.kick(2, "as his friend is gone");
  };
  game.on_tick = [](World& world) { world.kick(1, "rude"); };
  EXPECT_EQ(end_of(bob), (Reason{ReasonCode::kicked, "as his friend is gone"}));
}

// --- Over a restart ------------------------------------------------------------------------------------------------

TEST_F(ServerAccounts, WhatThereIsToSaveOfPlayers) {
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
  EXPECT_EQ(server().known_players().size(), 3u) << "until the game has been told that he leaves";
}

TEST_F(ServerAccounts, WhoWasInBeforeARestartComesBackAsTheSamePlayerOrLeaves) {
  serve();
  const std::vector<ecs::Entity>& sleepers = game.sleepers;
  server().restore_players(8, {{5, "Anna", "anna", sleepers[0], true},
                               {6, "Bob", "bob", sleepers[1], true},
                               {7, "?", "", ecs::null_entity, true},
                               {0, "", "eve", sleepers[2], false}});
  EXPECT_EQ(server().players(), 3u);
  village->ticks(1);
  ASSERT_EQ(game.gone.size(), 1u) << "nobody can come back without an account";
  EXPECT_EQ(game.gone[0].id, 7u);
  Client& anna = join_and_play("anna");
  EXPECT_EQ(anna.connection.player_entity(), sleepers[0]);
  ASSERT_EQ(game.players.size(), 1u);
  EXPECT_EQ(game.players[0].id, 5u) << "what belongs to player 5 is still hers";
  EXPECT_EQ(game.players[0].entity, sleepers[0]);
  Client& eve = join_and_play("eve");
  EXPECT_EQ(eve.connection.player_entity(), sleepers[2]);
  EXPECT_EQ(game.players.back().id, 8u) << "numbers go on";
  village->ticks(20 * 20);
  EXPECT_EQ(game.gone.size(), 1u);
  village->ticks(20 * 20);
  ASSERT_EQ(game.gone.size(), 2u) << "30 s are allowed";
  EXPECT_EQ(game.gone[1].id, 6u);
  EXPECT_EQ(game.gone[1].entity, sleepers[1]);
  EXPECT_EQ(server().players(), 2u);
  EXPECT_TRUE(village->mirrors(anna));
}

TEST_F(ServerAccounts, WhomTheGameRefusesAfterARestartIsWaitedForAllTheSame) {
  serve();
  server().restore_players(8, {{5, "Anna", "anna", game.sleepers[0], true}});
  game.refuse_former = true;
  EXPECT_THAT(end_of(join("anna")).text, HasSubstr("asleep"));
  EXPECT_EQ(server().players(), 1u);
  game.refuse_former = false;
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), game.sleepers[0]);
  EXPECT_EQ(server().players(), 1u);
}

TEST_F(ServerAccounts, WhatIsWrongInASaveOfPlayersIsPassedOver) {
  serve();
  const ecs::Entity stale{game.sleepers[0].index, game.sleepers[0].generation + 1};
  server().restore_players(3, {{0, "zero", "zero", game.sleepers[0], true},
                               {1, "one", "one", stale, true},
                               {1, "one again", "again", game.sleepers[1], true},
                               {3, "future", "future", game.sleepers[1], true},
                               {0, "", "former", stale, false},
                               {0, "", "", game.sleepers[2], false}});
  EXPECT_EQ(server().players(), 1u) << "the second with the number 1";
  EXPECT_EQ(server().next_player(), 3u);
  Client& one = join_and_play("one");
  EXPECT_NE(one.connection.player_entity(), stale);
  EXPECT_EQ(game.players.back().entity, ecs::null_entity);
  EXPECT_EQ(server().known_players().size(), 2u);
}

TEST_F(ServerAccounts, WhoIsRestoredCanBeKickedAndBanned) {
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
