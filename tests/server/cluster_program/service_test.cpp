// Requests to the routes, whose work runs at once, as it does between two steps of the control.
#include <cluster/service.hpp>
#include <mobula/server/admin/router.hpp>
#include <nlohmann/json.hpp>
#include <server/cluster_program/controlled_cluster.hpp>
#include <token/token_json.hpp>

namespace mobula::cluster {
namespace service_test {

using nlohmann::json;
namespace admin = server::admin;

core::SecretKey a_key() {
  core::SecretKey key;
  key.fill(std::byte{0x5a});
  return key;
}

class ServiceTest : public testing::Test {
 protected:
  void SetUp() override { of.run(core::second); }

  admin::Reply reply(std::string_view method, const std::string& target, const std::string& body = "") const {
    admin::Request request;
    request.method = method;
    request.path = target.substr(0, target.find('?'));
    if (target.size() > request.path.size()) request.query = target.substr(request.path.size() + 1);
    request.body = body;
    request.host = "127.0.0.1:7790";
    return router.answer(std::move(request));
  }
  // Sends a request. Returns the status, and the code of an error.
  std::string send(std::string_view method, const std::string& target, const std::string& body = "") {
    admin::Reply made = reply(method, target, body);
    if (auto* const query = std::get_if<admin::Query>(&made))
      response = query->work()();
    else
      response = std::get<admin::Response>(std::move(made));
    std::string status = std::to_string(response.status);
    answer = json::parse(response.body, nullptr, false);
    if (answer.is_object() && answer.contains("error")) status += ' ' + answer["error"]["code"].get<std::string>();
    return status;
  }
  void open_world() {
    of.add_key_of_node("a", {.game = "game", .worlds_max = 4});
    of.add_open_world("w", "a", {"udp:127.0.0.1:7777", "ws:127.0.0.1:7778"});
    of.run(core::second);
  }

  test::ControlledCluster of;
  admin::Router router{service_routes(of.control, of.figures, of.sender, a_key())};
  admin::Response response;
  json answer;
};

TEST_F(ServiceTest, APlayerWhoIsNowhereIsNotSent) {
  of.cluster.store.commit({.puts = {{"c/worlds/w", to_json(WorldRecord{.game = "game"})}}});
  of.run(core::second);
  EXPECT_EQ(send("POST", "/players", R"({"world": "w", "account": "anna"})"), "404 no_such_player");
  EXPECT_EQ(send("POST", "/players", R"({"world": "x", "account": "anna"})"), "404 no_such_world");
  for (const char* body : {"{}", R"({"world": "w"})", R"({"world": "w", "account": ""})", R"({"account": "anna"})",
                           R"({"world": "w", "account": "anna", "create": true})"})
    EXPECT_EQ(send("POST", "/players", body), "400 bad_request") << body;
}

TEST_F(ServiceTest, ListsNodesAndWorlds) {
  open_world();
  EXPECT_EQ(send("GET", "/nodes"), "200");
  EXPECT_EQ(answer["nodes"][0]["name"], "a");
  EXPECT_EQ(send("GET", "/worlds?limit=1"), "200");
  EXPECT_EQ(answer["worlds"][0]["state"], "open");
  EXPECT_TRUE(answer["next"].is_null());
  EXPECT_EQ(send("GET", "/worlds?after=w"), "200");
  EXPECT_TRUE(answer["worlds"].empty());
}

TEST_F(ServiceTest, ShowsMapsWithTheirZones) {
  of.cluster.store.commit({.puts = {{"c/maps/land", R"({"zones": [{"name": "w", "x": [null, 0]},
      {"name": "e", "x": [0, null]}], "hysteresis": 3})"},
                                    {"c/maps/sea", "{}"}}});
  of.add_key_of_node("a", {.game = "game", .admin = "http://127.0.0.1:1", .worlds_max = 4, .draining = true});
  of.add_open_world("land.w", "a", {"udp:127.0.0.1:7777"});
  of.run(core::second);
  EXPECT_EQ(send("GET", "/maps"), "200");
  EXPECT_EQ(answer, json::parse(R"({"maps": ["land", "sea"], "next": null})"));
  EXPECT_EQ(send("GET", "/maps?limit=1"), "200");
  EXPECT_EQ(answer["next"], "land");
  EXPECT_EQ(send("GET", "/maps?after=land"), "200");
  EXPECT_EQ(answer["maps"], json({"sea"}));
  EXPECT_EQ(send("GET", "/maps/land"), "200");
  EXPECT_EQ(answer, json::parse(R"({"map": "land", "hysteresis": 3.0, "zones": [
      {"name": "w", "world": "land.w", "x": [null, 0.0], "z": [null, null], "merged": false, "state": "open", "node": "a",
       "admin": "http://127.0.0.1:1", "draining": true, "trouble": "", "figures": null},
      {"name": "e", "world": "land.e", "x": [0.0, null], "z": [null, null], "merged": false, "state": "waiting", "node": "",
       "admin": "", "draining": false, "trouble": "", "figures": null}]})"));
  EXPECT_EQ(send("GET", "/maps/sea"), "409 bad_record");
  EXPECT_EQ(send("GET", "/maps/air"), "404 no_such_map");
}

TEST_F(ServiceTest, SplitsAndMergesZones) {
  of.cluster.store.commit({.puts = {{"c/maps/land", R"({"zones": [{"name": "w", "x": [null, 0]},
      {"name": "e", "x": [0, null]}]})"}}});
  of.add_key_of_node("a", {.game = "game", .worlds_max = 4});
  of.add_open_world("land.w", "a", {"udp:127.0.0.1:7777"});
  of.run(core::second);
  EXPECT_EQ(send("POST", "/maps/land/split", R"({"zone": "e", "name": "far", "x": 9})"), "200");
  EXPECT_EQ(answer, json::parse(R"({"map": "land", "zones": ["land.w", "land.e", "land.far"]})"));
  EXPECT_EQ(send("POST", "/maps/land/split", R"({"zone": "e", "name": "far", "x": 5})"), "409 name_taken");
  EXPECT_EQ(send("POST", "/maps/land/split", R"({"zone": "e", "name": "further", "x": -5})"), "400 bad_cut");
  EXPECT_EQ(send("POST", "/maps/land/merge", R"({"zone": "far", "into": "w"})"), "409 no_rectangle");
  EXPECT_EQ(send("POST", "/maps/land/merge", R"({"zone": "far", "into": "north"})"), "404 no_such_zone");
  EXPECT_EQ(send("POST", "/maps/land/merge", R"({"zone": "far", "into": "e"})"), "200");
  EXPECT_EQ(send("GET", "/maps/land"), "200");
  EXPECT_EQ(answer["zones"][2]["merged"], true);
  EXPECT_EQ(send("POST", "/maps/sea/merge", R"({"zone": "far", "into": "e"})"), "404 no_such_map");
}

TEST_F(ServiceTest, RefusesOtherParameters) {
  for (const char* limit : {"0", "501", "-1", "x", "", "1x", "99999999999999999999"})
    EXPECT_EQ(send("GET", std::string("/worlds?limit=") + limit), "400 bad_request") << limit;
  EXPECT_EQ(send("GET", "/nodes?cursor=1"), "400 bad_request");
}

TEST_F(ServiceTest, AWorldIsFoundByName) {
  open_world();
  EXPECT_EQ(send("GET", "/worlds/w"), "200");
  EXPECT_EQ(answer, json::parse(R"({"name": "w", "game": "game", "state": "open", "node": "a", "epoch": "7",
      "addresses": ["udp:127.0.0.1:7777", "ws:127.0.0.1:7778"], "trouble": "", "failed_on": ""})"));
  EXPECT_EQ(send("GET", "/worlds/v"), "404 no_such_world");
  EXPECT_EQ(answer["error"]["message"], "there is no world 'v'");
  EXPECT_EQ(send("GET", "/worlds/" + std::string(3000, 'v')), "404 no_such_world");
  EXPECT_LT(response.body.size(), 300u) << "quotes are short";
}

TEST_F(ServiceTest, CreatesAWorldOnce) {
  of.cluster.add_node("a");
  of.run(core::second);
  EXPECT_EQ(send("POST", "/worlds", R"({"world": "w", "game": "game"})"), "201");
  EXPECT_EQ(answer["state"], "placed");
  EXPECT_EQ(answer["node"], "a");
  EXPECT_EQ(send("POST", "/worlds", R"({"world": "w", "game": "game"})"), "409 name_taken");
  EXPECT_EQ(send("POST", "/worlds", R"({"world": "w"})"), "400 bad_request");
}

TEST_F(ServiceTest, DrainsANode) {
  of.add_key_of_node("a", {.game = "game", .worlds_max = 4});
  of.run(core::second);
  EXPECT_EQ(send("POST", "/nodes/a/drain", R"({"seconds": 1})"), "400 bad_request");
  EXPECT_EQ(send("POST", "/nodes/a/drain"), "200");
  EXPECT_EQ(answer, json::parse(R"({"node": "a", "draining": true})"));
  EXPECT_EQ(send("POST", "/nodes/a/drain", "{}"), "200") << "again";
  EXPECT_EQ(send("GET", "/nodes"), "200");
  EXPECT_EQ(answer["nodes"][0]["draining"], true);
  EXPECT_EQ(send("POST", "/nodes/b/drain"), "404 no_such_node");
}

TEST_F(ServiceTest, MakesATokenForAnOpenWorld) {
  open_world();
  ASSERT_EQ(send("POST", "/tokens", R"({"world": "w", "account": "anna"})"), "200");
  EXPECT_EQ(answer["ws"], "ws://127.0.0.1:7778");
  const std::string token = answer["tokens"][0];
  const core::SecretKey key = a_key();
  const json opened = json::parse(server::token_json(core::as_bytes(token.data(), token.size()), &key).value());
  EXPECT_EQ(opened["private"]["user_data"], "anna");
  EXPECT_EQ(opened["private"]["servers"], json::parse(R"(["127.0.0.1:7777", "127.0.0.1:7778"])"));
}

TEST_F(ServiceTest, AWorldThatIsNotOpenHasNoTokens) {
  ASSERT_EQ(send("POST", "/worlds", R"({"world": "w", "game": "game"})"), "201");
  EXPECT_EQ(send("POST", "/tokens", R"({"world": "w", "account": "anna"})"), "409 not_open");
  EXPECT_EQ(answer["state"], "waiting");
  EXPECT_EQ(answer["error"]["message"], "world 'w' is waiting, not open; try again later");
  EXPECT_EQ(response.headers.front().first, "Retry-After");
  EXPECT_EQ(send("POST", "/tokens", R"({"world": "v", "account": "anna"})"), "404 no_such_world");
}

TEST_F(ServiceTest, AWorldWhoseNodeDrainsHasNoTokens) {
  open_world();
  const std::string order = R"({"world": "w", "account": "anna"})";
  ASSERT_EQ(send("POST", "/tokens", order), "200");
  ASSERT_EQ(send("POST", "/nodes/a/drain"), "200");
  EXPECT_EQ(send("POST", "/tokens", order), "409 not_open");
  EXPECT_EQ(answer["error"]["message"], "node 'a' drains, and world 'w' moves to another node; try again later");
}

TEST_F(ServiceTest, ATokenOrderCreatesItsWorldFirst) {
  const std::string order = R"({"world": "w", "account": "anna", "create": true, "game": "game"})";
  of.cluster.add_node("a");
  of.run(core::second);
  EXPECT_EQ(send("POST", "/tokens", order), "409 not_open");
  EXPECT_EQ(answer["state"], "placed");
  of.run(core::second);
  EXPECT_EQ(of.control.world("w")->state, WorldState::open);
  EXPECT_EQ(send("POST", "/tokens", R"({"world": "w", "account": "anna", "create": true, "game": "x"})"),
            "409 other_game");
  // The node's address is a name that nothing resolves.
  const std::string outcome = send("POST", "/tokens", order);
  EXPECT_TRUE(outcome == "502 unknown_host" || outcome == "200") << outcome;
}

TEST_F(ServiceTest, ATokenOrderAcceptsTheWorldOfAnotherRequest) {
  of.client.watch("elsewhere/", 1);  // so that the directory has it late
  of.cluster.store.commit({.puts = {{"c/worlds/w", to_json(WorldRecord{.game = "game"})}}});
  const std::string order = R"({"world": "w", "account": "anna", "create": true, "game": "game"})";
  EXPECT_EQ(send("POST", "/tokens", order), "409 not_open");
  EXPECT_EQ(answer["state"], "waiting");
}

TEST_F(ServiceTest, ATroubledWorldIsShownWithItsReason) {
  of.cluster.add_node("a").refuses = true;
  of.run(core::second);
  ASSERT_EQ(send("POST", "/worlds", R"({"world": "w", "game": "game"})"), "201");
  of.run(core::second);
  EXPECT_EQ(send("POST", "/tokens", R"({"world": "w", "account": "anna"})"), "409 not_open");
  EXPECT_EQ(answer["trouble"], "no such level");
}

TEST_F(ServiceTest, WithoutAKeyThereAreNoTokens) {
  open_world();
  router = admin::Router(service_routes(of.control, of.figures, of.sender, std::nullopt));
  EXPECT_EQ(send("POST", "/tokens", R"({"world": "w", "account": "anna"})"), "404 no_tokens");
}

TEST_F(ServiceTest, WithoutContactItIsUnhealthyAndRefuses) {
  open_world();
  EXPECT_EQ(send("GET", "/health"), "200");
  EXPECT_EQ(answer["status"], "ok");
  of.client.network.cut = true;
  of.run(Directory::list_interval + 2 * core::second);
  EXPECT_EQ(send("GET", "/health"), "503");
  EXPECT_EQ(answer["status"], "no contact with etcd");
  EXPECT_EQ(send("POST", "/worlds", R"({"world": "v", "game": "game"})"), "503 unreachable");
  of.run(Control::stale_after);
  for (const char* path : {"/nodes", "/worlds", "/worlds/w"}) EXPECT_EQ(send("GET", path), "503 unreachable") << path;
  EXPECT_EQ(send("POST", "/tokens", R"({"world": "w", "account": "anna"})"), "503 unreachable");
  EXPECT_EQ(send("GET", "/metrics"), "200") << "they show since when";
  of.client.network.cut = false;
  of.run(core::second);
  EXPECT_EQ(send("GET", "/health"), "200");
}

TEST_F(ServiceTest, ARequestThatHasNotBegunChangedNothing) {
  const auto query = std::get<admin::Query>(reply("POST", "/worlds", R"({"world": "w", "game": "game"})"));
  const auto code = [&] { return json::parse(query.otherwise().body)["error"]["code"]; };
  EXPECT_EQ(query.otherwise().status, 503u);
  EXPECT_EQ(code(), "busy");
  EXPECT_EQ(query.work()().status, 201u);
  EXPECT_EQ(query.otherwise().status, 504u);
  EXPECT_EQ(code(), "unfinished");
}

TEST_F(ServiceTest, MetricsAreText) {
  EXPECT_EQ(send("GET", "/metrics"), "200");
  EXPECT_EQ(response.type, "text/plain; version=0.0.4");
  EXPECT_NE(response.body.find("mobula_cluster_nodes 0\n"), std::string::npos);
}

TEST_F(ServiceTest, AllButHealthNeedTheBearerToken) {
  router = admin::Router(service_routes(of.control, of.figures, of.sender, a_key()), "a-long-bearer-token");
  EXPECT_EQ(send("GET", "/health"), "200");
  for (const char* path : {"/nodes", "/worlds", "/worlds/w", "/metrics"})
    EXPECT_EQ(send("GET", path), "401 unauthorized") << path;
  for (const char* path : {"/worlds", "/nodes/a/drain", "/tokens"})
    EXPECT_EQ(send("POST", path, "{}"), "401 unauthorized") << path;
}

}  // namespace service_test
}  // namespace mobula::cluster
