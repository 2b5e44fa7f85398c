// Bits of a course besides its value: its beginning, velocity and acceleration (entity_codec.hpp). Writing and reading
// share the code. `Io` is that of entity_bits.hpp; `row` are the words of the component.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mobula/wire/course.hpp>
#include <span>

namespace mobula::wire {

inline constexpr unsigned course_group_width_bits = 5;

/// Codes the tick at which a course began. Returns it.
template <class Io, class Word>
ecs::Tick code_course_begin(Io& io, const CourseUnit& unit, ecs::Tick tick, Word* row) {
  std::uint32_t age = 0;
  if constexpr (!Io::reads) age = tick - row[unit.tick_word()];
  io.golomb(age, 0);
  if constexpr (Io::reads) {
    if (age >= tick || age > path_age_max) io.fail();
    row[unit.tick_word()] = tick - age;
  }
  return row[unit.tick_word()];
}

/// Codes the differences of `predicted.size()` words from word `first` on.
template <class Io, class Word>
void code_course_group(Io& io, std::span<const std::int64_t> predicted, Word* first) {
  std::array<std::int64_t, 4> differences{};
  std::uint32_t width = 0;
  if constexpr (!Io::reads) {
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      differences[i] = static_cast<std::int32_t>(first[i]) - predicted[i];
      const auto distance = static_cast<std::uint64_t>(std::abs(differences[i]));
      width = std::max(width, static_cast<std::uint32_t>(std::bit_width(distance)));
    }
  }
  io.bits(width, course_group_width_bits);
  for (std::size_t i = 0; i < predicted.size() && width > 0; ++i) {
    auto distance = static_cast<std::uint32_t>(std::abs(differences[i]));
    io.bits(distance, width);
    differences[i] = io.flag(differences[i] < 0) ? -std::int64_t{distance} : std::int64_t{distance};
  }
  if constexpr (Io::reads)
    for (std::size_t i = 0; i < predicted.size(); ++i)
      first[i] = static_cast<std::uint32_t>(predicted[i] + differences[i]);
}

/// Codes velocities and accelerations, or a turn. `from` has the baseline's course, which is `age` ticks old when this
/// one begins; null in a full state.
template <class Io, class Word>
void code_course_motion(Io& io, const CourseUnit& unit, const std::uint32_t* from, ecs::Tick age, Word* row) {
  const std::uint32_t count = unit.velocities();
  std::array<std::int64_t, 4> before{};
  std::array<std::int64_t, 4> pull{};
  for (std::uint32_t i = 0; i < count && from != nullptr; ++i) {
    before[i] = static_cast<std::int32_t>(from[unit.course + i]);
    if (unit.turns) continue;
    pull[i] = static_cast<std::int32_t>(from[unit.course + count + i]);
    before[i] = std::clamp<std::int64_t>(before[i] + pull[i] * age, -course_velocity_max, course_velocity_max);
  }
  code_course_group(io, std::span(before.data(), count), row + unit.course);
  if (!unit.turns) {
    bool accelerated = false;
    if constexpr (!Io::reads)
      for (std::uint32_t i = 0; i < count; ++i) accelerated |= row[unit.course + count + i] != 0;
    if (io.flag(accelerated)) code_course_group(io, std::span(pull.data(), count), row + unit.course + count);
  }
  if constexpr (Io::reads)
    if (!is_course(unit, row)) io.fail();
}

}  // namespace mobula::wire
