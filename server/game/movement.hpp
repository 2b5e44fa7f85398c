// Systems that move things. Determinism: only +, -, *, / and square roots, in pool order of one world.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/server/world.hpp>

namespace demo {

// The phase "movement": mobs stroll around their homes; those with a Target run after the nearest avatar in sight,
// looked for once a second; guards go round on their patrols; whatever has a velocity moves and faces where it goes.
void add_movement(mobula::ecs::Schedule& schedule, mobula::server::World& world);

}  // namespace demo
