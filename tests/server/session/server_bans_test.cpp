// Bans of accounts, by the operator and by the game.
#include <gmock/gmock.h>

#include <server/session/server_accounts.hpp>

namespace mobula::server {
namespace {

using client::Connection;
using test::ServerAccounts;
using testing::HasSubstr;
using transport::Reason;
using transport::ReasonCode;

TEST_F(ServerAccounts, ABannedAccountIsRefusedUntilTheBanExpires) {
  serve();
  Client& eve = join_and_play("eve");
  Client& ada = join_and_play("ada");
  ASSERT_TRUE(server().ban("eve", "cheating", 30).ok());
  EXPECT_EQ(end_of(eve).code, ReasonCode::kicked);
  EXPECT_EQ(eve.connection.reason().text, "banned: cheating, until 2023-11-14 22:13 UTC");
  EXPECT_EQ(game.gone.size(), 1u);
  EXPECT_EQ(end_of(join("eve")), (Reason{ReasonCode::refused, "banned: cheating, until 2023-11-14 22:13 UTC"}));
  EXPECT_EQ(end_of(join("eve", true)).code, ReasonCode::refused) << "spectators are refused too";
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
  ASSERT_TRUE(server().ban("eve", "by mistake", 0).ok()) << "eve is not connected";
  EXPECT_EQ(end_of(join("eve")), (Reason{ReasonCode::refused, "banned: by mistake"}));
  ASSERT_TRUE(server().unban("eve").ok());
  join_and_play("eve");
  EXPECT_STREQ(server().unban("eve").error().reason, "not banned");
  EXPECT_STREQ(server().ban("", "everyone", 0).error().reason, "no account");
}

TEST_F(ServerAccounts, ABannedPlayerCannotReconnect) {
  serve();
  Client& away = join_and_play("eve");
  lose(away);
  ASSERT_TRUE(server().ban("eve", "cheating", 0).ok());
  EXPECT_EQ(server().players(), 0u) << "the disconnected player is removed";
  away.connection.rejoin(village->now);
  EXPECT_EQ(end_of(away), (Reason{ReasonCode::refused, "banned: cheating"}));

  Client& back = join_and_play("bob");
  lose(back);
  back.connection.rejoin(village->now);
  while (back.connection.state() == Connection::State::connecting) village->tick();
  ASSERT_TRUE(server().ban("bob", "cheating", 0).ok()) << "reconnected, and Hello has not been handled or just has";
  EXPECT_EQ(end_of(back), (Reason{ReasonCode::kicked, "banned: cheating"}));
  EXPECT_EQ(server().players(), 0u);
  EXPECT_EQ(game.gone.size(), 2u);
}

TEST_F(ServerAccounts, AnAccountBannedWhileConnectingIsRefused) {
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
    world.ban(1, "cheating\n\xff" + std::string(5000, '!'), 60);  // a reason may quote a player
    world.ban(2, "too fast", 60);
    world.kick(99, "no such player");
  };
  EXPECT_THAT(end_of(eve).text, HasSubstr("banned: cheating?"
                                          "?!!!"));
  EXPECT_EQ(end_of(nobody), (Reason{ReasonCode::kicked, "too fast"}))
      << "kicked, because an empty account cannot be banned";
  EXPECT_EQ(server().bans().size(), 1u);
}

}  // namespace
}  // namespace mobula::server
