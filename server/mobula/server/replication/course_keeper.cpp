#include <algorithm>
#include <cmath>
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

// Returns the true rotation `age` ticks ago with length 1, as its words stand for it.
Rotation rotation(const CourseTruth& truth, std::uint32_t age) {
  double square = 0;
  for (const double part : truth.at[age]) square += part * part;
  if (!wire::is_rotation(square)) return {0, 0, 0, 1};
  Rotation found{};
  for (std::size_t i = 0; i < 4; ++i) found[i] = truth.at[age][i] / std::sqrt(square);
  return found;
}

// Returns the turn of the tick that ended `age` ticks ago, the shorter way.
Rotation turn_of(const CourseTruth& truth, std::uint32_t age) {
  if (const std::optional<CourseSpeed>& given = truth.given[age]) return *given;
  const Rotation before = rotation(truth, age + 1);
  Rotation turn = wire::multiply(rotation(truth, age), {-before[0], -before[1], -before[2], before[3]});
  if (turn[3] < 0)
    for (double& part : turn) part = -part;
  return turn;
}

// Returns the velocity in the tick that ended `age` ticks ago, in steps per tick. Numbers are limited to the range that
// can be sent.
double step_of(const CourseUnit& unit, std::uint32_t part, const CourseTruth& truth, std::uint32_t age) {
  if (const std::optional<CourseSpeed>& given = truth.given[age]) return (*given)[part];
  const reflect::Quantiser& quantiser = unit.quantisers[part];
  return (quantiser.limit(truth.at[age][part]) - quantiser.limit(truth.at[age + 1][part])) / quantiser.step();
}

// Returns whether a difference is a jump. `last` is the difference before it.
bool is_jump(double step, double last, double tolerance) {
  return !(std::abs(step) <= jump_factor * std::abs(last) + jump_tolerances * tolerance);
}

struct Motion {
  double step = 0;  // steps per tick
  double acceleration = 0;
};

Motion motion_of(const CourseUnit& unit, std::uint32_t part, const CourseTruth& truth) {
  const double step = step_of(unit, part, truth, 0);
  if (truth.differences == 0) return {step, 0};
  const double last = step_of(unit, part, truth, 1);
  if (!truth.given[0] && is_jump(step, last, unit.tolerance_steps)) return {};
  const double acceleration = step - last;
  const double before = truth.differences == 1 ? 0 : last - step_of(unit, part, truth, 2);
  const double greater = std::max(std::abs(acceleration), std::abs(before));
  const bool is_steady = std::abs(acceleration - before) < steady_part * greater;
  const bool is_worth = std::abs(acceleration) > least_acceleration * unit.tolerance_steps;
  return {step, is_steady && is_worth ? acceleration : 0};
}

std::uint32_t word_of(double number) {
  const double limited = std::clamp(number, -double{wire::course_velocity_max}, double{wire::course_velocity_max});
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(limited + 0.5)));
}

void begin_path(const CourseUnit& unit, const CourseTruth& truth, std::uint32_t* row) {
  for (std::uint32_t i = 0; i < unit.parts; ++i) {
    const Motion motion = motion_of(unit, i, truth);
    row[unit.course + i] = word_of(motion.step * wire::course_fraction);
    row[unit.course + unit.parts + i] = word_of(motion.acceleration * wire::course_fraction);
  }
}

void begin_turn(const CourseUnit& unit, const CourseTruth& truth, std::uint32_t* row) {
  const Rotation turn = turn_of(truth, 0);
  const Rotation last = turn_of(truth, 1);
  const bool may_jump = truth.differences > 0 && !truth.given[0];
  for (std::uint32_t i = 0; i < 3 && may_jump; ++i)
    if (is_jump(turn[i], last[i], unit.tolerance)) return;
  for (std::uint32_t i = 0; i < 3; ++i) row[unit.course + i] = word_of(turn[i] * wire::course_turn_one);
}

}  // namespace

void begin_course(const CourseUnit& unit, ecs::Tick tick, const CourseTruth& truth, std::uint32_t* row) {
  unit.turns ? begin_turn(unit, truth, row) : begin_path(unit, truth, row);
  row[unit.tick_word()] = tick;
  if (!wire::is_course(unit, row)) std::fill_n(row + unit.course, unit.course_words(), 0u);
}

void count_state(const CourseUnit& unit, const std::uint32_t* before, const std::uint32_t* row, CourseStats& stats) {
  if (wire::has_same_course(unit, row, before)) return;
  ++stats.new_courses;
  stats.under_way += wire::is_under_way(unit, row) ? 1 : 0;
  stats.under_way -= wire::is_under_way(unit, before) ? 1 : 0;
}

}  // namespace mobula::server
