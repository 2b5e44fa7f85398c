// Extrapolates vectors and rotations from two states that both sides have: the previous baseline, and the baseline
// `span` ticks later. The prediction is for `age` ticks after the baseline.
//
// All arithmetic is on integers, so that every client in any language predicts the same. All divisions are by positive
// numbers and round down; round(n, d) is (2n + d) / 2d. Nothing exceeds 63 bits: with parts of 16 bits, age 16 and span
// 1 the products with p are largest, 8.1 * 2^60 at most.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/wire/row_codec.hpp>

namespace mobula::wire {

// Beyond these limits nothing is extrapolated: the baseline is the prediction.
inline constexpr std::uint32_t motion_age_max = 16;
inline constexpr std::uint32_t motion_span_max = 16;

/// Ticks between the states.
struct Interval {
  std::uint32_t age = 1;   // from the baseline to the predicted state
  std::uint32_t span = 0;  // from the previous baseline to the baseline; 0 if there is no previous one
};

/// Prediction of a vector, from baseline b and previous baseline c:
///   at[i] = b[i] + round((b[i] - c[i]) * age, span), within 0 .. max[i]
///   speed = sum of |b[i] - c[i]| * age / span
struct VectorMotion {
  std::array<std::uint32_t, 4> at{};
  std::uint64_t speed = 0;
};
/// Prediction of a rotation. q1 is the quaternion of the baseline, q2 that of the previous baseline, both of integers.
/// A part with code n is 2n - max. The omitted part is the root of what is left of 2 * max * max. q2 = -q2 if q1 * q2 <
/// 0.
///   p = 64 * q1, before it 64 * q2; age / span times: next p = round(2 (q1 * q2) p, q1 * q1) - p before it
///       (q1 * q2 at most q1 * q1); then p += round((p - p before it) * (age % span), span)
///   turned: the greatest |p[i]|, the first of equals
///   speed = sum of |q1[i] - q2[i]| * age / span / 2, each term divided on its own
struct RotationMotion {
  std::array<std::int64_t, 4> p{};
  std::uint32_t turned = 0;
  std::uint64_t speed = 0;
};

/// Predicts a vector.
VectorMotion predict_vector(const Unit& unit, const std::uint32_t* baseline, const std::uint32_t* previous_baseline,
                            Interval time);
/// Predicts a rotation. If `previous_baseline` is null, p = 64 * q1, at rest.
RotationMotion predict_rotation(const Unit& unit, const std::uint32_t* baseline, const std::uint32_t* previous_baseline,
                                Interval time);
/// Returns a rotation that is given as doubles, at rest: p[i] = floor(2^20 rotation[i] + 1/2).
RotationMotion motion_at_rest(const std::array<double, 4>& rotation);
/// Returns the codes of the three parts other than `omitted`. First scales p to the square 2 * max * max, and negates
/// it if p[omitted] is negative. A code is (round(part, length) + max) / 2 within 0 .. max.
std::array<std::uint32_t, 3> codes_of(const RotationMotion& motion, std::uint32_t omitted, std::uint32_t max);

/// Returns the greatest integer whose square is not above n.
std::uint64_t root(std::uint64_t n);

}  // namespace mobula::wire
