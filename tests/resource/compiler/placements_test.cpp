#include <gtest/gtest.h>

#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

std::shared_ptr<const Resource> place(const std::string& placement) {
  return test::load_text(R"({"prefabs":{"p":{"components":{"Transform":{"position":[9,9,9]},"Wander":{}},
                             "children":{"c":{"components":{"Transform":{}}}}}},
                             "placements":[{"name":"n","prefab":"p",)" +
                         placement + "}]}");
}

engine::Transform transform_of(const Resource& resource, std::uint32_t entity) {
  return test::component_of<engine::Transform>(resource.level(), entity);
}

TEST(Placements, AListSetsPositionAndRotation) {
  const auto resource = place(R"("at":[[1,2,3],[4,5,6,180]])");
  ASSERT_EQ(resource->level().num_entities, 4u);
  EXPECT_EQ(transform_of(*resource, 0).position.z, 3.0f);
  EXPECT_EQ(transform_of(*resource, 0).rotation.w, 1.0f);
  EXPECT_EQ(transform_of(*resource, 2).position.x, 4.0f);
  EXPECT_EQ(transform_of(*resource, 2).rotation.y, 1.0f);
  EXPECT_EQ(resource->level().parent_index[3], 2u);
}

TEST(Placements, AGridFillsAlongXThenYThenZ) {
  const auto resource = place(R"("grid":{"origin":[10,0,-10],"count":[2,1,3],"step":[1,5,2]})");
  ASSERT_EQ(resource->level().num_entities, 12u);
  EXPECT_EQ(transform_of(*resource, 2).position.x, 11.0f);
  EXPECT_EQ(transform_of(*resource, 2).position.z, -10.0f);
  EXPECT_EQ(transform_of(*resource, 10).position.x, 11.0f);
  EXPECT_EQ(transform_of(*resource, 10).position.z, -6.0f);
}

TEST(Placements, AScatterStaysInItsAreaAndIsTheSameEveryTime) {
  const std::string scatter = R"("scatter":{"count":50,"seed":7,"area":[-5,10,5,20],"height":2})";
  const auto resource = place(scatter);
  ASSERT_EQ(resource->level().num_entities, 100u);
  for (std::uint32_t i = 0; i < 100; i += 2) {
    const engine::Transform transform = transform_of(*resource, i);
    EXPECT_TRUE(transform.position.x >= -5 && transform.position.x <= 5);
    EXPECT_TRUE(transform.position.z >= 10 && transform.position.z <= 20);
    EXPECT_EQ(transform.position.y, 2.0f);
  }
  EXPECT_EQ(place(scatter)->identity(), resource->identity());
  EXPECT_NE(place(R"("scatter":{"count":50,"seed":8,"area":[-5,10,5,20],"height":2})")->identity(),
            resource->identity());
}

TEST(Placements, AnAreaMayBeOnePoint) {
  const auto resource = place(R"("scatter":{"count":2,"seed":1,"area":[5,6,5,6]})");
  EXPECT_EQ(transform_of(*resource, 2).position.x, 5.0f);
  EXPECT_EQ(transform_of(*resource, 2).position.z, 6.0f);
}

TEST(Placements, OtherFieldsCanHaveThePositionToo) {
  const auto resource = place(R"("position_to":["Wander.home"],"at":[[1,2,3],[4,5,6]])");
  EXPECT_EQ(test::component_of<demo::Wander>(resource->level(), 2).home.x, 4.0f);
  EXPECT_EQ(test::component_of<demo::Wander>(resource->level(), 2).radius, 8.0f);
}

TEST(Placements, ErrorsAreReportedWithTheirPlace) {
  const auto error = [](const std::string& placement) {
    return test::errors_of("{\"prefabs\":{\"p\":{}},\"placements\":[\n{\"name\":\"n\",\"prefab\":\"p\"," + placement +
                           "}]}");
  };
  EXPECT_EQ(error(R"("at":[],"grid":{})"), "level.json:2:1: expected exactly one of at, grid and scatter\n");
  EXPECT_EQ(error(R"("at":[[1,2]])"), "level.json:2:32: expected [x, y, z] or [x, y, z, yaw], not 2 values\n");
  EXPECT_EQ(error(R"("at":[[1,2,"x"]])"), "level.json:2:37: expected a number, not text\n");
  EXPECT_EQ(error(R"("at":[[1,2,9999]])"),
            "level.json:2:32: 'position.z' is out of range: 9999; expected -512 to 512\n");
  EXPECT_EQ(error(R"("grid":{"origin":[0,0,0],"count":[1,0,1],"step":[1,1,1]})"),
            "level.json:2:62: 0 is out of range; expected a whole number from 1 to 1048576\n");
  EXPECT_EQ(error(R"("grid":{"origin":[0,0,0],"count":[2000,1,2000],"step":[1,1,1]})"),
            "level.json:2:59: too many entities; at most 1048576\n");
  EXPECT_EQ(error(R"("scatter":{"count":5,"area":[0,0,1,1]})"),
            "level.json:2:36: 'seed' is missing; expected a whole number\n");
  EXPECT_EQ(error(R"("scatter":{"count":5,"seed":1,"area":[0,0,-1,1]})"),
            "level.json:2:63: the area is empty; expected [min x, min z, max x, max z]\n");
  EXPECT_EQ(error(R"("scatter":{"count":2,"seed":1,"area":[-3.4e38,-3.4e38,3.4e38,3.4e38]})"),
            "level.json:2:64: -3.4e38 is out of range; expected -1000000000 to 1000000000\n");
  EXPECT_EQ(error(R"("scatter":{"count":2,"seed":1,"area":[5,5,-5,-5]})"),
            "level.json:2:63: the area is empty; expected [min x, min z, max x, max z]\n");
  EXPECT_EQ(error(R"("at":[[0,0,0]],"position_to":["Wander.home"])"),
            "level.json:2:56: the prefab has no component 'Wander'\n");
  EXPECT_EQ(error(R"("at":[[0,0,0]],"position_to":["Wander"])"),
            "level.json:2:56: expected a component and its field, such as \"Wander.home\"\n");
}

}  // namespace
}  // namespace mobula::resource
