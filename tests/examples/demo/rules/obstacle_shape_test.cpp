#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/rules/ruled_world.hpp>

namespace demo::obstacle_shape_test {
namespace {

using test::box;
using test::cylinder;
using test::Vec3;

// Returns the distance of a place on the ground from an obstacle, 0 inside: with the place turned into its frame.
double distance_to(const ObstacleShape& shape, double x, double z) {
  const double turn = std::atan2(static_cast<double>(shape.sine), static_cast<double>(shape.cosine));
  const double from_x = x - static_cast<double>(shape.x);
  const double from_z = z - static_cast<double>(shape.z);
  const double local_x = std::cos(turn) * from_x - std::sin(turn) * from_z;
  const double local_z = std::sin(turn) * from_x + std::cos(turn) * from_z;
  const double away_x = std::max(0.0, std::abs(local_x) - static_cast<double>(shape.half_x));
  const double away_z = std::max(0.0, std::abs(local_z) - static_cast<double>(shape.half_z));
  return std::max(0.0, std::hypot(away_x, away_z) - static_cast<double>(shape.radius));
}

TEST(ObstacleShape, ABoxTurnsAsItsEntityDoes) {
  // A turn of 90 degrees about +y takes +z to +x.
  const ObstacleShape turned = box(0, 0, 1, 4, 1, 0);
  EXPECT_TRUE(overlap(turned, 3.5f, 0, 0.1f));
  EXPECT_FALSE(overlap(turned, 0, 3.5f, 0.1f));
  // One of 36.87 degrees takes +z to (0.6, 0.8).
  const ObstacleShape slanted = box(0, 0, 0.5f, 5, 0.6f, 0.8f);
  EXPECT_TRUE(overlap(slanted, 0.6f * 4.5f, 0.8f * 4.5f, 0.1f));
  EXPECT_FALSE(overlap(slanted, -0.6f * 4.5f, 0.8f * 4.5f, 0.1f));
}

TEST(ObstacleShape, OverlapsAgreeWithDistances) {
  core::Random random(3);
  const std::vector<ObstacleShape> shapes = test::random_shapes(random, 40, 5);
  int inside = 0;
  for (int i = 0; i < 20'000; ++i) {
    const ObstacleShape& shape = shapes[random.below(40)];
    const float x = random.uniform(-9, 9);
    const float z = random.uniform(-9, 9);
    const float radius = random.uniform(0.1f, 1);
    const double away = distance_to(shape, x, z);
    const std::optional<Overlap> found = overlap(shape, x, z, radius);
    if (std::abs(away - static_cast<double>(radius)) < 1e-4) continue;
    ASSERT_EQ(found.has_value(), away < static_cast<double>(radius)) << i;
    if (!found) continue;
    ++inside;
    ASSERT_NEAR(found->x * found->x + found->z * found->z, 1, 1e-4) << i;
    if (away > 0) {
      ASSERT_NEAR(found->depth, static_cast<double>(radius) - away, 1e-4) << i;
    }
    // The way out leads out.
    const double out = distance_to(shape, x + found->x * found->depth, z + found->z * found->depth);
    ASSERT_NEAR(out, radius, 1e-3) << i;
  }
  EXPECT_GT(inside, 500);
}

// Compares with points along the ray: the first within the shape.
TEST(ObstacleShape, RaysAgreeWithPointsAlongThem) {
  core::Random random(4);
  const std::vector<ObstacleShape> shapes = test::random_shapes(random, 40, 3);
  int hits = 0;
  for (int i = 0; i < 4000; ++i) {
    const ObstacleShape& shape = shapes[random.below(40)];
    const Vec3 from{random.uniform(-8, 8), random.uniform(-1, 6), random.uniform(-8, 8)};
    const Vec3 way = unit({random.uniform(-0.5f, 0.5f), random.uniform(-0.3f, 0.3f), random.uniform(-0.5f, 0.5f)});
    float first = -1;
    for (float at = 0; at <= 15 && first < 0; at += 0.01f) {
      const float y = from.y + at * way.y;
      if (y >= shape.bottom && y <= shape.top && distance_to(shape, from.x + at * way.x, from.z + at * way.z) <= 0)
        first = at;
    }
    const std::optional<SurfaceHit> found = ray_hit(shape, from, way, 15);
    if (first < 0) {
      if (!found) continue;
      ASSERT_FALSE(ray_hit(shape, from, way, found->distance - 0.02f)) << i;  // a corner between two points
      continue;
    }
    ++hits;
    ASSERT_TRUE(found) << i;
    ASSERT_NEAR(found->distance, first, 0.011f) << i;
    ASSERT_LE(found->normal.x * way.x + found->normal.y * way.y + found->normal.z * way.z, 1e-4f) << i;
  }
  EXPECT_GT(hits, 100);
}

TEST(ObstacleShape, ANormalPointsOutOfTheSurface) {
  const std::optional<SurfaceHit> side = ray_hit(box(5, 0, 1, 1), {0, 1, 0}, {1, 0, 0}, 10);
  EXPECT_EQ(side->distance, 4);
  EXPECT_EQ(side->normal, (Vec3{-1, 0, 0}));
  const std::optional<SurfaceHit> top = ray_hit(box(0, 0, 1, 1), {0, 8, 0}, {0, -1, 0}, 10);
  EXPECT_EQ(top->distance, 5);
  EXPECT_EQ(top->normal, (Vec3{0, 1, 0}));
  const std::optional<SurfaceHit> bark = ray_hit(cylinder(0, 5, 2), {0, 1, 0}, {0, 0, 1}, 10);
  EXPECT_EQ(bark->distance, 3);
  EXPECT_EQ(bark->normal, (Vec3{0, 0, -1}));
  EXPECT_EQ(ray_hit(cylinder(0, 0, 2), {0, 1, 0}, {0, 0, 1}, 10)->normal, (Vec3{0, 0, -1})) << "it begins inside";
  EXPECT_FALSE(ray_hit(cylinder(0, 5, 2), {0, 1, 0}, {0, 0, 1}, 2.9f)) << "it ends before";
  EXPECT_FALSE(ray_hit(cylinder(0, 5, 2), {0, 4, 0}, {0, 0, 1}, 10)) << "it passes above";
  EXPECT_FALSE(ray_hit(cylinder(0, -5, 2), {0, 1, 0}, {0, 0, 1}, 10)) << "it is behind";
}

TEST(ObstacleShape, OthersThanBoxesAndCylindersAreNone) {
  EXPECT_TRUE(is_obstacle(box(1, 2, 3, 4)));
  EXPECT_TRUE(is_obstacle(cylinder(1, 2, 3)));
  ObstacleShape both = box(0, 0, 1, 1);
  both.radius = 1;
  EXPECT_FALSE(is_obstacle(both));
  EXPECT_FALSE(is_obstacle(box(0, 0, 1, 0)));
  EXPECT_FALSE(is_obstacle(cylinder(0, 0, -1)));
  EXPECT_FALSE(is_obstacle(cylinder(0, 0, 101)));
  EXPECT_FALSE(is_obstacle(cylinder(513, 0, 1)));
  EXPECT_FALSE(is_obstacle(box(0, 0, 1, 1, 1, 1))) << "not a turn";
  ObstacleShape flat = cylinder(0, 0, 1);
  flat.top = 0;
  EXPECT_FALSE(is_obstacle(flat));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (float ObstacleShape::* const member :
       {&ObstacleShape::x, &ObstacleShape::z, &ObstacleShape::half_x, &ObstacleShape::half_z, &ObstacleShape::radius,
        &ObstacleShape::sine, &ObstacleShape::cosine, &ObstacleShape::bottom, &ObstacleShape::top}) {
    ObstacleShape bad = box(0, 0, 1, 1);
    bad.*member = nan;
    EXPECT_FALSE(is_obstacle(bad));
  }
}

}  // namespace
}  // namespace demo::obstacle_shape_test
