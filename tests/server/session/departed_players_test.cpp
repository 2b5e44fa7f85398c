#include <gtest/gtest.h>

#include <mobula/server/session/departed_players.hpp>

namespace mobula::server {
namespace {

using transport::Reason;
using transport::ReasonCode;

constexpr core::Nanoseconds until = 30 * core::second;

TEST(DepartedPlayers, AnUndecidedPlayerIsToComeAgain) {
  DepartedPlayers departed;
  EXPECT_FALSE(departed.find("anna", 0));
  departed.prepare("anna");
  ASSERT_TRUE(departed.find("anna", 1000 * until)) << "however long it takes";
  EXPECT_EQ(departed.find("anna", 0)->code, ReasonCode::pipe_lost);
}

TEST(DepartedPlayers, ADepartedPlayersClientIsSentAfterItForAWhile) {
  DepartedPlayers departed;
  departed.prepare("anna");
  departed.leave("anna", "arena", 0, until);
  EXPECT_EQ(departed.find("anna", until - 1), (Reason{ReasonCode::moved, "arena"}));
  EXPECT_FALSE(departed.find("anna", until));
  EXPECT_FALSE(departed.find("bert", 0));
  departed.prepare("carl");
  EXPECT_EQ(departed.all(until - 1), (std::map<std::string, std::string>{{"anna", "arena"}}));
  EXPECT_TRUE(departed.all(until).empty());
}

TEST(DepartedPlayers, APlayerWhoIsHereAgainIsForgotten) {
  DepartedPlayers departed;
  departed.leave("anna", "arena", 0, until);
  departed.forget("anna");
  EXPECT_FALSE(departed.find("anna", 0));
}

// Players leave one after the other. Those of the last 30 s are found.
TEST(DepartedPlayers, MemoryIsThatOfTheTime) {
  DepartedPlayers departed;
  for (int i = 0; i < 10'000; ++i) {
    const core::Nanoseconds now = i * core::second;
    departed.leave("player " + std::to_string(i), "arena", now, now + until);
    EXPECT_LE(departed.size(), 128u);
  }
  EXPECT_TRUE(departed.find("player 9999", 9'999 * core::second));
}

}  // namespace
}  // namespace mobula::server
