// Systems that move things. Determinism: only +, -, *, / and square roots, in pool order of one world.
#pragma once

#include <mobula/server/world.hpp>

namespace demo {

// Mobs stroll around their homes.
void wander(mobula::server::World& world);
// Mobs with a Target run after the nearest avatar in sight, looked for once a second.
void hunt(mobula::server::World& world);
// Whatever has a velocity moves and faces where it goes.
void walk(mobula::server::World& world);

}  // namespace demo
