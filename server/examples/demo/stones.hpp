// Thrown stones on the server, besides their rules: how they look, and events to players.
#pragma once

#include <mobula/prediction/effect.hpp>
#include <mobula/server/game/world.hpp>

namespace demo {

/// Gives a thrown stone its look and its layer.
void complete_stone(mobula::server::World& world, mobula::ecs::Entity stone);
/// Sends the event of an effect of the rules to the players that see it.
void send_effect(mobula::server::World& world, const mobula::prediction::Effect& effect);

}  // namespace demo
