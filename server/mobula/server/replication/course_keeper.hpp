// Chooses the courses of published units (wire/course.hpp), and decides when a new one begins.
//
// A course lasts while the true value differs from it by at most the tolerance. Its velocity is the last difference of
// the true values, since these are exact; more differences would be older. Its acceleration is the last difference of
// velocities, if it was about the same a tick before. So it has those of throws and steady forces, but no collision.
#pragma once

#include <array>
#include <cstddef>
#include <mobula/wire/course.hpp>

namespace mobula::server {

/// State of a unit beside its words.
struct CourseTrack {
  wire::Rotation rotation{};            // that of the course at tick `at`
  std::array<float, 4> step{};          // last difference of each number, in steps; of a rotation its turn
  std::array<float, 4> acceleration{};  // last difference of `step`
  ecs::Tick at = 0;
  ecs::Tick written = 0;  // last tick in which the true value changed
  bool is_new = true;     // no difference is known
};

/// Values of a component in two ticks.
struct CourseTruth {
  const std::byte* now;
  const std::byte* before;  // in the tick before
};

/// Ticks without a change after which a value at rest is exact.
inline constexpr ecs::Tick settle_ticks = 8;

/// Notes whether the true value has changed. Called first in each tick.
void note_written(const wire::CourseUnit& unit, ecs::Tick tick, const CourseTruth& truth, CourseTrack& track);
/// Returns whether the value has not changed for so long that it is to be exact.
[[nodiscard]] inline bool is_settled(const CourseTrack& track, ecs::Tick tick) {
  return tick - track.written >= settle_ticks;
}
/// Returns whether the true value is within the tolerance of the course that `row` holds.
[[nodiscard]] bool keeps_course(const wire::CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick,
                                const std::byte* truth, CourseTrack& track);
/// Begins a course: `row` has the words of the value, and zeros for the course.
void begin_course(const wire::CourseUnit& unit, ecs::Tick tick, const CourseTruth& truth, CourseTrack& track,
                  std::uint32_t* row);
/// Notes the true values. Called last in each tick, once. Ticks follow each other.
void note_truth(const wire::CourseUnit& unit, const CourseTruth& truth, CourseTrack& track);

}  // namespace mobula::server
