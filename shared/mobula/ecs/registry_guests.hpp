// Exchange of a registry's entities with other worlds: guests, ghosts and entities that are abroad (entity_pool.hpp).
// For the server; a game sees which of its entities are ghosts by EntityPool::is_ghost.
#pragma once

#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

class Guests {
 public:
  explicit Guests(Registry& registry) : registry_(registry) {}

  /// Adds an entity without components, as EntityPool::receive does. `created` receives it.
  bool receive(Entity entity, bool ghost);
  /// Starts a spawn as Registry::begin_spawn does, of given entities. They are ghosts until the caller has added all
  /// columns. Returns false without effect if one cannot be received, or is listed twice.
  bool begin_spawn(std::span<const Entity> entities, std::span<const PrototypeId> prototypes);
  /// Notes whether another world has a living entity. Registry::destroy of a ghost ends the ghost alone.
  void set_ghost(Entity entity, bool ghost);
  /// Frees the index of an entity that was abroad and has ended in another world. Returns false if it is not abroad.
  bool end_abroad(Entity entity);
  /// Notes that another world has an own entity that this world, restored from an older save, does not know. Destroys
  /// the entities of its index and its range, which had ended by then: a level that was replaced since may be one
  /// range. Does nothing if EntityPool::may_note_abroad is false.
  void note_abroad(Entity entity);

 private:
  Registry& registry_;
};

}  // namespace mobula::ecs
