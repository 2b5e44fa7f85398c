// A level in a world: maps entities of the file to entities of the world, and applies new versions of the file. Also
// the source of prefabs. Owned by the World.
#pragma once

#include <mobula/resource/spawner.hpp>
#include <vector>

namespace mobula::server {

/// Effect of a reload on the entities of a level.
struct LevelChange {
  struct Removed {
    ecs::Entity entity;
    ecs::Entity successor;  // the entity that has its path now; null if there is none
  };
  std::uint32_t spawned = 0;     // entities
  std::uint32_t kept = 0;        // entities
  std::vector<Removed> removed;  // sorted by entity

  /// Returns the successor of an entity that the reload removes, null if it has none. Returns any other entity itself.
  [[nodiscard]] ecs::Entity follow(ecs::Entity entity) const;
};

class Level {
 public:
  /// Binds a resource to a registry without spawning anything. Errors: those of Spawner::bind; "incomplete" for a
  /// client's copy; "too large" for an entity that does not fit one datagram.
  static core::Result<Level> bind(ecs::Registry& registry, const reflect::Schema& schema,
                                  std::shared_ptr<const resource::Resource> resource,
                                  const resource::SpawnerTable& spawners);

  /// Spawns all entities of the level. Errors: "too many entities".
  core::Status spawn();
  /// Takes over the level's entities of a restored registry. `entities` holds one handle per entity of the file, null
  /// for those that no longer exist. Errors: "other level".
  core::Status adopt(const ecs::EntityRange& range, std::span<const ecs::Entity> entities);
  /// Replaces an older version of the level in the same registry.
  /// - Entities that are equal in both versions stay, even if the game has moved or destroyed them.
  /// - Changed entities are spawned again with all their descendants, except below an entity the game has destroyed.
  /// - The caller destroys the replaced entities and those no longer in the level. Until then both versions exist.
  ///
  /// Errors: "too many entities"; no entity has changed then.
  core::Result<LevelChange> replace(const Level& before);

  [[nodiscard]] resource::Spawner& spawner() { return spawner_; }
  [[nodiscard]] const resource::Spawner& spawner() const { return spawner_; }
  [[nodiscard]] const resource::Resource& resource() const { return spawner_.resource(); }
  /// Returns the index range of all entities if they were spawned at once, else an empty range.
  [[nodiscard]] const ecs::EntityRange& range() const { return range_; }
  /// Returns one handle per entity of the file. Handles that the game has destroyed are invalid; a handle is null if a
  /// reload did not spawn its entity again.
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
