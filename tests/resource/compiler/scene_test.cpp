#include <gtest/gtest.h>

#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

std::string clash_of(const std::string& entity) {
  return test::errors_of("{\"entities\":{\"" + entity +
                         "\":{}},\n\"placements\":[{\"name\":\"lane\",\"prefab\":\"p\",\"at\":[[0,0,0]]}],"
                         "\"prefabs\":{\"p\":{}}}");
}

TEST(Scene, APlacedInstanceCannotHaveTheNameOfAnEntity) {
  EXPECT_EQ(clash_of("lane.0"),
            "level.json:2:23: entity 'lane.0' is defined twice (first at level.json:1:14); names must be unique\n");
  for (const char* other : {"lane.00", "lane.-1", "lane.1", "lane"}) EXPECT_EQ(clash_of(other), "") << other;
}

TEST(Scene, NamesAreComparedByTheirBytesAfterEscapes) {
  EXPECT_EQ(test::errors_of(R"({"entities":{"a":{},"\u0061":{}}})"),
            "level.json:1:21: 'a' is defined twice (first at level.json:1:14); names must be unique\n");
  const auto resource = test::load_text("{\"entities\":{\"\xc3\xa9\":{},\"e\\u0301\":{}}}");
  EXPECT_EQ(resource->level().num_entities, 2u) << "two spellings of é are two names";
}

}  // namespace
}  // namespace mobula::resource
