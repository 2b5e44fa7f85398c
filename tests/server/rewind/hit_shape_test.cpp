#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/server/rewind/hit_shape.hpp>

namespace mobula::server {
namespace {

constexpr hierarchy::WorldTransform turned{.position = {.x = 3, .y = -2, .z = 5},
                                           .rotation = {.x = 0, .y = 0.6f, .z = 0, .w = 0.8f}};

TEST(HitShape, ARayHitsASphereWhereItEnters) {
  const Ray ray{.origin = {.x = -10, .y = 0, .z = 0}, .direction = {.x = 1, .y = 0, .z = 0}, .length = 100};
  EXPECT_FLOAT_EQ(hit(ray, {.radius = 2}, {}).value(), 8);
  EXPECT_FLOAT_EQ(hit(ray, {.centre = {.x = 0, .y = 2, .z = 0}, .radius = 2.5f}, {}).value(), 8.5f);
  EXPECT_FALSE(hit(ray, {.centre = {.x = 0, .y = 3, .z = 0}, .radius = 2}, {}));
  EXPECT_FALSE(hit({ray.origin, ray.direction, 7.5f}, {.radius = 2}, {})) << "it ends before";
  EXPECT_FALSE(hit({{.x = 10, .y = 0, .z = 0}, ray.direction, 100}, {.radius = 2}, {})) << "it is behind";
  EXPECT_EQ(hit({{.x = 1, .y = 0, .z = 0}, ray.direction, 100}, {.radius = 2}, {}).value(), 0) << "it begins inside";
}

// Compares with points along the ray: the first within the shape.
TEST(HitShape, ARayWithoutADirectionHitsNothing) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Ray ray{.origin = {.x = -10, .y = 0, .z = 0}, .direction = {.x = 1, .y = 0, .z = 0}, .length = 100};
  for (const HitShape& shape : {HitShape{.radius = 2}, HitShape{.half = {.x = 2, .y = 2, .z = 2}}}) {
    EXPECT_TRUE(hit(ray, shape, {}));
    EXPECT_FALSE(hit({ray.origin, {.x = nan, .y = 0, .z = 0}, 100}, shape, {}));
    EXPECT_FALSE(hit({ray.origin, {.x = 1, .y = nan, .z = 0}, 100}, shape, {}));
    EXPECT_FALSE(hit({{.x = nan, .y = 0, .z = 0}, ray.direction, 100}, shape, {}));
    EXPECT_FALSE(hit({ray.origin, {.x = 3, .y = 0, .z = 0}, 100}, shape, {})) << "a direction has length 1";
    EXPECT_FALSE(hit({ray.origin, {.x = 0, .y = 0, .z = 0}, 100}, shape, {}));
    EXPECT_FALSE(hit({ray.origin, ray.direction, std::numeric_limits<float>::infinity()}, shape, {}));
  }
}

TEST(HitShape, RaysAgreeWithPointsAlongThem) {
  core::Random random(7);
  int hits = 0;
  for (int i = 0; i < 6000; ++i) {
    const HitShape shape{
        .centre = {.x = random.uniform(-1, 1), .y = random.uniform(-1, 1), .z = 0},
        .half = i % 2 == 0 ? engine::Vec3{} : engine::Vec3{.x = random.uniform(0.1f, 2), .y = 1, .z = 0.5f},
        .radius = i % 2 == 0 ? random.uniform(0.1f, 2) : 0};
    Ray ray{.origin = {.x = random.uniform(-6, 9), .y = random.uniform(-7, 4), .z = random.uniform(0, 10)},
            .direction = {.x = random.uniform(-1, 1), .y = random.uniform(-1, 1), .z = random.uniform(-1, 1)},
            .length = 12};
    const float size = std::sqrt(ray.direction.x * ray.direction.x + ray.direction.y * ray.direction.y +
                                 ray.direction.z * ray.direction.z);
    ray.direction = {.x = ray.direction.x / size, .y = ray.direction.y / size, .z = ray.direction.z / size};
    float nearest = 1e9f;
    float first = -1;
    for (float at = 0; at <= ray.length; at += 0.01f) {
      const float away = distance({.x = ray.origin.x + at * ray.direction.x,
                                   .y = ray.origin.y + at * ray.direction.y,
                                   .z = ray.origin.z + at * ray.direction.z},
                                  shape, turned);
      nearest = std::min(nearest, away);
      if (away == 0 && first < 0) first = at;
    }
    const std::optional<float> found = hit(ray, shape, turned);
    if (first >= 0) {
      ASSERT_TRUE(found) << i;
      EXPECT_NEAR(*found, first, 0.02f) << i;
      ++hits;
    } else if (nearest > 0.02f) {
      EXPECT_FALSE(found) << i;
    }
  }
  EXPECT_GT(hits, 100);
}

TEST(HitShape, AllOfAShapeIsWithinItsReach) {
  const HitShape shape{.centre = {.x = 1, .y = 2, .z = 2}, .half = {.x = 2, .y = 3, .z = 6}};
  EXPECT_FLOAT_EQ(shape.reach(), 3 + 7);
}

}  // namespace
}  // namespace mobula::server
