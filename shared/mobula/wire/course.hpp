// Dead reckoning: a value that keeps its course is not sent. The state of a unit is a course, from which both sides
// compute the value of each tick. The publisher begins a new course when the value differs by more than the tolerance
// of the schema.
//
//   course of a vector of n numbers      its n words at tick k; n velocities, n accelerations, k
//   course of a rotation                 its 4 words at tick k; 3 parts of the turn per tick, k
//
//   velocity        in 1/32 steps per tick, signed
//   acceleration    in 1/32 steps per tick and tick, signed
//   turn            x, y, z of the quaternion r by which the rotation turns in a tick, in 1/2^20;
//                   its w is sqrt(1 - x x - y y - z z)
//   at age a = tick - k
//     number        (32 word + velocity a + acceleration a (a + 1) / 2) / 32 steps, limited to 0 and the greatest word
//     rotation      r to the power of a, times q, as doubles: q is that of the words
//
// Powers of r have its axis. So each is a pair: (c, d) is the quaternion c + d (x, y, z), and r itself is (w, 1).
//
//     s               x x + y y + z z
//     product         (c, d) (C, D) = (c C - s d D, d C + c D)
//     r^16            r squared 4 times
//     power at age a  (1, 0), multiplied first a / 16 times with r^16, then a mod 16 times with r
//     rotation        c q + d p, where p is the quaternion product of (x, y, z, 0) and q
//
// The age is at least 0, and at most path_age_max or turn_age_max: then the value stands still. A unit at rest has
// zeros after its words, and k = 0. So its state depends on the value alone.
//
// Clients in any language compute the same bits, with integers and with doubles. Sums, products and square roots are in
// the order of the code, without fused multiply-add. A value depends on its course alone, and on no value before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mobula/ecs/pool.hpp>
#include <mobula/reflect/quantise.hpp>

namespace mobula::wire {

inline constexpr std::int64_t course_fraction = 32;           // a velocity of 1 is this part of a step
inline constexpr std::int32_t course_velocity_max = 1 << 26;  // limit of velocities and accelerations
inline constexpr std::int32_t course_turn_one = 1 << 20;      // a turn's part of 1
inline constexpr ecs::Tick path_age_max = 1u << 14;
inline constexpr ecs::Tick turn_age_max = 1u << 8;

/// Quaternion x, y, z, w.
using Rotation = std::array<double, 4>;

/// Power of a turn: the quaternion cosine + sine (x, y, z). x, y, z are the parts of the turn.
struct TurnPower {
  double cosine = 1;
  double sine = 0;
};
inline constexpr ecs::Tick turn_stride = 16;
static_assert(turn_age_max % turn_stride == 0);

/// Constants from which a course of a rotation is computed.
struct Turn {
  Rotation rotation{};  // at age 0
  Rotation across{};    // (x, y, z, 0) times rotation
  double square = 0;    // x x + y y + z z
  TurnPower one{};      // the turn
  TurnPower stride{};   // the turn to the power of turn_stride
};

/// A unit of a row that follows a course, with what converts its words to the fields of the component.
struct CourseUnit {
  bool turns = false;             // a rotation
  bool for_others = false;        // the owner receives the exact value instead
  std::uint8_t parts = 0;         // numbers of a vector; 4 words of a rotation
  std::uint8_t part_bytes = 4;    // bytes of a float in the component
  std::uint16_t first = 0;        // first word of the value in the row
  std::uint16_t course = 0;       // first word of the velocity or the turn in the row
  std::uint16_t first_field = 0;  // place of the first number, or of the quaternion, in the codec's fields
  std::uint32_t bits = 0;         // bits of each part of a rotation
  double tolerance = 0;
  std::uint32_t tolerance_steps = 1;       // rounded up
  std::array<std::uint32_t, 4> offsets{};  // places of the numbers in the component; [0]: that of the quaternion
  std::array<std::uint64_t, 4> max{};      // greatest word of each number
  std::array<reflect::Quantiser, 4> quantisers{};

  /// Returns the number of fields of the value.
  [[nodiscard]] std::uint32_t fields() const { return turns ? 1 : parts; }
  /// Returns the number of velocities, or of parts of the turn.
  [[nodiscard]] std::uint32_t velocities() const { return turns ? 3 : parts; }
  /// Returns the age at which a course is over.
  [[nodiscard]] ecs::Tick age_max() const { return turns ? turn_age_max : path_age_max; }
  /// Returns the number of words after those of the value.
  [[nodiscard]] std::uint32_t course_words() const { return turns ? 4 : 2u * parts + 1; }
  /// Returns the place of a number, or of a part of the quaternion, in the component.
  [[nodiscard]] std::uint32_t part_offset(std::uint32_t part) const {
    return turns ? offsets[0] + part * part_bytes : offsets[part];
  }
  /// Returns the word of the row that holds k.
  [[nodiscard]] std::uint32_t tick_word() const { return course + course_words() - 1; }
};

/// Returns whether the state is not at rest. `row` are the words of the component.
[[nodiscard]] bool is_under_way(const CourseUnit& unit, const std::uint32_t* row);
/// Returns whether two rows have the same state of a unit.
[[nodiscard]] bool has_same_course(const CourseUnit& unit, const std::uint32_t* row, const std::uint32_t* other);
/// Returns the age of the course at a tick, limited to what the course lasts.
[[nodiscard]] ecs::Tick course_age(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick);
/// Returns number `part` of a vector at an age, in 1/32 steps.
[[nodiscard]] std::int64_t path_at(const CourseUnit& unit, const std::uint32_t* row, std::uint32_t part, ecs::Tick age);
/// Returns a rotation at an age.
[[nodiscard]] Rotation rotation_at(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick age);
/// Returns the constants from which the course of a rotation is computed.
[[nodiscard]] Turn turn_of(const CourseUnit& unit, const std::uint32_t* row);
/// Returns the quaternion product.
[[nodiscard]] Rotation multiply(const Rotation& a, const Rotation& b);
/// Returns the product of two powers of one turn. `square` is Turn::square.
[[nodiscard]] constexpr TurnPower multiply(const TurnPower& a, const TurnPower& b, double square) {
  return {a.cosine * b.cosine - square * a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine};
}
/// Returns the power of turn_stride at the last age before `age`, or at it, that is a multiple of turn_stride.
[[nodiscard]] TurnPower stride_at(const Turn& turn, ecs::Tick age);
/// Returns the power that begins with stride_at() and ends at an age.
[[nodiscard]] TurnPower power_from(const Turn& turn, TurnPower stride, ecs::Tick age);

/// Writes the value at a tick to the fields of a component.
void write_course_value(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick, std::byte* component);

/// Returns whether the unit is under way since a tick, and velocities, accelerations or the turn are within their
/// ranges.
[[nodiscard]] bool is_course(const CourseUnit& unit, const std::uint32_t* row);

}  // namespace mobula::wire
