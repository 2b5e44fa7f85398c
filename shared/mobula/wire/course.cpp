#include <algorithm>
#include <cmath>
#include <mobula/core/bytes.hpp>
#include <mobula/wire/course.hpp>
#include <mobula/wire/field_words.hpp>

namespace mobula::wire {
namespace {

std::int64_t signed_word(std::uint32_t word) { return static_cast<std::int32_t>(word); }

double square_of_parts(const CourseUnit& unit, const std::uint32_t* row) {
  double square = 0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const double part = static_cast<double>(signed_word(row[unit.course + i])) / course_turn_one;
    square += part * part;
  }
  return square;
}

template <class Float>
void write_path(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick age, std::byte* component) {
  for (std::uint32_t i = 0; i < unit.parts; ++i) {
    const double steps = static_cast<double>(path_at(unit, row, i, age)) / course_fraction;
    core::store(component + unit.offsets[i], static_cast<Float>(unit.quantisers[i].value_between(steps)));
  }
}

}  // namespace

bool is_under_way(const CourseUnit& unit, const std::uint32_t* row) {
  const std::uint32_t* const course = row + unit.course;
  return std::any_of(course, course + unit.course_words() - 1, [](std::uint32_t word) { return word != 0; });
}

bool has_same_course(const CourseUnit& unit, const std::uint32_t* row, const std::uint32_t* other) {
  const auto equal = [&](std::uint32_t first, std::uint32_t count) {
    return std::equal(row + first, row + first + count, other + first);
  };
  return equal(unit.first, unit.parts) && equal(unit.course, unit.course_words());
}

ecs::Tick course_age(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick) {
  const ecs::Tick began = row[unit.tick_word()];
  return began == 0 || tick <= began ? 0 : std::min(tick - began, unit.age_max());
}

std::int64_t path_at(const CourseUnit& unit, const std::uint32_t* row, std::uint32_t part, ecs::Tick age) {
  const std::int64_t a = age;
  const std::int64_t velocity = signed_word(row[unit.course + part]);
  const std::int64_t acceleration = signed_word(row[unit.course + unit.parts + part]);
  const std::int64_t at = course_fraction * row[unit.first + part] + velocity * a + acceleration * (a * (a + 1) / 2);
  return std::clamp<std::int64_t>(at, 0, course_fraction * static_cast<std::int64_t>(unit.max[part]));
}

Rotation multiply(const Rotation& a, const Rotation& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

Turn turn_of(const CourseUnit& unit, const std::uint32_t* row) {
  Turn turn{.rotation = rotation_of_words(row + unit.first, unit.bits), .square = square_of_parts(unit, row)};
  Rotation axis{};
  for (std::uint32_t i = 0; i < 3; ++i)
    axis[i] = static_cast<double>(signed_word(row[unit.course + i])) / course_turn_one;
  turn.across = multiply(axis, turn.rotation);
  turn.one = turn.stride = {std::sqrt(std::max(0.0, 1 - turn.square)), 1};
  for (ecs::Tick age = 1; age < turn_stride; age *= 2) turn.stride = multiply(turn.stride, turn.stride, turn.square);
  return turn;
}

TurnPower stride_at(const Turn& turn, ecs::Tick age) {
  TurnPower power;
  for (ecs::Tick i = 0; i < age / turn_stride; ++i) power = multiply(power, turn.stride, turn.square);
  return power;
}

TurnPower power_from(const Turn& turn, TurnPower stride, ecs::Tick age) {
  for (ecs::Tick i = 0; i < age % turn_stride; ++i) stride = multiply(stride, turn.one, turn.square);
  return stride;
}

Rotation rotation_at(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick age) {
  const Turn turn = turn_of(unit, row);
  const TurnPower power = power_from(turn, stride_at(turn, age), age);
  Rotation rotation{};
  for (std::size_t i = 0; i < 4; ++i) rotation[i] = power.cosine * turn.rotation[i] + power.sine * turn.across[i];
  return rotation;
}

void write_course_value(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick, std::byte* component) {
  const ecs::Tick age = course_age(unit, row, tick);
  if (!unit.turns)
    return unit.part_bytes == sizeof(float) ? write_path<float>(unit, row, age, component)
                                            : write_path<double>(unit, row, age, component);
  const Rotation rotation = rotation_at(unit, row, age);
  std::array<float, 4> parts{};
  for (std::size_t i = 0; i < 4; ++i) parts[i] = static_cast<float>(rotation[i]);
  core::store(component + unit.offsets[0], parts);
}

bool is_course(const CourseUnit& unit, const std::uint32_t* row) {
  if (row[unit.tick_word()] == 0 || !is_under_way(unit, row)) return false;
  const auto within = [&](std::uint32_t word, std::int64_t max) { return std::abs(signed_word(word)) <= max; };
  const std::uint32_t* const course = row + unit.course;
  if (!unit.turns)
    return std::all_of(course, course + 2 * unit.parts,
                       [&](std::uint32_t word) { return within(word, course_velocity_max); });
  return std::all_of(course, course + 3, [&](std::uint32_t word) { return within(word, course_turn_one); }) &&
         square_of_parts(unit, row) <= 1;
}

}  // namespace mobula::wire
