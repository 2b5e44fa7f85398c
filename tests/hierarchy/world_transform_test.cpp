#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mobula/core/random.hpp>
#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy {
namespace {

using engine::Quat;
using engine::Transform;
using engine::Vec3;

const float half = std::sqrt(0.5f);
const Quat quarter_about_y{.x = 0, .y = half, .z = 0, .w = half};

void expect_near(const Vec3& a, const Vec3& b, float error) {
  EXPECT_NEAR(a.x, b.x, error);
  EXPECT_NEAR(a.y, b.y, error);
  EXPECT_NEAR(a.z, b.z, error);
}

// Compares rotations: q and -q are the same.
void expect_same_rotation(const Quat& a, const Quat& b, float error) {
  EXPECT_NEAR(std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w), 1.0f, error);
}

TEST(WorldTransform, ANewOneChangesNothing) {
  const Transform local{{1, 2, 3}, quarter_about_y};
  EXPECT_EQ(compose({}, local), (WorldTransform{local.position, local.rotation}));
  EXPECT_EQ(relative_to({}, {local.position, local.rotation}), local);
}

TEST(WorldTransform, ChildrenAreTurnedAndMoved) {
  const WorldTransform parent{{10, 20, 30}, quarter_about_y};
  // A quarter turn about +y takes +z to +x and +x to -z.
  const WorldTransform child = compose(parent, {{1, 2, 3}, quarter_about_y});
  expect_near(child.position, {13, 22, 29}, 1e-5f);
  expect_same_rotation(child.rotation, {.x = 0, .y = 1, .z = 0, .w = 0}, 1e-6f);
  expect_near(compose(child, {{0, 0, 1}, {.x = 0, .y = 0, .z = 0, .w = 1}}).position, {13, 22, 28}, 1e-5f);
}

Quat random_rotation(core::Random& random) {
  for (;;) {
    const Quat q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (length > 0.1f && length < 1) return {q.x / length, q.y / length, q.z / length, q.w / length};
  }
}

Vec3 random_position(core::Random& random) {
  return {random.uniform(-100, 100), random.uniform(-100, 100), random.uniform(-100, 100)};
}

// Converts to a matrix of doubles.
Vec3 apply(const WorldTransform& t, const Vec3& v) {
  const double x = t.rotation.x;
  const double y = t.rotation.y;
  const double z = t.rotation.z;
  const double w = t.rotation.w;
  const std::array<double, 9> m{1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                                2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                                2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  const auto row = [&](std::size_t r, double offset) {
    return static_cast<float>(m[3 * r] * double{v.x} + m[3 * r + 1] * double{v.y} + m[3 * r + 2] * double{v.z} +
                              offset);
  };
  return {row(0, t.position.x), row(1, t.position.y), row(2, t.position.z)};
}

TEST(WorldTransform, AgreesWithMatrices) {
  core::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const WorldTransform parent{random_position(random), random_rotation(random)};
    const Transform local{random_position(random), random_rotation(random)};
    const Vec3 point = random_position(random);
    const WorldTransform child = compose(parent, local);
    expect_near(child.position, apply(parent, local.position), 1e-3f);
    expect_near(apply(child, point), apply(parent, apply({local.position, local.rotation}, point)), 2e-3f);
  }
}

TEST(WorldTransform, RelativeToIsTheInverse) {
  core::Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const WorldTransform parent{random_position(random), random_rotation(random)};
    const WorldTransform world{random_position(random), random_rotation(random)};
    const WorldTransform again = compose(parent, relative_to(parent, world));
    expect_near(again.position, world.position, 1e-3f);
    expect_same_rotation(again.rotation, world.rotation, 1e-5f);
  }
}

}  // namespace
}  // namespace mobula::hierarchy
