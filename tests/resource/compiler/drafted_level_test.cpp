// Level compilers: what they see of a level, and the static resources that they make.
#include <gtest/gtest.h>

#include <cmath>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>
#include <vector>

namespace mobula::resource::drafted_level_test {
namespace {

struct Visit {
  float x = 0;
  float z = 0;
  std::uint16_t health = 0;
  bool operator==(const Visit&) const = default;
};

// Compiles entities with a level compiler that notes those with Health and adds a static.
Compiled compile(const std::string& entities, std::vector<Visit>& visits, int& runs) {
  CompilerTable compilers;
  compilers.add_level([&](CompiledLevel& level) {
    ++runs;
    level.each("Health", [&](const hierarchy::WorldTransform& place, core::ByteView component) {
      ASSERT_EQ(component.size(), sizeof(demo::Health));
      const auto health = core::load<demo::Health>(component.data());
      visits.push_back({std::round(place.position.x), std::round(place.position.z), health.current});
    });
    level.each("Absent", [&](const hierarchy::WorldTransform&, core::ByteView) { ADD_FAILURE(); });
    const std::uint64_t id = level.add_static("Visits", core::as_bytes(visits.data(), visits.size()));
    EXPECT_EQ(level.add_static("Visits", core::as_bytes(visits.data(), visits.size())), id);
  });
  return test::compile_files({{"level.json", R"({"entities":{)" + entities + "}}"}}, test::demo_schema(), compilers);
}

TEST(LevelCompiler, SeesPlacesInTheWorld) {
  std::vector<Visit> visits;
  int runs = 0;
  const auto level = test::load_compiled(compile(R"(
    "a":{"components":{"Transform":{"position":[5,0,6]},"Health":{"current":1}}},
    "turned":{"components":{"Transform":{"position":[100,0,0],"rotation":{"yaw":90}}},
      "children":{"b":{"components":{"Transform":{"position":[0,0,10]},"Health":{"current":2}},
        "children":{"c":{"components":{"Transform":{"position":[0,0,1]},"Health":{"current":3}}}}}}},
    "group":{"components":{"Name":{}},
      "children":{"d":{"components":{"Transform":{"position":[7,0,8]},"Health":{"current":4}}}}},
    "nowhere":{"components":{"Health":{"current":5}}})",
                                                 visits, runs));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(visits, (std::vector<Visit>{{5, 6, 1}, {110, 0, 2}, {111, 0, 3}, {7, 8, 4}}));
  const Static* const found = level->find_static_of(core::StringId32("Visits"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->data.size(), 4 * sizeof(Visit));
  EXPECT_EQ(level->find_static(found->id), found);
  EXPECT_EQ(level->find_static_of(core::StringId32("Others")), nullptr);
  const auto copy = *Resource::from_bytes(level->clients_bytes());
  EXPECT_NE(copy->find_static_of(core::StringId32("Visits")), nullptr);
}

TEST(LevelCompiler, DoesNotRunForALevelWithErrors) {
  std::vector<Visit> visits;
  int runs = 0;
  const Compiled compiled =
      compile(R"("a":{"components":{"Transform":{"position":"here"},"Health":{}}})", visits, runs);
  EXPECT_FALSE(compiled.errors.empty());
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace mobula::resource::drafted_level_test
