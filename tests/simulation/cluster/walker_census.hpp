// Rules that hold in a simulated cluster. Each entity has a number that no other one ever has, and a value that follows
// from its number and the tick in which its owner has set it.
#pragma once

#include <functional>
#include <map>
#include <mobula/ecs/entity.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/session/server.hpp>
#include <set>
#include <string>

namespace mobula::sim {

/// Components of an entity of the cluster's game. Avatar::player is its number, Avatar::score the tick in which its
/// owner has set it, Avatar::tags the last command of its player. Health is value_of() these.
inline std::uint16_t value_of(std::uint32_t number, std::uint32_t tick) {
  return static_cast<std::uint16_t>((number * 2654435761u + tick * 40503u) >> 8);
}

class WalkerCensus {
 public:
  /// Returns the number of a new entity. One that lives `forever` must exist at the end.
  std::uint32_t new_number(bool forever) {
    if (forever) forever_.insert(next_);
    return next_++;
  }
  /// Notes a command that a game executes: its number, and that of the last one which the player's entity knows.
  void on_command(const std::string& account, std::uint32_t number, std::uint32_t last);
  /// Returns the number of the last command of an account that was executed; 0 without one.
  [[nodiscard]] std::uint32_t executed(const std::string& account) const {
    const auto found = executed_.find(account);
    return found == executed_.end() ? 0 : found->second;
  }
  void fail(const std::string& what) {
    if (wrong.empty()) wrong = what;
  }

  /// Begins a look at all worlds that are served at this moment.
  void begin() {
    owned_.clear();
    player_in_.clear();
  }
  /// Looks at one of them, in which each ghost has a handle and a value of its original. No account has a player in
  /// two of them.
  void look(const std::string& name, server::Server& server);
  /// Checks that those which live forever have one owner each.
  void check_all();

  std::function<void(const std::string& account, std::uint32_t command)> executes;  // called for each command
  bool stands_still = false;                                                        // no entity moves, begins or ends
  std::string wrong;           // first violation; empty if there is none
  std::uint64_t compared = 0;  // ghosts
  std::string left_out;        // first command between two that were executed; empty if there is none
  std::uint64_t players = 0;   // entities that were made for players
  std::uint64_t digest = 0;    // all that was looked at

 private:
  void look_at_players(const std::string& name, const server::Server& server);
  void note_handle(ecs::Entity entity, std::uint32_t number);
  void note_number(std::uint32_t number, ecs::Entity entity);

  std::uint32_t next_ = 1;
  std::set<std::uint32_t> forever_;
  std::map<std::string, std::uint32_t> executed_;   // last command, by account
  std::map<ecs::Entity, std::uint32_t> number_of_;  // each handle that ever was
  std::map<std::uint32_t, ecs::Entity> handle_of_;  // by number
  std::map<std::uint32_t, std::string> owned_;      // name of the world, by number
  std::map<std::string, std::string> player_in_;    // name of the world, by account
};

}  // namespace mobula::sim
