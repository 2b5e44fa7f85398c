#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/wire/component_blend.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::wire::component_blend_test {
namespace {

struct Mixed {
  double wide = 0;
  float narrow = 0;
  std::array<float, 4> rotation{0, 0, 0, 1};
  std::array<float, 2> several{};
  float hidden = 0;
  std::int32_t count = 0;
};

const reflect::Component& mixed() {
  static const auto schema = test::load_schema(R"(struct Mixed (component) { wide:double; narrow:float;
    rotation:mobula.engine.Quat (unit_quaternion, default:"0 0 0 1"); several:[float:2]; hidden:float (not_sent);
    count:int; })");
  return *schema->find("Mixed");
}

Mixed blended(Mixed from, const Mixed& to, double part) {
  EXPECT_EQ(mixed().size, sizeof(Mixed));
  blend_fields(mixed(), reinterpret_cast<const std::byte*>(&to), part, reinterpret_cast<std::byte*>(&from));
  return from;
}

TEST(ComponentBlend, FloatsAreInterpolatedAndOthersStay) {
  const Mixed from{.wide = 1, .narrow = 10, .several = {1, 2}, .hidden = 3, .count = 4};
  const Mixed to{.wide = 3, .narrow = 20, .several = {5, 6}, .hidden = 7, .count = 8};
  const Mixed shown = blended(from, to, 0.25);
  EXPECT_EQ(shown.wide, 1.5);
  EXPECT_EQ(shown.narrow, 12.5f);
  EXPECT_EQ(shown.several, from.several);
  EXPECT_EQ(shown.hidden, from.hidden);
  EXPECT_EQ(shown.count, from.count);
}

TEST(ComponentBlend, RotationsTurnTheShortestWay) {
  const auto s = static_cast<float>(std::sqrt(0.5));
  const Mixed quarter{.rotation = {0, s, 0, s}};
  const Mixed opposite_sign{.rotation = {0, -s, 0, -s}};
  for (const Mixed& to : {quarter, opposite_sign}) {
    const Mixed shown = blended({}, to, 0.5);
    EXPECT_NEAR(shown.rotation[1], std::sin(M_PI / 8), 1e-6);
    EXPECT_NEAR(shown.rotation[3], std::cos(M_PI / 8), 1e-6);
  }
}

TEST(ComponentBlend, ValuesThatAreNotFiniteStay) {
  const Mixed shown = blended({.narrow = 1}, {.narrow = std::numeric_limits<float>::infinity()}, 0.5);
  EXPECT_EQ(shown.narrow, 1);
}

}  // namespace
}  // namespace mobula::wire::component_blend_test
