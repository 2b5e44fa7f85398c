#include <gtest/gtest.h>

#include <mobula/schema/components.hpp>
#include <server/api/api_world.hpp>
#include <set>

namespace mobula::server {
namespace {

using nlohmann::json;

class ApiEntities : public testing::Test {
 protected:
  // Returns the handles of all pages of a list.
  std::vector<std::string> all(const std::string& query, std::uint32_t limit) {
    std::vector<std::string> handles;
    std::string cursor = "0";
    for (;;) {
      const json page = world.get("/api/entities?limit=" + std::to_string(limit) + "&cursor=" + cursor + query);
      EXPECT_LE(page["entities"].size(), limit);
      for (const json& each : page["entities"]) handles.push_back(each["handle"]);
      if (page["next"].is_null()) return handles;
      cursor = page["next"];
    }
  }
  template <class Fits>
  std::vector<std::string> living(Fits&& fits) {
    std::vector<std::string> handles;
    for (const ecs::Entity entity : world.registry().entities())
      if (fits(entity)) handles.push_back(to_string(entity));
    return handles;
  }
  std::string first_with(const std::string& component) {
    return world.get("/api/entities?component=" + component)["entities"][0]["handle"];
  }

  test::ApiWorld world;
};

TEST_F(ApiEntities, AreListedOnceWithAnyPageSize) {
  world.ticks(5);
  const std::vector<std::string> expected = living([](ecs::Entity) { return true; });
  EXPECT_GT(expected.size(), 100u);
  for (const std::uint32_t limit : {1u, 7u, 100u, 500u}) EXPECT_EQ(all("", limit), expected) << limit;
  EXPECT_EQ(world.get("/api/entities")["total"], expected.size());
}

TEST_F(ApiEntities, APageHasAtMostFiveHundredRows) {
  std::vector<ecs::Entity> many(600);
  ASSERT_TRUE(world.registry().create(many));
  const json page = world.get("/api/entities?limit=500");
  EXPECT_EQ(page["entities"].size(), 500u);
  EXPECT_FALSE(page["next"].is_null());
  for (const char* list : {"entities", "sessions", "bans", "pools", "prototypes"})
    EXPECT_EQ(world.send("GET", std::string("/api/") + list + "?limit=501").code(), "bad_request") << list;
}

TEST_F(ApiEntities, AreFoundByComponentPrototypeHandleAndLabel) {
  world.village.join("Anna Blume");
  world.ticks(20);
  ecs::Registry& registry = world.registry();
  const auto with_health = living([&](ecs::Entity entity) { return registry.has<demo::Health>(entity); });
  EXPECT_GT(with_health.size(), 10u);
  EXPECT_EQ(all("&component=Health", 7), with_health);
  const auto rendered = living([&](ecs::Entity entity) {
    return registry.find(entity, core::StringId32("Body")) != ecs::no_pool ||
           registry.find(entity, core::StringId32("Fog")) != ecs::no_pool;
  });
  EXPECT_EQ(all("&component=RenderData", 100), rendered) << "by component type, whatever the instance name";
  const ecs::PrototypeId prototype = registry.prototype(*ecs::parse_entity(with_health.front()));
  EXPECT_EQ(all("&prototype=" + std::to_string(prototype), 3),
            living([&](ecs::Entity entity) { return registry.prototype(entity) == prototype; }));
  const json anna = world.get("/api/entities?search=aNNA%20bl")["entities"];
  ASSERT_EQ(anna.size(), 1u);
  EXPECT_EQ(anna[0]["label"], "Anna Blume");
  const std::string handle = anna[0]["handle"];
  EXPECT_EQ(world.get("/api/entities?search=" + handle)["entities"][0]["handle"], handle);
  EXPECT_TRUE(all("&search=nobody+has+this", 100).empty());
  EXPECT_TRUE(all("&search=%00", 100).empty());
  EXPECT_TRUE(all("&component=NoSuchThing", 100).empty());
}

TEST_F(ApiEntities, AnEntityOfTheLevelIsNamedByItsPath) {
  std::set<std::string> labels;
  for (const std::string& handle : all("", 100)) {
    const std::string label = world.get("/api/entities/" + handle)["label"];
    if (!label.empty()) labels.insert(label);
  }
  EXPECT_TRUE(labels.contains("boar.0") || labels.contains("pine.0")) << json(labels).dump();
}

TEST_F(ApiEntities, PathsOfTheLevelOutliveAReload) {
  world.ticks(2);
  const auto pines = [&] { return world.get("/api/entities?search=pine&limit=500")["entities"].size(); };
  EXPECT_GT(pines(), 0u);
  ASSERT_EQ(world.send("POST", "/api/reload").status, 200u);
  world.ticks(2);
  EXPECT_GT(pines(), 0u) << "kept and new entities";
}

TEST_F(ApiEntities, AnEntityHasAllItsComponents) {
  world.ticks(3);
  const std::string handle = first_with("Wander");
  const json entity = world.get("/api/entities/" + handle);
  EXPECT_EQ(entity["handle"], handle);
  std::set<std::string> names;
  for (const json& component : entity["components"]) names.insert(component["name"]);
  EXPECT_TRUE(names.contains("Transform"));
  EXPECT_TRUE(names.contains("mobula::hierarchy::WorldTransform")) << "server-only components are listed too";
  for (const json& component : entity["components"])
    for (const json& property : component["properties"])
      EXPECT_EQ(world.get("/api/entities/" + handle + '/' + component["name"].get<std::string>() + '/' +
                          property["path"].get<std::string>()),
                property["value"]);
  const json position = world.get("/api/entities/" + handle + "/Transform")["position"];
  EXPECT_EQ(entity["position"], (json{position["x"], position["y"], position["z"]}));
}

TEST_F(ApiEntities, AWrittenPropertyReachesItsViewers) {
  const test::Village::Client& client = world.village.join("anna");
  world.ticks(20);
  const std::string handle = first_with("Avatar");
  const ecs::Entity entity = *ecs::parse_entity(handle);
  const test::Answer answer = world.send("PUT", "/api/entities/" + handle + "/Health/current", "42");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.json, (json{{"tick", world.registry().tick() - 1}, {"value", 42}}));
  EXPECT_EQ(world.registry().get<const demo::Health>(entity).current, 42);
  EXPECT_TRUE(world.village.tick_until([&] {
    const auto* mirrored = std::as_const(client.connection.mirror()->registry()).try_get<const demo::Health>(entity);
    return mirrored != nullptr && mirrored->current == 42;
  }));
  EXPECT_EQ(world.send("PUT", "/api/entities/" + handle + "/Transform/position", R"({"x": 1.5})").json["value"]["x"],
            1.5);
  EXPECT_EQ(world.send("PUT", "/api/entities/" + handle + "/Transform/position.x", "1.0e0").json["value"], 1.0);
  EXPECT_EQ(world.send("PUT", "/api/entities/" + handle + "/Transform/rotation", "[0,0,0,1]").status, 200u);
}

// The checks are those of levels. A refused write changes nothing.
TEST_F(ApiEntities, ARefusedWriteChangesNothing) {
  world.ticks(2);
  const std::string handle = first_with("Wander");
  const std::string before = world.get("/api/entities/" + handle).dump();
  const struct {
    const char* path;
    const char* body;
    unsigned status;
    const char* code;
  } cases[] = {
      {"Health/current", "70000", 400, "out_of_range"},
      {"Health/current", "-1", 400, "out_of_range"},
      {"Health/current", "\"much\"", 400, "wrong_type"},
      {"Health/current", "1.5", 400, "wrong_type"},
      {"Health/current", "", 400, "not_text"},
      {"Health/current", "1 2", 400, "not_text"},
      {"Health/current", "[[[[", 400, "not_text"},
      {"Health/currant", "1", 404, "no_such_property"},
      {"Helth/current", "1", 404, "no_such_component"},
      {"Team/color", "\"violet\"", 400, "out_of_range"},
      {"Transform/position", R"({"x": 1, "x": 2})", 400, "not_text"},
      {"Transform/position", R"({"x": 1, "y": 1e9})", 400, "out_of_range"},
      {"Transform/position", R"([1, 2])", 400, "wrong_type"},
      {"Transform/position.x", "NaN", 400, "not_text"},
      {"Transform/position.x", "1e999", 400, "not_text"},
      {"Transform/position.x", "\"1\"", 400, "wrong_type"},
      {"Transform/position.x", "[1]", 400, "wrong_type"},
      {"Transform/position.x%00", "1", 404, "no_such_property"},
      {"Transform/rotation", "[0,0,0,0]", 400, "out_of_range"},
      {"mobula::hierarchy::WorldTransform/position.x", "1", 404, "no_such_component"},
      {"mobula::server::Relevance/layer", "200", 404, "no_such_component"},
  };
  for (const auto& [path, body, status, code] : cases) {
    const test::Answer answer = world.send("PUT", "/api/entities/" + handle + '/' + path, body);
    EXPECT_EQ(answer.status, status) << path << ' ' << body << ' ' << answer.text;
    EXPECT_EQ(answer.code(), code) << path << ' ' << body << ' ' << answer.text;
  }
  EXPECT_EQ(world.get("/api/entities/" + handle).dump(), before);
  EXPECT_EQ(world.send("PUT", "/api/entities/0.4000000000/Health/current", "1").status, 404u);
  EXPECT_EQ(world.send("PUT", "/api/entities/x/Health/current", "1").status, 400u);
  EXPECT_EQ(world.send("PUT", "/api/entities/" + handle + "/Health/current?world=other", "1").code(), "no_such_world");
}

TEST_F(ApiEntities, AParentLivesAndMakesNoCircle) {
  world.ticks(2);
  ecs::Registry& registry = world.registry();
  std::vector<ecs::Entity> chain(hierarchy::max_depth);
  ASSERT_TRUE(registry.create(std::span(chain), engine::Parent{}));
  const auto put = [&](ecs::Entity child, ecs::Entity parent, const std::string& component = "Parent") {
    return world.send("PUT", "/api/entities/" + to_string(child) + '/' + component + "/entity",
                      parent ? '"' + to_string(parent) + '"' : "null");
  };
  for (std::size_t i = 1; i < chain.size(); ++i) ASSERT_EQ(put(chain[i], chain[i - 1]).status, 200u);
  const ecs::Entity dead = registry.create(engine::Parent{});
  registry.destroy(dead);
  const ecs::Entity other = registry.create(engine::Parent{});
  const struct {
    ecs::Entity child;
    ecs::Entity parent;
    unsigned status;
    const char* code;
  } cases[] = {{chain[0], chain[0], 409, "circle"},
               {chain[0], chain[2], 409, "circle"},
               {chain[1], dead, 404, "stale_handle"},
               {other, chain.back(), 409, "too_deep"}};
  for (const auto& [child, parent, status, code] : cases) {
    const ecs::Entity before = registry.get<const engine::Parent>(child).entity;
    const test::Answer answer = put(child, parent);
    EXPECT_EQ(answer.status, status) << answer.text;
    EXPECT_EQ(answer.code(), code) << answer.text;
    EXPECT_EQ(registry.get<const engine::Parent>(child).entity, before) << code;
  }
  EXPECT_EQ(put(chain[1], dead).message(), "the parent, entity " + to_string(dead) + ", is dead");
  EXPECT_EQ(put(chain[1], ecs::null_entity).status, 200u);
  EXPECT_EQ(put(chain[0], chain[2]).status, 200u) << "they are in two trees now";
  registry.add<engine::Parent>(other, {}, registry.pool_of<engine::Parent>("Mount"));
  EXPECT_EQ(put(other, other, "Mount").status, 200u) << "the hierarchy reads only the default instance";
  world.ticks(1);
  EXPECT_EQ(registry.get<const engine::Parent>(chain[3]).entity, chain[2]);
}

TEST_F(ApiEntities, AStaleHandleDoesNotExist) {
  world.ticks(2);
  const std::string handle = first_with("Wander");
  world.registry().destroy(*ecs::parse_entity(handle));
  for (const char* path : {"", "/Health", "/Health/current"}) {
    const test::Answer answer = world.send("GET", "/api/entities/" + handle + path);
    EXPECT_EQ(answer.status, 404u);
    EXPECT_EQ(answer.code(), "stale_handle");
    EXPECT_EQ(answer.message(), "entity " + handle + " does not exist");
  }
  EXPECT_EQ(world.send("PUT", "/api/entities/" + handle + "/Health/current", "1").code(), "stale_handle");
}

}  // namespace
}  // namespace mobula::server
