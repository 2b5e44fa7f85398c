#include <mobula/wire/course.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <wire/codec_world.hpp>

namespace mobula::wire::course_test {
namespace {

using test::Words;

// The component Sailing of test::units_schema.
struct Sailing {
  std::array<float, 3> position;
  std::array<float, 4> rotation;
  double depth;
  std::array<float, 4> sharp;
  std::int32_t own;
};

class CourseTest : public testing::Test {
 protected:
  [[nodiscard]] Sailing at(ecs::Tick tick) const {
    Sailing value{};
    EXPECT_TRUE(codec.to_component(row.data(), true, tick, test::bytes_of(value)));
    return value;
  }
  void set(const CourseUnit& unit, std::uint32_t word, std::int32_t number) {
    row[unit.course + word] = static_cast<std::uint32_t>(number);
  }
  void begin(const CourseUnit& unit, ecs::Tick tick) { row[unit.tick_word()] = tick; }

  const std::shared_ptr<const reflect::Schema> schema = mobula::test::load_schema(test::units_schema);
  const RowCodec codec{*schema->find("Sailing")};
  const CourseUnit& position = codec.courses()[0];
  const CourseUnit& rotation = codec.courses()[1];
  const CourseUnit& depth = codec.courses()[2];
  Words row{codec.default_words().begin(), codec.default_words().end()};
};

TEST_F(CourseTest, FollowTheWordsThatEveryoneReceives) {
  EXPECT_EQ(codec.courses().size(), 4u);
  EXPECT_EQ(position.course, 3u + 4 + 1 + 4);
  EXPECT_EQ(rotation.course, position.course + 7u);
  EXPECT_EQ(codec.public_words(), codec.words() - 1);
  EXPECT_EQ(codec.units().back().first, codec.words() - 1) << "owner_only words are the last";
}

TEST_F(CourseTest, AtRestHasTheValueOfItsWords) {
  row[position.first] = 51234;
  EXPECT_EQ(at(0).position, at(1000).position);
  EXPECT_FLOAT_EQ(at(7).position[0], 0.34f);
}

TEST_F(CourseTest, APathIsThatOfConstantAcceleration) {
  core::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    for (std::uint32_t part = 0; part < 3; ++part) {
      row[position.first + part] = random.below(102401);
      set(position, part, static_cast<std::int32_t>(random.below(20000)) - 10000);
      set(position, 3 + part, static_cast<std::int32_t>(random.below(200)) - 100);
    }
    const ecs::Tick begun = 1 + random.below(1000);
    const ecs::Tick age = random.below(40);
    begin(position, begun);
    for (std::uint32_t part = 0; part < 3; ++part) {
      // A step per tick, as a game with semi-implicit Euler integration does.
      double steps = row[position.first + part];
      double velocity = static_cast<std::int32_t>(row[position.course + part]) / 32.0;
      for (ecs::Tick tick = 0; tick < age; ++tick) {
        velocity += static_cast<std::int32_t>(row[position.course + 3 + part]) / 32.0;
        steps += velocity;
      }
      const double expected = std::clamp(steps, 0.0, 102400.0) * 0.01 - 512;
      EXPECT_NEAR(static_cast<double>(at(begun + age).position[part]), expected, 1e-4) << "seed 1, case " << i;
    }
  }
}

TEST_F(CourseTest, APathEndsAtTheRange) {
  row[position.first] = 102000;
  set(position, 0, 3200);
  begin(position, 5);
  EXPECT_FLOAT_EQ(at(6).position[0], 509.0f);
  EXPECT_FLOAT_EQ(at(9).position[0], 512.0f);
  EXPECT_FLOAT_EQ(at(100).position[0], 512.0f);
}

TEST_F(CourseTest, LongestPathAtTheGreatestSpeedIsDefined) {
  row[depth.first] = 0xffffffff;
  set(depth, 0, -course_velocity_max);
  set(depth, 1, -course_velocity_max);
  begin(depth, 1);
  EXPECT_EQ(at(2).depth, 4294967295.0 - 2.0 * course_velocity_max / 32);
  EXPECT_EQ(at(1 + path_age_max).depth, 0);
  set(depth, 1, course_velocity_max);
  EXPECT_EQ(at(1 + path_age_max).depth, 4294967295.0);
}

TEST_F(CourseTest, StandsBeforeItsTickAndAfterItsGreatestAge) {
  row[depth.first] = 1000;
  set(depth, 0, 32);
  begin(depth, 50);
  EXPECT_EQ(at(49).depth, 1000);
  EXPECT_EQ(at(50).depth, 1000);
  EXPECT_EQ(at(53).depth, 1003);
  EXPECT_EQ(at(50 + path_age_max).depth, 1000 + path_age_max);
  EXPECT_EQ(at(51 + path_age_max).depth, 1000 + path_age_max);
  EXPECT_EQ(at(~0u).depth, 1000 + path_age_max);
}

TEST_F(CourseTest, AFractionOfAStepIsShown) {
  set(depth, 0, 8);
  begin(depth, 1);
  EXPECT_EQ(at(2).depth, 0.25);
  EXPECT_EQ(at(4).depth, 0.75);
}

TEST_F(CourseTest, ARotationTurnsEvenlyAboutItsAxis) {
  const double angle = 0.05;
  const std::array<double, 3> axis{0.6, 0, 0.8};
  for (std::uint32_t i = 0; i < 3; ++i)
    set(rotation, i, static_cast<std::int32_t>(std::lround(axis[i] * std::sin(angle / 2) * course_turn_one)));
  begin(rotation, 10);
  for (const ecs::Tick age : {1u, 7u, 100u, turn_age_max}) {
    const std::array<float, 4> turned = at(10 + age).rotation;
    const double half = angle * age / 2;
    const double expected[] = {axis[0] * std::sin(half), 0, axis[2] * std::sin(half), std::cos(half)};
    double dot = 0;
    for (std::size_t i = 0; i < 4; ++i) dot += expected[i] * static_cast<double>(turned[i]);
    EXPECT_NEAR(std::abs(dot), 1, 1e-7) << "after " << age << " ticks";
  }
  EXPECT_EQ(at(10 + turn_age_max).rotation, at(1000).rotation);
}

// The definition of docs/protocol.md, step by step.
TEST_F(CourseTest, ARotationIsThatOfTheProtocol) {
  core::Random random(3);
  for (int i = 0; i < 300; ++i) {
    for (std::uint32_t part = 0; part < 3; ++part) {
      set(rotation, part, static_cast<std::int32_t>(random.below(course_turn_one)) - course_turn_one / 2);
      row[rotation.first + 1 + part] = 511 + random.below(100);
    }
    begin(rotation, 1);
    const auto part_of = [&](std::uint32_t part) {
      return static_cast<std::int32_t>(row[rotation.course + part]) / 1048576.0;
    };
    const double x = part_of(0);
    const double y = part_of(1);
    const double z = part_of(2);
    const double m = x * x + y * y + z * z;
    const Rotation q = rotation_of_words(row.data() + rotation.first, rotation.bits);
    const Rotation p = multiply({x, y, z, 0}, q);
    const auto times = [m](std::pair<double, double> a, std::pair<double, double> b) {
      return std::pair(a.first * b.first - m * a.second * b.second, a.second * b.first + a.first * b.second);
    };
    const std::pair<double, double> one(std::sqrt(1 - m), 1);
    std::pair<double, double> sixteen = one;
    for (int square = 0; square < 4; ++square) sixteen = times(sixteen, sixteen);
    const ecs::Tick age = random.below(turn_age_max + 1);
    std::pair<double, double> power(1, 0);
    for (ecs::Tick n = 0; n < age / 16; ++n) power = times(power, sixteen);
    for (ecs::Tick n = 0; n < age % 16; ++n) power = times(power, one);
    const Rotation turned = rotation_at(rotation, row.data(), age);
    for (std::size_t n = 0; n < 4; ++n)
      EXPECT_EQ(turned[n], power.first * q[n] + power.second * p[n]) << "seed 3, case " << i << ", age " << age;
  }
}

// The same rotation as that of quaternion products, one for each tick.
TEST_F(CourseTest, ARotationIsAPowerOfItsTurn) {
  core::Random random(4);
  for (int i = 0; i < 100; ++i) {
    for (std::uint32_t part = 0; part < 3; ++part)
      set(rotation, part, static_cast<std::int32_t>(random.below(course_turn_one)) - course_turn_one / 2);
    begin(rotation, 1);
    const Turn turn = turn_of(rotation, row.data());
    Rotation step{};
    for (std::uint32_t n = 0; n < 3; ++n)
      step[n] = static_cast<std::int32_t>(row[rotation.course + n]) / static_cast<double>(course_turn_one);
    step[3] = turn.one.cosine;
    Rotation expected = turn.rotation;
    for (ecs::Tick age = 0; age <= turn_age_max; ++age) {
      const Rotation turned = rotation_at(rotation, row.data(), age);
      for (std::size_t n = 0; n < 4; ++n) ASSERT_NEAR(turned[n], expected[n], 1e-12) << "seed 4, case " << i;
      expected = multiply(step, expected);
    }
  }
}

TEST_F(CourseTest, ARotationStaysAUnitQuaternion) {
  core::Random random(2);
  for (int i = 0; i < 200; ++i) {
    for (std::uint32_t part = 0; part < 3; ++part)
      set(rotation, part, static_cast<std::int32_t>(random.below(course_turn_one)) - course_turn_one / 2);
    begin(rotation, 1);
    const Rotation turned = rotation_at(rotation, row.data(), turn_age_max);
    double square = 0;
    for (const double part : turned) square += part * part;
    EXPECT_NEAR(square, 1, 1e-12) << "seed 2, case " << i;
  }
}

// The same bits on every compiler and target.
TEST_F(CourseTest, TheseWordsHaveTheseValues) {
  row[position.first] = 51234;
  set(position, 0, 1234);
  set(position, 3, -7);
  begin(position, 3);
  row[rotation.first] = 2;
  row[rotation.first + 1] = 700;
  set(rotation, 0, 12345);
  set(rotation, 1, -54321);
  set(rotation, 2, 99999);
  begin(rotation, 3);
  std::array<std::uint32_t, 8> bits{};
  const Sailing value = at(40);
  std::memcpy(bits.data(), value.position.data(), 12);
  std::memcpy(bits.data() + 3, value.rotation.data(), 16);
  const std::array<std::uint32_t, 8> expected{1095835648, 0, 0, 1045150361, 3184028624, 3207692736, 1060078566, 0};
  EXPECT_EQ(bits, expected);
}

TEST_F(CourseTest, OtherSizesOrTolerancesHaveCoursesOfTheirOwn) {
  const auto mixed = mobula::test::load_schema(R"(
    struct P { a:double (dead_reckoning:"0.5"); b:float (dead_reckoning:"0.5"); c:float (dead_reckoning:"1"); d:float; }
    struct Mixed (component) { p:P (range:"-512 512", step:"0.5"); })");
  const RowCodec mixed_codec(*mixed->find("Mixed"));
  ASSERT_EQ(mixed_codec.courses().size(), 3u);
  EXPECT_EQ(mixed_codec.units().size(), 4u);
  for (const CourseUnit& unit : mixed_codec.courses()) EXPECT_EQ(unit.parts, 1);
  EXPECT_EQ(mixed_codec.courses()[0].part_bytes, 8);
  EXPECT_EQ(mixed_codec.courses()[2].tolerance_steps, 2u);
}

TEST_F(CourseTest, WordsBeyondTheirRangesAreNoCourse) {
  begin(depth, 1);
  Sailing value{};
  const auto is_value = [&] { return codec.to_component(row.data(), true, 5, test::bytes_of(value)); };
  EXPECT_FALSE(is_value()) << "a tick without a velocity";
  for (const std::int64_t wrong : {course_velocity_max + 1ll, -course_velocity_max - 1ll, -(1ll << 31)}) {
    set(depth, 0, static_cast<std::int32_t>(wrong));
    EXPECT_FALSE(is_value()) << wrong;
  }
  set(depth, 0, course_velocity_max);
  EXPECT_TRUE(is_value());
  begin(rotation, 1);
  for (std::uint32_t i = 0; i < 2; ++i) set(rotation, i, course_turn_one - 1);
  EXPECT_FALSE(is_value()) << "longer than a unit quaternion";
  set(rotation, 1, 0);
  EXPECT_TRUE(is_value());
}

}  // namespace
}  // namespace mobula::wire::course_test
