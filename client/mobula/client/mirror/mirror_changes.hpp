// Changes of a mirror's registry, by entity and component. They are collected until they are handed out, which an
// update of the client does:
//
//   deltas ──► collected ──hand_out()──► list()
//
// A component is listed once, however many deltas and ticks have changed it. A bit for each entity index, in a set for
// each pool, states whether it is listed. An index may have had an older entity meanwhile. That does no harm: its
// present entity was spawned since, which stands for all its components.
#pragma once

#include <mobula/core/bit_set.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::client {

enum class ChangeKind : std::uint32_t {
  spawned,    ///< Came into view: is new, or was seen before. All its values may be other ones.
  composed,   ///< Has other components, or another owner. All its values may be other ones.
  changed,    ///< One of its components has another value.
  lost,       ///< Went out of view.
  destroyed,  ///< Is no longer in the mirror.
};

struct Change {
  ecs::Entity entity;
  ChangeKind kind = ChangeKind::changed;
  ecs::PoolId pool = ecs::no_pool;  ///< Component of ChangeKind::changed; else no_pool.

  bool operator==(const Change&) const = default;
};

class MirrorChanges {
 public:
  /// Adds a change of the entity itself.
  void add(ecs::Entity entity, ChangeKind kind) { collected_.push_back({entity, kind, ecs::no_pool}); }
  /// Adds a component with another value, unless it was added since the last hand_out().
  void add(ecs::Entity entity, ecs::PoolId pool) { add({&entity, 1}, pool); }
  /// Adds the components of several entities.
  void add(std::span<const ecs::Entity> entities, ecs::PoolId pool);

  /// Hands out what was collected, in place of what was handed out before.
  void hand_out();
  /// Returns what was handed out, in the order in which it happened.
  [[nodiscard]] std::span<const Change> list() const { return handed_out_; }

 private:
  std::vector<Change> collected_;
  std::vector<Change> handed_out_;
  std::vector<core::BitSet> listed_;  // by pool, then by index of the entity
};

}  // namespace mobula::client
