// A game as a program: command line, sockets, clock and signals around a Server.
#pragma once

#include <mobula/server/game.hpp>

namespace mobula::server {

// What main() of a game's server calls. Serves until SIGINT or SIGTERM, or for --ticks ticks.
// Gives the exit status: 0 when all went well, 2 for a wrong command line, a bad level or a port
// that cannot be had, each told in one line on standard error.
int run(int argc, char** argv, Game& game);

}  // namespace mobula::server
