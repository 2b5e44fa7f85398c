#include <algorithm>
#include <cmath>
#include <cstring>
#include <mobula/core/bytes.hpp>
#include <mobula/server/replication/course_keeper.hpp>
#include <mobula/wire/field_words.hpp>

namespace mobula::server {
namespace {

using wire::CourseUnit;
using wire::Rotation;

// A difference that exceeds the last one by this factor, and the tolerance by the other, is a jump and no velocity.
constexpr double jump_factor = 8;
constexpr double jump_tolerances = 64;
// Accelerations that change by more than this part are not steady.
constexpr double steady_part = 0.5;
// Those below this part of the tolerance are not worth their bits.
constexpr double least_acceleration = 1.0 / 64;

// Returns the true number, limited to the range that can be sent.
double number(const CourseUnit& unit, std::uint32_t part, const std::byte* component) {
  const std::byte* const at = component + unit.offsets[part];
  return unit.quantisers[part].limit(unit.part_bytes == sizeof(float) ? static_cast<double>(core::load<float>(at))
                                                                      : core::load<double>(at));
}

// Returns the rotation with length 1, as its words stand for it.
Rotation rotation(const CourseUnit& unit, const std::byte* component) {
  const auto parts = core::load<std::array<float, 4>>(component + unit.offsets[0]);
  double square = 0;
  for (const float part : parts) square += static_cast<double>(part) * static_cast<double>(part);
  if (!wire::is_rotation(square)) return {0, 0, 0, 1};
  Rotation found{};
  for (std::size_t i = 0; i < 4; ++i) found[i] = static_cast<double>(parts[i]) / std::sqrt(square);
  return found;
}

double dot(const Rotation& a, const Rotation& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

bool differs(const CourseUnit& unit, const CourseTruth& truth) {
  const std::size_t bytes = unit.turns ? sizeof(float) * 4 : unit.part_bytes;
  for (std::uint32_t i = 0; i < unit.fields(); ++i)
    if (std::memcmp(truth.now + unit.offsets[i], truth.before + unit.offsets[i], bytes) != 0) return true;
  return false;
}

// Returns the turn from one rotation to another, the shorter way.
Rotation turn_between(const Rotation& before, const Rotation& now) {
  Rotation turn = wire::multiply(now, {-before[0], -before[1], -before[2], before[3]});
  if (turn[3] < 0)
    for (double& part : turn) part = -part;
  return turn;
}

bool keeps_path(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick age, const std::byte* truth) {
  for (std::uint32_t i = 0; i < unit.parts; ++i) {
    const double steps = static_cast<double>(wire::path_at(unit, row, i, age)) / wire::course_fraction;
    if (std::abs(unit.quantisers[i].value_between(steps) - number(unit, i, truth)) > unit.tolerance) return false;
  }
  return true;
}

bool keeps_turn(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick, const std::byte* truth,
                CourseTrack& track) {
  if (track.at + 1 == tick) {
    track.rotation = wire::multiply(wire::turn_of(unit, row), track.rotation);
  } else if (track.at != tick) {
    track.rotation = wire::rotation_at(unit, row, wire::course_age(unit, row, tick));
  }
  track.at = tick;
  const Rotation real = rotation(unit, truth);
  const double side = dot(real, track.rotation) < 0 ? -1 : 1;
  double difference = 0;
  for (std::size_t i = 0; i < 4; ++i) difference = std::max(difference, std::abs(track.rotation[i] - side * real[i]));
  return difference <= unit.tolerance;
}

// Returns whether a difference is a jump. `last` is the difference before it.
bool is_jump(double step, double last, double tolerance) {
  return !(std::abs(step) <= jump_factor * std::abs(last) + jump_tolerances * tolerance);
}

double step_of(const CourseUnit& unit, std::uint32_t part, const CourseTruth& truth) {
  return (number(unit, part, truth.now) - number(unit, part, truth.before)) / unit.quantisers[part].step();
}

struct Motion {
  double step = 0;  // steps per tick
  double acceleration = 0;
};

Motion motion_of(const CourseUnit& unit, std::uint32_t part, const CourseTruth& truth, const CourseTrack& track) {
  const double step = step_of(unit, part, truth);
  if (track.is_new) return {step, 0};
  const double last = static_cast<double>(track.step[part]);
  if (is_jump(step, last, unit.tolerance_steps)) return {};
  const double acceleration = step - last;
  const double before = static_cast<double>(track.acceleration[part]);
  const double greater = std::max(std::abs(acceleration), std::abs(before));
  const bool is_steady = std::abs(acceleration - before) < steady_part * greater;
  const bool is_worth = std::abs(acceleration) > least_acceleration * unit.tolerance_steps;
  return {step, is_steady && is_worth ? acceleration : 0};
}

std::uint32_t word_of(double number) {
  const double limited = std::clamp(number, -double{wire::course_velocity_max}, double{wire::course_velocity_max});
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(limited + 0.5)));
}

void begin_path(const CourseUnit& unit, const CourseTruth& truth, const CourseTrack& track, std::uint32_t* row) {
  for (std::uint32_t i = 0; i < unit.parts; ++i) {
    const Motion motion = motion_of(unit, i, truth, track);
    row[unit.course + i] = word_of(motion.step * wire::course_fraction);
    row[unit.course + unit.parts + i] = word_of(motion.acceleration * wire::course_fraction);
  }
}

void begin_turn(const CourseUnit& unit, const CourseTruth& truth, const CourseTrack& track, std::uint32_t* row) {
  const Rotation turn = turn_between(rotation(unit, truth.before), rotation(unit, truth.now));
  for (std::uint32_t i = 0; i < 3; ++i)
    if (!track.is_new && is_jump(turn[i], static_cast<double>(track.step[i]), unit.tolerance)) return;
  for (std::uint32_t i = 0; i < 3; ++i) row[unit.course + i] = word_of(turn[i] * wire::course_turn_one);
}

}  // namespace

void note_written(const CourseUnit& unit, ecs::Tick tick, const CourseTruth& truth, CourseTrack& track) {
  if (differs(unit, truth)) track.written = tick;
}

bool keeps_course(const CourseUnit& unit, const std::uint32_t* row, ecs::Tick tick, const std::byte* truth,
                  CourseTrack& track) {
  const ecs::Tick age = wire::course_age(unit, row, tick);
  const bool is_over = wire::is_under_way(unit, row) && tick - row[unit.tick_word()] > age;
  if (is_over) return false;
  return unit.turns ? keeps_turn(unit, row, tick, truth, track) : keeps_path(unit, row, age, truth);
}

void begin_course(const CourseUnit& unit, ecs::Tick tick, const CourseTruth& truth, CourseTrack& track,
                  std::uint32_t* row) {
  unit.turns ? begin_turn(unit, truth, track, row) : begin_path(unit, truth, track, row);
  row[unit.tick_word()] = tick;
  if (!wire::is_course(unit, row)) std::fill_n(row + unit.course, unit.course_words(), 0u);
  if (!unit.turns) return;
  track.rotation = wire::rotation_of_words(row + unit.first, unit.bits);
  track.at = tick;
}

void note_truth(const CourseUnit& unit, const CourseTruth& truth, CourseTrack& track) {
  Rotation turn{};
  if (unit.turns) turn = turn_between(rotation(unit, truth.before), rotation(unit, truth.now));
  for (std::uint32_t i = 0; i < unit.velocities(); ++i) {
    const double step = unit.turns ? turn[i] : step_of(unit, i, truth);
    track.acceleration[i] = track.is_new ? 0 : static_cast<float>(step) - track.step[i];
    track.step[i] = static_cast<float>(step);
  }
  track.is_new = false;
}

}  // namespace mobula::server
