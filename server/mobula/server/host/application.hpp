// A game as a program: command line, worlds, admin address and signals around a Server.
#pragma once

#include <functional>
#include <mobula/core/setting.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/host/worlds.hpp>

namespace mobula::server {

// What main() of a game's server calls. Serves until SIGINT or SIGTERM, or for --ticks ticks.
// Gives the exit status: 0 when all went well, 1 when the last save failed or `health` has no answer, 2 for a wrong
// command line, a bad level or a port that cannot be had, each told in one line on standard error. `settings` are the
// game's own, told as the server's are:
//   run(argc, argv, game, {{"max_balls", &game.balls_max, "balls at a time", {.least = 1, .most = 1000}}})
int run(int argc, char** argv, Game& game, std::vector<core::Setting> settings = {});

// The same for a process of several worlds: `open` opens the first of them, and those may open others while they run.
int run(int argc, char** argv, const std::function<core::Status(Worlds&, const HostConfig&)>& open,
        std::vector<core::Setting> settings = {});

}  // namespace mobula::server
