#include <examples/lobby/lobby_game.hpp>
#include <mobula/server/host/application.hpp>
#include <optional>

int main(int argc, char** argv) {
  using namespace mobula::server;
  lobby::LobbyOptions options;
  std::optional<lobby::LobbyGame> lobby;  // outlives its worlds
  const auto open = [&](Worlds& worlds, const HostConfig& config) {
    return lobby.emplace(options).open(worlds, config);
  };
  return run(argc, argv, open,
             {{"rooms_max", &options.rooms_max, "maximum number of rooms", {.least = 1, .most = 256, .group = "Lobby"}},
              {"empty_seconds",
               &options.empty_seconds,
               "time until an empty room is closed",
               {.least = 1, .most = 86'400, .group = "Lobby"}}});
}
