#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <workload/movers.hpp>

namespace mobula::bench {
namespace {

constexpr std::uint32_t movers_ticks_per_second = 20;
constexpr double tick_length = 1.0 / movers_ticks_per_second;
constexpr double float_error = 1e-4;

double distance(const engine::Vec3& a, const engine::Vec3& b) {
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// Returns the direction to which a rotation turns +z.
engine::Vec3 forward(const engine::Quat& q) {
  return {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
}

TEST(Movers, EqualSeedsGiveEqualMotions) {
  for (const Motion motion : {Motion::wander, Motion::move_y}) {
    Movers one(motion, 10, movers_ticks_per_second, 7);
    Movers two(motion, 10, movers_ticks_per_second, 7);
    Movers other(motion, 10, movers_ticks_per_second, 8);
    for (int tick = 0; tick < 100; ++tick) {
      one.step();
      two.step();
      other.step();
    }
    EXPECT_TRUE(std::ranges::equal(one.poses(), two.poses()));
    EXPECT_FALSE(std::ranges::equal(one.poses(), other.poses()));
  }
}

TEST(Movers, WanderersStayNearTheMiddleAndFaceTheirWay) {
  Movers movers(Motion::wander, 50, movers_ticks_per_second, 1);
  std::vector<purrnet::Mover> before(movers.poses().begin(), movers.poses().end());
  double fastest = 0;
  for (int tick = 0; tick < 1000; ++tick) {
    movers.step();
    for (std::size_t i = 0; i < before.size(); ++i) {
      const purrnet::Mover& now = movers.poses()[i];
      const double moved = distance(before[i].position, now.position);
      fastest = std::max(fastest, moved);
      EXPECT_LT(distance(now.position, {}), 5 * std::sqrt(3) + 1);
      const engine::Vec3 ahead = forward(now.rotation);
      const engine::Vec3 expected{before[i].position.x + static_cast<float>(moved) * ahead.x,
                                  before[i].position.y + static_cast<float>(moved) * ahead.y,
                                  before[i].position.z + static_cast<float>(moved) * ahead.z};
      EXPECT_LT(distance(now.position, expected), float_error);
      before[i] = now;
    }
  }
  EXPECT_LE(fastest, 3 * tick_length + float_error);
  EXPECT_GT(fastest, 2 * tick_length);
}

TEST(Movers, WanderersTurn) {
  Movers movers(Motion::wander, 50, movers_ticks_per_second, 1);
  const std::vector<purrnet::Mover> first(movers.poses().begin(), movers.poses().end());
  for (int tick = 0; tick < 200; ++tick) movers.step();
  std::size_t turned = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    turned += distance(forward(first[i].rotation), forward(movers.poses()[i].rotation)) > 0.1 ? 1 : 0;
  EXPECT_GT(turned, first.size() * 9 / 10);
}

TEST(Movers, SwingsMoveUpAndDownAlone) {
  Movers movers(Motion::move_y, 50, movers_ticks_per_second, 1);
  const std::vector<purrnet::Mover> first(movers.poses().begin(), movers.poses().end());
  std::vector<float> highest(first.size());
  std::vector<float> lowest(first.size());
  for (int tick = 0; tick < 20 * 13; ++tick) {  // a full swing of the slowest
    movers.step();
    for (std::size_t i = 0; i < first.size(); ++i) {
      const purrnet::Mover& now = movers.poses()[i];
      EXPECT_EQ(now.position.x, first[i].position.x);
      EXPECT_EQ(now.position.z, first[i].position.z);
      EXPECT_EQ(now.rotation, first[i].rotation);
      highest[i] = std::max(highest[i], now.position.y - first[i].position.y);
      lowest[i] = std::min(lowest[i], now.position.y - first[i].position.y);
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_GE(highest[i], 0.45);
    EXPECT_LE(highest[i], 1 + float_error);
    EXPECT_NEAR(highest[i], -lowest[i], 0.01);
  }
}

}  // namespace
}  // namespace mobula::bench
