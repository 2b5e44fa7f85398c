#include <gtest/gtest.h>

#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/inspect.hpp>
#include <nlohmann/json.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

// One component of each case: hidden from clients, different for clients, the same for all.
constexpr const char* level = R"({
  "prefabs": {"coin": {"spawnable": true, "components": {"Pickup": {}}}},
  "entities": {
    "a": {"components": {"Health": {}, "Body": {"$type": "RenderData"}, "Wander": {}},
          "children": {"b": {"components": {"Health": {}, "Target": {"entity": ".."}}}}},
    "c": {"components": {"Health": {"$server_only": true}}},
    "d": {}},
  "statics": [{"type": "Line", "data": "0102", "server_only": true}],
  "columns": [{"type": "Route", "name": "Way", "spawn_order": -2, "entities": ["/d"], "data": "000000"}]})";

TEST(Inspect, PrintsATable) {
  const auto file = test::load_text(level);
  const std::string table = inspect_table(*file, "x.level");
  EXPECT_TRUE(table.starts_with("x.level: format 2, " + std::to_string(file->bytes().size()) +
                                " bytes, a whole file\n  clients' part  " + to_string(file->identity()).substr(0, 16) +
                                "  "))
      << table;
  EXPECT_NE(table.find(to_string(file->server_identity()).substr(0, 16)), std::string::npos);
  EXPECT_NE(table.find(to_string(file->schema().fingerprint()).substr(0, 16) + "  " +
                       std::to_string(file->schema().components().size()) + " components\n"),
            std::string::npos);
  const std::size_t begin = table.find("\nlevel:");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(table.substr(begin), R"(
level: 4 entities, 3 roots, 2 levels deep

  entities  components
         1  none
         1  Body (RenderData), Health, Wander
         1  Health
         1  Health, Parent, Target

  column  type        instances  bytes  references  spawn order  for
  Way     Route               1      3           0           -2  everyone
  Body    RenderData          1     16           0            0  everyone
  Health  Health              3     12           0            0  differs
  Parent  Parent              1      8           1            0  everyone
  Target  Target              1      8           1            0  everyone
  Wander  Wander              1     20           0            0  server

prefab coin: 1 entity, 1 root, 1 level deep

  entities  components
         1  Pickup

  column  type    instances  bytes  references  spawn order  for
  Pickup  Pickup          1      8           0            0  everyone

  static            type  bytes  for
  )" + core::format("{:016x}", file->statics()[0].id) +
                                     "  Line      2  server\n");
}

TEST(Inspect, PrintsJson) {
  const auto file = test::load_text(level);
  const auto json = nlohmann::json::parse(inspect_json(*file, "x.level"));
  EXPECT_EQ(json["file"], "x.level");
  EXPECT_EQ(json["format"], 2);
  EXPECT_EQ(json["clients"]["identity"], to_string(file->identity()));
  EXPECT_EQ(json["clients"]["bytes"].get<std::size_t>() + json["server"]["bytes"].get<std::size_t>(),
            file->bytes().size());
  EXPECT_EQ(json["schema"], to_string(file->schema().fingerprint()));
  EXPECT_EQ(json["names"], file->names().size());
  EXPECT_EQ(json["level"]["entities"], 4);
  EXPECT_EQ(json["level"]["roots"], 3);
  EXPECT_EQ(json["level"]["depth"], 2);
  EXPECT_EQ(json["level"]["prototypes"][1].dump(),
            "{\"components\":[\"Body (RenderData)\",\"Health\",\"Wander\"],\"entities\":1}");
  EXPECT_EQ(
      json["level"]["columns"][0].dump(),
      R"({"bytes":3,"for":"everyone","instances":1,"name":"Way","references":0,"spawn_order":-2,"type":"Route"})");
  EXPECT_EQ(json["prefabs"][0]["name"], "coin");
  EXPECT_EQ(json["statics"][0]["type"], "Line");
  EXPECT_EQ(json["statics"][0]["for"], "server");
}

TEST(Inspect, AClientsCopyOmitsTheServersPart) {
  const auto file = test::load_text(level);
  const auto copy = *Resource::from_bytes(file->clients_bytes());
  const std::string table = inspect_table(*copy, "cached");
  EXPECT_NE(table.find("a client's copy"), std::string::npos);
  EXPECT_EQ(table.find("server"), std::string::npos) << table;
  const auto json = nlohmann::json::parse(inspect_json(*copy, "cached"));
  EXPECT_TRUE(json["server"].is_null());
  EXPECT_FALSE(json["level"]["columns"][0].contains("for"));
}

TEST(Inspect, DescribesAnEmptyLevel) {
  const std::string table = inspect_table(*test::load_text("{}"), "x");
  EXPECT_TRUE(table.ends_with("\nlevel: 0 entities, 0 roots, 0 levels deep\n")) << table;
}

}  // namespace
}  // namespace mobula::resource
