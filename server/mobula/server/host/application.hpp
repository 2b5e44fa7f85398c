// A game as a program: command line, worlds, admin port and signals.
#pragma once

#include <functional>
#include <memory>
#include <mobula/process/setting.hpp>
#include <mobula/server/game/game.hpp>

namespace mobula::server {

class Worlds;
struct HostConfig;

/// Runs a game's server until SIGINT or SIGTERM, or for --ticks ticks. Called by main(). Returns the exit status:
/// - 0 on success;
/// - 1 if the last save failed, the game's exception ended a world, or `health` has no answer;
/// - 2 for a wrong command line, a bad level or a port in use, each printed in one line on standard error.
///
/// `settings` are the game's own, read like the server's:
///   run(argc, argv, game, {{"max_balls", &game.balls_max, "balls at a time", {.least = 1, .most = 1000}}})
int run(int argc, char** argv, Game& game, std::vector<process::Setting> settings = {});

/// Makes a game for each world of a process.
using MakeGame = std::function<std::unique_ptr<Game>()>;

/// Runs a game's server as above. With --cluster, the process is a node: it opens the worlds that the cluster gives it.
/// Each has a game of its own. The process ends with status 1 when the cluster has given up the node.
int run(int argc, char** argv, MakeGame make_game, std::vector<process::Setting> settings = {});

/// Runs a process of several worlds. `open` opens the first ones; their games may open others while they run.
int run(int argc, char** argv, const std::function<core::Status(Worlds&, const HostConfig&)>& open,
        std::vector<process::Setting> settings = {});

}  // namespace mobula::server
