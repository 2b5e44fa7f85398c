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
//     rotation      q, multiplied a times from the left with r, as doubles
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

/// A unit of a row that follows a course, with what converts its words to the fields of the component.
struct CourseUnit {
  bool turns = false;             // a rotation
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
  /// Returns the number of words after those of the value.
  [[nodiscard]] std::uint32_t course_words() const { return turns ? 4 : 2u * parts + 1; }
  /// Returns the word of the row that holds k.
  [[nodiscard]] std::uint32_t tick_word() const { return course + course_words() - 1; }
};

/// Returns whether the state is not at rest. `row` are the words of the component.
[[nodiscard]] bool is_under_way(const CourseUnit& unit, const std::uint32_t* row);
/// Returns the age of the course at a tick, limited to what the course lasts.
[[nodiscard]] ecs::Tick course_age(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick);
/// Returns number `part` of a vector at an age, in 1/32 steps.
[[nodiscard]] std::int64_t path_at(const CourseUnit& unit, const std::uint32_t* row, std::uint32_t part, ecs::Tick age);
/// Returns a rotation at an age. Takes time for the age.
[[nodiscard]] Rotation rotation_at(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick age);
/// Returns the rotation of a turn, by which the course turns in a tick.
[[nodiscard]] Rotation turn_of(const CourseUnit& unit, const std::uint32_t* row);
/// Returns the quaternion product.
[[nodiscard]] Rotation multiply(const Rotation& a, const Rotation& b);

/// Writes the value at a tick to the fields of a component.
void write_course_value(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick, std::byte* component);

/// Writes a rotation to the field of a component.
void write_rotation(const CourseUnit& unit, const Rotation& rotation, std::byte* component);

/// Returns whether the unit is under way since a tick, and velocities, accelerations or the turn are within their
/// ranges.
[[nodiscard]] bool is_course(const CourseUnit& unit, const std::uint32_t* row);

}  // namespace mobula::wire
