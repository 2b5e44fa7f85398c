// Courses of one unit of a pool that are under way, with the true values of the last ticks. Compares both for all
// entries in each tick.
//
// A value that has not changed for settle_ticks settles: it is to be exact and at rest. Invariant: a unit that has
// settled is exact and at rest until its true value changes.
//
// Where the game gives velocities, they are kept beside the true values. An unchanged value has stopped: it has no
// velocity.
#pragma once

#include <array>
#include <cstddef>
#include <mobula/server/replication/course_keeper.hpp>
#include <mobula/wire/running_courses.hpp>
#include <vector>

namespace mobula::server {

/// Ticks without a change after which a value at rest is exact.
inline constexpr ecs::Tick settle_ticks = 8;

/// Values that an entry had before it is checked for the first time.
enum class EntryPast : std::uint8_t {
  changed,    // the value has changed before
  unchanged,  // it has not, and may change now
  empty,      // the value is new
  given,      // it is new and has a velocity, so that its course begins with the next check
};

class FollowedUnit {
 public:
  static constexpr std::uint32_t block_size = wire::RunningCourses::block_size;
  static_assert(block_size == 64, "a bit of a word for each entry of a block");

  /// `unit` must outlive it. With `has_speeds` the game may give velocities.
  explicit FollowedUnit(const wire::CourseUnit& unit, bool has_speeds = false);

  [[nodiscard]] const wire::CourseUnit& unit() const { return courses_.unit(); }
  [[nodiscard]] std::uint32_t size() const { return courses_.size(); }

  /// Adds an entry that has settled. `row` are its words, `component` its true value until this tick.
  void push(const std::uint32_t* row, const std::byte* component, EntryPast past);
  void erase(std::uint32_t entry);

  /// Returns whether a component has another value of the unit than another component.
  [[nodiscard]] bool has_moved(const std::byte* component, const std::byte* before) const;

  /// Begins a tick. All blocks are to be checked in it, each once.
  void begin_tick(ecs::Tick tick);
  /// Notes the true values of a block, in `components`. Returns a bit for each entry whose course ends or which
  /// settles.
  std::uint64_t check(std::uint32_t first, std::uint32_t count, const std::byte* const* components);
  /// Notes the velocities of a block that was checked. Calls speed(entry) for each value that changed or is new.
  template <class Speed>
  void note_speeds(std::uint32_t first, std::uint32_t count, Speed&& speed);
  /// Returns the number of entries that were compared with their course in this tick.
  [[nodiscard]] std::uint32_t compared() const { return compared_; }

  /// Returns whether the course of an entry ends in this tick.
  [[nodiscard]] bool ends(std::uint32_t entry) const {
    return (ends_[entry / block_size] >> entry % block_size & 1) != 0;
  }
  /// Returns whether an entry settles now. settle() then puts it at rest, with the words that `row` has.
  [[nodiscard]] bool settles(std::uint32_t entry) const { return settles_at_[entry] <= tick_; }
  void settle(std::uint32_t entry, const std::uint32_t* row);
  [[nodiscard]] bool has_settled(std::uint32_t entry) const { return settles_at_[entry] == never; }
  /// Returns the true values that a new course is chosen from.
  [[nodiscard]] CourseTruth truth(std::uint32_t entry) const;
  /// Replaces the course of an entry by the one that `row` has. The entry has not settled, or is new.
  void set_course(std::uint32_t entry, const std::uint32_t* row);

  /// Asserts that an entry has the course of `row`, and that it is exact if it has settled.
  void check_entry(std::uint32_t entry, const std::uint32_t* row) const;

 private:
  static constexpr ecs::Tick never = ~0u;
  static constexpr std::uint32_t history = CourseTruth::ticks;

  using Values = wire::RunningCourses::Values;
  using Numbers = wire::RunningCourses::Numbers;

  // True values of a block, as they are in components.
  template <class Float>
  using Truths = std::array<const Float*, 4>;

  template <class Float>
  std::uint64_t check_as(std::uint32_t first, std::uint32_t count, const std::byte* const* components);
  void set(std::uint32_t entry, const std::uint32_t* row);
  template <class Float>
  Truths<Float> note(std::uint32_t first, std::uint32_t count, const std::byte* const* components);
  template <class Float>
  void note_changes(std::uint32_t first, std::uint32_t count, const Truths<Float>& truths);
  void count_compared(std::uint32_t first, std::uint32_t count);
  [[nodiscard]] bool have_settled(std::uint32_t first, std::uint32_t count) const;
  // Write by how much less than the tolerance the true values differ from courses.
  template <class Float>
  void compare_paths(std::uint32_t count, const Values& courses, const Truths<Float>& truths, Numbers& slack) const;
  template <class Float>
  void compare_turns(std::uint32_t count, const Values& courses, const Truths<Float>& truths, Numbers& slack) const;
  [[nodiscard]] std::uint64_t ended(std::uint32_t first, std::uint32_t count, const Numbers& slack) const;

  // Returns a part of the true values `age` ticks ago, by entry.
  [[nodiscard]] std::vector<std::byte>& column(std::uint32_t age, std::uint32_t part) {
    return truths_[(ticks_ - age) % history][part];
  }
  [[nodiscard]] const std::vector<std::byte>& column(std::uint32_t age, std::uint32_t part) const {
    return truths_[(ticks_ - age) % history][part];
  }

  wire::RunningCourses courses_;
  ecs::Tick tick_ = 0;
  std::uint32_t ticks_ = history;  // number of ticks, so that none is negative
  std::uint32_t compared_ = 0;
  // Floats or doubles by tick modulo history, part, and entry.
  std::array<std::array<std::vector<std::byte>, 4>, history> truths_;
  std::vector<ecs::Tick> settles_at_;  // by entry, as the next
  std::vector<ecs::Tick> ends_at_;     // tick in which the course is too old; 0 if it is to begin
  std::vector<std::uint32_t> began_;   // ticks_ of the first difference
  std::vector<std::uint64_t> ends_;    // by block: bits of the last check
  // Velocities by tick modulo their number, and entry. Empty without the attribute.
  bool has_speeds_;
  std::array<std::vector<std::optional<CourseSpeed>>, CourseTruth::speeds> speeds_;
};

template <class Speed>
inline void FollowedUnit::note_speeds(std::uint32_t first, std::uint32_t count, Speed&& speed) {
  std::optional<CourseSpeed>* const speeds = speeds_[ticks_ % CourseTruth::speeds].data();
  for (std::uint32_t entry = first; entry < first + count; ++entry) {
    const bool moves = settles_at_[entry] == tick_ + settle_ticks || ends_at_[entry] == 0;
    speeds[entry] = moves ? speed(entry) : std::nullopt;
  }
}

}  // namespace mobula::server
