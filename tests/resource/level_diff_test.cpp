#include <gtest/gtest.h>

#include <mobula/resource/level_diff.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

// Returns, for each entity of the new level, the old one with '=' if it is unchanged or '~' if not, or "new".
std::vector<std::string> diff(const std::string& before, const std::string& after,
                              const reflect::Schema& schema_after = test::demo_schema()) {
  const auto old_level = test::load_text(before);
  const auto new_level = test::load_text(after, schema_after);
  std::vector<std::string> all;
  for (const LevelMatch& match : match_levels(*old_level, *new_level))
    all.push_back(match.old == no_parent ? "new" : std::to_string(match.old) + (match.unchanged ? "=" : "~"));
  return all;
}

using Strings = std::vector<std::string>;

TEST(LevelDiff, TheSameLevelIsUnchangedInAnyOrder) {
  const char* level = R"({"entities":{"a":{"components":{"Health":{"current":3}}},
                          "b":{"children":{"c":{"components":{"Target":{"entity":"/a"}}}}}}})";
  EXPECT_EQ(diff(level, level), (Strings{"0=", "1=", "2="}));
  EXPECT_EQ(diff(level, R"({"entities":{"b":{"children":{"c":{"components":{"Target":{"entity":"/a"}}}}},
                            "new":{},"a":{"components":{"Health":{"current":3}}}}})"),
            (Strings{"1=", "2=", "new", "0="}))
      << "entities and references are identified by paths";
}

TEST(LevelDiff, ValuesComponentsReferencesAndParentsCountAsChanges) {
  const char* level =
      R"({"entities":{"a":{"components":{"Health":{}}},"b":{"components":{"Target":{"entity":"/a"}}}}})";
  EXPECT_EQ(diff(level, R"({"entities":{"a":{"components":{"Health":{"current":5}}},
                            "b":{"components":{"Target":{"entity":"/a"}}}}})"),
            (Strings{"0~", "1="}))
      << "the entity that refers to it has not changed";
  EXPECT_EQ(diff(level, R"({"entities":{"a":{"components":{"Health":{},"Team":{}}},
                            "b":{"components":{"Target":{"entity":"/b"}}}}})"),
            (Strings{"0~", "1~"}));
  EXPECT_EQ(diff(level, R"({"entities":{"a":{"components":{"Health":{}}},
                            "b":{"parent":"/a","components":{"Target":{"entity":"/a"}}}}})"),
            (Strings{"0=", "1~"}));
  EXPECT_EQ(diff(level, R"({"entities":{"a":{"server_only":true,"components":{"Health":{}}},
                            "b":{"components":{"Target":{"entity":"/a"}}}}})"),
            (Strings{"0=", "1="}))
      << "clients get different bytes";
}

TEST(LevelDiff, DescendantsOfAChangedEntityHaveChanged) {
  const char* before = R"({"entities":{"a":{"children":{"b":{"children":{"c":{}}}}},"d":{"parent":"/a/b"},"e":{}}})";
  const char* after =
      R"({"entities":{"a":{"components":{"Health":{}},"children":{"b":{"children":{"c":{}}}}},"d":{"parent":"/a/b"},"e":{}}})";
  EXPECT_EQ(diff(before, after), (Strings{"0~", "1~", "2~", "3~", "4="}));
}

TEST(LevelDiff, PlacedInstancesAreIdentifiedByNumber) {
  const auto level = [](const char* places) {
    return std::string(R"({"prefabs":{"p":{"components":{"Transform":{}}}},
                          "placements":[{"name":"x","prefab":"p","at":)") +
           places + "}]}";
  };
  EXPECT_EQ(diff(level("[[1,0,0],[2,0,0],[3,0,0]]"), level("[[1,0,0],[9,0,0],[3,0,0],[4,0,0]]")),
            (Strings{"0=", "1~", "2=", "new"}));
}

TEST(LevelDiff, RawColumnsChangeForAllTheirEntities) {
  const auto level = [](const char* data) {
    return std::string(R"({"entities":{"a":{},"b":{},"c":{}},
        "columns":[{"type":"Route","entities":["/a","/b"],"data":")") +
           data + "\"}]}";
  };
  EXPECT_EQ(diff(level("0000"), level("0000")), (Strings{"0=", "1=", "2="}));
  EXPECT_EQ(diff(level("0000"), level("0001")), (Strings{"0~", "1~", "2="}));
}

TEST(LevelDiff, WithAnotherSchemaAllEntitiesHaveChanged) {
  const auto other = test::load_schema("struct Health (component) { current:ushort; }");
  const char* level = R"({"entities":{"a":{"components":{"Transform":{}}},"b":{}}})";
  EXPECT_EQ(diff(level, level, *other), (Strings{"0~", "1~"}));
}

}  // namespace
}  // namespace mobula::resource
