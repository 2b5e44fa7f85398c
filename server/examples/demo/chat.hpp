// The command Chat: texts of all players.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/game/command_table.hpp>
#include <mobula/server/game/game.hpp>

namespace demo::commands {
struct Chat;
}

namespace demo {

inline constexpr std::size_t chat_bytes_max = 120;

/// Sends a text to all players, with the name of the player's avatar. Errors: "text out of range", "no avatar".
mobula::core::Status chat(mobula::server::World& world, const mobula::server::Player& player,
                          const commands::Chat& given, const mobula::server::CommandContext& context);

}  // namespace demo
