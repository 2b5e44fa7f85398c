// A player of a simulated cluster, whose client follows it from zone to zone. It joins again as programs do when its
// connection is lost.
#pragma once

#include <memory>
#include <mobula/client/connection/zone_follower.hpp>
#include <mobula/server/cluster/records.hpp>
#include <simulation/cluster/input_delays.hpp>
#include <simulation/cluster/wires.hpp>
#include <string>

namespace mobula::sim {

class ZonePlayer {
 public:
  /// Returns the record of a world as its backend has it; null if there is none.
  using Find = std::function<std::optional<cluster::WorldRecord>(const std::string& world)>;

  using Note = std::function<void(const std::string& what)>;

  /// One that is `light` has no mirror. Calls note() for what it does. Wires outlive it.
  ZonePlayer(Wires& wires, Find find, Note note, std::uint32_t number, std::string world, bool light);

  void update(core::Nanoseconds now);
  /// Sends a command of the game with the next update. Returns its number.
  std::uint32_t send_command();
  /// Loses the connections as a program does that is killed, and starts again.
  void restart();

  [[nodiscard]] bool plays() const {
    return connection_ != nullptr && connection_->state() == client::Connection::State::playing;
  }
  /// Returns whether all that the player sees is shown, with its own entity.
  [[nodiscard]] bool is_complete() const { return plays() && client::ZoneFollower::is_complete(*connection_); }
  [[nodiscard]] const client::Connection& connection() const { return *connection_; }
  [[nodiscard]] const std::string& world() const { return world_; }
  /// Returns the number of its machine.
  [[nodiscard]] std::uint32_t machine() const { return first_machine + number_; }
  /// Returns how many ticks had a wrong mirror, on all its connections.
  [[nodiscard]] std::uint64_t mismatched() const {
    return former_mismatched_ + (connection_ != nullptr ? connection_->stats().mismatched_ticks : 0);
  }
  /// Describes its connections, for people.
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string name() const { return "player " + std::to_string(number_); }

  InputDelays delays;
  std::uint64_t zone_changes = 0;
  std::uint64_t unseen = 0;  // updates in which its entity was missing from a mirror that has had it
  std::uint64_t rejoins = 0;

 private:
  static constexpr std::uint32_t first_machine = 1 << 14;  // players begin there

  [[nodiscard]] std::unique_ptr<WirePipe> open_pipe(client::Connection& connection);
  void take_over();
  void update_second(core::Nanoseconds now);
  void drop_second();
  core::Status open_second(core::Nanoseconds now);
  [[nodiscard]] std::optional<transport::ConnectToken> token_of_world() const;
  void on_lost(core::Nanoseconds now);
  void join(core::Nanoseconds now);

  Wires& wires_;
  Find find_;
  Note note_;
  std::uint32_t number_;
  std::string world_;  // where its player is, as far as it knows
  bool light_;
  std::uint16_t ports_ = 1000;
  std::unique_ptr<client::Connection> connection_;
  std::unique_ptr<WirePipe> pipe_;
  std::unique_ptr<client::Connection> second_;
  std::unique_ptr<WirePipe> second_pipe_;
  client::ZoneFollower follower_;
  core::Nanoseconds next_try_ = 0;
  std::uint32_t commands_ = 0;
  std::uint64_t former_mismatched_ = 0;  // on former connections
  std::uint32_t seen_in_ = 0;            // mirror in which its entity was seen
};

}  // namespace mobula::sim
