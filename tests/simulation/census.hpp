// Census: checks who plays, against the server's sessions and the calls that the game receives.
//
//   - a player number belongs to one account for ever; an account plays once, and keeps its number until it leaves
//   - there are at most players_max players; a disconnected one is awaited for the rejoin grace
//   - the game gets join() and leave() for every player
//   - each command of a player runs at most once, in order, at most per_tick_max in a tick
//   - a client knows in which tick each of its commands ran, or that it had no effect
//   - a player's entity is the last that the game gave it, or its successor after a reload; null if that is dead
#pragma once

#include <map>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/core/awake_clock.hpp>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mobula::sim {

// Its memory does not count as the server's.
class Census {
 public:
  // State of the census at a checkpoint.
  struct Known {
    std::map<std::uint32_t, std::string> accounts;  // by number, all who ever played
    std::map<std::uint32_t, ecs::Entity> present;   // players in the world: with a living entity, or without any
  };
  // Commands executed for one program of an account.
  struct Executed {
    std::uint32_t count = 0;
    std::uint32_t last = 0;  // command number
  };

  Census(core::Nanoseconds grace, std::uint32_t players_max) : grace_(grace), players_max_(players_max) {}

  // Called when a server starts. `saved`: the state it restored; null for a new world.
  std::optional<std::string> begin(const server::Server& server, const Known* saved);
  // Called whenever the server gets the time. Pauses of the server do not count.
  void advance(core::Nanoseconds now) { now_ = awake_.advance(now); }
  // Called before and after each tick; `now` is the server's time.
  void begin_tick(core::Nanoseconds now) {
    advance(now);
    done_.clear();
  }
  std::optional<std::string> check(server::Server& server);

  // The server shuts down in good order: all players leave.
  void server_ends() { server_ends_ = true; }

  // Calls that the game received.
  void joined(const server::Player& player);
  void left(const server::Player& player);
  // The server kicked or banned the account: it is not awaited.
  void disconnected_by_server(const std::string& account) { disconnected_by_server_.insert(account); }
  void command_ran(const server::Player& player, std::uint32_t program, std::uint32_t number);

  // A command with these bytes was not refused. No other command of the account has the same bytes.
  void command_took_effect(const server::Player& player, core::Bytes bytes, ecs::Tick tick);
  // Compares the outcomes that a client of the account knows. `checked`: the last number that was compared.
  [[nodiscard]] std::optional<std::string> check_outcomes(const std::string& account, const client::CommandLog& log,
                                                          std::uint32_t& checked) const;

  // A server is about to start. It may reload the level before begin().
  void server_starts() { last_change_ = {}; }
  // The game gave the player an entity, or none.
  void gave(std::uint32_t player, ecs::Entity entity);
  // A reload replaced entities of the level.
  void followed(const server::LevelChange& change);
  // Returns whether a client of the player may have been sent this entity last, or none. Clients are sent the player's
  // entities in order: `at` is the place of the one that the client had before, and is moved on.
  [[nodiscard]] bool may_have(std::uint32_t player, ecs::Entity entity, std::size_t& at) const;
  void fail(const std::string& what) {
    if (!wrong_) wrong_ = what;
  }

  [[nodiscard]] bool is_empty() const { return playing_.empty() && awaited_.empty(); }
  [[nodiscard]] Known known(server::Server& server) const;
  [[nodiscard]] const Executed& executed(const std::string& account, std::uint32_t program) {
    return executed_[{account, program}];
  }

 private:
  void check(const server::ClientSession& session);
  void check_entity(const server::Player& player, const ecs::Registry& registry);

  core::Nanoseconds grace_;
  std::uint32_t players_max_;
  core::AwakeClock awake_;
  core::Nanoseconds now_ = 0;
  bool server_ends_ = false;
  std::optional<std::string> wrong_;
  std::map<std::uint32_t, std::string> accounts_;  // by number
  struct Disconnected {
    core::Nanoseconds since = 0;
    bool is_lost = false;  // false if it has reconnected but not sent anything yet
  };
  std::map<std::uint32_t, Disconnected> disconnected_;        // by number
  std::map<std::string, std::uint32_t, std::less<>> number_;  // by account, until it leaves
  std::set<std::string> here_;                                // accounts found by the present check
  std::set<std::uint32_t> awaited_;                           // restored players that the game has not got join() for
  std::set<std::string> disconnected_by_server_;              // and not joined since
  std::set<std::uint32_t> playing_;                           // joined players, as reported to the game
  std::map<std::pair<std::string, std::uint32_t>, Executed> executed_;  // by account and program
  std::map<std::pair<std::string, core::Bytes>, ecs::Tick> effects_;    // by account and bytes: when a command ran
  std::map<std::uint32_t, std::size_t> done_;                           // commands in this tick, by number
  std::map<std::uint32_t, std::vector<ecs::Entity>> given_;             // by number, the last one last
  server::LevelChange last_change_;
};

}  // namespace mobula::sim
