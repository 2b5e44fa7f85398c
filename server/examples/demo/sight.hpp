// View distances of the demo by layer.
#pragma once

#include <mobula/ecs/schedule.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <vector>

namespace demo {

/// Scenery is the first layer, and needs no Relevance.
enum SightLayer : std::uint8_t { scenery, creatures, small_things };

std::vector<mobula::server::Layer> sight_layers();

/// Adds the phase "sight", after all that spawn entities. It gives mobs, guards and pickups their layers.
void add_sight(mobula::ecs::Schedule& schedule, mobula::server::World& world);

}  // namespace demo
