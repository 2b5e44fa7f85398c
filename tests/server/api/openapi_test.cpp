// Checks that the document agrees with the routes and the answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <mobula/server/admin/documents.hpp>
#include <mobula/server/admin/live.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <server/api/api_world.hpp>
#include <server/api/json_schema.hpp>
#include <set>

namespace mobula::server {
namespace {

using nlohmann::json;

const json& document() {
  static const json parsed = json::parse(admin::openapi_files().front().content);
  return parsed;
}

std::string small(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(c));
  return result;
}

std::set<std::string> parameters(const json& operation, const std::string& in) {
  std::set<std::string> names;
  for (json each : operation.value("parameters", json::array())) {
    if (each.contains("$ref")) each = document().at(json::json_pointer(each["$ref"].get<std::string>().substr(1)));
    if (each.at("in") == in) names.insert(each.at("name").get<std::string>());
  }
  return names;
}

std::set<std::string> in_braces(const std::string& path) {
  std::set<std::string> names;
  for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1))
    names.insert(path.substr(at + 1, path.find('}', at) - at - 1));
  return names;
}

TEST(ApiDocument, HasEveryRouteAndNoOther) {
  const test::ApiWorld world;
  std::set<std::string> served;
  std::vector<admin::Route> routes(world.routes().begin(), world.routes().end());
  routes.push_back(admin::live_route());
  routes.push_back(admin::tokens_route({}));
  for (const admin::Route& route : routes) {
    served.insert(std::string(route.method) + ' ' + route.path);
    ASSERT_TRUE(document()["paths"].contains(route.path)) << route.path;
    const json& path = document()["paths"][route.path];
    ASSERT_TRUE(path.contains(small(route.method))) << route.method << ' ' << route.path;
    const json& operation = path[small(route.method)];
    EXPECT_EQ(parameters(operation, "query"), std::set<std::string>(route.query.begin(), route.query.end()))
        << route.path;
    EXPECT_EQ(parameters(operation, "path"), in_braces(route.path)) << route.path;
    const bool open = operation.contains("security") && operation["security"].empty();
    EXPECT_EQ(open, route.access == admin::Access::everyone) << route.path;
  }
  for (const auto& [path, operations] : document()["paths"].items())
    for (const auto& [method, operation] : operations.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      EXPECT_TRUE(served.contains(upper + ' ' + path)) << upper << ' ' << path;
    }
}

TEST(ApiDocument, ItsExamplesMatchItsSchemas) {
  const test::JsonSchema schemas(document());
  int examples = 0;
  const auto check = [&](const json& contents, const std::string& where) {
    for (const auto& [type, content] : contents.items()) {
      if (!content.contains("example")) continue;
      ++examples;
      EXPECT_EQ(schemas.check(content["example"], content.at("schema")), "") << where;
    }
  };
  for (const auto& [path, operations] : document()["paths"].items())
    for (const auto& [method, operation] : operations.items()) {
      if (operation.contains("requestBody")) check(operation["requestBody"]["content"], path);
      for (const auto& [status, response] : operation["responses"].items())
        if (response.contains("content")) check(response["content"], path + ' ' + status);
    }
  EXPECT_GT(examples, 20);
}

class ApiAnswers : public testing::Test {
 protected:
  void expect_as_documented(const std::string& method, const std::string& target, const std::string& path,
                            const std::string& body = {}) {
    const test::Answer answer = world.send(method, target, body);
    const json& responses = document()["paths"][path][small(method)]["responses"];
    const std::string status = std::to_string(answer.status);
    ASSERT_TRUE(responses.contains(status)) << method << ' ' << target << ": " << status << ' ' << answer.text;
    const json& schema = responses.at(status).at("content").at("application/json").at("schema");
    EXPECT_EQ(test::JsonSchema(document()).check(answer.json, schema), "") << target;
    good += answer.status == 200;
  }

  test::ApiWorld world;
  int good = 0;
};

TEST_F(ApiAnswers, MatchTheDocument) {
  expect_as_documented("GET", "/ready", "/ready");
  EXPECT_EQ(good, 0) << "no world has ticked yet";
  world.village.join("anna");
  world.village.join("bert");
  world.ticks(40);
  const std::string handle = world.get("/api/entities?component=Avatar")["entities"][0]["handle"];
  const std::string of_entity = "/api/entities/{handle}/{component}/{property}";
  expect_as_documented("GET", "/ready", "/ready");
  expect_as_documented("GET", "/api/status", "/api/status");
  expect_as_documented("GET", "/api/openapi.json", "/api/openapi.json");
  expect_as_documented("GET", "/api/sessions", "/api/sessions");
  expect_as_documented("GET", "/api/sessions/1", "/api/sessions/{player}");
  expect_as_documented("GET", "/api/entities", "/api/entities");
  expect_as_documented("GET", "/api/entities/" + handle, "/api/entities/{handle}");
  expect_as_documented("GET", "/api/entities/" + handle + "/Avatar", "/api/entities/{handle}/{component}");
  expect_as_documented("GET", "/api/entities/" + handle + "/Avatar/score", of_entity);
  expect_as_documented("PUT", "/api/entities/" + handle + "/Avatar/score", of_entity, "7");
  expect_as_documented("GET", "/api/prototypes", "/api/prototypes");
  expect_as_documented("GET", "/api/pools", "/api/pools");
  expect_as_documented("GET", "/api/pools/0/order?size=16", "/api/pools/{pool}/order");
  expect_as_documented("GET", "/api/systems", "/api/systems");
  expect_as_documented("GET", "/api/resources", "/api/resources");
  expect_as_documented("GET", "/api/log-level", "/api/log-level");
  expect_as_documented("POST", "/api/reload", "/api/reload");
  expect_as_documented("PUT", "/api/bans/eve", "/api/bans/{account}", R"({"seconds": 60})");
  expect_as_documented("GET", "/api/bans", "/api/bans");
  expect_as_documented("DELETE", "/api/bans/eve", "/api/bans/{account}");
  EXPECT_EQ(good, 20);
}

TEST_F(ApiAnswers, APlaceThatIsNoNumberMatchesTheDocument) {
  world.village.join("anna");
  world.ticks(40);
  const std::string handle = world.get("/api/entities?component=Avatar")["entities"][0]["handle"];
  const ecs::Entity avatar = *ecs::parse_entity(handle);
  engine::Transform& place = world.registry().get<engine::Transform>(avatar);
  place.position = {std::nanf(""), std::numeric_limits<float>::infinity(), 1e30f};
  place.rotation = {std::nanf(""), 0, 0, 0};
  world.ticks(2);
  const std::string of_entity = "/api/entities/{handle}/{component}/{property}";
  expect_as_documented("GET", "/api/entities", "/api/entities");
  expect_as_documented("GET", "/api/entities/" + handle, "/api/entities/{handle}");
  expect_as_documented("GET", "/api/entities/" + handle + "/Transform/position.x", of_entity);
  EXPECT_EQ(good, 3);
  const json entity = world.get("/api/entities/" + handle);
  EXPECT_TRUE(entity["position"][0].is_null() && entity["position"][1].is_null());
  EXPECT_EQ(entity["position"][2], 1e30);
  for (const char* axis : {"x", "y", "z"})
    expect_as_documented("PUT", "/api/entities/" + handle + "/Transform/position." + axis, of_entity, "0");
  world.ticks(6);
  EXPECT_EQ(world.get("/api/entities/" + handle)["position"], json::array({0, 0, 0}));
  EXPECT_GT(world.village.clients[0]->connection.mirror()->size(), 10u) << "the player sees its surroundings";
}

TEST_F(ApiAnswers, HeadIsAnsweredAsGetIs) {
  world.ticks(2);
  int read = 0;
  for (const admin::Route& route : world.routes()) {
    const bool reads = route.method == "GET";
    if (!reads && document()["paths"][route.path].contains("get")) continue;
    const test::Answer head = world.send("HEAD", route.path);
    EXPECT_EQ(head.status, reads ? world.send("GET", route.path).status : 405u) << route.path;
    read += head.status == 200;
  }
  EXPECT_GE(read, 10) << "paths without parameters";
}

TEST_F(ApiAnswers, ErrorsMatchTheDocument) {
  world.ticks(2);
  const std::string of_entity = "/api/entities/{handle}/{component}/{property}";
  expect_as_documented("GET", "/api/entities?limit=0", "/api/entities");
  expect_as_documented("GET", "/api/entities?limit=501", "/api/entities");
  expect_as_documented("GET", "/api/entities?cursor=-1", "/api/entities");
  expect_as_documented("GET", "/api/entities?cursor=4294967296", "/api/entities");
  expect_as_documented("GET", "/api/entities?prototype=x", "/api/entities");
  expect_as_documented("GET", "/api/entities?search=" + std::string(101, 'x'), "/api/entities");
  expect_as_documented("GET", "/api/entities?world=nowhere", "/api/entities");
  expect_as_documented("GET", "/api/entities/8", "/api/entities/{handle}");
  expect_as_documented("GET", "/api/entities/8.77", "/api/entities/{handle}");
  expect_as_documented("GET", "/api/entities/1.1/Nothing", "/api/entities/{handle}/{component}");
  expect_as_documented("GET", "/api/entities/1.1/Fog%2Fdensity", "/api/entities/{handle}/{component}");
  expect_as_documented("GET", "/api/entities/1.1/Transform/x", of_entity);
  expect_as_documented("PUT", "/api/entities/1.1/Transform/position.x", of_entity, "1e9");
  expect_as_documented("PUT", "/api/entities/1.1/Transform/position.x", of_entity, "\"x\"");
  expect_as_documented("PUT", "/api/entities/1.1/Transform/position.x", of_entity, "");
  expect_as_documented("GET", "/api/sessions/1", "/api/sessions/{player}");
  expect_as_documented("GET", "/api/sessions/0", "/api/sessions/{player}");
  expect_as_documented("GET", "/api/sessions/x", "/api/sessions/{player}");
  expect_as_documented("GET", "/api/pools/99999/order", "/api/pools/{pool}/order");
  expect_as_documented("GET", "/api/pools/0/order?lead=99999", "/api/pools/{pool}/order");
  expect_as_documented("GET", "/api/pools/0/order?size=15", "/api/pools/{pool}/order");
  expect_as_documented("POST", "/api/pools/0/mend", "/api/pools/{pool}/mend", "[]");
  expect_as_documented("POST", "/api/pools/0/mend", "/api/pools/{pool}/mend", R"({"moves":1})");
  expect_as_documented("POST", "/api/pools/0/mend", "/api/pools/{pool}/mend", R"({"leed":1})");
  expect_as_documented("POST", "/api/checkpoint", "/api/checkpoint");
  expect_as_documented("PUT", "/api/bans/eve", "/api/bans/{account}", R"({"seconds": "long"})");
  expect_as_documented("DELETE", "/api/bans/eve", "/api/bans/{account}");
  expect_as_documented("PUT", "/api/log-level", "/api/log-level", R"({"level":"loud"})");
  expect_as_documented("PUT", "/api/log-level", "/api/log-level", R"({"module":"net"})");
  expect_as_documented("PUT", "/api/log-level", "/api/log-level", R"({"level":"info","module":"a b"})");
  EXPECT_EQ(good, 0);
}

}  // namespace
}  // namespace mobula::server
