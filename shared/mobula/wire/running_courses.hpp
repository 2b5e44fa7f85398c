// Courses of one unit that are under way, as arrays. Servers compare them with the true values in each tick, and
// mirrors show them. Each has an entry; removal moves the last entry into the gap.
//
//   vector     word, velocity, acceleration of each number      its value at any tick takes two products
//   rotation   Turn, and two powers of it                       a tick takes one product of pairs
//
// Values equal those of write_course_value() to the last bit. Numbers are whole 1/32 steps, which doubles hold exactly
// below 2^48 steps. A larger sum is beyond every range.
#pragma once

#include <array>
#include <mobula/wire/course.hpp>
#include <vector>

namespace mobula::wire {

class RunningCourses {
 public:
  static constexpr std::uint32_t block_size = 64;
  /// Values of a block of entries, by part: numbers in the unit of the field, or the parts of rotations.
  using Numbers = std::array<double, block_size>;
  using Values = std::array<Numbers, 4>;

  /// `unit` must outlive it.
  explicit RunningCourses(const CourseUnit& unit);

  [[nodiscard]] const CourseUnit& unit() const { return unit_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begun_.size()); }
  [[nodiscard]] ecs::Tick tick() const { return tick_; }

  /// Adds a course as the last entry. `row` are the words of its component. It may be at rest.
  void push(const std::uint32_t* row);
  /// Replaces the course of an entry.
  void set(std::uint32_t entry, const std::uint32_t* row);
  /// Removes an entry. The last one gets its number.
  void erase(std::uint32_t entry);

  /// Moves all courses to a tick.
  void advance(ecs::Tick tick);
  /// Writes the values of `count` entries at the tick, at most block_size. A course under way must have begun by then.
  void values(std::uint32_t first, std::uint32_t count, Values& values) const;

 private:
  // Columns of a number, three for each part. The first is its word plus shifts_.
  enum : std::uint8_t { number_at, number_velocity, number_acceleration, number_columns };
  // Columns of a rotation: those of Turn, then powers. `power` is that of the tick, `stride_power` that of the last
  // age that is a multiple of turn_stride.
  enum : std::uint8_t {
    turn_rotation,
    turn_across = turn_rotation + 4,
    turn_cosine = turn_across + 4,
    turn_square,
    stride_cosine,
    stride_sine,
    power_cosine,
    power_sine,
    stride_power_cosine,
    stride_power_sine,
    turn_columns
  };

  void set_path(std::uint32_t entry, const std::uint32_t* row);
  void set_turn(std::uint32_t entry, const std::uint32_t* row);
  void set_powers(std::uint32_t entry, const Turn& turn);
  [[nodiscard]] Turn turn(std::uint32_t entry) const;
  void turn_block(std::uint32_t first, std::uint32_t end);
  void path_values(std::uint32_t first, std::uint32_t count, Values& values) const;
  template <class Value>
  void number_values(std::uint32_t first, std::uint32_t count, std::uint32_t part, const Numbers& ages,
                     const Numbers& sums, Value value, Numbers& values) const;
  void turn_values(std::uint32_t first, std::uint32_t count, Values& values) const;
  [[nodiscard]] double* column(std::uint32_t which) { return columns_[which].data(); }
  [[nodiscard]] const double* column(std::uint32_t which) const { return columns_[which].data(); }

  const CourseUnit& unit_;
  std::array<double, 4> shifts_{};  // steps from zero to the least value of each number; 0 if that is not exact
  ecs::Tick tick_ = 0;
  std::vector<ecs::Tick> begun_;              // by entry: tick of the course; 0 at rest
  std::vector<std::vector<double>> columns_;  // each by entry
};

}  // namespace mobula::wire
