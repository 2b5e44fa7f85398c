#include <gtest/gtest.h>

#include <server/api/api_world.hpp>

namespace mobula::server {
namespace {

using nlohmann::json;

class ApiSessions : public testing::Test {
 protected:
  test::Village::Client& join(const std::string& name) {
    test::Village::Client& client = world.village.join(name);
    EXPECT_TRUE(
        world.village.tick_until([&] { return client.connection.state() == client::Connection::State::playing; }));
    world.ticks(10);
    return client;
  }

  test::ApiWorld world;
};

TEST_F(ApiSessions, AreListedInOrderOfArrivalAndInPages) {
  for (int i = 0; i < 5; ++i) join("player " + std::to_string(i));
  world.ticks(60);
  json all = json::array();
  std::string cursor = "0";
  for (int page = 0; page < 3; ++page) {
    const json part = world.get("/api/sessions?limit=2&cursor=" + cursor);
    EXPECT_EQ(part["total"], 5);
    for (const json& each : part["sessions"]) all.push_back(each);
    EXPECT_EQ(part["next"].is_null(), page == 2);
    if (page < 2) cursor = part["next"];
  }
  ASSERT_EQ(all.size(), 5u);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(all[i]["name"], "player " + std::to_string(i));
    EXPECT_EQ(all[i]["state"], "playing");
    EXPECT_EQ(all[i]["pipe"], "udp");
    EXPECT_EQ(all[i]["client_id"], std::to_string(i + 1));
    EXPECT_TRUE(all[i]["address"].get<std::string>().starts_with("10.1.0.")) << all[i]["address"];
    EXPECT_GT(all[i]["network"]["rtt_seconds"], 0);
    EXPECT_GT(all[i]["network"]["sent_bytes"], 1000);
    EXPECT_GT(all[i]["connected_seconds"], 3.0);
    EXPECT_TRUE(world.registry().valid(*ecs::parse_entity(all[i]["entity"].get<std::string>())));
  }
}

TEST_F(ApiSessions, ADisconnectedPlayerHasNoNetwork) {
  const test::Village::Client& client = join("anna");
  world.ticks(40);
  world.village.server->pipe_closed(client.port.from, world.village.now);
  world.village.remove(client);
  world.ticks(2);
  const json anna = world.get("/api/sessions")["sessions"][0];
  EXPECT_EQ(anna["state"], "away");
  EXPECT_EQ(anna["network"], nullptr);
  EXPECT_EQ(anna["address"], nullptr);
  EXPECT_LT(anna["connected_seconds"], 1.0);
  EXPECT_EQ(world.send("GET", "/api/sessions/1").status, 200u);
  EXPECT_EQ(world.send("GET", "/api/sessions/2").code(), "no_such_player");
}

TEST_F(ApiSessions, AKickedClientReceivesTheReason) {
  const test::Village::Client& anna = join("anna");
  join("bert");
  for (const char* body : {"[]", R"({"reason": 7})", R"({"reason": ""})", R"({"raeson": "x"})"})
    EXPECT_EQ(world.send("POST", "/api/sessions/1/kick", body).code(), "bad_request") << body;
  EXPECT_EQ(world.send("POST", "/api/sessions/1/kick", R"({"reason": ")" + std::string(201, 'x') + "\"}").status, 400u);
  EXPECT_EQ(world.send("POST", "/api/sessions/7/kick", "{}").code(), "no_such_player");
  EXPECT_EQ(world.send("POST", "/api/sessions/1/kick", R"({"reason": "shouting"})").json,
            (json{{"player", 1}, {"reason", "shouting"}}));
  EXPECT_TRUE(world.village.tick_until([&] { return anna.connection.state() == client::Connection::State::closed; }));
  EXPECT_EQ(anna.connection.reason().code, transport::ReasonCode::kicked);
  EXPECT_NE(anna.connection.reason().text.find("shouting"), std::string::npos) << anna.connection.reason().text;
  EXPECT_EQ(world.get("/api/sessions")["total"], 1);
}

TEST_F(ApiSessions, APlayerIsSentToAnotherWorldOfACluster) {
  join("anna");
  EXPECT_EQ(world.send("POST", "/api/sessions/1/send", R"({"target": "arena"})").code(), "no_cluster");
  world.village.server->on_save_crossings([] { return core::Bytes(); });
  for (const char* body : {"{}", "[]", R"({"target": 7})", R"({"world": "arena"})"})
    EXPECT_EQ(world.send("POST", "/api/sessions/1/send", body).code(), "bad_request") << body;
  EXPECT_EQ(world.send("POST", "/api/sessions/1/send", R"({"target": "a/b"})").code(), "bad_name");
  EXPECT_EQ(world.send("POST", "/api/sessions/7/send", R"({"target": "arena"})").code(), "no_such_player");
  EXPECT_EQ(world.send("POST", "/api/sessions/1/send", R"({"target": "arena"})").json,
            (json{{"player", 1}, {"target", "arena"}}));
  const std::vector<World::Departure> departures = world.village.server->world().take_departures();
  ASSERT_EQ(departures.size(), 1u);
  EXPECT_EQ(departures[0].player, 1u);
  EXPECT_EQ(departures[0].world, "arena");
}

TEST_F(ApiSessions, APlayerIsSentByItsAccount) {
  const std::string account = "anna";
  const ecs::Entity own = world.registry().create();
  world.village.server->restore_players(2, {{1, "Anna", account, own, true}});
  const auto send = [&](const json& body) { return world.send("POST", "/api/players/send", body.dump()); };
  EXPECT_EQ(send({{"account", "bert"}, {"target", "arena"}}).json["world"], nullptr) << "it is not here";
  EXPECT_EQ(send({{"account", ""}, {"target", "arena"}}).json["world"], nullptr);
  EXPECT_EQ(send({{"account", account}, {"target", "arena"}}).code(), "no_cluster");
  world.village.server->on_save_crossings([] { return core::Bytes(); });
  EXPECT_EQ(send({{"account", account}, {"target", "a/b"}}).code(), "bad_name");
  for (const json& body :
       {json{{"account", account}}, json{{"target", "arena"}}, json{{"account", 7}, {"target", "arena"}},
        json{{"account", account}, {"target", "arena"}, {"more", 1}}})
    EXPECT_EQ(send(body).code(), "bad_request") << body;
  const std::string here = world.get("/api/sessions/1")["world"];
  EXPECT_EQ(send({{"account", account}, {"target", here}}).json["world"], here) << "it stays";
  EXPECT_TRUE(world.village.server->world().take_departures().empty());
  EXPECT_EQ(send({{"account", account}, {"target", "arena"}}).json,
            (json{{"account", account}, {"target", "arena"}, {"world", here}}));
  const std::vector<World::Departure> departures = world.village.server->world().take_departures();
  ASSERT_EQ(departures.size(), 1u);
  EXPECT_EQ(departures[0].player, 1u);
}

TEST_F(ApiSessions, DetailsListInterestGroupsUnderTheFormerKeyToo) {
  join("anna");
  EXPECT_EQ(world.get("/api/sessions/1")["interest_groups"], json::array());
  Viewer& viewer = world.village.server->world().viewer(1);
  for (const std::uint32_t group : {5u, 9u}) EXPECT_TRUE(viewer.join_group(group));
  const json details = world.get("/api/sessions/1");
  EXPECT_EQ(details["interest_groups"], (json{5, 9}));
  EXPECT_EQ(details["rooms"], details["interest_groups"]);
}

// The bytes by component add up to the bytes sent, and are measured only while queried.
TEST_F(ApiSessions, BytesByComponentAddUp) {
  join("anna");
  join("bert");
  json reply = world.get("/api/sessions/2");
  EXPECT_EQ(reply["sent"]["bytes"], 0);
  const std::uint64_t before = world.village.server->stats().delta_bytes_sent;
  world.ticks(40);
  reply = world.get("/api/sessions/2");
  EXPECT_GT(reply["seen_entities"], 50);
  EXPECT_NEAR(reply["sent"]["seconds"].get<double>(), 2.0, 1e-6);
  EXPECT_LT(reply["sent"]["bytes"], world.village.server->stats().delta_bytes_sent - before) << "one of two clients";
  double sum = 0;
  std::string most;  // component with the most bytes
  for (const json& each : reply["sent"]["components"]) {
    EXPECT_GE(each["bytes"], 0);
    sum += each["bytes"].get<double>();
    if (most.empty()) most = each["component"];
  }
  EXPECT_EQ(sum, reply["sent"]["bytes"]);
  EXPECT_EQ(most, "Transform") << "wolves and boars wander: " << reply["sent"].dump();
  world.ticks(20 * 11);
  reply = world.get("/api/sessions/2");
  EXPECT_EQ(reply["sent"]["bytes"], 0) << "not queried for ten seconds";
  EXPECT_NE(world.village.server->measure(2), nullptr);
  EXPECT_EQ(world.village.server->measure(0), nullptr);
  EXPECT_EQ(world.village.server->measure(77), nullptr);
}

TEST_F(ApiSessions, TheLastReportsOfAPredictionAreShown) {
  test::Village::Client& anna = join("anna");
  EXPECT_EQ(world.get("/api/sessions")["sessions"][0]["prediction"], nullptr) << "it has reported nothing";
  ASSERT_TRUE(anna.connection.send_report({200, 66, 3, 1, 2, 4, 4, 1500, 700, 40, 5}));
  world.ticks(5);
  const json expected{{"ticks", 200},
                      {"ticks_replayed", 66},
                      {"rollbacks", 3},
                      {"late_mispredictions", 1},
                      {"remote_mispredictions", 2},
                      {"level_mispredictions", 5},
                      {"stalls", 4},
                      {"corrections", 4},
                      {"mean_correction_meters", 0.375},
                      {"greatest_correction_meters", 0.7},
                      {"input_delay_seconds", 0.125}};
  EXPECT_EQ(world.get("/api/sessions")["sessions"][0]["prediction"], expected);
  const json details = world.get("/api/sessions/1");
  EXPECT_EQ(details["prediction"], expected);
  EXPECT_EQ(details["accepted_views"], 0);
  EXPECT_EQ(details["refused_views"], 0);
}

// Measuring does not change what clients are sent.
TEST(ApiMeasuring, ChangesNothingThatIsSent) {
  std::array<std::uint64_t, 2> bytes{};
  std::array<std::uint64_t, 2> hashes{};
  for (const bool measured : {false, true}) {
    test::ApiWorld world;
    world.village.join("anna");
    for (int i = 0; i < 80; ++i) {
      world.tick();
      if (measured && i > 10) world.village.server->measure(1);
    }
    bytes[measured] = world.village.server->stats().delta_bytes_sent;
    hashes[measured] = world.village.published_hash();
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace mobula::server
