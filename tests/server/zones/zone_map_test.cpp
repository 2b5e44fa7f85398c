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
  EXPECT_EQ(map.entities_max(), 6 * 65536u) << "four zones are spare";
  EXPECT_EQ(map.home({65536, 3}), 1u);
  Json many = {{"zones", Json::array()}};
  for (int i = 0; i < 1024; ++i) {
    const Json left = i == 0 ? Json() : Json(i);
    const Json right = i == 1023 ? Json() : Json(i + 1);
    many["zones"].push_back({{"name", "z" + std::to_string(i)}, {"x", {left, right}}});
  }
  EXPECT_EQ(ZoneMap::parse(many.dump())->entities_max(), wire::entities_max_limit);
  Json large = Json::parse(halves);
  large["entities_per_zone"] = wire::entities_max_limit / 2;
  EXPECT_EQ(ZoneMap::parse(large.dump())->places(), 2u) << "no room for spare zones";
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
  EXPECT_EQ(refusal(R"({"zones": [{"name": "a"}], "spare_zones": 1024})"), "'spare_zones' is not 0 to 1023");
  EXPECT_EQ(refusal(of(R"({"name": "a", "merged": 1})")), "'merged' of zone 'a' is not true or false");
  EXPECT_EQ(refusal(of(R"({"name": "a", "level": true})")), "'level' of zone 'a' is neither false nor an object");
  EXPECT_EQ(refusal(of(R"({"name": "a", "level": {"x": [2, 1]}})")), "'x' of zone 'a' does not ascend");
  EXPECT_EQ(refusal(of(R"({"name": "a", "merged": true})")),
            "no zone has the region from x without end to without end, z without end to without end");
  EXPECT_EQ(refusal(of(R"({"name": "a", "x": [null, 1]}, {"name": "b", "x": [0, null]})")),
            "the zones 'a' and 'b' overlap");
  EXPECT_EQ(refusal(of(R"({"name": "a", "x": [null, 0]}, {"name": "b", "x": [1, null]})")),
            "no zone has the region from x 0 to 1, z without end to without end");
}

TEST(ZoneMap, ASplitGivesTheGreaterPartToANewZone) {
  const ZoneMap map = std::move(*ZoneMap::parse(halves));
  const core::Result<ZoneMap> split = map.split("east", {.across_x = true, .at = 8, .name = "far"});
  ASSERT_TRUE(split) << split.error().message;
  EXPECT_EQ(split->zones()[1].region, (Region{0, -infinity, 8, infinity}));
  EXPECT_EQ(split->zones()[2].region, (Region{8, -infinity, infinity, infinity}));
  EXPECT_EQ(split->zones()[2].name, "far");
  EXPECT_EQ(split->zones()[1].level, map.zones()[1].region) << "it has spawned the level there";
  EXPECT_EQ(split->zones()[2].level, Region::nowhere());
  EXPECT_EQ(split->entities_max(), map.entities_max()) << "the zones that run keep their index space";
  EXPECT_EQ(split->zone_at({9, 0, 0}), 2u);
  const core::Result<ZoneMap> again = split->split("far", {.across_x = false, .at = -3, .name = "north"});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->zone_at({9, 0, -4}), 2u);
  EXPECT_EQ(again->zone_at({9, 0, -3}), 3u);
}

TEST(ZoneMap, RefusesBadSplitsByName) {
  const ZoneMap map = std::move(*ZoneMap::parse(
      R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "spare_zones": 0})"));
  const auto split = [&](const char* zone, const ZoneCut& cut) {
    return std::string(map.split(zone, cut).error().reason);
  };
  EXPECT_EQ(split("north", {.at = 3, .name = "far"}), "no such zone");
  for (const float at : {0.0f, -1.0f, infinity, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(split("east", {.at = at, .name = "far"}), "bad cut") << at;
  EXPECT_EQ(split("east", {.at = 3, .name = "a.b"}), "bad cut");
  EXPECT_EQ(split("east", {.at = 3, .name = "west"}), "name taken");
  EXPECT_EQ(split("east", {.at = 3, .name = "far"}), "no spare zone");
}

TEST(ZoneMap, AMergedZoneKeepsItsNumberAndItsPlaceToLeave) {
  const ZoneMap map = std::move(*ZoneMap::parse(halves));
  const core::Result<ZoneMap> merged = map.merge("east", "west");
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->zones()[0].region, (Region{-infinity, -infinity, infinity, infinity}));
  EXPECT_EQ(merged->zones()[0].level, map.zones()[0].region) << "the other zone has spawned the level there";
  EXPECT_EQ(merged->next_zone(1, {5, 0, 0}), 0u) << "within its former region too";
  EXPECT_EQ(merged->next_zone(0, {5, 0, 0}), 0u);
  EXPECT_EQ(merged->neighbours(0, 1), std::vector<std::uint32_t>{1}) << "it may have entities still";
  EXPECT_STREQ(merged->merge("east", "west").error().reason, "no such zone");
  EXPECT_STREQ(merged->split("east", {.at = 3, .name = "far"}).error().reason, "no such zone");
  const core::Result<ZoneMap> again = merged->split("west", {.at = 4, .name = "east"});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->zone_at({5, 0, 0}), 1u);
  EXPECT_EQ(again->zones().size(), 2u);
}

TEST(ZoneMap, ZonesWithoutAWholeSideInCommonAreNotMerged) {
  const ZoneMap map = std::move(*ZoneMap::parse(R"({"zones": [
      {"name": "a", "x": [null, 0]}, {"name": "b", "x": [0, null], "z": [null, 0]},
      {"name": "c", "x": [0, null], "z": [0, null]}]})"));
  EXPECT_STREQ(map.merge("a", "b").error().reason, "no rectangle");
  EXPECT_STREQ(map.merge("a", "a").error().reason, "no rectangle");
  EXPECT_STREQ(map.merge("a", "d").error().reason, "no such zone");
  EXPECT_TRUE(map.merge("c", "b"));
}

// The model is the plane: each place is in one zone that is not merged.
TEST(ZoneMap, SplitsAndMergesCoverEachPlaceOnce) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(20, 200), 400, [](std::uint64_t seed) {
    core::Random random(seed);
    ZoneMap map = std::move(*ZoneMap::parse(R"({"zones": [{"name": "z0"}], "spare_zones": 9})"));
    const ZoneMap first = map;
    const auto name = [&] { return "z" + std::to_string(random.below(10)); };
    for (int i = 0; i < 60; ++i) {
      const ZoneCut cut{random.chance(1, 2), random.uniform(-50, 50), name()};
      core::Result<ZoneMap> next = random.chance(1, 2) ? map.split(name(), cut) : map.merge(name(), name());
      if (!next) continue;
      EXPECT_TRUE(next->continues(map) && next->continues(first));
      map = std::move(*next);
      const core::Result<ZoneMap> read = ZoneMap::parse(map.to_json());
      ASSERT_TRUE(read) << read.error().message << map.to_json();
      EXPECT_EQ(read->to_json(), map.to_json());
      EXPECT_EQ(read->entities_max(), first.entities_max());
    }
    for (std::uint32_t zone = 1; zone < map.zones().size(); ++zone)
      EXPECT_EQ(map.zones()[zone].level, Region::nowhere());
    EXPECT_EQ(map.zones()[0].level, first.zones()[0].level);
    std::vector<std::uint32_t> present;
    for (std::uint32_t zone = 0; zone < map.zones().size(); ++zone)
      if (!map.zones()[zone].merged) present.push_back(zone);
    for (int i = 0; i < 200; ++i) {
      const engine::Vec3 place{random.uniform(-60, 60), 0, random.uniform(-60, 60)};
      const auto has = [&](std::uint32_t zone) { return map.zones()[zone].region.contains(place); };
      ASSERT_EQ(std::ranges::count_if(present, has), 1);
      EXPECT_TRUE(has(map.zone_at(place)));
      for (std::uint32_t zone = 0; zone < map.zones().size(); ++zone)
        EXPECT_EQ(std::ranges::count(present, map.next_zone(zone, place)), 1);
    }
  });
}

TEST(ZoneMap, AnotherMapDoesNotContinueIt) {
  const ZoneMap map = std::move(*ZoneMap::parse(halves));
  EXPECT_TRUE(map.continues(map));
  EXPECT_FALSE(map.continues(*map.split("east", {.at = 8, .name = "far"}))) << "an earlier one";
  for (const char* const other : {R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "north", "x": [0, null]}]})",
                                  R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}],
                                     "spare_zones": 5})",
                                  R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}],
                                     "entities_per_zone": 2048})"})
    EXPECT_FALSE(ZoneMap::parse(other)->continues(map)) << other;
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
  return {{"zones", zones}, {"entities_per_zone", 1024}, {"spare_zones", 7}, {"hysteresis", 3}};
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
