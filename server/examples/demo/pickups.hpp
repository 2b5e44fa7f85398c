// Pickups: avatars take them by touch, and players that see it are notified. Some time later a new one spawns in the
// same place. One that was attached to an entity spawns there, even if the entity has moved since. While the world is
// full, pickups wait for room, in the order in which they were taken.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/world.hpp>
#include <vector>

namespace demo {

class Pickups {
 public:
  /// Returns the pickups that are due to respawn.
  mobula::core::Bytes save(const mobula::server::World& world) const;
  /// Restores them in a restored world. Errors: "bad save".
  mobula::core::Status load(const mobula::server::World& world, mobula::core::ByteView saved);
  /// Adds the phase "pickups".
  void add_systems(mobula::ecs::Schedule& schedule, mobula::server::World& world);
  /// Makes parents follow to their successors.
  void on_level_changed(const mobula::server::LevelChange& change);

 private:
  struct Due {
    mobula::ecs::Tick tick;
    Pickup pickup;
    mobula::hierarchy::WorldTransform place;  // where it was taken
    mobula::ecs::Entity parent;               // null for a root
    mobula::engine::Transform local;          // relative to the parent
  };

  void take(mobula::server::World& world);
  static mobula::core::Status put_back(mobula::server::World& world, const Due& due);
  void respawn(mobula::server::World& world);

  std::vector<Due> due_;
  bool waits_for_room_ = false;
};

}  // namespace demo
