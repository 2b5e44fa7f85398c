// The level as it lives in a world: which entity each of the file's has become, and what a new version of the file
// changes. Also the source of prefabs. Owned by the World.
#pragma once

#include <mobula/resource/spawner.hpp>
#include <vector>

namespace mobula::server {

// What a reload does to the entities of a level.
struct LevelChange {
  struct Gone {
    ecs::Entity entity;
    ecs::Entity heir;  // what has its path now; null if nothing does
  };
  std::uint32_t spawned = 0;
  std::uint32_t kept = 0;
  std::vector<Gone> gone;
};

class Level {
 public:
  // Spawns nothing yet. Reasons: those of Spawner::bind; "incomplete" for a client's copy; "too large" for an entity
  // that no datagram could carry.
  static core::Result<Level> bind(ecs::Registry& registry, const reflect::Schema& schema,
                                  std::shared_ptr<const resource::Resource> resource,
                                  const resource::SpawnerTable& spawners);

  // Reason: "too many entities".
  core::Status spawn();
  // What has been spawned of it is there already, in a registry that was restored: by entity of the file, null where
  // there is none any more. Reason: "other level".
  core::Status adopt(const ecs::EntityRange& range, std::span<const ecs::Entity> entities);
  // Takes the place of an older version in the same registry. What is the same stays, also where the game has moved or
  // destroyed it since; what has changed is spawned anew, with all that hangs below it in the level, unless it hangs
  // below what the game has destroyed. What that replaces, and what is no longer in the level, is left to the caller to
  // destroy. For a moment both versions are there. Reason: "too many entities", and then no entity has changed.
  core::Result<LevelChange> replace(const Level& before);

  [[nodiscard]] resource::Spawner& spawner() { return spawner_; }
  [[nodiscard]] const resource::Spawner& spawner() const { return spawner_; }
  [[nodiscard]] const resource::Resource& resource() const { return spawner_.resource(); }
  // Of all its entities, if they were spawned at once; else empty.
  [[nodiscard]] const ecs::EntityRange& range() const { return range_; }
  // By entity of the file; what the game has destroyed is no longer valid. Null where a reload left a dead one dead.
  [[nodiscard]] std::span<const ecs::Entity> entities() const { return entities_; }

 private:
  Level(ecs::Registry& registry, resource::Spawner spawner) : registry_(&registry), spawner_(std::move(spawner)) {}

  core::Status spawn_changed(std::vector<ecs::Entity>& entities, std::span<const resource::SpawnChoice> choices);

  ecs::Registry* registry_;
  resource::Spawner spawner_;
  ecs::EntityRange range_;
  std::vector<ecs::Entity> entities_;
};

}  // namespace mobula::server
