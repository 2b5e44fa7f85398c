// What the world looks like to the outside at the end of a tick: made once, whatever the
// number of clients. Reads the journal and the stamped blocks, quantises, compares with what
// was published last, and says which entities differ. A write that changed nothing, or a mere
// move in a pool, publishes nothing.
#pragma once

#include <mobula/server/replication/published.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class Publisher {
 public:
  // Both outlive the publisher. So many bytes of former values are kept for clients that rest on them.
  Publisher(ecs::Registry& registry, const reflect::Schema& schema, std::size_t log_bytes = 16u << 20)
      : registry_(registry), published_(registry, schema, log_bytes) {}

  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  // Publishes the end of the registry's current tick; the caller then clears the journal and moves the
  // registry to a later tick before anything is written. Gives the indices whose entities came,
  // went or changed, valid until the next call. Fields that are `predicted` become what mirrors have.
  std::span<const std::uint32_t> publish();
  // Of these, the indices at which another entity is now, and those at which there was one. Some are in both.
  [[nodiscard]] std::span<const std::uint32_t> spawned() const { return spawned_; }
  [[nodiscard]] std::span<const std::uint32_t> despawned() const { return despawned_; }

  // Prototypes that no longer are.
  void forget(std::span<const ecs::PrototypeId> prototypes);

  [[nodiscard]] Published& published() { return published_; }
  [[nodiscard]] const Published& published() const { return published_; }

 private:
  void forget(ecs::PrototypeId prototype);
  void note(std::uint32_t index);
  void publish_structure(std::uint32_t index);
  void publish_values(ecs::PoolId pool, const wire::RowCodec& codec);
  // The canonical prototype without the components that are not sent.
  ecs::PrototypeId sent_prototype(ecs::PrototypeId prototype);

  static constexpr ecs::PrototypeId not_computed = ~0u;

  ecs::Registry& registry_;
  Published published_;
  ecs::Tick last_tick_ = 0;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> spawned_;
  std::vector<std::uint32_t> despawned_;
  std::vector<ecs::Tick> noted_;                   // by index: the tick it was put into changed_
  std::vector<ecs::PrototypeId> sent_prototypes_;  // by prototype; held
};

}  // namespace mobula::server
