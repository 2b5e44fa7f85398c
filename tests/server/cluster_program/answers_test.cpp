#include <cluster/answers.hpp>
#include <cluster/metrics.hpp>
#include <server/cluster_program/controlled_cluster.hpp>

namespace mobula::cluster {
namespace answers_test {

class AnswersTest : public testing::Test {
 protected:
  void SetUp() override {
    of.add_key_of_node("a", {.game = "game", .version = "0.3", .admin = "http://a:7780", .worlds_max = 4});
    of.add_key_of_node("b", {.game = "game", .draining = true});
    of.cluster.store.commit({.puts = {{"c/loads/a", to_json(LoadRecord{2, 50, 30})}}});
    of.add_open_world("w", "a", {"udp:127.0.0.1:7777"});
    for (const char* name : {"u", "v"})
      of.cluster.store.commit(
          {.puts = {{std::string("c/worlds/") + name, to_json(WorldRecord{.game = "other", .trouble = "full"})}}});
    of.run(core::second);
  }

  test::ControlledCluster of;
};

TEST_F(AnswersTest, ANodeHasItsOfferAndItsLoad) {
  EXPECT_EQ(text_of(node_json(of.control.directory(), "a")),
            R"({"name":"a","game":"game","version":"0.3","admin":"http://a:7780","draining":false,"worlds":2,)"
            R"("worlds_max":4,"players":50,"tick_percent":30})");
  EXPECT_EQ(node_json(of.control.directory(), "b")["players"], 0) << "no load yet";
  EXPECT_TRUE(node_json(of.control.directory(), "c").is_null());
}

TEST_F(AnswersTest, AWorldHasStateAndAddresses) {
  EXPECT_EQ(text_of(world_json("w", *of.control.world("w"))),
            R"({"name":"w","game":"game","state":"open","node":"a","addresses":["udp:127.0.0.1:7777"],"epoch":"7",)"
            R"("trouble":"","failed_on":""})");
  EXPECT_EQ(text_of(world_json("u", *of.control.world("u"))),
            R"({"name":"u","game":"other","state":"waiting","node":"","addresses":[],"epoch":"0","trouble":"full",)"
            R"("failed_on":""})");
}

TEST_F(AnswersTest, ListsComeInPages) {
  const auto names = [](const Json& list) {
    std::string all;
    for (const Json& each : list) all += each["name"].get<std::string>();
    return all;
  };
  const Json first = worlds_json(of.control, {.limit = 2});
  EXPECT_EQ(names(first["worlds"]), "uv");
  EXPECT_EQ(first["next"], "v");
  const Json second = worlds_json(of.control, {.after = "v", .limit = 2});
  EXPECT_EQ(names(second["worlds"]), "w");
  EXPECT_TRUE(second["next"].is_null());
  const Json exact = nodes_json(of.control.directory(), {.limit = 2});
  EXPECT_EQ(names(exact["nodes"]), "ab");
  EXPECT_TRUE(exact["next"].is_null()) << "there are no more";
  EXPECT_EQ(names(worlds_json(of.control, {.after = "z", .limit = 2})["worlds"]), "");
}

TEST_F(AnswersTest, TextThatIsNotUtf8IsReplaced) {
  EXPECT_EQ(text_of(world_json("w", {.trouble = "a\xff"})).find('\xff'), std::string::npos);
}

TEST_F(AnswersTest, MetricsCountNodesAndWorldsByState) {
  const std::string text = metrics_text(of.control);
  for (const char* line :
       {"mobula_cluster_nodes 2\n", "mobula_cluster_draining_nodes 1\n", "mobula_cluster_worlds{state=\"waiting\"} 2\n",
        "mobula_cluster_worlds{state=\"placed\"} 0\n", "mobula_cluster_worlds{state=\"open\"} 1\n",
        "mobula_cluster_placements_total 0\n", "mobula_cluster_failed_commits_total 0\n",
        "# TYPE mobula_cluster_worlds gauge\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST_F(AnswersTest, AWorldOfAnEndedNodeIsCountedAsWaiting) {
  of.cluster.store.revoke(of.key("c/nodes/a").lease);
  of.run(core::second);
  EXPECT_NE(metrics_text(of.control).find("mobula_cluster_worlds{state=\"waiting\"} 3\n"), std::string::npos);
}

TEST_F(AnswersTest, MetricsHaveTheTimeWithoutContact) {
  of.client.network.cut = true;
  of.run(30 * core::second);
  const std::string text = metrics_text(of.control);
  const std::string name = "\nmobula_cluster_contact_age_seconds ";
  ASSERT_NE(text.find(name), std::string::npos);
  EXPECT_GE(std::stod(text.substr(text.find(name) + name.size())), 30);
  const test::ControlledCluster fresh;
  EXPECT_NE(metrics_text(fresh.control).find(name + "-1\n"), std::string::npos);
}

}  // namespace answers_test
}  // namespace mobula::cluster
