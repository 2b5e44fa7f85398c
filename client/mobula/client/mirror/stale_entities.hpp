// Entities that went out of view, and the courses that some of them continue. There are at most `max`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/course.hpp>
#include <utility>
#include <vector>

namespace mobula::client {

/// A course that an entity out of view follows.
struct StaleCourse {
  ecs::PoolId pool;
  std::uint32_t row;  ///< Where the words of its component begin in StaleCourses::words.
  const wire::CourseUnit* unit;
  std::uint32_t listed = 0;  ///< Hand-out for which its component was listed as changed, as MirrorChanges counts them.
};

/// The courses that an entity out of view follows. Those of one component share its words.
struct StaleCourses {
  /// Most ticks after the loss in which they are followed. The entity may have been destroyed unseen.
  static constexpr ecs::Tick ticks_max = 256;

  std::vector<StaleCourse> all;
  std::vector<std::uint32_t> words;
  ecs::Tick lost = 0;  ///< Tick in which the entity went out of view.

  /// Returns the last tick in which they are followed.
  [[nodiscard]] ecs::Tick end() const {
    return lost + std::min(ticks_max, std::numeric_limits<ecs::Tick>::max() - lost);
  }
  /// Writes the value of a course at a tick to its component.
  void write(const StaleCourse& course, ecs::Tick tick, std::byte* component) const {
    wire::write_course_value(*course.unit, words.data() + course.row, std::min(tick, end()), component);
  }
  /// Notes that a component is listed for a hand-out. Returns whether it was not yet.
  bool note_listed(ecs::PoolId pool, std::uint32_t hand_out) {
    bool is_new = false;
    for (StaleCourse& course : all)
      if (course.pool == pool && std::exchange(course.listed, hand_out) != hand_out) is_new = true;
    return is_new;
  }
  /// Returns whether the value of a course still changes after a tick.
  [[nodiscard]] bool lasts(const StaleCourse& course, ecs::Tick tick) const {
    return tick < end() && wire::course_age(*course.unit, words.data() + course.row, tick) < course.unit->age_max();
  }
  /// Forgets the courses that end with a tick, and the words after the last one.
  void forget_ended(ecs::Tick tick) {
    std::erase_if(all, [&](const StaleCourse& course) { return !lasts(course, tick); });
    if (all.empty()) *this = StaleCourses{};
  }
  /// Returns the memory in use, in words of 32 bits.
  [[nodiscard]] std::size_t kept_words() const {
    return words.capacity() + all.capacity() * sizeof(StaleCourse) / sizeof(std::uint32_t);
  }
};

/// Stale entities, the oldest first.
class StaleEntities {
 public:
  static constexpr std::size_t max = 64;

  [[nodiscard]] bool is_full() const { return entities_.size() == max; }
  [[nodiscard]] ecs::Entity oldest() const { return entities_.front().entity; }  // there is one
  [[nodiscard]] bool contains(ecs::Entity entity) const { return find(entity) != entities_.end(); }
  /// Returns the courses that an entity follows; null if it is in view.
  [[nodiscard]] const StaleCourses* courses(ecs::Entity entity) const {
    const auto found = find(entity);
    return found == entities_.end() ? nullptr : &found->courses;
  }
  /// Returns the memory of all courses, in words of 32 bits.
  [[nodiscard]] std::size_t kept_words() const {
    std::size_t words = 0;
    for (const Stale& each : entities_) words += each.courses.kept_words();
    return words;
  }
  /// Adds an entity that is not stale yet. They are not full.
  void add(ecs::Entity entity, StaleCourses courses) { entities_.push_back({entity, std::move(courses)}); }
  void erase(ecs::Entity entity) {
    std::erase_if(entities_, [&](const Stale& each) { return each.entity == entity; });
  }
  /// Calls function(entity, courses, course) for each course that is followed in a tick, and forgets those that end
  /// with it. Ticks rise.
  template <class Function>
  void each_under_way(ecs::Tick tick, Function&& function) {
    for (Stale& each : entities_) {
      for (const StaleCourse& course : each.courses.all) function(each.entity, each.courses, course);
      each.courses.forget_ended(tick);
    }
  }

 private:
  struct Stale {
    ecs::Entity entity;
    StaleCourses courses;
  };
  [[nodiscard]] std::deque<Stale>::const_iterator find(ecs::Entity entity) const {
    return std::ranges::find(entities_, entity, &Stale::entity);
  }

  std::deque<Stale> entities_;
};

}  // namespace mobula::client
