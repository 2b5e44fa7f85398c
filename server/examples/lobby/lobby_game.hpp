// Lobby: its players, its rooms, and chat. A room is another world of the process, with its own game, port and ticks. A
// player that opens or joins a room gets a connect token for it. An empty room is closed. There is one LobbyGame per
// process. It owns the games of the rooms, which outlive their worlds by a tick.
#pragma once

#include <examples/lobby/room_game.hpp>
#include <memory>
#include <mobula/server/host/worlds.hpp>
#include <string>
#include <vector>

namespace lobby {

namespace commands {
struct CreateRoom;
struct JoinRoom;
}  // namespace commands

struct LobbyOptions {
  std::uint32_t rooms_max = 16;
  std::uint32_t empty_seconds = 30;  // until an empty room is closed
};

class LobbyGame final : public mobula::server::Game {
 public:
  explicit LobbyGame(const LobbyOptions& options = {}) : options_(options) {}

  /// Opens the lobby's own world. `worlds` must outlive this. Errors: those of Worlds::open.
  mobula::core::Status open(mobula::server::Worlds& worlds, const mobula::server::HostConfig& config);

  [[nodiscard]] mobula::core::ByteView schema() const override;
  mobula::server::CommandTable commands() override;
  mobula::core::Status check_level(const mobula::resource::Resource* level) override;
  mobula::core::Status load(mobula::server::World& world, mobula::core::ByteView saved) override;
  mobula::core::Result<mobula::ecs::Entity> join(mobula::server::World& world,
                                                 const mobula::server::Player& player) override;
  void leave(mobula::server::World& world, const mobula::server::Player& player) override;
  void tick(mobula::server::World& world) override;

 private:
  struct OpenRoom {
    std::string name;   // as players call it
    std::string world;  // name of its world in the process
    std::unique_ptr<RoomGame> game;
    std::uint32_t opener = 0;           // id of the lobby's player that opened it
    mobula::ecs::Entity entity{};       // entity in the lobby; null once the room is being closed
    mobula::ecs::Tick last_played = 0;  // tick of the lobby
  };

  mobula::core::Status create_room(mobula::server::World& world, const mobula::server::Player& player,
                                   const commands::CreateRoom& wanted);
  mobula::core::Status join_room(mobula::server::World& world, const mobula::server::Player& player,
                                 const commands::JoinRoom& wanted);
  [[nodiscard]] mobula::server::HostConfig room_config(std::uint32_t capacity) const;
  mobula::core::Status let_in(mobula::server::World& world, const mobula::server::Player& player, const OpenRoom& room);
  void remove_closed();
  void update_room(mobula::server::World& world, OpenRoom& room);

  LobbyOptions options_;
  mobula::server::Worlds* worlds_ = nullptr;
  std::vector<OpenRoom> rooms_;  // in the order of their opening
  std::uint32_t opened_ = 0;
};

}  // namespace lobby
