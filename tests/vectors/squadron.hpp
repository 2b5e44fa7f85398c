// Ships of the session vectors, whose fields follow courses: one flies straight, one is thrown, one stops and goes, one
// goes out of view, and one is the player's.
#pragma once

#include <array>
#include <mobula/server/game/game.hpp>
#include <session_vectors/components.hpp>
#include <vector>

namespace mobula::test {

class Squadron {
 public:
  /// Returns the layers that its entities name.
  static std::vector<server::Layer> layers();

  void start(server::World& world);
  void join(server::World& world, ecs::Entity player);
  /// Moves the ships. Unless they are steered they fly on as before, and their aims rest: owners receive each new aim.
  void tick(server::World& world, bool steered);

 private:
  struct Ship {
    ecs::Entity entity;
    engine::Vec3 velocity;  // metres per tick
    engine::Vec3 axis{0, 1, 0};
    float angle = 0;   // degrees
    float spin = 0;    // degrees per tick
    float sweep = 0;   // degrees per tick that the aim moves
    float thrust = 0;  // change of the sweep per tick
  };

  void steer_cruiser(server::World& world, Ship& ship) const;
  void steer_thrown(server::World& world, Ship& ship) const;
  void steer_shuttle(server::World& world, Ship& ship) const;
  void steer_hidden(server::World& world, Ship& ship) const;
  void steer_own(server::World& world, Ship& ship) const;

  using Steer = void (Squadron::*)(server::World& world, Ship& ship) const;
  static constexpr std::size_t ship_count = 5;
  static const std::array<Steer, ship_count> steers;

  std::array<Ship, ship_count> ships_;  // the last is the player's
  std::uint32_t ticks_ = 0;
};

}  // namespace mobula::test
