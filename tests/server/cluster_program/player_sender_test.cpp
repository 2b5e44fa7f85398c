#include <server/cluster_program/watched_cluster.hpp>

namespace mobula::cluster {
namespace player_sender_test {

using nlohmann::json;

class PlayerSenderTest : public testing::Test {
 protected:
  void SetUp() override {
    of.each_step = [this] { of.events.run_until(core::monotonic_now() + core::millisecond); };
  }
  std::string send(const std::string& account, const std::string& world) {
    const core::Result<std::string> from = of.sender.send(account, world);
    error = from ? "" : from.error().message;
    return from ? *from : from.error().reason;
  }

  test::WatchedCluster of;
  std::string error;
};

TEST_F(PlayerSenderTest, TheNodeThatHasThePlayerSendsIt) {
  of.east->set(of.east->sent, R"({"account": "anna", "target": "land.w", "world": "land.e"})");
  EXPECT_EQ(send("anna", "land.w"), "land.e");
  EXPECT_EQ(json::parse(of.east->text(of.east->order)), (json{{"account", "anna"}, {"target", "land.w"}}));
}

TEST_F(PlayerSenderTest, APlayerNobodyHasIsNamed) {
  EXPECT_EQ(send("anna", "land.w"), "no such player");
  EXPECT_NE(error.find("anna"), std::string::npos) << error;
  EXPECT_EQ(send("anna", "nowhere"), "no such world");
}

TEST_F(PlayerSenderTest, APlayerBetweenTwoWorldsIsOnTheWay) {
  of.cluster.store.commit(
      {.puts = {
           {"c/crossings/1", to_json(CrossingRecord{.source = "land.w", .target = "land.e", .account = "anna"})}}});
  of.run(core::second);
  EXPECT_EQ(send("anna", "land.w"), "on the way");
  EXPECT_EQ(send("bert", "land.w"), "no such player");
}

TEST_F(PlayerSenderTest, ANodeThatDoesNotAnswerMayHaveThePlayer) {
  of.east.reset();
  EXPECT_EQ(send("anna", "land.w"), "unanswered");
  EXPECT_NE(error.find("'b'"), std::string::npos) << error;
  of.west.set(of.west.sent, R"({"world": "land.w"})");
  EXPECT_EQ(send("anna", "land.w"), "land.w") << "the other one has it";
}

TEST_F(PlayerSenderTest, AnswersOfAnotherFormAreNoAnswers) {
  for (const char* answer : {"[]", "{}", R"({"world": 3})", "nonsense"}) {
    of.west.set(of.west.sent, answer);
    EXPECT_EQ(send("anna", "land.w"), "unanswered") << answer;
  }
}

TEST_F(PlayerSenderTest, ANodeWhoseAdminPortIsNotKnownIsNamed) {
  of.add_key_of_node("c", {.game = "game", .worlds_max = 4});
  of.run(core::second);
  EXPECT_EQ(send("anna", "land.w"), "unanswered");
  EXPECT_NE(error.find("'c'"), std::string::npos) << error;
}

}  // namespace player_sender_test
}  // namespace mobula::cluster
