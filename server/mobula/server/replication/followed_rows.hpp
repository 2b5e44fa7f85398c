// Rows of a pool that follow courses, in arrays: one entry per row, by entity index. In each tick all are compared with
// the components in the registry, whether these were written or not. A row leaves when all of its units have settled.
//
// A new row is followed from its first tick if the game gives the velocity of one of its units.
//
// Entries remember where their component is, and look it up again after any component of the pool has moved.
#pragma once

#include <mobula/ecs/component_places.hpp>
#include <mobula/server/replication/followed_unit.hpp>
#include <mobula/server/replication/given_velocity.hpp>
#include <mobula/wire/row_codec.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class FollowedRows {
 public:
  /// `codec` must outlive it, and have courses. `velocities` are those of the courses.
  FollowedRows(const wire::RowCodec& codec, std::vector<GivenVelocity> velocities);

  [[nodiscard]] bool contains(std::uint32_t index) const { return places_.contains(index); }
  [[nodiscard]] std::uint32_t size() const { return places_.size(); }
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const { return places_.find(index); }
  [[nodiscard]] FollowedUnit& unit(std::size_t which) { return units_[which]; }
  /// Returns the counts of the courses, by unit.
  [[nodiscard]] std::span<const CourseStats> stats() const { return stats_; }

  /// Returns whether a component differs from another in units that can follow courses.
  [[nodiscard]] bool has_moved(const std::byte* component, const std::byte* before) const;
  /// Adds a row at rest whose component has moved. `component` is its value before that. `has_moved` is false if it has
  /// not had another value.
  void add(std::uint32_t index, const std::uint32_t* row, const std::byte* component, bool has_moved);
  /// Returns whether the game gives a velocity for a unit of an entity.
  [[nodiscard]] bool has_velocity(const ecs::Registry& registry, std::uint32_t index) const;
  /// Adds a new row at rest. Units with a velocity begin on their course in the next check.
  void add_new(const ecs::Registry& registry, std::uint32_t index, const std::uint32_t* row,
               const std::byte* component);
  /// Removes a row. `row` are its words.
  void erase(std::uint32_t index, const std::uint32_t* row);

  /// A row that is to be published again.
  struct Changed {
    std::uint32_t entry;
    std::uint32_t index;
    const std::byte* component;
  };
  /// Compares all rows with the pool's components at a tick. Calls function(changed) for each row that changes, the
  /// last entry first. The function may erase that entry. Blocks of the pool that were not written after `since` have
  /// no other changes than those of courses.
  template <class Function>
  void check(const ecs::Registry& registry, const ecs::Pool& pool, ecs::Tick tick, ecs::Tick since,
             Function&& function) {
    find_changed(registry, pool, tick, since);
    for (std::size_t i = changed_.size(); i-- > 0;) function(changed_[i]);
  }
  /// Counts the state of a unit that replaces the one of `before`; null if it is the first.
  void count(std::size_t which, const std::uint32_t* before, const std::uint32_t* row);
  /// Notes that a row is published with its component. Returns whether all of its units have settled.
  bool note_published(const Changed& row);

  /// Asserts that an entry agrees with the words of its row.
  void check_entry(std::uint32_t index, const std::uint32_t* row) const;

 private:
  static constexpr std::uint32_t block_size = FollowedUnit::block_size;
  void find_changed(const ecs::Registry& registry, const ecs::Pool& pool, ecs::Tick tick, ecs::Tick since);
  void check_block(const ecs::Pool& pool, ecs::Tick since, std::uint32_t first, std::uint32_t count);
  void note_speeds(const ecs::Registry& registry, std::uint32_t first, std::uint32_t count);
  void push(std::uint32_t index, const std::byte* component);
  [[nodiscard]] std::uint64_t other_changes(const ecs::Pool& pool, ecs::Tick since, std::uint32_t first,
                                            std::uint32_t count) const;
  void copy_others(const std::byte* component, std::byte* others) const;

  ecs::ComponentPlaces places_;
  std::vector<FollowedUnit> units_;
  std::vector<GivenVelocity> velocities_;  // by unit, as the next
  std::vector<CourseStats> stats_;
  std::vector<wire::ByteRange> other_ranges_;  // fields that are sent and follow no course
  std::size_t other_bytes_ = 0;
  std::vector<std::byte> others_;  // those fields as they were published; by entry
  std::vector<Changed> changed_;
};

}  // namespace mobula::server
