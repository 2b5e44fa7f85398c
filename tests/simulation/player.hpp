// One who plays: keeps its account and its chances, whoever else there is. What happens to one changes nothing for
// others.
#pragma once

#include <set>
#include <simulation/ports.hpp>

namespace mobula::sim {

struct Simulation::Player {
  Player(Simulation& sim, std::uint32_t which)
      : name("player " + std::to_string(which)),
        random(sim.plan_.seed * 1000 + which + 1),
        port(sim, transport::Address::v4(10, 1, 0, static_cast<std::uint8_t>(which + 1), 5000)) {}
  [[nodiscard]] core::Nanoseconds clock(core::Nanoseconds now) const { return now + ahead; }
  // Or was, before it moved.
  [[nodiscard]] bool is_at(transport::Address address) const {
    address.ip[14] = port.from.ip[14];
    return port.from == address;
  }

  std::string name;
  core::Random random;
  ClientPort port;
  std::unique_ptr<client::Connection> connection;  // null: has not come yet, or has left
  core::Nanoseconds ahead = 0;                     // of everybody else's clock
  core::Nanoseconds drift = 0;                     // in a second
  std::uint32_t programs = 0;                      // that were started besides the first
  std::uint32_t commands = 0;                      // so many it has given
  std::uint32_t frame_ticks = 1;                   // from one update of its program to the next
  bool mute = false;
  bool keeps_levels = false;
  bool knows_schema = false;
  bool spectates = false;
  // That was started first, if there are two; it goes on until it is sent away, and does not come back.
  struct First {
    ClientPort port;
    std::unique_ptr<client::Connection> connection;
  };
  std::optional<First> first;
  // Of events for all, and of those for itself: the last reliable one that it was told; and all others.
  std::array<SimGame::Event, 2> last_events;
  std::set<std::pair<std::uint32_t, std::uint32_t>> other_events;
  transport::SessionId session{};  // the server's, when it was last looked at
  ecs::Tick playing_since = 0;     // this server, without a break: of what was told before, it may lack something
};

}  // namespace mobula::sim
