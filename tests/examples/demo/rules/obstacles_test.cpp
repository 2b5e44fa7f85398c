#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/rules/ruled_world.hpp>
#include <limits>

namespace demo::obstacles_test {
namespace {

using test::box;
using test::cylinder;
using test::Vec3;

TEST(Obstacles, TheGridFindsWhatAllObstaclesHave) {
  core::Random random(8);
  const std::vector<ObstacleShape> shapes = test::random_shapes(random, 300, 60);
  const core::Bytes bytes = Obstacles::make(shapes);
  ASSERT_TRUE(Obstacles::check(bytes));
  const Obstacles obstacles(bytes);
  ASSERT_EQ(obstacles.size(), 300u);
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 place{random.uniform(-70, 70), 0, random.uniform(-70, 70)};
    float depth = 0;
    for (const ObstacleShape& shape : shapes)
      if (const auto in = overlap(shape, place.x, place.z, 0.4f)) depth = std::max(depth, in->depth);
    const auto deepest = obstacles.deepest(place, 0.4f, 1.8f);
    ASSERT_EQ(deepest ? deepest->depth : 0, depth) << i;
    const Vec3 from{place.x, 0.4f, place.z};
    const Vec3 way = unit({random.uniform(-0.5f, 0.5f), 0.01f, random.uniform(-0.5f, 0.5f)});
    std::optional<float> first;
    for (const ObstacleShape& shape : shapes)
      if (const auto hit = ray_hit(shape, from, way, 25)) first = std::min(first.value_or(25), hit->distance);
    const auto hit = obstacles.ray(from, way, 25);
    ASSERT_EQ(hit.has_value(), first.has_value()) << i;
    ASSERT_EQ(hit ? hit->distance : 0, first.value_or(0)) << i;
    found += hit && deepest ? 1 : 0;
  }
  EXPECT_GT(found, 100);
}

TEST(Obstacles, AWayEndsOutsideAndIsNoLongerThanGiven) {
  core::Random random(9);
  const core::Bytes bytes = Obstacles::make(test::random_shapes(random, 250, 30));
  const Obstacles obstacles(bytes);
  Vec3 place{};
  int slid = 0;
  for (int i = 0; i < 30'000; ++i) {
    if (i % 50 == 0) place = {random.uniform(-30, 30), 0, random.uniform(-30, 30)};
    if (obstacles.deepest(place, 0.4f, 1.8f)) continue;
    const Vec3 to{place.x + random.uniform(-0.3f, 0.3f), 0, place.z + random.uniform(-0.3f, 0.3f)};
    const Vec3 at = obstacles.slide(place, to, 0.4f, 1.8f);
    ASSERT_FALSE(obstacles.deepest(at, 0.4f, 1.8f)) << i;
    const float wanted = std::hypot(to.x - place.x, to.z - place.z);
    ASSERT_LE(std::hypot(at.x - place.x, at.z - place.z), wanted + 0.05f) << i;
    slid += at != to ? 1 : 0;
    place = at;
  }
  EXPECT_GT(slid, 500);
}

TEST(Obstacles, ALongWayPassesThroughNoObstacle) {
  const core::Bytes bytes = Obstacles::make(std::vector{box(0, 5, 20, 0.2f)});
  const Obstacles obstacles(bytes);
  const Vec3 at = obstacles.slide({0, 0, 0}, {0, 0, 10}, 0.4f, 1.8f);
  EXPECT_LT(at.z, 5 - 0.2f - 0.4f);
  EXPECT_GT(at.z, 4);
}

TEST(Obstacles, AWayAlongAWallKeepsItsDirection) {
  const core::Bytes bytes = Obstacles::make(std::vector{box(0, 2, 20, 1)});
  const Vec3 at = Obstacles(bytes).slide({0, 0, 0.55f}, {0.15f, 0, 0.7f}, 0.4f, 1.8f);
  EXPECT_NEAR(at.x, 0.15f, 1e-4f);
  EXPECT_NEAR(at.z, 0.6f, 0.01f);
}

TEST(Obstacles, AnObstacleAboveOrBelowIsPassed) {
  ObstacleShape arch = box(0, 2, 5, 1);
  arch.bottom = 2;
  ObstacleShape step = box(0, 2, 5, 1);
  step.top = 0.5f;
  const core::Bytes bytes = Obstacles::make(std::vector{arch, step});
  const Obstacles obstacles(bytes);
  EXPECT_FALSE(obstacles.deepest({0, 0.5f, 2}, 0.4f, 1.5f));
  EXPECT_TRUE(obstacles.deepest({0, 0.4f, 2}, 0.4f, 1.5f));
  EXPECT_TRUE(obstacles.deepest({0, 0.6f, 2}, 0.4f, 1.5f));
}

TEST(Obstacles, APlaceInsideIsLeftBySteps) {
  const core::Bytes bytes = Obstacles::make(std::vector{box(0, 0, 2, 2)});
  const Obstacles obstacles(bytes);
  EXPECT_FALSE(obstacles.deepest(obstacles.slide({1, 0, 0}, {1, 0, 0}, 0.4f, 1.8f), 0.4f, 1.8f));
}

TEST(Obstacles, BytesOfAnotherSizeAreNone) {
  const core::Bytes good = Obstacles::make(std::vector{box(0, 0, 2, 2), cylinder(20, 30, 1)});
  ASSERT_TRUE(Obstacles::check(good));
  EXPECT_TRUE(Obstacles::check(Obstacles::make({})));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const core::ByteView cut = core::ByteView(good).first(size);
    EXPECT_FALSE(Obstacles::check(cut)) << size;
    EXPECT_EQ(Obstacles(cut).size(), 0u) << size;
  }
}

// A client reads obstacles that its server has sent.
TEST(Obstacles, DamagedBytesAreReadWithinTheirBounds) {
  core::Random random(10);
  const core::Bytes good = Obstacles::make(test::random_shapes(random, 30, 20));
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    core::Bytes bad = good;
    const std::uint32_t words = static_cast<std::uint32_t>(bad.size() / 4);
    for (std::uint32_t flips = 1 + random.below(3); flips-- > 0;) {
      const std::uint32_t word = random.chance(1, 2) ? random.below(24) : random.below(words);
      const std::uint32_t values[] = {0, 1, 0xffffffffu, 0x7fc00000u, 0x7f800000u, 255, random.below(1000)};
      core::store(bad.data() + std::size_t{word} * 4, values[random.below(7)]);
    }
    refused += Obstacles::check(bad) ? 0 : 1;
    const Obstacles obstacles(bad);
    const Vec3 from{random.uniform(-25, 25), 0, random.uniform(-25, 25)};
    static_cast<void>(obstacles.slide(from, {from.x + 0.2f, 0, from.z}, 0.4f, 1.8f));
    static_cast<void>(obstacles.ray(from, {0.6f, 0, 0.8f}, 20));
  }
  EXPECT_GT(refused, 15'000);
}

TEST(Obstacles, APlaceThatIsNoNumberMeetsNothing) {
  const core::Bytes bytes = Obstacles::make(std::vector{box(0, 0, 2, 2)});
  const Obstacles obstacles(bytes);
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1e30f}) {
    EXPECT_FALSE(obstacles.deepest({odd, 0, 0}, 0.4f, 1.8f));
    static_cast<void>(obstacles.slide({0, 0, 5}, {odd, 0, 5}, 0.4f, 1.8f));
    static_cast<void>(obstacles.slide({odd, 0, 5}, {0, 0, 5}, 0.4f, 1.8f));
    static_cast<void>(obstacles.ray({odd, 0, 0}, {1, 0, 0}, 20));
  }
}

}  // namespace
}  // namespace demo::obstacles_test
