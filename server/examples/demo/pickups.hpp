// Pickups: avatars take them by touch, and players that see it are notified. Some time later a new one spawns in the
// same place.
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

 private:
  struct Due {
    mobula::ecs::Tick tick;
    Pickup pickup;
    mobula::engine::Transform transform;
  };

  void take(mobula::server::World& world);
  void respawn(mobula::server::World& world);

  std::vector<Due> due_;
};

}  // namespace demo
