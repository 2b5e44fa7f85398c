// What bots say to the demo game: bytes of schema/demo_commands.fbs.
#pragma once

#include <mobula/core/bytes.hpp>

namespace mobula::client {

// Walk in this direction until told otherwise; its length is at most 1.
core::Bytes move_command(float x, float z);
// Walk to this place and stop there.
core::Bytes walk_to_command(float x, float z);

}  // namespace mobula::client
