// Changes of a mirror's registry, by entity and component. They are collected until they are handed out, which an
// update of the client does:
//
//   deltas ──► collected ──hand_out()──► list()
//
// A component is listed once, however many deltas and ticks have changed it: marks have the number of the hand-out for
// which it was. An entity that is listed as spawned or composed has one mark for all its components. Marks are in pages
// by component and id, since whole arrays would let a server with many components take gigabytes. A hand-out drops all
// pages once they take more than pages_kept_max.
#pragma once

#include <array>
#include <memory>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <vector>

namespace mobula::client {

/// Kind of a change of an entity in a mirror.
enum class ChangeKind : std::uint32_t {
  spawned,    ///< Came into view: is new, or was seen before. All its values may be other ones.
  composed,   ///< Has other components, or another owner. All its values may be other ones.
  changed,    ///< One of its components has another value.
  lost,       ///< Went out of view.
  destroyed,  ///< Is no longer in the mirror.
};

/// A change of an entity in a mirror.
struct Change {
  ecs::Entity entity;
  ChangeKind kind = ChangeKind::changed;
  ecs::PoolId pool = ecs::no_pool;  ///< Component of ChangeKind::changed; else no_pool.

  bool operator==(const Change&) const = default;
};

class MirrorChanges {
 public:
  /// Memory of pages that a hand-out keeps for the next one, in bytes: marks of four million components.
  static constexpr std::size_t pages_kept_max = std::size_t{16} << 20;

  /// Adds a change of the entity itself.
  void add(ecs::Entity entity, ChangeKind kind) { push({entity, kind, ecs::no_pool}); }
  /// Adds a component with another value, unless it is marked.
  void add(ecs::Entity entity, std::uint32_t id, ecs::PoolId pool) { add({&entity, 1}, {&id, 1}, pool); }
  /// Adds the components of several entities, which have these ids.
  void add(std::span<const ecs::Entity> entities, std::span<const std::uint32_t> ids, ecs::PoolId pool);
  /// Adds a component of an entity that has no id, whatever was added before.
  void add_unmarked(ecs::Entity entity, ecs::PoolId pool) { push({entity, ChangeKind::changed, pool}); }

  /// Marks all components of an entity that is listed as spawned or composed.
  void mark(std::uint32_t id);
  /// Marks components as they are under another id, which their entity had.
  void mark_as(std::uint32_t before, std::uint32_t id, std::span<const ecs::PoolId> pools);
  /// Returns whether a component is marked for the next hand-out.
  [[nodiscard]] bool is_marked(std::uint32_t id, ecs::PoolId pool) const;
  /// Returns the number of the next hand-out.
  [[nodiscard]] std::uint32_t number() const { return number_; }

  /// Returns the memory of all marks.
  [[nodiscard]] std::size_t mark_bytes() const { return whole_marks_.capacity() * sizeof(std::uint32_t) + page_bytes_; }

  /// Drops all that was collected and handed out.
  void drop();
  /// Adds what another mirror has collected.
  void add_collected(const MirrorChanges& other);
  /// Hands out what was collected, in place of what was handed out before.
  void hand_out();
  /// Returns what was handed out, in the order in which it happened.
  [[nodiscard]] std::span<const Change> list() const { return {handed_out_.all.data(), handed_out_.count}; }

 private:
  // The first `count` are in use. Space is not cleared before it is written.
  struct List {
    std::vector<Change> all;
    std::size_t count = 0;

    Change* make_room(std::size_t more);
  };

  void push(const Change& change) {
    *collected_.make_room(1) = change;
    ++collected_.count;
  }
  static constexpr std::uint32_t page_size = 256;
  using Page = std::array<std::uint32_t, page_size>;  // marks by id
  using Pages = std::vector<std::unique_ptr<Page>>;   // null without marks

  [[nodiscard]] bool is_whole_marked(std::uint32_t id) const {
    return id < whole_marks_.size() && whole_marks_[id] == number_;
  }
  Page& page_of(std::uint32_t id, ecs::PoolId pool);

  List collected_;
  List handed_out_;
  std::uint32_t number_ = 1;
  std::vector<std::uint32_t> whole_marks_;  // by id
  std::vector<Pages> pages_;                // by component
  std::size_t page_bytes_ = 0;
};

}  // namespace mobula::client
