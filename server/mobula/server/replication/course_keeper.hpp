// Chooses the courses of published units (wire/course.hpp).
//
// The velocity of a course is the one that the game gives, else the last difference of the true values: more
// differences would be older. Its acceleration is the last difference of velocities, if it was about the same a tick
// before. So it has those of throws and steady forces, but no collision.
#pragma once

#include <array>
#include <mobula/wire/course.hpp>
#include <optional>

namespace mobula::server {

/// Velocity of a unit: steps per tick of each number, or the turn per tick.
using CourseSpeed = std::array<double, 4>;

/// True values of a unit in the last ticks, and the velocities that the game gave with them.
struct CourseTruth {
  static constexpr std::uint32_t ticks = 4;
  static constexpr std::uint32_t speeds = ticks - 1;

  std::array<std::array<double, 4>, ticks> at{};           // numbers, or parts of a rotation; [0]: now, [1]: a tick ago
  std::uint32_t differences = 0;                           // number of differences before the last one; 0 after a spawn
  std::array<std::optional<CourseSpeed>, speeds> given{};  // none where the velocity is the difference
};

/// Counts of the courses of a unit, in all components of a pool.
struct CourseStats {
  std::uint64_t new_courses = 0;  // states that replaced a course, those at rest included
  std::uint64_t checks = 0;       // ticks of components in which the true value was compared with a course
  std::uint32_t under_way = 0;    // components whose unit is not at rest
};

/// Begins a course: `row` has the words of the value, and zeros for the course. It stays at rest after a jump.
void begin_course(const wire::CourseUnit& unit, ecs::Tick tick, const CourseTruth& truth, std::uint32_t* row);
/// Counts that `row` has replaced the state of `before`. Both are the words of a component.
void count_state(const wire::CourseUnit& unit, const std::uint32_t* before, const std::uint32_t* row,
                 CourseStats& stats);

}  // namespace mobula::server
