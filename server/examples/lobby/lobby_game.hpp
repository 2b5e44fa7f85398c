// The lobby: who is there, which rooms there are, and what is said. A room is another world of the process, with a
// game, a port and ticks of its own; whoever opens or joins one is given a connect token for it. An empty room goes.
// One of these for a process. The rooms' games belong to it, and outlive their worlds by a tick.
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
  std::uint32_t empty_seconds = 30;  // then a room goes
};

class LobbyGame final : public mobula::server::Game {
 public:
  explicit LobbyGame(const LobbyOptions& options = {}) : options_(options) {}

  // Opens the lobby's own world. `worlds` must outlive all use of it. Reasons: those of Worlds::open.
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
    std::string name;   // as its players call it
    std::string world;  // as the process calls it
    std::unique_ptr<RoomGame> game;
    std::uint32_t opener = 0;           // the lobby's player
    mobula::ecs::Entity entity{};       // the lobby's; null once it is being closed
    mobula::ecs::Tick last_played = 0;  // by the lobby's ticks
  };

  mobula::core::Status create_room(mobula::server::World& world, const mobula::server::Player& player,
                                   const commands::CreateRoom& wanted);
  mobula::core::Status join_room(mobula::server::World& world, const mobula::server::Player& player,
                                 const commands::JoinRoom& wanted);
  [[nodiscard]] mobula::server::HostConfig room_config(std::uint32_t capacity) const;
  mobula::core::Status let_in(mobula::server::World& world, const mobula::server::Player& player, const OpenRoom& room);
  void forget_closed();
  void look_after(mobula::server::World& world, OpenRoom& room);

  LobbyOptions options_;
  mobula::server::Worlds* worlds_ = nullptr;
  std::vector<OpenRoom> rooms_;  // in the order in which they were opened
  std::uint32_t opened_ = 0;
};

}  // namespace lobby
