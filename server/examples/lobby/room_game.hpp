// Room: up to `capacity` players move over a board of eight by eight squares. A player that steps on the gem gets its
// worth in points. There is one RoomGame per room. It does not know the lobby.
#pragma once

#include <mobula/server/game/game.hpp>

namespace lobby {

namespace commands {
struct Step;
}

class RoomGame final : public mobula::server::Game {
 public:
  static constexpr std::uint32_t capacity_max = 8;

  explicit RoomGame(std::uint32_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Returns the number of players, including disconnected ones.
  [[nodiscard]] std::uint32_t players() const { return players_; }

  [[nodiscard]] mobula::core::ByteView schema() const override;
  mobula::server::CommandTable commands() override;
  mobula::core::Status start(mobula::server::World& world) override;
  mobula::core::Result<mobula::ecs::Entity> join(mobula::server::World& world,
                                                 const mobula::server::Player& player) override;
  void leave(mobula::server::World& world, const mobula::server::Player& player) override;

 private:
  mobula::core::Status step(mobula::server::World& world, const mobula::server::Player& player,
                            const commands::Step& step);

  std::uint32_t capacity_;
  std::uint32_t players_ = 0;
  mobula::ecs::Entity gem_;
};

}  // namespace lobby
