// Where a vector or a rotation should be by now, if it went on as it did between two states that both sides know: b2,
// and b1 `span` ticks later. `age` ticks have passed since b1.
//
// Whole numbers only, so that every client in any language predicts the same. All divisions are by positive numbers and
// round down; round(n, d) is (2n + d) / 2d. Nothing passes 63 bits: with parts of 16 bits, age 16
// and span 1 the products with p come nearest, 8.1 * 2^60 at most.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/wire/row_codec.hpp>

namespace mobula::wire {

// Beyond these nothing is predicted: it stands where it was at b1.
inline constexpr std::uint32_t motion_age_max = 16;
inline constexpr std::uint32_t motion_span_max = 16;

struct Interval {
  std::uint32_t age = 1;
  std::uint32_t span = 0;  // 0: there is no b2
};

// vector:   at[i] = b1[i] + round((b1[i] - b2[i]) * age, span), within 0 .. max[i]
//           speed = sum of |b1[i] - b2[i]| * age / span
//
// rotation: a quaternion q of whole numbers: of a part with code c, 2c - max; of the one left out, the root of what is
//           left of 2 * max * max; q2 = -q2 if q1 * q2 < 0.
//           p = 64 * q1, before it 64 * q2; age / span times: next p = round(2 (q1 * q2) p, q1 * q1) - p before it
//           (q1 * q2 at most q1 * q1); then p += round((p - p before it) * (age % span), span)
//           turned: the greatest |p[i]|, the first of equals
//           speed = sum of |q1[i] - q2[i]| * age / span / 2, each divided by itself
struct VectorMotion {
  std::array<std::uint32_t, 4> at{};
  std::uint64_t speed = 0;
};
struct RotationMotion {
  std::array<std::int64_t, 4> p{};
  std::uint32_t turned = 0;
  std::uint64_t speed = 0;
};

VectorMotion predict_vector(const Unit& unit, const std::uint32_t* b1, const std::uint32_t* b2, Interval time);
// `b2` may be null: then p = 64 * q1, at rest.
RotationMotion predict_rotation(const Unit& unit, const std::uint32_t* b1, const std::uint32_t* b2, Interval time);
// The codes of the three parts besides `omitted`: of p, made so long that its square is 2 * max * max, and so turned
// that p[omitted] is not negative: (round(part, length) + max) / 2 within 0 .. max.
std::array<std::uint32_t, 3> codes_of(const RotationMotion& motion, std::uint32_t omitted, std::uint32_t max);

// The greatest whole number whose square is not above n.
std::uint64_t root(std::uint64_t n);

}  // namespace mobula::wire
