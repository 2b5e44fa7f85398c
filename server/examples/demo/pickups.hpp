// Avatars take pickups by touching them, which whoever sees it is told; some time later a new one lies in the same
// place.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/world.hpp>
#include <vector>

namespace demo {

class Pickups {
 public:
  // What is to come back, and its reading into a world that was restored. Reason: "bad save".
  mobula::core::Bytes save(const mobula::server::World& world) const;
  mobula::core::Status load(const mobula::server::World& world, mobula::core::ByteView saved);
  // The phase "pickups".
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
