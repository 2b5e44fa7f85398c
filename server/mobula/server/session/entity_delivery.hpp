// Delivers messages to entities of this world, and events about them that other zones have sent. Those for other zones
// wait for the zone's host.
#pragma once

#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <utility>
#include <vector>

namespace mobula::server {

class EntityDelivery {
 public:
  /// Both outlive it.
  EntityDelivery(World& world, Game& game) : world_(world), game_(game) {}

  /// Delivers what waits. Once per tick, after the due commands.
  void deliver();
  /// Takes events of the game about ghosts for the zones that have them. At the end of a zone's tick.
  void take_events_about_ghosts();
  /// Returns and clears what is for entities of other zones. Empty for a world of its own.
  [[nodiscard]] std::vector<wire::Forward> take_abroad() { return std::exchange(abroad_, {}); }

 private:
  void deliver(wire::Forward&& forward);

  World& world_;
  Game& game_;
  std::vector<wire::Forward> abroad_;
};

}  // namespace mobula::server
