// Extrapolates vectors and rotations from states that both sides have, to `age` ticks after the baseline. The previous
// baseline is `span` ticks before the baseline. The early baseline, if there is one, is `early` ticks before it.
//
// Motion is steady if the line, or the turn, from the early baseline to the baseline passes the previous baseline. Then
// the early one gives the velocity, as its rounding counts less. Otherwise the previous one does, as it is recent.
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
// Greatest sum of distances between the path and the words of the previous baseline, if the motion is steady.
inline constexpr std::uint64_t steady_vector_max = 2;
inline constexpr std::uint64_t slow_vector_end = 24;
inline constexpr std::uint64_t steady_rotation_max = 2;

/// Ticks between the states.
struct Interval {
  std::uint32_t age = 1;    // from the baseline to the predicted state
  std::uint32_t span = 0;   // from the previous baseline to the baseline; 0 if there is no previous one
  std::uint32_t early = 0;  // from the early baseline to the baseline, more than `span`; 0 if there is no early one
};

/// States that a delta is encoded against.
struct Baselines {
  const std::uint32_t* baseline = nullptr;
  const std::uint32_t* previous_baseline = nullptr;  // null if there is none
  const std::uint32_t* early_baseline = nullptr;     // null if there is none
  Interval time{};

  /// Returns the same states from a word on. There is a previous one.
  [[nodiscard]] Baselines from(std::uint32_t word) const {
    return {baseline + word, previous_baseline + word, early_baseline == nullptr ? nullptr : early_baseline + word,
            time};
  }
};

/// Prediction of a vector. Baseline b, and c, `span` ticks before it, are on a line:
///   at(ticks)[i] = b[i] + round((b[i] - c[i]) * ticks, span)
/// c is the early baseline if at(-previous span) differs from the previous baseline by at most steady_vector_max in
/// all. Otherwise c is the previous baseline.
///   at = at(age), within 0 .. max[i]
///   speed = sum of |b[i] - c[i]| * age / span; 0 if steady
///   slow: steady, and the sum of |b[i] - c[i]| is below slow_vector_end
struct VectorMotion {
  std::array<std::uint32_t, 4> at{};
  std::uint64_t speed = 0;
  bool steady = false;
  bool slow = false;
};
/// Prediction of a rotation. q1 is the quaternion of the baseline, q2 that of another one `span` ticks before it, both
/// of integers. A part with code n is 2n - max. The omitted part is the root of what is left of 2 * max * max. If q1 *
/// q2 is below 0, q2 = -q2. Then turn = q1 * q2, at most whole = q1 * q1. The path after `ticks`:
///   p = 64 * q1, before it 64 * q2; ticks / span times: next p = round(2 turn p, whole) - p before it
///   with the rest of ticks, part, if it is not 0:
///     lag = (whole - turn) * 2^28 / whole
///     bend = (15 span^2 lag + lag * lag / 2^28 * (2 part + 3 span) * (part + 2 span)) * (2 part + span) / (45 span^3)
///     p = ((span + part) * p - part * (p before it + p before it * bend / 2^28)) / 8
/// A line through p before it and p would leave the turn. With `bend` it holds to the fifth order of the angle.
///
/// q2 is of the early baseline if the path passes the previous baseline. There its codes may differ by at most
/// steady_rotation_max in all. Otherwise q2 is of the previous baseline.
///   turned: the greatest |p[i]|, the first of equals
///   speed = sum of |q1[i] - q2[i]| * age / span / 2, each term divided on its own; 0 if steady
struct RotationMotion {
  std::array<std::int64_t, 4> p{};
  std::uint32_t turned = 0;
  std::uint64_t speed = 0;
  bool steady = false;
};

/// Predicts a vector. There is a previous baseline.
VectorMotion predict_vector(const Unit& unit, const Baselines& baselines);
/// Predicts a rotation. There is a previous baseline.
RotationMotion predict_rotation(const Unit& unit, const Baselines& baselines);
/// Returns the rotation of these words, at rest: p = 64 * q1.
RotationMotion motion_at_rest(const Unit& unit, const std::uint32_t* words);
/// Returns a rotation that is given as doubles, at rest: p[i] = floor(2^20 rotation[i] + 1/2).
RotationMotion motion_at_rest(const std::array<double, 4>& rotation);
/// Returns the codes of the three parts other than `omitted`. First scales p to the square 2 * max * max, and negates
/// it if p[omitted] is negative. A code is (round(part, length) + max) / 2 within 0 .. max.
std::array<std::uint32_t, 3> codes_of(const RotationMotion& motion, std::uint32_t omitted, std::uint32_t max);

/// Returns the greatest integer whose square is not above n.
std::uint64_t root(std::uint64_t n);

}  // namespace mobula::wire
