// The entities that a client predicts, in a registry of their own, and how they compare with the mirror.
//
// Members are entities of the mirror that are in view and have a predicted component. They have the mirror's handles.
// Entities that steps spawn have local handles, whose indices are beyond the server's. A local entity becomes a member
// when the mirror has the server's entity with the same SpawnKey.
//
//   indices  0 … entities_max - 1          entities_max …
//            members                       local entities
#pragma once

#include <memory>
#include <mobula/client/prediction/command_timeline.hpp>
#include <mobula/client/prediction/snapshot_ring.hpp>
#include <mobula/client/prediction/tracked_pool.hpp>
#include <mobula/schema/engine.hpp>

namespace mobula::client {

/// Returns whether two keys are those of one entity. The tick is that of the side that has spawned it.
[[nodiscard]] inline bool is_same_spawn(const engine::SpawnKey& a, const engine::SpawnKey& b) {
  return a.player == b.player && a.command == b.command && a.ordinal == b.ordinal;
}

/// A local entity and the server's entity with the same SpawnKey.
struct MatchedSpawn {
  ecs::Entity local;  // null if the client did not predict it
  ecs::Entity real;
  engine::SpawnKey key;
};

/// How a reconciled tick differs from the mirror.
struct SetDifference {
  bool values = false;              // predicted values, or which predicted entities there are
  bool members = false;             // the set of members, their components or owners
  bool inputs = false;              // components of members that steps only read
  ecs::Entity entity;               // the first with other values, in the mirror if it is there
  ecs::Entity own{};                // the same in the set: a local entity, if it has just been matched
  ecs::PoolId pool = ecs::no_pool;  // in the mirror; no_pool if one side lacks the entity

  [[nodiscard]] bool any() const { return values || members || inputs; }
};

class PredictedSet {
 public:
  static constexpr std::uint32_t locals_max = 1u << 16;
  /// Local entities that have ended, after which the set is built anew.
  static constexpr std::size_t ended_locals_max = 64;
  /// Most members: a server chooses how many entities it spawns for a client's commands. The first wanted are members.
  static constexpr std::size_t members_max = 4096;
  /// Ticks after its command's in which an entity is spawned at most, if it is matched.
  static constexpr ecs::Tick spawn_ticks_max = 32;

  struct Member {
    ecs::Entity entity;
    ecs::PrototypeId prototype = ecs::empty_prototype;  // the mirror's
    bool owner = false;

    bool operator==(const Member&) const = default;
  };

  /// Makes an empty set of a player's client. The mirror and the rules must outlive it. Errors: those of
  /// PredictedTypes::resolve.
  static core::Result<std::unique_ptr<PredictedSet>> make(const Mirror& mirror, const prediction::Rules& rules,
                                                          std::uint32_t player);
  PredictedSet(const PredictedSet&) = delete;
  PredictedSet& operator=(const PredictedSet&) = delete;

  [[nodiscard]] ecs::Registry& registry() { return registry_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }
  [[nodiscard]] const prediction::PredictedTypes& types() const { return *types_; }
  [[nodiscard]] prediction::SteppedEntities& stepped() { return stepped_; }
  [[nodiscard]] const prediction::SteppedEntities& stepped() const { return stepped_; }
  [[nodiscard]] std::span<const Member> members() const { return members_; }
  /// Returns the pools that steps write. Snapshots have them in this order.
  [[nodiscard]] std::span<const TrackedPool> predicted() const { return predicted_; }
  /// Returns the ids of these pools in registry(), in the same order.
  [[nodiscard]] std::vector<ecs::PoolId> predicted_pools() const;
  [[nodiscard]] bool is_local(ecs::Entity entity) const { return entity.index >= local_first_; }
  [[nodiscard]] bool is_member(ecs::Entity entity) const;
  /// Returns the place in predicted() of a pool of the mirror; `none` for others.
  [[nodiscard]] std::size_t place_of(ecs::PoolId mirror_pool) const;
  static constexpr std::size_t none = ~std::size_t{0};

  /// Finds the entities that the set should have now. These are entities of `wanted` that can be predicted, and those
  /// that were spawned for this client's commands after tick `since`. Adds the latter to `wanted`. Logs once what
  /// cannot be predicted though it is in view, with the reason.
  void collect(std::vector<ecs::Entity>& wanted, const CommandTimeline& commands, ecs::Tick since);
  /// Returns how many wanted entities in view the last collect() has left out.
  [[nodiscard]] std::uint32_t unpredicted() const { return surplus_ + lacking_; }
  /// Compares a snapshot of the mirror's tick with the mirror. collect() has been called.
  [[nodiscard]] SetDifference compare(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot);
  /// Copies the mirror's values of all members, which are as collected.
  void copy_values();
  /// Makes the collected entities the members, with the mirror's values. Local entities end: those that are matched
  /// continue under their real handle. Positions in pools change.
  void rebuild();
  /// Returns the local entity with the key, though it may be destroyed; null if there is none.
  [[nodiscard]] ecs::Entity find_local(const engine::SpawnKey& key) const;
  /// Returns the key of a local entity; null for others.
  [[nodiscard]] const engine::SpawnKey* local_key(ecs::Entity entity) const {
    return is_local(entity) ? registry_.try_get<const engine::SpawnKey>(entity) : nullptr;
  }
  /// Returns the local entities that the last collect() has matched.
  [[nodiscard]] std::span<const MatchedSpawn> matched() const { return matched_; }
  /// Rounds what a step has written since the registry had tick `since` to what the server sends.
  void snap(ecs::Tick since);

 private:
  PredictedSet(const Mirror& mirror, std::uint32_t player);

  core::Status bind(const prediction::Rules& rules);
  void collect_spawned(std::vector<ecs::Entity>& wanted, const CommandTimeline& commands, ecs::Tick since);
  [[nodiscard]] bool find_member(ecs::Entity entity, Member& member) const;
  [[nodiscard]] const TrackedPool* find_lacking(const Member& member) const;
  void add_member(const Member& member);
  void report_surplus();
  void report_lacking(const Member& member, const TrackedPool& pool);
  [[nodiscard]] std::size_t ended_locals() const;
  [[nodiscard]] bool compare_all(const SnapshotRing::Snapshot& snapshot, SetDifference& difference);
  // Returns whether an entity has ended, as far as the mirror knows. One that went out of view may be forgotten.
  [[nodiscard]] bool is_destroyed(ecs::Entity entity) const;
  void compare_member(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot, const Member& member,
                      SetDifference& difference);
  void compare_rows(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot, ecs::Entity own,
                    ecs::Entity mirrored, bool owner, SetDifference& difference) const;
  void compare_locals(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot, SetDifference& difference);
  [[nodiscard]] bool inputs_differ() const;
  void stage(const TrackedPool& pool, const Member& member, ecs::Entity from);
  [[nodiscard]] ecs::Entity source_of(const Member& member) const;

  // A component of the set that is being built.
  struct Staged {
    ecs::Entity entity;
    ecs::PoolId pool;
    std::size_t first;  // byte in staged_bytes_
    std::uint32_t size;
  };

  const Mirror& mirror_;
  std::uint32_t player_;
  std::uint32_t local_first_;
  std::uint32_t locals_begin_;  // local entities of the registry have the indices from here to stepped_.next_local
  ecs::Registry registry_;
  std::unique_ptr<prediction::PredictedTypes> types_;
  std::vector<TrackedPool> predicted_;
  std::vector<TrackedPool> declared_;
  ecs::PoolId mirror_keys_ = ecs::no_pool;  // SpawnKeys
  ecs::PoolId own_keys_ = ecs::no_pool;
  prediction::SteppedEntities stepped_;
  std::vector<Member> members_;    // ascending by index
  std::vector<Member> collected_;  // ascending by index
  std::uint32_t surplus_ = 0;      // wanted entities beyond members_max
  std::uint32_t lacking_ = 0;      // wanted entities whose owner alone receives a predicted field
  bool is_surplus_logged_ = false;
  bool is_lacking_logged_ = false;
  std::vector<MatchedSpawn> matched_;
  std::vector<Staged> staged_;
  core::Bytes staged_bytes_;
};

}  // namespace mobula::client
