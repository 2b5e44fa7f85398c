#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

using test::component_of;
using test::errors_of;

std::vector<std::string> component_names(const Resource& resource, std::uint32_t entity) {
  std::vector<std::string> names;
  for (const Column& column : resource.level().columns)
    for (const std::uint32_t each : column.entity_index)
      if (each == entity) names.emplace_back(resource.name_of(column.key.instance));
  std::ranges::sort(names);
  return names;
}

constexpr const char* team_removed = R"({
  "prefabs": {
    "a": {"components": {"Health": {"current": 7}, "Team": {"color": "red"}}},
    "b": {"prefab": "a", "components": {"Team": null}},
    "c": {"prefab": "b", "components": {"Team": {"color": "blue"}}},
    "pair": {"children": {"left": {"prefab": "a"}, "right": {"prefab": "a"}}}
  },
  "entities": {
    "whole": {"prefab": "a"}, "less": {"prefab": "b"}, "again": {"prefab": "c"},
    "both": {"prefab": "pair", "children": {"left": {"components": {"Health": null}}}}
  },
  "placements": [{"name": "row", "prefab": "a", "components": {"Health": null}, "at": [[0, 0, 0]]}]
})";

TEST(Prefabs, NullRemovesAnInheritedComponent) {
  const auto resource = test::load_text(team_removed);
  using Names = std::vector<std::string>;
  EXPECT_EQ(component_names(*resource, 0), (Names{"Health", "Team"}));
  EXPECT_EQ(component_names(*resource, 1), Names{"Health"});
  EXPECT_EQ(component_of<demo::Health>(resource->level(), 1).current, 7) << "the others stay as they were";
  EXPECT_EQ(component_names(*resource, 2), (Names{"Health", "Team"})) << "added again";
  EXPECT_EQ(component_of<demo::Team>(resource->level(), 2).color, demo::TeamColor::blue);
  EXPECT_EQ(component_names(*resource, 4), (Names{"Parent", "Team"})) << "both/left";
  EXPECT_EQ(component_names(*resource, 5), (Names{"Health", "Parent", "Team"})) << "both/right";
  EXPECT_EQ(component_names(*resource, 6), (Names{"Team", "Transform"})) << "row.0";
}

TEST(Prefabs, NullForAComponentThatIsNotInheritedIsRefused) {
  EXPECT_EQ(errors_of(R"({"entities":{"a":{"components":{"Team":null}}}})"),
            "level.json:1:40: 'Team' is null; expected an object, as there is no inherited 'Team' to remove\n");
  EXPECT_EQ(errors_of(R"({"prefabs":{"a":{"components":{"Team":{}}}},
"entities":{"x":{"prefab":"a","components":{"team":null}}}})"),
            "level.json:2:52: 'team' is null; expected an object, as there is no inherited 'team' to remove\n");
}

TEST(Prefabs, RefuseCycles) {
  EXPECT_EQ(errors_of(R"({"prefabs":{"a":{"prefab":"b"},"b":{"prefab":"a"}}})"),
            "level.json:1:46: prefabs form a cycle: a -> b -> a\n");
  EXPECT_EQ(errors_of(R"({"prefabs":{"a":{"children":{"k":{"prefab":"a"}}}}})"),
            "level.json:1:44: prefabs form a cycle: a -> a\n");
}

TEST(Prefabs, ABaseMayStandBehindWhatDerivesFromIt) {
  const auto resource = test::load_text(R"({
    "prefabs": {"b": {"prefab": "a", "components": {"Fog": {"density": 0.5}}},
                "a": {"components": {"Fog": {"$type": "RenderData", "tint": 9}}}},
    "entities": {"e": {"prefab": "b"}}})");
  const auto fog = component_of<demo::RenderData>(resource->level(), 0, "Fog");
  EXPECT_EQ(fog.density, 0.5f);
  EXPECT_EQ(fog.tint, 9u);
}

TEST(Prefabs, TheNearestOverrideWinsFieldByField) {
  const auto resource = test::load_text(R"({
    "prefabs": {
      "a": {"children": {"k": {"components": {"Transform": {"position": [1, 1, 1]}}}}},
      "b": {"prefab": "a", "children": {"k": {"components": {"Transform": {"position": {"y": 2, "z": 2}}}}}},
      "c": {"prefab": "b", "children": {"k": {"components": {"Transform": {"position": {"z": 3}}}}}}},
    "entities": {"e": {"prefab": "c"}}})");
  const auto position = component_of<engine::Transform>(resource->level(), 1).position;
  EXPECT_EQ(position.x, 1.0f);
  EXPECT_EQ(position.y, 2.0f);
  EXPECT_EQ(position.z, 3.0f);
}

}  // namespace
}  // namespace mobula::resource
