#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/bench/asteroids.hpp>
#include <mobula/reflect/schema.hpp>
#include <recordings/pose.hpp>

namespace mobula::bench {
namespace {

TEST(PoseError, IsTheGreatestDifferenceOfAPart) {
  const asteroids::Asteroid truth{.position = {1, 2, 3}, .rotation = {0.5f, -0.5f, 0.5f, -0.5f}};
  asteroids::Asteroid pose = truth;
  EXPECT_EQ(pose_error(pose, truth).position, 0);
  EXPECT_EQ(pose_error(pose, truth).rotation, 0);
  pose.position = {1.25f, 1.5f, 3.125f};
  pose.rotation = {0.5f, -0.25f, 0.625f, -0.5f};
  EXPECT_EQ(pose_error(pose, truth).position, 0.5);
  EXPECT_EQ(pose_error(pose, truth).rotation, 0.25);
}

TEST(PoseError, TakesTheNearerSignOfARotation) {
  const asteroids::Asteroid truth{.position = {}, .rotation = {0.5f, -0.5f, 0.5f, -0.5f}};
  const asteroids::Asteroid pose{.position = {}, .rotation = {-0.5f, 0.5f, -0.625f, 0.5f}};
  EXPECT_EQ(pose_error(pose, truth).rotation, 0.125);
  EXPECT_EQ(pose_error(truth, pose).rotation, 0.125);
}

TEST(PoseError, IsNotFiniteIfAPartIsNot) {
  const asteroids::Asteroid truth{.position = {1, 2, 3}, .rotation = {0, 0, 0, 1}};
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), infinite, -infinite}) {
    for (std::size_t i = 0; i < 7; ++i) {
      asteroids::Asteroid pose = truth;
      float* const parts[] = {&pose.position.x, &pose.position.y, &pose.position.z, &pose.rotation.x,
                              &pose.rotation.y, &pose.rotation.z, &pose.rotation.w};
      *parts[i] = wrong;
      const PoseError error = pose_error(pose, truth);
      EXPECT_FALSE(std::isfinite(error.position) && std::isfinite(error.rotation)) << i << ": " << wrong;
    }
  }
}

TEST(ReckonedSchema, StepsAreAtMostTwoFifthsOfTheTolerance) {
  const core::Bytes bytes = reckoned_schema("Asteroid", 64, {.position = 0.01, .rotation = 0.002});
  const auto schema = reflect::Schema::load(bytes).value();
  const reflect::Component& component = *schema->find("Asteroid");
  EXPECT_EQ(component.size, sizeof(asteroids::Asteroid));
  const reflect::Field& x = *component.find_field("position.x");
  EXPECT_EQ(x.low, -64);
  EXPECT_EQ(x.high, 64);
  EXPECT_EQ(x.tolerance, 0.01);
  EXPECT_LE(x.step, 0.004);
  EXPECT_GT(x.step, 0.002);
  const reflect::Field& rotation = *component.find_field("rotation");
  EXPECT_EQ(rotation.tolerance, 0.002);
  EXPECT_EQ(rotation.bits, 11u);
}

}  // namespace
}  // namespace mobula::bench
