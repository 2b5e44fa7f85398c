// The courses that the shown entities of a mirror follow: arrays for each unit of a pool (wire/running_courses.hpp),
// with an entry for each entity. In each tick the values of all are written to the registry.
//
// An entry is found by the index of its entity. It remembers where the component is, and looks it up again after any
// component of the pool has moved.
#pragma once

#include <memory>
#include <mobula/client/mirror/mirror_changes.hpp>
#include <mobula/ecs/component_places.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/wire/running_courses.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <span>
#include <vector>

namespace mobula::client {

class MirroredCourses {
 public:
  /// Upper bound for the size of an entry, in words of 32 bits.
  static constexpr std::size_t entry_words = 48;

  /// State of an entity: its components and its words. `before` are those of the state that is already followed, with
  /// the same components; null if there is none.
  struct Shown {
    ecs::Entity entity;
    std::uint32_t id;
    std::span<const ecs::PoolId> pools;
    const std::uint32_t* words;
    const std::uint32_t* before;
  };
  /// Follows the courses of a state, in place of all others of the entity. Returns their number.
  std::uint32_t set(wire::SchemaCodecs& codecs, Shown state);
  /// Removes the courses of an entity with these components.
  void erase(std::uint32_t index, std::span<const ecs::PoolId> pools);

  /// Writes the values of a tick to the registry, and adds the components to `changes`.
  void follow(ecs::Registry& registry, ecs::Tick tick, MirrorChanges& changes);

  /// Returns the number of courses of an entity with these components, and of all entities.
  [[nodiscard]] std::uint32_t count(std::uint32_t index, std::span<const ecs::PoolId> pools) const;
  [[nodiscard]] std::size_t size() const;

 private:
  static constexpr std::uint32_t block_size = wire::RunningCourses::block_size;

  struct Unit {
    explicit Unit(const wire::CourseUnit& unit) : courses(unit) {}

    void push(const Shown& state);
    void erase(std::uint32_t entry);
    void follow(ecs::Pool& pool, ecs::Tick tick);
    void write(std::uint32_t first, std::uint32_t count);
    template <class Float>
    void write_values(std::uint32_t first, std::uint32_t count, const wire::RunningCourses::Values& values);

    wire::RunningCourses courses;
    ecs::ComponentPlaces places{ecs::SparseSet::no_pages};
    std::vector<ecs::Entity> entities;  // by entry, as the next
    std::vector<std::uint32_t> ids;
  };
  using Units = std::vector<std::unique_ptr<Unit>>;

  void set_unit(Unit& unit, const Shown& state, std::uint32_t& count);

  std::vector<Units> pools_;  // by pool; none until one of its units is under way
};

}  // namespace mobula::client
