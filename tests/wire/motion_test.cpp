#include <gtest/gtest.h>

#include <cmath>
#include <mobula/core/random.hpp>
#include <mobula/wire/motion.hpp>
#include <string>
#include <wire/codec_world.hpp>

namespace mobula::wire {
namespace {

Unit vector_unit(std::uint16_t words, std::uint32_t max) {
  Unit unit{.kind = Unit::Kind::vector, .words = words};
  unit.max.fill(max);
  return unit;
}

Unit rotation_unit(std::uint32_t max) {
  Unit unit{.kind = Unit::Kind::rotation, .words = 4};
  unit.max = {3, max, max, max};
  return unit;
}

using Codes = std::array<std::uint32_t, 4>;
using Rotation = std::array<double, 4>;

double dot(const Rotation& a, const Rotation& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

Rotation normalised(Rotation q) {
  const double length = std::sqrt(dot(q, q));
  for (double& part : q) part /= length;
  return q;
}

Rotation random_rotation(core::Random& random) {
  Rotation q{};
  while (dot(q, q) < 0.1)
    for (double& part : q) part = static_cast<double>(random.uniform(-1, 1));
  return normalised(q);
}

// Multiplies by a rotation of `angle` about `axis`.
Rotation turned(const Rotation& q, const Rotation& axis, double angle) {
  const double s = std::sin(angle / 2);
  const double w = std::cos(angle / 2);
  const double x = axis[0] * s;
  const double y = axis[1] * s;
  const double z = axis[2] * s;
  return {q[3] * x + q[0] * w + q[1] * z - q[2] * y, q[3] * y - q[0] * z + q[1] * w + q[2] * x,
          q[3] * z + q[0] * y - q[1] * x + q[2] * w, q[3] * w - q[0] * x - q[1] * y - q[2] * z};
}

// Omits the greatest part, made positive. The unit of a code is the root of 1/2, divided by half of max.
Codes codes(Rotation q, std::uint32_t max) {
  std::uint32_t omitted = 0;
  for (std::uint32_t i = 1; i < 4; ++i)
    if (std::abs(q[i]) > std::abs(q[omitted])) omitted = i;
  Codes words{omitted};
  const double sign = q[omitted] < 0 ? -1 : 1;
  for (std::size_t i = 0, next = 1; i < 4; ++i)
    if (i != omitted)
      words[next++] = static_cast<std::uint32_t>(
          std::clamp(std::round((sign * q[i] * std::sqrt(2.0) + 1) / 2 * max), 0.0, static_cast<double>(max)));
  return words;
}

double angle_between(const RotationMotion& motion, const Rotation& q) {
  Rotation predicted{};
  for (std::size_t part = 0; part < 4; ++part) predicted[part] = static_cast<double>(motion.p[part]);
  return 2 * std::acos(std::min(1.0, std::abs(dot(normalised(predicted), q))));
}

// Error of the rest of a turn, which is exact to the fifth order of its angle.
double error_of_turn(double angle) { return 0.008 * std::pow(angle / 1.2, 5) + 1e-5; }

TEST(Motion, RootsAreTheGreatestWholeNumbersBelow) {
  for (std::uint64_t n = 0; n < 100000; ++n) {
    const std::uint64_t r = root(n);
    ASSERT_TRUE(r * r <= n && (r + 1) * (r + 1) > n) << n;
  }
  core::Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t r = random.next() >> (32 + random.below(32));
    if (r == 0) continue;
    ASSERT_EQ(root(r * r), r);
    ASSERT_EQ(root(r * r - 1), r - 1);
    ASSERT_EQ(root(r * r + 2 * r), r);
  }
}

TEST(Motion, AVectorKeepsItsVelocity) {
  core::Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const Unit unit = vector_unit(static_cast<std::uint16_t>(1 + random.below(4)), 0xffffffffu >> random.below(32));
    const Interval time{.age = random.below(motion_age_max + 1), .span = 1 + random.below(motion_span_max), .early = 0};
    Codes baseline{};
    Codes previous_baseline{};
    for (std::size_t word = 0; word < unit.words; ++word) {
      baseline[word] = test::any_below(random, unit.max[word]);
      previous_baseline[word] = test::near(random, baseline[word], unit.max[word]);
    }
    const VectorMotion motion = predict_vector(
        unit, {.baseline = baseline.data(), .previous_baseline = previous_baseline.data(), .time = time});
    ASSERT_FALSE(motion.steady) << "there is no early baseline";
    double speed = 0;
    for (std::size_t word = 0; word < unit.words; ++word) {
      const double step = static_cast<double>(baseline[word]) - static_cast<double>(previous_baseline[word]);
      const double there = static_cast<double>(baseline[word]) + std::floor(step * time.age / time.span + 0.5);
      ASSERT_EQ(motion.at[word],
                static_cast<std::uint32_t>(std::clamp(there, 0.0, static_cast<double>(unit.max[word]))));
      speed += std::floor(std::abs(step) * time.age / time.span);
    }
    ASSERT_EQ(static_cast<double>(motion.speed), speed);
  }
}

// Reference: in doubles, that divide exactly or round once.
TEST(Motion, ASteadyVectorFollowsTheEarlyBaseline) {
  core::Random random(6);
  int steady = 0;
  for (int i = 0; i < 100000; ++i) {
    const Unit unit = vector_unit(static_cast<std::uint16_t>(1 + random.below(4)), 100000);
    const std::uint32_t span = 1 + random.below(7);
    const Interval time{.age = 1 + random.below(16), .span = span, .early = span + 1 + random.below(8 - span)};
    Codes baseline{};
    Codes previous{};
    Codes early{};
    double away = 0;
    double way = 0;
    for (std::size_t word = 0; word < unit.words; ++word) {
      early[word] = 40000 + random.below(20000);
      baseline[word] = early[word] + random.below(200) - 100;
      const double step = static_cast<double>(baseline[word]) - static_cast<double>(early[word]);
      const double passed = baseline[word] + std::floor(-step * time.span / time.early + 0.5);
      previous[word] = static_cast<std::uint32_t>(passed) + random.below(4) - 1;
      away += std::abs(passed - previous[word]);
      way += std::abs(step);
    }
    const Baselines baselines{baseline.data(), previous.data(), early.data(), time};
    const VectorMotion motion = predict_vector(unit, baselines);
    ASSERT_EQ(motion.steady, away <= 2);
    ASSERT_EQ(motion.slow, away <= 2 && way < 24);
    steady += motion.steady ? 1 : 0;
    Baselines two = baselines;
    two.early_baseline = nullptr;
    two.previous_baseline = motion.steady ? early.data() : previous.data();
    two.time.span = motion.steady ? time.early : time.span;
    const VectorMotion line = predict_vector(unit, two);
    ASSERT_EQ(motion.at, line.at);
    ASSERT_EQ(motion.speed, motion.steady ? 0 : line.speed);
  }
  EXPECT_GT(steady, 10000);
  EXPECT_LT(steady, 90000);
}

// The error bound is the rounding of the codes, multiplied by age / span. The rest of a wide turn is a little off.
TEST(Motion, ARotationTurnsOnAsItTurned) {
  core::Random random(3);
  for (const std::uint32_t bits : {9u, 10u, 12u, 16u}) {
    const std::uint32_t max = (1u << bits) - (bits == 10 ? 2 : 1);
    const Unit unit = rotation_unit(max);
    for (int i = 0; i < 20000; ++i) {
      const Interval time{.age = 1 + random.below(8), .span = 1 + random.below(8), .early = 0};
      const Rotation start = random_rotation(random);
      Rotation axis = random_rotation(random);
      axis[3] = 0;
      if (dot(axis, axis) < 0.01) continue;
      axis = normalised(axis);
      const double speed = static_cast<double>(random.uniform(0, 1.2f));
      const Rotation then = turned(start, axis, speed);
      const Codes previous_baseline = codes(start, max);
      const Codes baseline = codes(then, max);
      if (baseline == previous_baseline) continue;
      const RotationMotion motion = predict_rotation(
          unit, {.baseline = baseline.data(), .previous_baseline = previous_baseline.data(), .time = time});
      ASSERT_FALSE(motion.steady) << "there is no early baseline";
      const double ratio = static_cast<double>(time.age) / time.span;
      ASSERT_LT(angle_between(motion, turned(then, axis, speed * ratio)), (4 + 10 * ratio) / max + error_of_turn(speed))
          << bits << " bits, " << i;
    }
  }
}

TEST(Motion, ASteadyRotationFollowsTheEarlyBaseline) {
  core::Random random(7);
  int steady = 0;
  int all = 0;
  for (const std::uint32_t bits : {9u, 10u, 12u, 16u}) {
    const std::uint32_t max = (1u << bits) - (bits == 10 ? 2 : 1);
    const Unit unit = rotation_unit(max);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t span = 1 + random.below(7);
      const Interval time{.age = 1 + random.below(8), .span = span, .early = span + 1 + random.below(8 - span)};
      const Rotation start = random_rotation(random);
      Rotation axis = random_rotation(random);
      axis[3] = 0;
      if (dot(axis, axis) < 0.01) continue;
      axis = normalised(axis);
      const double speed = static_cast<double>(random.uniform(0, 0.1f));
      const bool is_even = random.chance(1, 2);
      const Rotation kicked = is_even ? start : turned(start, axis, 0.5);
      const Rotation then = turned(start, axis, speed * time.early);
      const Codes early = codes(start, max);
      const Codes previous = codes(turned(kicked, axis, speed * (time.early - time.span)), max);
      const Codes baseline = codes(then, max);
      if (baseline == previous) continue;
      const RotationMotion motion = predict_rotation(unit, {baseline.data(), previous.data(), early.data(), time});
      ASSERT_TRUE(is_even || !motion.steady) << "an uneven turn is not steady";
      all += is_even ? 1 : 0;
      if (!motion.steady) continue;
      ++steady;
      ASSERT_EQ(motion.speed, 0u);
      const double ratio = static_cast<double>(time.age) / time.early;
      ASSERT_LT(angle_between(motion, turned(then, axis, speed * time.age)),
                (4 + 10 * ratio) / max + error_of_turn(speed * time.early))
          << bits << " bits, " << i;
    }
  }
  EXPECT_GT(steady, all / 2);
}

TEST(Motion, CodesOfARotationAreThoseOfTheSameRotation) {
  core::Random random(4);
  for (const std::uint32_t max : {2u, 3u, 6u, 510u, 511u, 1022u, 65534u, 65535u}) {
    const Unit unit = rotation_unit(max);
    for (int i = 0; i < 5000; ++i) {
      const Codes words = codes(random_rotation(random), max);
      const RotationMotion still = motion_at_rest(unit, words.data());
      ASSERT_EQ(still.speed, 0u);
      const auto again = codes_of(still, words[0], max);
      for (std::size_t part = 0; part < 3; ++part)
        ASSERT_LE(std::abs(static_cast<int>(again[part]) - static_cast<int>(words[part + 1])), 1);
      for (std::uint32_t omitted = 0; omitted < 4; ++omitted)
        for (const std::uint32_t code : codes_of(still, omitted, max)) ASSERT_LE(code, max);
    }
  }
}

// The sanitizers report a sum that overflows; hostile bits may be any.
TEST(Motion, NoCodesAreTooExtreme) {
  core::Random random(5);
  for (const std::uint32_t max : {2u, 3u, 65534u, 65535u}) {
    const Unit unit = rotation_unit(max);
    for (int i = 0; i < 40000; ++i) {
      Codes baseline{random.below(4)};
      Codes previous_baseline{random.below(4)};
      Codes early_baseline{random.below(4)};
      for (std::size_t part = 1; part < 4; ++part) {
        baseline[part] = test::any_below(random, max);
        for (Codes* each : {&previous_baseline, &early_baseline})
          (*each)[part] = random.chance(1, 3) ? test::any_below(random, max) : test::near(random, baseline[part], max);
      }
      Interval time{.age = random.chance(1, 2) ? motion_age_max : random.below(motion_age_max + 1),
                    .span = random.chance(1, 2) ? 1 : 1 + random.below(motion_span_max),
                    .early = 0};
      time.early = time.span + 1 + random.below(7);
      const RotationMotion motion = predict_rotation(
          unit,
          {baseline.data(), previous_baseline.data(), random.chance(1, 2) ? early_baseline.data() : nullptr, time});
      for (const std::int64_t part : motion.p) ASSERT_LT(std::abs(part), std::int64_t{1} << 30);
      for (std::uint32_t omitted = 0; omitted < 4; ++omitted)
        for (const std::uint32_t code : codes_of(motion, omitted, max)) ASSERT_LE(code, max);
    }
  }
}

TEST(Motion, TheFirstOfEqualPartsIsTurned) {
  const Unit unit = rotation_unit(6);
  const Codes halves{3, 6, 6, 3};  // x = y = the root of 1/2
  EXPECT_EQ(motion_at_rest(unit, halves.data()).turned, 0u);
}

TEST(Motion, IsTheseNumbers) {
  const Codes previous_baseline{3, 511, 511, 511};
  const Codes baseline{3, 511, 611, 511};
  const RotationMotion motion = predict_rotation(
      rotation_unit(1022),
      {.baseline = baseline.data(), .previous_baseline = previous_baseline.data(), .time = {.age = 5, .span = 2}});
  EXPECT_EQ(motion.p, (std::array<std::int64_t, 4>{0, 10844, 0, 20531}));
  EXPECT_EQ(motion.speed, 267u);
}

}  // namespace
}  // namespace mobula::wire
