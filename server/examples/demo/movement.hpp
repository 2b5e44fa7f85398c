// Systems that move entities. Deterministic: only +, -, *, / and square roots, in pool order of one world.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/server/game/world.hpp>

namespace demo {

/// Adds the phase "movement". Mobs wander near their homes. Mobs with a Target chase the nearest avatar in sight, which
/// they search once a second. Guards follow their patrols. Mobs with a velocity move and face its direction. Avatars
/// and stones move by the rules that clients predict.
void add_movement(mobula::ecs::Schedule& schedule, mobula::server::World& world);

}  // namespace demo
