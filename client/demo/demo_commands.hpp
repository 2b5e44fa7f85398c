// Commands to the demo game, as bytes of schema/demo_commands.fbs.
#pragma once

#include <mobula/core/bytes.hpp>
#include <string>

namespace mobula::client {

/// Returns a command to move in a direction until the next command. Its length is at most 1.
core::Bytes move_command(float x, float z);
/// Returns a command to move to a place and stop there.
core::Bytes walk_to_command(float x, float z);
/// Returns a command to throw a stone in a direction. Its length is more than 0 and at most 1.
core::Bytes throw_command(float x, float y, float z);
/// Returns a command to tag the first avatar in a direction. Its length is more than 0 and at most 1.
core::Bytes tag_command(float x, float y, float z);
/// Returns a command to send a text to all players: 1 to 120 bytes of printable UTF-8.
core::Bytes chat_command(const std::string& text);

}  // namespace mobula::client
