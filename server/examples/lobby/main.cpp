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
             {{"rooms_max", &options.rooms_max, "rooms at a time", {.least = 1, .most = 256, .group = "Lobby"}},
              {"empty_seconds",
               &options.empty_seconds,
               "a room in which nobody is goes after so long",
               {.least = 1, .most = 86'400, .group = "Lobby"}}});
}
