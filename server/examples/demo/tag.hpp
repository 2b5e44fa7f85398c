// The command Tag: judged by what its player saw. Avatars are hit where that player's client drew them. Obstacles of
// the level are in the way.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/game/command_table.hpp>
#include <mobula/server/game/game.hpp>

namespace demo::commands {
struct Tag;
}

namespace demo {

inline constexpr float tag_range = 20.0f;  // metres

/// Tags the first avatar in a direction: its player's Avatar::tags grow by one, and all that see it receive an event.
/// A tag that hits none is done as well. Errors: "aim out of range", "no avatar", and those of Rewind::view.
mobula::core::Status tag(mobula::server::World& world, const mobula::server::Player& player, const commands::Tag& aim,
                         const mobula::server::CommandContext& context);
/// Receives the message of a tag: the handle of the avatar that has tagged this one. They may be in different zones.
void receive_tag(mobula::server::World& world, mobula::ecs::Entity avatar, mobula::core::ByteView message);

}  // namespace demo
