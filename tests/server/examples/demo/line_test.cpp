#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/line.hpp>
#include <limits>
#include <vector>

namespace demo {
namespace {

using mobula::core::Bytes;
using mobula::engine::Vec3;

float distance(const Vec3& a, const Vec3& b) {
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

const std::vector<Vec3> square{{0, 0, 0}, {10, 0, 0}, {10, 0, 10}, {0, 2, 10}};

TEST(Line, PassesItsPointsAndWrapsAround) {
  const Bytes bytes = Line::make(square);
  ASSERT_TRUE(Line::check(bytes));
  const Line line(bytes);
  EXPECT_GT(line.length(), 40.0f) << "a smooth line through a square is longer than its sides";
  EXPECT_LT(line.length(), 60.0f);
  for (const Vec3& corner : square) {
    float nearest = 1e9f;
    for (float at = 0; at < line.length(); at += 0.05f) nearest = std::min(nearest, distance(line.at(at), corner));
    EXPECT_LT(nearest, 0.3f);
  }
  EXPECT_LT(distance(line.at(3), line.at(3 + 2 * line.length())), 0.01f);
  EXPECT_LT(distance(line.at(-1), line.at(line.length() - 1)), 0.01f);
}

TEST(Line, HasEvenSteps) {
  const Bytes bytes = Line::make(square);
  const Line line(bytes);
  for (float at = 0; at < line.length(); at += 0.1f)
    EXPECT_NEAR(distance(line.at(at), line.at(at + 0.1f)), 0.1f, 0.01f);
}

TEST(Line, AcceptsASinglePoint) {
  const Bytes bytes = Line::make(std::vector<Vec3>{{3, 4, 5}, {3, 4, 5}});
  ASSERT_TRUE(Line::check(bytes));
  EXPECT_EQ(distance(Line(bytes).at(7), {3, 4, 5}), 0.0f);
}

TEST(Line, RefusesOtherBytes) {
  const Bytes good = Line::make(square);
  for (std::size_t size = 0; size < 40; ++size) EXPECT_FALSE(Line::check(mobula::core::ByteView(good).first(size)));
  for (const float bad :
       {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Bytes bytes = good;
    mobula::core::store(bytes.data() + 4, bad);
    EXPECT_FALSE(Line::check(bytes)) << bad;
  }
  Bytes bytes = good;
  mobula::core::store(bytes.data() + 20, std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(Line::check(bytes));
}

}  // namespace
}  // namespace demo
