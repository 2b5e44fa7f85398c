#include <gtest/gtest.h>

#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/server/zones/zone_map.hpp>
#include <mobula/wire/messages.hpp>
#include <nlohmann/json.hpp>
#include <seeds.hpp>

namespace mobula::server {
namespace {

using Json = nlohmann::json;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::string_view halves =
    R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "hysteresis": 2})";

std::string refusal(const std::string& json) {
  const core::Result<ZoneMap> map = ZoneMap::parse(json);
  if (map) return {};
  EXPECT_STREQ(map.error().reason, "bad map");
  return map.error().message;
}

TEST(ZoneMap, EachPlaceIsOfOneZone) {
  const ZoneMap map = std::move(*ZoneMap::parse(halves));
  EXPECT_EQ(map.zone_at({-0.001f, 5, 900}), 0u);
  EXPECT_EQ(map.zone_at({0, -5, -900}), 1u);
  EXPECT_EQ(map.zone_at({std::numeric_limits<float>::quiet_NaN(), 0, 0}), ZoneMap::no_zone);
  EXPECT_EQ(map.zone_at({infinity, 0, 0}), ZoneMap::no_zone);
  EXPECT_EQ(map.find("east"), 1u);
  EXPECT_EQ(map.find("north"), ZoneMap::no_zone);
}

TEST(ZoneMap, AnEntityCrossesBeyondTheHysteresis) {
  const ZoneMap map = std::move(*ZoneMap::parse(halves));
  EXPECT_EQ(map.next_zone(0, {1.9f, 0, 0}), 0u);
  EXPECT_EQ(map.next_zone(0, {2.1f, 0, 0}), 1u);
  EXPECT_EQ(map.next_zone(1, {-1.9f, 0, 0}), 1u) << "it does not return at once";
  EXPECT_EQ(map.next_zone(1, {-2.1f, 0, 0}), 0u);
  EXPECT_EQ(map.next_zone(0, {infinity, 0, 0}), 0u) << "a place that no zone has";
}

TEST(ZoneMap, ZonesHaveIndicesOfTheirOwn) {
  const ZoneMap map = std::move(*ZoneMap::parse(halves));
  EXPECT_EQ(map.indices(1), (ecs::OwnIndices{65536, 131072}));
  EXPECT_EQ(map.entities_max(), 131072u);
  EXPECT_EQ(map.home({65536, 3}), 1u);
  Json many = {{"zones", Json::array()}};
  for (int i = 0; i < 1024; ++i) {
    const Json left = i == 0 ? Json() : Json(i);
    const Json right = i == 1023 ? Json() : Json(i + 1);
    many["zones"].push_back({{"name", "z" + std::to_string(i)}, {"x", {left, right}}});
  }
  EXPECT_EQ(ZoneMap::parse(many.dump())->entities_max(), wire::entities_max_limit);
  many["entities_per_zone"] = 4097;
  EXPECT_EQ(refusal(many.dump()), "'entities_per_zone' is not 1024 to 4096");
}

TEST(ZoneMap, NeighboursAreWithinReach) {
  const std::string quarters = R"({"zones": [
      {"name": "a", "x": [null, 0], "z": [null, 0]}, {"name": "b", "x": [0, 30], "z": [null, 0]},
      {"name": "c", "x": [30, null], "z": [null, 0]}, {"name": "d", "z": [0, null]}]})";
  const ZoneMap map = std::move(*ZoneMap::parse(quarters));
  EXPECT_EQ(map.neighbours(0, 29), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(map.neighbours(0, 30), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(map.neighbours(2, 0), (std::vector<std::uint32_t>{1, 3})) << "corners and sides touch";
}

TEST(ZoneMap, RefusesBadMapsByName) {
  const auto of = [](const std::string& zones) { return "{\"zones\": [" + zones + "]}"; };
  EXPECT_EQ(refusal(""), "it is not a JSON object");
  EXPECT_EQ(refusal("[]"), "it is not a JSON object");
  EXPECT_EQ(refusal("{\"zones\": [], \"Zones\": 1}"), "the unknown member 'Zones'");
  EXPECT_EQ(refusal("{}"), "'zones' is not a list of 1 to 1024 zones");
  EXPECT_EQ(refusal(of("")), "'zones' is not a list of 1 to 1024 zones");
  EXPECT_EQ(refusal(of("3")), "zone 0 is no object");
  EXPECT_EQ(refusal(of("{}")), "the name of zone 0 is missing or not a name of a world without a dot");
  for (const char* const name : {"a b", "a.b"})
    EXPECT_EQ(refusal(of(core::format(R"({{"name": "{}"}})", name))),
              "the name of zone 0 is missing or not a name of a world without a dot");
  EXPECT_EQ(refusal(of(R"({"name": "a"}, {"name": "a"})")), "there are two zones 'a'");
  EXPECT_EQ(refusal(of(R"({"name": "a", "y": 1})")), "zone 0 has the unknown member 'y'");
  const std::string no_side = "'x' of zone 'a' is not a list of two numbers, or null for no end";
  for (const char* const side : {"1", "[]", "[1]", "[1, 2, 3]", "[1, \"2\"]", "[1, 1e39]", "[[], 1]"})
    EXPECT_EQ(refusal(of(R"({"name": "a", "x": )" + std::string(side) + "}")), no_side) << side;
  EXPECT_EQ(refusal(of(R"({"name": "a", "x": [3, 3]})")), "'x' of zone 'a' does not ascend");
  EXPECT_EQ(refusal(R"({"zones": [{"name": "a"}], "hysteresis": -1})"), "'hysteresis' is not 0 to 1000");
  EXPECT_EQ(refusal(R"({"zones": [{"name": "a"}], "hysteresis": "1"})"), "'hysteresis' is not 0 to 1000");
  EXPECT_EQ(refusal(R"({"zones": [{"name": "a"}], "entities_per_zone": 1024.5})"),
            "'entities_per_zone' is not 1024 to 4194304");
  EXPECT_EQ(refusal(of(R"({"name": "a", "x": [null, 1]}, {"name": "b", "x": [0, null]})")),
            "the zones 'a' and 'b' overlap");
  EXPECT_EQ(refusal(of(R"({"name": "a", "x": [null, 0]}, {"name": "b", "x": [1, null]})")),
            "no zone has the region from x 0 to 1, z without end to without end");
}

// Cuts the plane into rectangles at random.
void cut(core::Random& random, const Region& region, int depth, std::vector<Region>& regions) {
  const bool along_x = random.chance(1, 2);
  const float at = random.uniform(-100, 100);
  const bool fits = along_x ? at > region.x_min && at < region.x_max : at > region.z_min && at < region.z_max;
  if (depth == 0) return regions.push_back(region);
  if (!fits) return cut(random, region, depth - 1, regions);
  Region low = region;
  Region high = region;
  (along_x ? low.x_max : low.z_max) = at;
  (along_x ? high.x_min : high.z_min) = at;
  cut(random, low, depth - 1, regions);
  cut(random, high, depth - 1, regions);
}

Json json_of(const std::vector<Region>& regions) {
  const auto end = [](float metres) { return std::isinf(metres) ? Json() : Json(metres); };
  Json zones = Json::array();
  for (const Region& region : regions)
    zones.push_back({{"name", "z" + std::to_string(zones.size())},
                     {"x", {end(region.x_min), end(region.x_max)}},
                     {"z", {end(region.z_min), end(region.z_max)}}});
  return {{"zones", zones}, {"entities_per_zone", 1024}, {"hysteresis", 3}};
}

TEST(ZoneMap, AgreesWithASearchOfRandomMaps) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(20, 200), 400, [](std::uint64_t seed) {
    core::Random random(seed);
    std::vector<Region> regions;
    cut(random, {-infinity, -infinity, infinity, infinity}, 6, regions);
    const Json json = json_of(regions);
    core::Result<ZoneMap> map = ZoneMap::parse(json.dump());
    ASSERT_TRUE(map.ok()) << map.error().message;
    EXPECT_EQ(Json::parse(map->to_json()), json);
    for (int i = 0; i < 200; ++i) {
      const engine::Vec3 place{random.uniform(-120, 120), 0, random.uniform(-120, 120)};
      std::vector<std::uint32_t> zones;
      for (std::uint32_t zone = 0; zone < regions.size(); ++zone)
        if (regions[zone].contains(place)) zones.push_back(zone);
      ASSERT_EQ(zones, std::vector<std::uint32_t>{map->zone_at(place)});
    }
    if (regions.size() == 1) return;
    std::vector<Region> gap = regions;
    gap.erase(gap.begin() + random.below(static_cast<std::uint32_t>(gap.size())));
    EXPECT_NE(refusal(json_of(gap).dump()), "");
    std::vector<Region> overlap = regions;
    overlap.push_back(regions[random.below(static_cast<std::uint32_t>(regions.size()))]);
    EXPECT_NE(refusal(json_of(overlap).dump()).find("overlap"), std::string::npos);
  });
}

}  // namespace
}  // namespace mobula::server
