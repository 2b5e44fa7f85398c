// Game of a simulated cluster: entities move about, and cross from zone to zone with what is below them. Some are made
// and end meanwhile. Players move as the others do, and number their commands.
#pragma once

#include <mobula/server/game/game.hpp>
#include <server/hamlet.hpp>
#include <simulation/cluster/walker_census.hpp>

namespace mobula::sim {

class WalkerGame final : public server::Game {
 public:
  static constexpr float sight = 40;                // metres
  static constexpr std::uint32_t rests_one_in = 3;  // entities that never move or change

  struct Config {
    std::uint32_t walkers = 0;  // made at the start
    float extent = 0;           // metres from the middle of the world to its edges
  };

  /// The census outlives it.
  WalkerGame(WalkerCensus& census, const Config& config) : census_(census), config_(config) {}

  /// Returns the hash of its schema.
  static std::string hash() { return to_string(test::game_schema()->fingerprint()); }
  static core::Bytes command(std::uint32_t number) { return test::move_command(static_cast<float>(number), 0); }

  [[nodiscard]] core::ByteView schema() const override { return test::game_schema()->bytes(); }
  [[nodiscard]] std::vector<server::Layer> layers() const override { return {{"near", sight}}; }
  server::CommandTable commands() override;
  core::Status start(server::World& world) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  void tick(server::World& world) override;

 private:
  enum class Kind : std::uint8_t { forever, mortal, player };

  core::Result<ecs::Entity> make(server::World& world, Kind kind);
  [[nodiscard]] engine::Vec3 any_place(server::World& world) const;
  void walk(engine::Transform& transform, std::uint32_t number, ecs::Tick tick) const;

  WalkerCensus& census_;
  Config config_;
};

}  // namespace mobula::sim
