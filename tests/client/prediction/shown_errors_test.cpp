#include <gtest/gtest.h>

#include <cmath>
#include <court/components.hpp>
#include <mobula/client/prediction/shown_errors.hpp>
#include <mobula/core/random.hpp>
#include <seeds.hpp>

namespace mobula::client::shown_errors_test {
namespace {

using court::Body;
using court::Heading;

constexpr ecs::Entity ship{5, 1};
constexpr ecs::Entity other{6, 1};
constexpr double half_life = 2;  // ticks

const reflect::Component& component(std::string_view name) {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(court::schema_bytes());
  return *schema->find(name);
}

template <class T>
const std::byte* bytes_of(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

class Errors : public testing::Test {
 protected:
  Errors() {
    errors.add_type(SmoothedType(component("Body"), half_life, 4));
    errors.add_type(SmoothedType(component("Heading"), half_life, 4));
  }
  template <class T>
  T shown(std::size_t type, T value, double moment, ecs::Entity entity = ship) {
    errors.apply(entity, type, moment, reinterpret_cast<std::byte*>(&value));
    return value;
  }
  void set(const Body& before, const Body& after, double moment) {
    errors.set(ship, 0, bytes_of(before), bytes_of(after), moment, half_life);
  }

  ShownErrors errors;
};

Body at(float x) { return Body{.position = {.x = x, .y = 0, .z = 0}, .velocity = {}}; }

// A turn about y by an angle in radians.
Heading turned(double angle) {
  Heading heading;
  heading.rotation.y = static_cast<float>(std::sin(angle / 2));
  heading.rotation.w = static_cast<float>(std::cos(angle / 2));
  return heading;
}
double angle_of(const Heading& heading) {
  return 2 * std::atan2(static_cast<double>(heading.rotation.y), static_cast<double>(heading.rotation.w));
}

TEST_F(Errors, HalveWithEachHalfLife) {
  set(at(3), at(1), 10);
  EXPECT_FLOAT_EQ(shown(0, at(1), 10).position.x, 3);
  EXPECT_FLOAT_EQ(shown(0, at(1), 12).position.x, 2);
  EXPECT_FLOAT_EQ(shown(0, at(1), 14).position.x, 1.5f);
  EXPECT_FLOAT_EQ(shown(0, at(7), 12).position.x, 8) << "the error moves with the entity";
  EXPECT_EQ(shown(0, at(1), 30), at(1));
  EXPECT_EQ(shown(0, at(1), 10, other), at(1));
}

TEST_F(Errors, BeyondTheSnapDistanceAreShownAtOnce) {
  set(at(6), at(1), 10);
  EXPECT_EQ(shown(0, at(1), 10), at(1));
  EXPECT_EQ(errors.size(), 0u);
}

TEST_F(Errors, ReplaceFormerOnesAndEnd) {
  set(at(3), at(1), 10);
  set(at(2), at(1), 11);
  EXPECT_FLOAT_EQ(shown(0, at(1), 11).position.x, 2);
  set(at(1), at(1), 12);
  EXPECT_EQ(errors.size(), 0u);
  set(at(3), at(1), 13);
  errors.drop(14);
  EXPECT_EQ(errors.size(), 1u);
  errors.drop(40);
  EXPECT_EQ(errors.size(), 0u);
}

TEST_F(Errors, NotFiniteOnesAreShownAtOnce) {
  set(at(std::nanf("")), at(1), 10);
  EXPECT_EQ(shown(0, at(1), 10), at(1));
}

TEST_F(Errors, FollowAnEntityToItsNewHandle) {
  set(at(3), at(1), 10);
  errors.rename(ship, other);
  EXPECT_EQ(shown(0, at(1), 10, ship), at(1));
  EXPECT_FLOAT_EQ(shown(0, at(1), 10, other).position.x, 3);
}

TEST_F(Errors, RotationsTurnTheShortestWay) {
  for (const double from : {0.4, -0.4, 3.0, -3.0}) {
    for (const double to : {0.0, 2.9, -2.9}) {
      const Heading before = turned(from);
      Heading after = turned(to);
      after.rotation = {.x = -after.rotation.x, .y = -after.rotation.y, .z = -after.rotation.z, .w = -after.rotation.w};
      errors.set(ship, 1, bytes_of(before), bytes_of(after), 10, half_life);
      const double whole = std::remainder(from - to, 2 * M_PI);
      EXPECT_NEAR(std::remainder(angle_of(shown(1, after, 10)) - from, 2 * M_PI), 0, 1e-5);
      const double left = std::remainder(angle_of(shown(1, after, 14)) - to, 2 * M_PI);
      EXPECT_LT(std::abs(left), std::abs(whole));
      EXPECT_GE(left * whole, 0) << from << " to " << to;
    }
  }
}

// The shown value never jumps when a correction comes, and each frame moves less than the whole error.
TEST_F(Errors, NeverJumpOnRandomCorrections) {
  test::for_each_seed(1, 20, 500, [&](std::uint64_t seed) {
    core::Random random(seed);
    errors.clear();
    Body actual = at(0);
    double moment = 10;
    for (int i = 0; i < 500; ++i) {
      const Body before = shown(0, actual, moment);
      if (random.chance(1, 5)) {
        actual.position.x += random.uniform(-1, 1);
        set(before, actual, moment);
        ASSERT_NEAR(shown(0, actual, moment).position.x, before.position.x, 1e-4);
      }
      const double error = std::abs(shown(0, actual, moment).position.x - actual.position.x);
      moment += 0.3;
      const double next = std::abs(shown(0, actual, moment).position.x - actual.position.x);
      ASSERT_LE(next, error * 0.95 + 0.001);
    }
  });
}

}  // namespace
}  // namespace mobula::client::shown_errors_test
