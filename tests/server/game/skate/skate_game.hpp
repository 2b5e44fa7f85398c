// The server's side of a game of skaters, whom clients predict.
#pragma once

#include <memory>
#include <mobula/server/game/game.hpp>

namespace skate {

std::unique_ptr<mobula::server::Game> make_skate_game();

}  // namespace skate
