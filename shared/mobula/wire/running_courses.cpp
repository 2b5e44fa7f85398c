#include <algorithm>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/wire/running_courses.hpp>

namespace mobula::wire {
namespace {

// Sums with a number of steps below this are exact, or beyond every range.
constexpr double exact_steps_max = 1ull << 46;

// Returns a velocity or an acceleration in steps.
double steps_of(std::uint32_t word) { return static_cast<double>(static_cast<std::int32_t>(word)) / course_fraction; }

}  // namespace

RunningCourses::RunningCourses(const CourseUnit& unit)
    : unit_(unit), columns_(unit.turns ? turn_columns : number_columns * unit.parts) {
  for (std::uint32_t part = 0; part < unit.fields() && !unit.turns; ++part) {
    const reflect::Quantiser& quantiser = unit.quantisers[part];
    if (quantiser.is_whole() && std::abs(quantiser.origin()) < exact_steps_max) shifts_[part] = quantiser.origin();
  }
}

void RunningCourses::push(const std::uint32_t* row) {
  begun_.push_back(0);
  for (std::vector<double>& column : columns_) column.push_back(0);
  set(size() - 1, row);
}

void RunningCourses::set(std::uint32_t entry, const std::uint32_t* row) {
  begun_[entry] = row[unit_.tick_word()];
  unit_.turns ? set_turn(entry, row) : set_path(entry, row);
}

void RunningCourses::set_path(std::uint32_t entry, const std::uint32_t* row) {
  for (std::uint32_t part = 0; part < unit_.parts; ++part) {
    const std::uint32_t first = number_columns * part;
    columns_[first + number_at][entry] = row[unit_.first + part] + shifts_[part];
    columns_[first + number_velocity][entry] = steps_of(row[unit_.course + part]);
    columns_[first + number_acceleration][entry] = steps_of(row[unit_.course + unit_.parts + part]);
  }
}

void RunningCourses::set_turn(std::uint32_t entry, const std::uint32_t* row) {
  const Turn turn = turn_of(unit_, row);
  for (std::uint32_t i = 0; i < 4; ++i) {
    columns_[turn_rotation + i][entry] = turn.rotation[i];
    columns_[turn_across + i][entry] = turn.across[i];
  }
  columns_[turn_cosine][entry] = turn.one.cosine;
  columns_[turn_square][entry] = turn.square;
  columns_[stride_cosine][entry] = turn.stride.cosine;
  columns_[stride_sine][entry] = turn.stride.sine;
  set_powers(entry, turn);
}

// Computes the powers of an entry from its beginning.
void RunningCourses::set_powers(std::uint32_t entry, const Turn& turn) {
  const ecs::Tick age = tick_ <= begun_[entry] ? 0 : std::min(tick_ - begun_[entry], turn_age_max);
  const TurnPower stride = stride_at(turn, age);
  const TurnPower power = power_from(turn, stride, age);
  columns_[stride_power_cosine][entry] = stride.cosine;
  columns_[stride_power_sine][entry] = stride.sine;
  columns_[power_cosine][entry] = power.cosine;
  columns_[power_sine][entry] = power.sine;
}

// Returns what powers are computed from, without the rotation.
Turn RunningCourses::turn(std::uint32_t entry) const {
  return {.square = column(turn_square)[entry],
          .one = {column(turn_cosine)[entry], 1},
          .stride = {column(stride_cosine)[entry], column(stride_sine)[entry]}};
}

void RunningCourses::erase(std::uint32_t entry) {
  const auto fill_gap = [entry](auto& column) {
    column[entry] = column.back();
    column.pop_back();
  };
  fill_gap(begun_);
  for (std::vector<double>& column : columns_) fill_gap(column);
}

void RunningCourses::advance(ecs::Tick tick) {
  if (tick == tick_) return;
  const bool is_next = tick == tick_ + 1;
  tick_ = tick;
  if (!unit_.turns) return;
  if (is_next) {
    for (std::uint32_t first = 0; first < size(); first += block_size)
      turn_block(first, std::min(first + block_size, size()));
  } else {
    for (std::uint32_t entry = 0; entry < size(); ++entry) set_powers(entry, turn(entry));
  }
}

// Multiplies the powers of all entries with their turn. Then replaces those at a multiple of turn_stride, and those
// whose course is over.
void RunningCourses::turn_block(std::uint32_t first, std::uint32_t end) {
  const double* const one = column(turn_cosine);
  const double* const square = column(turn_square);
  double* const cosine = column(power_cosine);
  double* const sine = column(power_sine);
  for (std::uint32_t i = first; i < end; ++i) {
    const TurnPower power = multiply({cosine[i], sine[i]}, {one[i], 1}, square[i]);
    cosine[i] = power.cosine;
    sine[i] = power.sine;
  }
  for (std::uint32_t i = first; i < end; ++i) {
    const ecs::Tick age = tick_ - begun_[i];
    if (age % turn_stride != 0 && age <= turn_age_max) [[likely]]
      continue;
    TurnPower stride{column(stride_power_cosine)[i], column(stride_power_sine)[i]};
    if (age > 0 && age <= turn_age_max) {
      stride = multiply(stride, turn(i).stride, square[i]);
      column(stride_power_cosine)[i] = stride.cosine;
      column(stride_power_sine)[i] = stride.sine;
    }
    cosine[i] = stride.cosine;
    sine[i] = stride.sine;
  }
}

void RunningCourses::values(std::uint32_t first, std::uint32_t count, Values& values) const {
  MOBULA_ASSERT(count <= block_size && first + count <= size(), "a block has entries");
  unit_.turns ? turn_values(first, count, values) : path_values(first, count, values);
}

void RunningCourses::path_values(std::uint32_t first, std::uint32_t count, Values& values) const {
  const ecs::Tick* const begun = begun_.data() + first;
  Numbers ages;
  Numbers sums;  // each of the ages up to this one
  for (std::uint32_t i = 0; i < count; ++i) {
    ages[i] = static_cast<std::int32_t>(std::min(tick_ - begun[i], path_age_max));
    sums[i] = ages[i] * (ages[i] + 1) / 2;
  }
  for (std::uint32_t part = 0; part < unit_.parts; ++part) {
    const reflect::Quantiser quantiser = unit_.quantisers[part];
    const double step = quantiser.step();
    if (shifts_[part] == quantiser.origin() && quantiser.is_whole()) {
      number_values(first, count, part, ages, sums, [step](double steps) { return steps * step; }, values[part]);
    } else {
      number_values(
          first, count, part, ages, sums, [quantiser](double steps) { return quantiser.value_between(steps); },
          values[part]);
    }
  }
}

template <class Value>
void RunningCourses::number_values(std::uint32_t first, std::uint32_t count, std::uint32_t part, const Numbers& ages,
                                   const Numbers& sums, Value value, Numbers& values) const {
  const double* const at = column(number_columns * part + number_at) + first;
  const double* const velocity = column(number_columns * part + number_velocity) + first;
  const double* const acceleration = column(number_columns * part + number_acceleration) + first;
  const double least = shifts_[part];
  const double greatest = least + static_cast<double>(unit_.max[part]);
  for (std::uint32_t i = 0; i < count; ++i) {
    const double steps = at[i] + velocity[i] * ages[i] + acceleration[i] * sums[i];
    const double above = steps > least ? steps : least;
    values[i] = value(above < greatest ? above : greatest);
  }
}

void RunningCourses::turn_values(std::uint32_t first, std::uint32_t count, Values& values) const {
  const double* const cosine = column(power_cosine) + first;
  const double* const sine = column(power_sine) + first;
  for (std::uint32_t part = 0; part < unit_.parts; ++part) {
    const double* const rotation = column(turn_rotation + part) + first;
    const double* const across = column(turn_across + part) + first;
    for (std::uint32_t i = 0; i < count; ++i) values[part][i] = cosine[i] * rotation[i] + sine[i] * across[i];
  }
}

}  // namespace mobula::wire
