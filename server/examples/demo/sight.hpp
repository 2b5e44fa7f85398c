// Who sees what from how far.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <vector>

namespace demo {

// What stands is of the first layer, without a Relevance.
enum SightLayer : std::uint8_t { scenery, creatures, small_things };

std::vector<mobula::server::Layer> sight_layers();

// The phase "sight", behind all that makes entities: gives mobs, guards and pickups their layers.
void add_sight(mobula::ecs::Schedule& schedule, mobula::server::World& world);

}  // namespace demo
