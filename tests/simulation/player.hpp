// Simulated player: an honest client with an account and a random source of its own. Faults of one player change
// nothing for others.
#pragma once

#include <set>
#include <simulation/mirror_follower.hpp>
#include <simulation/ports.hpp>
#include <simulation/prediction_follower.hpp>
#include <simulation/rules_follower.hpp>

namespace mobula::sim {

struct Simulation::Player {
  Player(Simulation& sim, std::uint32_t number)
      : which(number),
        name("player " + std::to_string(which)),
        random(sim.plan_.seed * 1000 + which + 1),
        port(sim, transport::Address::v4(10, 1, 0, static_cast<std::uint8_t>(which + 1), 5000)) {}
  [[nodiscard]] core::Nanoseconds clock(core::Nanoseconds now) const { return now + ahead; }
  // Returns whether the address is the player's, or was before it moved.
  [[nodiscard]] bool is_at(transport::Address address) const {
    address.ip[14] = port.from.ip[14];
    return port.from == address;
  }

  std::uint32_t which;
  std::string name;
  core::Random random;
  ClientPort port;
  std::unique_ptr<client::Connection> connection;  // null before joining and after leaving
  MirrorFollower follower;                         // follows the connection
  std::optional<PredictionFollower> prediction;    // beside the connection, in plans that predict
  std::optional<RulesFollower> rules;              // beside it, in plans that have rules
  Drawer drawer;                                   // beside it, in plans that rewind
  core::Nanoseconds ahead = 0;                     // offset from the other clocks
  core::Nanoseconds drift = 0;                     // per second
  std::uint32_t programs = 0;                      // started besides the first
  std::uint32_t commands = 0;                      // sent so far
  std::uint32_t plays = 0;                         // the same of commands for the rules
  std::uint32_t outcomes_checked = 0;              // the last command whose outcome was compared
  std::uint32_t frame_ticks = 1;                   // ticks between updates of its program
  bool mute = false;
  bool keeps_levels = false;
  bool knows_schema = false;
  bool spectates = false;
  // The earlier of two programs of the account. It runs until it is disconnected and does not reconnect.
  struct First {
    ClientPort port;
    std::unique_ptr<client::Connection> connection;
  };
  std::optional<First> first;
  // Last reliable event received: for all, and for this player. Below: all other events.
  std::array<SimGame::Event, 2> last_events;
  std::set<std::pair<std::uint32_t, std::uint32_t>> other_events;
  transport::SessionId session{};  // the server's, at the last check
  std::size_t entity_at = 0;       // place of its entity among those that the session was sent
  ecs::Tick playing_since =
      0;  // tick since which the session has been playing without a break; earlier events may be missing
};

}  // namespace mobula::sim
