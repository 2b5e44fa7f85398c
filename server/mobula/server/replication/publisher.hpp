// Publishes the world's state at the end of a tick, once for all clients. Reads the structural change log and the
// blocks with new change ticks, quantises their values, compares them with the last publication. Reports which
// entities differ. A write without a change, or a move within a pool, publishes nothing.
#pragma once

#include <mobula/server/replication/published.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// Publishes a registry.
class Publisher {
 public:
  /// Both must outlive it. `history_bytes` is the memory for former values, which are the baselines of deltas.
  /// `tick_seconds` is needed if the schema has an attribute `velocity`.
  Publisher(ecs::Registry& registry, const reflect::Schema& schema, std::size_t history_bytes = 16u << 20,
            double tick_seconds = 0)
      : registry_(registry), published_(registry, schema, history_bytes, tick_seconds) {}

  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  /// Publishes the end of the registry's current tick. Returns the indices whose entities spawned, despawned or
  /// changed, valid until the next call. Replaces fields that are `predicted` by the values that mirrors have.
  ///
  /// Afterwards the caller clears the structural change log and moves the registry to a later tick before anything is
  /// written.
  std::span<const std::uint32_t> publish();
  /// Returns the published indices that have another entity now. Some are in despawned() too.
  [[nodiscard]] std::span<const std::uint32_t> spawned() const { return spawned_; }
  /// Returns the published indices that had an entity which no longer exists.
  [[nodiscard]] std::span<const std::uint32_t> despawned() const { return despawned_; }

  /// Forgets prototypes that no longer exist.
  void forget(std::span<const ecs::PrototypeId> prototypes);

  [[nodiscard]] Published& published() { return published_; }
  [[nodiscard]] const Published& published() const { return published_; }

 private:
  void forget(ecs::PrototypeId prototype);
  void note(std::uint32_t index);
  void publish_structure(std::uint32_t index);
  void publish_values(ecs::PoolId pool, const wire::RowCodec& codec);
  // Returns a component as mirrors have it: replaces its fields that are `predicted`.
  static const std::byte* component(ecs::Pool& pool, std::uint32_t position, const wire::RowCodec& codec);
  // Returns the canonical prototype without the components that are not sent.
  ecs::PrototypeId sent_prototype(ecs::PrototypeId prototype);

  static constexpr ecs::PrototypeId not_computed = ~0u;

  ecs::Registry& registry_;
  Published published_;
  ecs::Tick last_tick_ = 0;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> spawned_;
  std::vector<std::uint32_t> despawned_;
  std::vector<ecs::Tick> noted_;                   // by index: tick in which it was added to changed_
  std::vector<ecs::PrototypeId> sent_prototypes_;  // by prototype; held
};

}  // namespace mobula::server
