#include <gtest/gtest.h>

#include <cmath>
#include <court/components.hpp>
#include <mobula/client/prediction/shown_errors.hpp>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::client::shown_errors_test {
namespace {

using court::Body;
using court::Heading;

constexpr ecs::Entity ship{5, 1};
constexpr ecs::Entity other{6, 1};
constexpr double duration = 4;  // ticks

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
    errors.add_type(SmoothedType(component("Body"), duration, 4, "position"));
    errors.add_type(SmoothedType(component("Heading"), duration, 4, "position"));
  }
  template <class T>
  T shown(std::size_t type, T value, double moment, ecs::Entity entity = ship) {
    errors.apply(entity, type, moment, reinterpret_cast<std::byte*>(&value));
    return value;
  }
  void set(const Body& before, const Body& after, double moment) {
    errors.set(ship, 0, bytes_of(before), bytes_of(after), moment, duration);
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

TEST_F(Errors, DecayEvenlyToTheirEnd) {
  set(at(3), at(1), 10);
  EXPECT_FLOAT_EQ(shown(0, at(1), 10).position.x, 3);
  EXPECT_FLOAT_EQ(shown(0, at(1), 11).position.x, 2.5f);
  EXPECT_FLOAT_EQ(shown(0, at(1), 13).position.x, 1.5f);
  EXPECT_FLOAT_EQ(shown(0, at(7), 12).position.x, 8) << "the error moves with the entity";
  EXPECT_EQ(shown(0, at(1), 14), at(1));
  EXPECT_EQ(shown(0, at(1), 30), at(1));
  EXPECT_FLOAT_EQ(shown(0, at(1), 9).position.x, 3) << "a moment before the correction";
  EXPECT_EQ(shown(0, at(1), 10, other), at(1));
}

// A frame of a sixtieth second moves 5 cm of 45 cm, and nothing is left after 150 ms.
TEST_F(Errors, DecayByDefaultAsDocumented) {
  constexpr double tick_ms = 50;
  const double in_ticks = static_cast<double>(Smoothing{}.duration) / core::millisecond / tick_ms;
  const Body before = at(0.45f);
  const Body after = at(0);
  errors.set(ship, 0, bytes_of(before), bytes_of(after), 10, in_ticks);
  float last = 0.45f;
  for (int frame = 1; frame <= 9; ++frame) {
    const float now = shown(0, after, 10 + frame / 3.0).position.x;
    EXPECT_LE(last - now, 0.0501f);
    last = now;
  }
  EXPECT_NEAR(last, 0, 1e-6);
}

TEST_F(Errors, BeyondTheSnapDistanceAreShownAtOnce) {
  set(at(6), at(1), 10);
  EXPECT_EQ(shown(0, at(1), 10), at(1));
  EXPECT_EQ(errors.size(), 0u);
}

TEST_F(Errors, VelocitiesDoNotSnapAPosition) {
  Body before = at(1.73f);
  before.velocity.x = 8;
  set(before, at(1), 10);
  EXPECT_FLOAT_EQ(shown(0, at(1), 10).position.x, 1.73f);
  EXPECT_FLOAT_EQ(shown(0, at(1), 10).velocity.x, 8);
  before.position.x = 5.5f;
  set(before, at(1), 11);
  EXPECT_EQ(shown(0, at(1), 11), at(1)) << "the velocity snaps with its position";
}

TEST_F(Errors, ReplaceFormerOnesAndEnd) {
  set(at(3), at(1), 10);
  set(at(2), at(1), 11);
  EXPECT_FLOAT_EQ(shown(0, at(1), 11).position.x, 2);
  set(at(1), at(1), 12);
  EXPECT_EQ(errors.size(), 0u);
  set(at(3), at(1), 13);
  errors.drop(16.9);
  EXPECT_EQ(errors.size(), 1u);
  errors.drop(17);
  EXPECT_EQ(errors.size(), 0u);
}

TEST_F(Errors, NotFiniteOnesAreShownAtOnce) {
  set(at(std::nanf("")), at(1), 10);
  EXPECT_EQ(shown(0, at(1), 10), at(1));
}

TEST_F(Errors, FollowEntitiesToTheirNewHandles) {
  constexpr ecs::Entity third{7, 1};
  set(at(3), at(1), 10);
  errors.set(other, 0, bytes_of(at(5)), bytes_of(at(1)), 10, duration);
  errors.rename(std::array{RenamedEntity{ship, other}, RenamedEntity{other, third}});
  EXPECT_EQ(shown(0, at(1), 10, ship), at(1));
  EXPECT_FLOAT_EQ(shown(0, at(1), 10, other).position.x, 3);
  EXPECT_FLOAT_EQ(shown(0, at(1), 10, third).position.x, 5);
  errors.rename(std::array{RenamedEntity{other, ecs::null_entity}});
  EXPECT_EQ(shown(0, at(1), 10, other), at(1));
  EXPECT_EQ(errors.size(), 1u);
}

TEST_F(Errors, RotationsTurnTheShortestWay) {
  for (const double from : {0.4, -0.4, 3.0, -3.0}) {
    for (const double to : {0.0, 2.9, -2.9}) {
      const Heading before = turned(from);
      Heading after = turned(to);
      after.rotation = {.x = -after.rotation.x, .y = -after.rotation.y, .z = -after.rotation.z, .w = -after.rotation.w};
      errors.set(ship, 1, bytes_of(before), bytes_of(after), 10, duration);
      const double whole = std::remainder(from - to, 2 * M_PI);
      EXPECT_NEAR(std::remainder(angle_of(shown(1, after, 10)) - from, 2 * M_PI), 0, 1e-5);
      const double left = std::remainder(angle_of(shown(1, after, 13)) - to, 2 * M_PI);
      EXPECT_LT(std::abs(left), std::abs(whole));
      EXPECT_GE(left * whole, 0) << from << " to " << to;
    }
  }
}

// The same for a rotation in four integers: the error is that of the rotation, whichever part is omitted.
TEST_F(Errors, RotationsInFourIntegersTurnLikeOthers) {
  const auto schema = test::load_schema(R"(
    struct Turn { most:ushort (range:"0 3"); a:ushort (bits:"12"); b:ushort (bits:"12"); c:ushort (bits:"12"); }
    struct Turret (component) { turn:Turn (smallest_three, predicted); })");
  const reflect::Component& turret = *schema->find("Turret");
  const wire::StoredRotation stored = wire::StoredRotation::all_of(turret)[0];
  errors.add_type(SmoothedType(turret, duration, 4, "position"));
  using Turret = std::array<std::uint16_t, 4>;
  const auto turned_by = [&](double angle) {
    Turret value{};
    stored.store({0, std::sin(angle / 2), 0, std::cos(angle / 2)}, reinterpret_cast<std::byte*>(value.data()));
    return value;
  };
  const auto angle_at = [&](double moment, Turret value) {
    errors.apply(ship, 2, moment, reinterpret_cast<std::byte*>(value.data()));
    wire::Rotation rotation;
    EXPECT_TRUE(stored.load(reinterpret_cast<const std::byte*>(value.data()), rotation));
    return 2 * std::atan2(rotation[1], rotation[3]);
  };
  for (const double from : {0.3, -0.3, 2.0, -2.0}) {
    for (const double to : {0.0, 0.8, 3.0, -3.0}) {
      const Turret before = turned_by(from);
      const Turret after = turned_by(to);
      const double whole = std::remainder(from - to, 2 * M_PI);
      errors.set(ship, 2, reinterpret_cast<const std::byte*>(before.data()),
                 reinterpret_cast<const std::byte*>(after.data()), 10, duration);
      EXPECT_NEAR(std::remainder(angle_at(10, after) - from, 2 * M_PI), 0, 2e-3) << from << " to " << to;
      const double left = std::remainder(angle_at(12, after) - to, 2 * M_PI);
      EXPECT_LT(std::abs(left), 0.8 * std::abs(whole));
      EXPECT_GT(left / whole, 0.2);
      EXPECT_NEAR(std::remainder(angle_at(14, after) - to, 2 * M_PI), 0, 2e-3);
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
      ASSERT_LE(next, error * (1 - 0.3 / duration) + 0.001);
    }
  });
}

}  // namespace
}  // namespace mobula::client::shown_errors_test
