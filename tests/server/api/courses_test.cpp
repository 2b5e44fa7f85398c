#include <gtest/gtest.h>

#include <cmath>
#include <server/api/api_world.hpp>
#include <server/fleet_game.hpp>

namespace mobula::server {
namespace {

using nlohmann::json;
using test::FleetGame;
using test::Ship;

constexpr double ticks_per_second = 20;

class ApiCourses : public testing::Test {
 protected:
  static constexpr std::size_t count = 4;

  [[nodiscard]] FleetGame& fleet() { return static_cast<FleetGame&>(*world.game); }
  // Flies ship i straight by i + 1 m/s, and turns it by 0.5 rad/s about y.
  static Ship straight(std::size_t ship, ecs::Tick tick) {
    const auto time = static_cast<float>(tick / ticks_per_second);
    return {.position = {static_cast<float>(ship + 1) * time, 2, 0},
            .rotation = {0, std::sin(0.25f * time), 0, std::cos(0.25f * time)}};
  }
  // Turns at right angles every eighth tick, and needs a course then.
  static Ship zigzag(std::size_t ship, ecs::Tick tick) {
    const auto along = static_cast<float>((tick / 8 + 1) / 2 * 8 + (tick / 8 % 2 == 0 ? tick % 8 : 0));
    return {.position = {along * 0.1f, static_cast<float>(tick) * 0.1f, static_cast<float>(ship)}};
  }
  // Returns the object of a field in a list of courses.
  static json field(const json& courses, const std::string& name) {
    for (const json& each : courses)
      if (each["field"] == name) return each;
    ADD_FAILURE() << name << " in " << courses.dump();
    return {};
  }
  json courses() {
    const json all = world.get("/api/pools?limit=500");
    for (const json& pool : all["pools"])
      if (pool["name"] == "Ship") return pool["courses"];
    return {};
  }
  json property(std::size_t ship, const std::string& path) {
    const json entity = world.get("/api/entities/" + to_string(fleet().ships[ship]));
    for (const json& component : entity["components"])
      for (const json& each : component["properties"])
        if (each["path"] == path) return each;
    ADD_FAILURE() << path;
    return {};
  }

  test::ApiWorld world{std::make_unique<FleetGame>(count), {}};
};

TEST_F(ApiCourses, APoolListsItsFieldsWithDeadReckoning) {
  world.ticks(3);
  const json position = field(courses(), "position");
  EXPECT_EQ(position["tolerance"], FleetGame::tolerance);
  EXPECT_EQ(position["under_way"], 0);
  EXPECT_EQ(position["new_courses"], 0);
  EXPECT_EQ(field(courses(), "rotation")["tolerance"], 0.001);
  const json all = world.get("/api/pools?limit=500");
  for (const json& pool : all["pools"])
    if (pool["name"] == "Cuts" || pool["schema"] == false) EXPECT_TRUE(pool["courses"].empty()) << pool.dump();
}

TEST_F(ApiCourses, AStraightFlightIsUnderWayAndNeedsFewCourses) {
  fleet().fly = straight;
  world.ticks(101);
  const json position = field(courses(), "position");
  EXPECT_EQ(position["under_way"], count);
  EXPECT_EQ(position["checks"], 100 * count) << "the first tick has no course to compare with";
  EXPECT_GE(position["new_courses"], count);
  EXPECT_LE(position["new_courses"], 3 * count);
  fleet().fly = nullptr;
  world.ticks(20);
  const json stopped = field(courses(), "position");
  EXPECT_EQ(stopped["under_way"], 0);
  EXPECT_GT(stopped["new_courses"], position["new_courses"]) << "the end of a course is a new state";
  const json later = field((world.ticks(20), courses()), "position");
  EXPECT_EQ(later["checks"], stopped["checks"]) << "nothing is compared at rest";
}

TEST_F(ApiCourses, ADestroyedShipIsNoLongerUnderWay) {
  fleet().fly = straight;
  world.ticks(20);
  world.registry().destroy(fleet().ships.front());
  world.ticks(1);
  EXPECT_EQ(field(courses(), "position")["under_way"], count - 1);
  EXPECT_EQ(field(courses(), "rotation")["under_way"], count - 1);
}

TEST_F(ApiCourses, AnIntervalBeginsWithTheFirstRequest) {
  fleet().fly = zigzag;
  world.ticks(40);
  const json begin = field(courses(), "position");
  EXPECT_EQ(begin["seconds"], 0.0);
  EXPECT_EQ(begin["new_courses_per_second"], nullptr);
  EXPECT_EQ(begin["share"], nullptr);
  world.ticks(80);
  const json end = field(courses(), "position");
  EXPECT_NEAR(end["seconds"].get<double>(), 4, 1e-6);
  const double added = end["new_courses"].get<double>() - begin["new_courses"].get<double>();
  EXPECT_GE(added, 10.0 * count);
  EXPECT_NEAR(end["new_courses_per_second"].get<double>(), added / 4, 1e-6);
  EXPECT_NEAR(end["share"].get<double>(), added / (80.0 * count), 1e-6);
  world.ticks(20 * 11);
  EXPECT_EQ(field(courses(), "position")["seconds"], 0.0) << "not requested for ten seconds";
}

TEST_F(ApiCourses, APropertyHasItsTrueAndItsPublishedValue) {
  EXPECT_FALSE(property(1, "position.x").contains("course")) << "nothing is published before the first tick";
  fleet().fly = straight;
  world.ticks(60);
  const json x = property(1, "position.x");
  const json course = x["course"];
  EXPECT_NEAR(x["value"].get<double>(), 2 * 60 / ticks_per_second, 1e-5) << "true";
  EXPECT_NEAR(course["value"].get<double>(), x["value"].get<double>(), FleetGame::tolerance + FleetGame::step / 2);
  EXPECT_NEAR(course["velocity"].get<double>(), 2, FleetGame::step * ticks_per_second);
  EXPECT_EQ(course["tolerance"], FleetGame::tolerance);
  EXPECT_GT(course["age"], 5);
  world.ticks(3);
  EXPECT_EQ(property(1, "position.x")["course"]["age"], course["age"].get<int>() + 3);
  const json turn = property(2, "rotation")["course"];
  EXPECT_NEAR(turn["velocity"][1].get<double>(), 0.5, 0.02) << "radians per second";
  EXPECT_NEAR(turn["velocity"][0].get<double>(), 0, 0.02);
  EXPECT_EQ(turn["value"].size(), 4u);
}

TEST_F(ApiCourses, APredictedPropertyHasTheCourseThatOthersFollow) {
  fleet().fly = [](std::size_t, ecs::Tick) { return Ship{}; };
  world.ticks(20);
  fleet().fly = [](std::size_t, ecs::Tick) { return Ship{.aim = static_cast<float>(FleetGame::step)}; };
  world.ticks(1);
  const json aim = property(1, "aim");
  EXPECT_NEAR(aim["value"].get<double>(), FleetGame::step, 1e-6) << "exact, as its owner has it";
  EXPECT_EQ(aim["course"]["value"], 0.0) << "within the tolerance";
}

TEST_F(ApiCourses, AtRestThereIsNoAgeAndNoVelocity) {
  fleet().fly = straight;
  world.ticks(40);
  fleet().fly = nullptr;
  world.ticks(20);
  const json x = property(1, "position.x");
  EXPECT_EQ(x["course"]["age"], nullptr);
  EXPECT_EQ(x["course"]["velocity"], 0.0);
  EXPECT_NEAR(x["course"]["value"].get<double>(), x["value"].get<double>(), FleetGame::step / 2 + 1e-6) << "exact";
}

TEST_F(ApiCourses, AWrittenValueIsPublishedWithTheNextTick) {
  world.ticks(20);
  const std::string handle = to_string(fleet().ships[0]);
  ASSERT_EQ(world.send("PUT", "/api/entities/" + handle + "/Ship/position.x", "100").status, 200u);
  EXPECT_EQ(property(0, "position.x")["value"], 100.0);
  EXPECT_EQ(property(0, "position.x")["course"]["value"], 0.0) << "clients have the old one";
  world.ticks(2);
  EXPECT_NEAR(property(0, "position.x")["course"]["value"].get<double>(), 100, FleetGame::tolerance + 0.001);
}

TEST_F(ApiCourses, BytesByComponentHaveThem) {
  fleet().fly = zigzag;
  world.village.join("anna");
  world.ticks(20);
  world.get("/api/sessions/1");
  world.ticks(200);
  bool found = false;
  const json session = world.get("/api/sessions/1");
  for (const json& each : session["sent"]["components"]) {
    const bool is_ship = each["component"] == "Ship";
    found = found || is_ship;
    EXPECT_EQ(each["courses"].size(), is_ship ? 3u : 0u) << each.dump();
    if (is_ship) EXPECT_EQ(each["courses"], courses());
  }
  EXPECT_TRUE(found) << session["sent"].dump();
}

TEST_F(ApiCourses, MetricsHaveTheSameCounts) {
  fleet().fly = straight;
  world.ticks(50);
  const json rotation = field(courses(), "rotation");
  const std::string text = world.send("GET", "/metrics").text;
  const std::string labels = R"({world="world",component="Ship",type="Ship",field="rotation"} )";
  for (const auto& [metric, key] :
       {std::pair("mobula_new_courses_total", "new_courses"), std::pair("mobula_course_checks_total", "checks"),
        std::pair("mobula_courses_under_way", "under_way")})
    EXPECT_NE(text.find(metric + labels + std::to_string(rotation[key].get<int>()) + "\n"), std::string::npos)
        << metric << ' ' << rotation.dump();
}

}  // namespace
}  // namespace mobula::server
