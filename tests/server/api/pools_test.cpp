#include <gtest/gtest.h>

#include <map>
#include <mobula/core/base64.hpp>
#include <mobula/ecs/locality.hpp>
#include <mobula/schema/components.hpp>
#include <server/api/api_world.hpp>

namespace mobula::server {
namespace {

using nlohmann::json;

class ApiPools : public testing::Test {
 protected:
  std::uint32_t pool(const std::string& name) {
    const json all = world.get("/api/pools?limit=500");
    for (const json& each : all["pools"])
      if (each["name"] == name) return each["id"];
    ADD_FAILURE() << name;
    return 0;
  }
  // Spawns and destroys entities until pools are fragmented.
  void churn() {
    ecs::Registry& registry = world.registry();
    std::vector<ecs::Entity> all;
    for (const ecs::Entity entity : registry.entities())
      if (registry.has<demo::Health>(entity)) all.push_back(entity);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const demo::Health health = registry.get<const demo::Health>(all[i]);
      registry.remove<demo::Health>(all[i]);
      registry.add(all[i], health);
    }
  }

  test::ApiWorld world;
};

TEST_F(ApiPools, AreAllListed) {
  const json all = world.get("/api/pools?limit=500");
  ASSERT_EQ(all["pools"].size(), world.registry().pool_count());
  EXPECT_EQ(all["next"], nullptr);
  for (ecs::PoolId id = 0; id < world.registry().pool_count(); ++id) {
    EXPECT_EQ(all["pools"][id]["id"], id);
    EXPECT_EQ(all["pools"][id]["components"], world.registry().pool(id).size());
  }
  const json first = world.get("/api/pools?limit=3");
  EXPECT_EQ(first["pools"].size(), 3u);
  EXPECT_EQ(first["next"], "3");
  EXPECT_EQ(world.get("/api/pools?cursor=3&limit=1")["pools"][0]["id"], 3);
  EXPECT_TRUE(world.get("/api/pools?cursor=4000000000")["pools"].empty());
}

TEST_F(ApiPools, ThePredictedOrderIsThatOfDefragmentation) {
  churn();
  const std::string order = "/api/pools/" + std::to_string(pool("Health")) + "/order?size=32";
  const json before = world.get(order);
  EXPECT_EQ(before["lead"], pool("Transform"));
  EXPECT_LT(before["now"]["locality"], 0.9);
  EXPECT_EQ(before["mended"]["locality"], 1.0);
  const std::string mend = "/api/pools/" + std::to_string(pool("Health")) + "/mend";
  int moves = 0;
  json reply;
  do {
    reply = world.send("POST", mend, R"({"moves": 4})").json;
    moves += reply["moves"].get<int>();
  } while (reply["round_ended"] == false);
  EXPECT_EQ(moves, before["mended_moves"]);
  const json after = world.get(order);
  EXPECT_EQ(after["now"], before["mended"]);
  EXPECT_EQ(after["mended_moves"], 0);
  EXPECT_EQ(core::from_base64(after["now"]["picture"]["pixels"].get<std::string>())->size(), 32u * 32u);
  world.registry().check();
}

// Queries move no entity. Defragmentation moves entities, but changes no value.
TEST_F(ApiPools, QueriesMoveNothing) {
  churn();
  world.ticks(2);
  const ecs::Pool& health = world.registry().pool(pool("Health"));
  const std::vector<std::uint32_t> before(health.indices().begin(), health.indices().end());
  const json all = world.get("/api/pools?limit=500");
  for (const json& each : all["pools"])
    world.get("/api/pools/" + std::to_string(each["id"].get<int>()) + "/order?size=16");
  EXPECT_EQ(before, std::vector<std::uint32_t>(health.indices().begin(), health.indices().end()));
  const auto healths = [&] {
    std::map<ecs::Entity, std::uint16_t> found;
    for (const ecs::Entity entity : world.registry().entities())
      if (const auto* there = world.registry().try_get<const demo::Health>(entity)) found[entity] = there->current;
    return found;
  };
  const auto were = healths();
  world.send("POST", "/api/pools/" + std::to_string(health.id()) + "/mend", "");
  EXPECT_NE(before, std::vector<std::uint32_t>(health.indices().begin(), health.indices().end()));
  EXPECT_EQ(healths(), were);
}

TEST_F(ApiPools, AnOwnedOrderIsNotDefragmented) {
  const std::string worlds = std::to_string(pool("mobula::hierarchy::WorldTransform"));
  const test::Answer refused = world.send("POST", "/api/pools/" + worlds + "/mend", "{}");
  EXPECT_EQ(refused.status, 409u);
  EXPECT_EQ(refused.code(), "order_owned");
  const json order = world.get("/api/pools/" + worlds + "/order?size=16");
  EXPECT_EQ(order["mended"], nullptr);
  EXPECT_EQ(order["order_owner"], "hierarchy");
  const std::string transforms = std::to_string(pool("Transform"));
  EXPECT_EQ(world.send("POST", "/api/pools/" + transforms + "/mend", "{}").code(), "bad_request");
}

TEST_F(ApiPools, PrototypesAreATree) {
  const json all = world.get("/api/prototypes?limit=500")["prototypes"];
  std::map<int, json> by_id;
  for (const json& each : all) by_id[each["id"]] = each;
  std::size_t entities = 0;
  for (const auto& [id, each] : by_id) {
    entities += each["entities"].get<std::size_t>();
    if (each["components"].empty()) {
      EXPECT_EQ(each["base"], nullptr);
      continue;
    }
    ASSERT_TRUE(by_id.contains(each["base"])) << each.dump();
    json expected = by_id[each["base"]]["components"];
    expected.push_back(each["component"]);
    EXPECT_EQ(each["components"], expected);
  }
  EXPECT_EQ(entities, world.registry().entities().size());
  std::size_t paged = 0;
  for (json page = world.get("/api/prototypes?limit=3");;
       page = world.get("/api/prototypes?limit=3&cursor=" + page["next"].get<std::string>())) {
    paged += page["prototypes"].size();
    if (page["next"].is_null()) break;
  }
  EXPECT_EQ(paged, all.size());
}

TEST_F(ApiPools, TheLevelIsDescribedAndReloaded) {
  const json level = world.get("/api/resources")["level"];
  EXPECT_EQ(level["entities"], test::hamlet()->level().num_entities);
  EXPECT_EQ(level["identity"], to_string(test::hamlet()->identity()));
  std::vector<std::string> prefabs;
  for (const json& each : level["prefabs"]) prefabs.push_back(each["name"]);
  EXPECT_NE(std::ranges::find(prefabs, "avatar"), prefabs.end());
  const test::Answer reloaded = world.send("POST", "/api/reload");
  ASSERT_EQ(reloaded.status, 200u) << reloaded.text;
  EXPECT_GT(reloaded.json["spawned"], 0);
  EXPECT_EQ(world.get("/api/resources")["level"]["identity"], to_string(test::rebuilt_hamlet()->identity()));
}

}  // namespace
}  // namespace mobula::server
