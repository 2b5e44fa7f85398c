// Systems that move things. Determinism: only +, -, *, / and square roots, in pool order of one world.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/server/game/world.hpp>

namespace demo {

// A server-only component: the place an avatar walks to. It keeps its initial velocity and stops there.
struct WalkGoal {
  float x = 0;
  float z = 0;
};

// False: it cannot walk.
bool set_goal(mobula::server::World& world, mobula::ecs::Entity walker, const WalkGoal& goal, float speed);
void forget_goal(mobula::server::World& world, mobula::ecs::Entity walker);

// The phase "movement": mobs stroll around their homes; those with a Target run after the nearest avatar in sight,
// looked for once a second; guards go round on their patrols; who walks to a place stops there; whatever has a velocity
// moves and faces where it goes.
void add_movement(mobula::ecs::Schedule& schedule, mobula::server::World& world);

}  // namespace demo
