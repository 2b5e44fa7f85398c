// Systems that move entities. Deterministic: only +, -, *, / and square roots, in pool order of one world.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/server/game/world.hpp>

namespace demo {

/// Server-only component: destination of an avatar, relative to its parent if it has one. The avatar keeps its initial
/// velocity, and stops at the destination.
struct WalkGoal {
  float x = 0;
  float z = 0;
};

/// Sets a place of the world as goal. Returns false if the entity cannot move.
bool set_goal(mobula::server::World& world, mobula::ecs::Entity walker, const WalkGoal& goal, float speed);
/// Removes the goal, if there is one.
void remove_goal(mobula::server::World& world, mobula::ecs::Entity walker);

/// Adds the phase "movement". Mobs wander near their homes. Mobs with a Target chase the nearest avatar in sight, which
/// they search once a second. Guards follow their patrols. Avatars with a goal stop there. Everything with a velocity
/// moves and faces its direction.
void add_movement(mobula::ecs::Schedule& schedule, mobula::server::World& world);

}  // namespace demo
