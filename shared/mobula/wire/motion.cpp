#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mobula/core/assert.hpp>
#include <mobula/wire/motion.hpp>

namespace mobula::wire {
namespace {

constexpr std::int64_t scale = 64;

using Quaternion = std::array<std::int64_t, 4>;

// Returns n / d, rounded to the nearest, ties up. d > 0.
std::int64_t round_div(std::int64_t n, std::int64_t d) {
  const std::int64_t twice = 2 * n + d;
  const std::int64_t quotient = twice / (2 * d);
  return twice % (2 * d) < 0 ? quotient - 1 : quotient;
}

std::int64_t dot(const Quaternion& a, const Quaternion& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += a[i] * b[i];
  return sum;
}

Quaternion unpack(const std::uint32_t* words, std::int64_t max) {
  Quaternion q{};
  std::int64_t left = 2 * max * max;
  const std::uint32_t omitted = words[0] & 3;  // a damaged mirror may have more; verification corrects it
  for (std::size_t i = 0, next = 1; i < 4; ++i) {
    if (i == omitted) continue;
    q[i] = 2 * static_cast<std::int64_t>(words[next++]) - max;
    left -= q[i] * q[i];
  }
  q[omitted] = static_cast<std::int64_t>(root(static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0))));
  return q;
}

std::uint32_t greatest(const Quaternion& q) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 1; i < 4; ++i)
    if (std::abs(q[i]) > std::abs(q[found])) found = i;
  return found;
}

}  // namespace

std::uint64_t root(std::uint64_t n) {
  auto r = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (r * r > n) --r;
  while ((r + 1) * (r + 1) <= n) ++r;
  return r;
}

VectorMotion predict_vector(const Unit& unit, const std::uint32_t* baseline, const std::uint32_t* previous_baseline,
                            Interval time) {
  VectorMotion motion;
  for (std::size_t i = 0; i < unit.words; ++i) {
    const std::int64_t step = static_cast<std::int64_t>(baseline[i]) - static_cast<std::int64_t>(previous_baseline[i]);
    const std::int64_t there = static_cast<std::int64_t>(baseline[i]) + round_div(step * time.age, time.span);
    motion.at[i] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(there, 0, unit.max[i]));
    motion.speed += static_cast<std::uint64_t>(std::abs(step)) * time.age / time.span;
  }
  return motion;
}

RotationMotion predict_rotation(const Unit& unit, const std::uint32_t* baseline, const std::uint32_t* previous_baseline,
                                Interval time) {
  RotationMotion motion;
  const std::int64_t max = unit.max[1];
  const Quaternion q1 = unpack(baseline, max);
  for (std::size_t i = 0; i < 4; ++i) motion.p[i] = scale * q1[i];
  if (previous_baseline != nullptr) {
    Quaternion q2 = unpack(previous_baseline, max);
    std::int64_t turn = dot(q1, q2);
    if (turn < 0) {
      turn = -turn;
      for (std::int64_t& part : q2) part = -part;
    }
    const std::int64_t whole = std::max<std::int64_t>(dot(q1, q1), 1);
    turn = std::min(turn, whole);
    Quaternion before{};
    for (std::size_t i = 0; i < 4; ++i) {
      before[i] = scale * q2[i];
      motion.speed += static_cast<std::uint64_t>(std::abs(q1[i] - q2[i])) * time.age / time.span / 2;
    }
    for (std::uint32_t step = 0; step < time.age / time.span; ++step) {
      const Quaternion now = motion.p;
      for (std::size_t i = 0; i < 4; ++i) motion.p[i] = round_div(2 * turn * now[i], whole) - before[i];
      before = now;
    }
    const std::uint32_t part = time.age % time.span;
    for (std::size_t i = 0; part > 0 && i < 4; ++i)
      motion.p[i] += round_div((motion.p[i] - before[i]) * part, time.span);
  }
  motion.turned = greatest(motion.p);
  return motion;
}

RotationMotion motion_at_rest(const std::array<double, 4>& rotation) {
  RotationMotion motion;
  for (std::size_t i = 0; i < 4; ++i)
    motion.p[i] = static_cast<std::int64_t>(std::floor(rotation[i] * (1 << 20) + 0.5));
  motion.turned = greatest(motion.p);
  return motion;
}

std::array<std::uint32_t, 3> codes_of(const RotationMotion& motion, std::uint32_t omitted, std::uint32_t max) {
  const std::int64_t wide = max;
  const auto length = static_cast<std::int64_t>(root(static_cast<std::uint64_t>(dot(motion.p, motion.p))));
  const auto wanted = static_cast<std::int64_t>(root(static_cast<std::uint64_t>(2 * wide * wide)));
  const std::int64_t sign = motion.p[omitted] < 0 ? -1 : 1;
  std::array<std::uint32_t, 3> codes{};
  for (std::size_t i = 0, next = 0; i < 4; ++i) {
    if (i == omitted) continue;
    const std::int64_t part = round_div(motion.p[i] * sign * wanted, std::max<std::int64_t>(length, 1));
    codes[next++] = static_cast<std::uint32_t>(std::clamp<std::int64_t>((part + wide) >> 1, 0, wide));
  }
  return codes;
}

}  // namespace mobula::wire
