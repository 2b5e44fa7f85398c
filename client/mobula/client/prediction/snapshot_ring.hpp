// Predicted components after each of the last ticks, as packed rows by pool and position.
//
// Positions in the pools only grow between two changes of the predicted set, which rearrange the ring. Steps append the
// entities that they spawn, and a predicted destruction merely leaves the list of living ones. So a snapshot is a
// prefix of each pool, and save and restore copy whole slabs.
#pragma once

#include <algorithm>
#include <mobula/prediction/step.hpp>
#include <span>
#include <vector>

namespace mobula::client {

/// Returns whether an entity is stepped: neither destroyed nor unknown.
[[nodiscard]] inline bool is_alive(const prediction::SteppedEntities& stepped, ecs::Entity entity) {
  const auto found = std::ranges::lower_bound(stepped.alive, entity.index, {}, &ecs::Entity::index);
  return found != stepped.alive.end() && *found == entity;
}

/// An entity that continues under another handle.
struct RenamedEntity {
  ecs::Entity from;
  ecs::Entity to;
};

class SnapshotRing {
 public:
  /// A snapshot in the ring.
  struct Snapshot {
    bool valid = false;
    ecs::Tick tick = 0;
    prediction::SteppedEntities stepped;
    std::vector<std::uint32_t> counts;  // rows by pool
    core::Bytes rows;                   // all pools, one after the other
  };

  /// `pools` are the pools of `registry` that steps write. Keeps `ticks` snapshots.
  SnapshotRing(ecs::Registry& registry, std::span<const ecs::PoolId> pools, std::size_t ticks);

  /// Keeps the present components as those of a tick, in place of the oldest snapshot.
  void save(ecs::Tick tick, const prediction::SteppedEntities& stepped);
  /// Returns the registry and `stepped` to what they were after a tick that the ring has. Destroys what was spawned
  /// since.
  void restore(ecs::Tick tick, prediction::SteppedEntities& stepped);
  void clear();
  /// Notes where the pools have their components, before the predicted set changes.
  void begin_change();
  /// Rearranges the snapshots of ticks from `first` up to `end`, exclusive, to the positions after the change. They are
  /// for showing: they are not restored. Others are dropped.
  void end_change(ecs::Tick first, ecs::Tick end, std::span<const RenamedEntity> renamed);

  [[nodiscard]] bool has(ecs::Tick tick) const { return at(tick).valid && at(tick).tick == tick; }
  /// Returns the snapshot of a tick that the ring has.
  [[nodiscard]] const Snapshot& snapshot(ecs::Tick tick) const {
    MOBULA_ASSERT(has(tick), "the snapshot is in the ring");
    return at(tick);
  }
  /// Returns the rows of a pool, by its place among the pools.
  [[nodiscard]] const std::byte* rows(const Snapshot& snapshot, std::size_t place) const;

 private:
  struct Place {
    std::uint32_t index = 0;
    std::uint32_t position = 0;
  };

  void rearrange(Snapshot& snapshot, std::span<const RenamedEntity> renamed);

  [[nodiscard]] const Snapshot& at(ecs::Tick tick) const { return snapshots_[tick % snapshots_.size()]; }

  ecs::Registry& registry_;
  std::vector<ecs::Pool*> pools_;
  std::vector<Snapshot> snapshots_;
  std::vector<std::vector<Place>> before_;  // by pool: places before a change, by index
  core::Bytes rearranged_;
};

}  // namespace mobula::client
