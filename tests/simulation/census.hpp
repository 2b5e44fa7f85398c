// Who plays: a number is one account's for ever, an account plays once and keeps its number as long as it has not left,
// there are no more than there is room for, who is lost is awaited for the grace; the game is told of all who come and
// go; and each of a player's commands is carried out at most once, in order, a few in a tick.
#pragma once

#include <map>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <set>
#include <string>

namespace mobula::sim {

class Census {
 public:
  // What a checkpoint has of it.
  struct Known {
    std::map<std::uint32_t, std::string> accounts;  // by number: of all who ever played
    std::map<std::uint32_t, ecs::Entity> present;   // those in the world: with an entity that lives, or without any
  };
  // Of the commands that were carried out of one program of an account.
  struct Carried {
    std::uint32_t count = 0;
    std::uint32_t last = 0;  // number
  };

  Census(core::Nanoseconds grace, std::uint32_t players_max) : grace_(grace), players_max_(players_max) {}

  // A server begins, with what was saved; null: a new world.
  std::optional<std::string> begin(const server::Server& server, const Known* saved);
  // Before and after each tick, which has that time at the server.
  void begin_tick(core::Nanoseconds now) {
    now_ = now;
    done_.clear();
  }
  std::optional<std::string> check(const server::Server& server);

  // In good order: everybody leaves.
  void server_ends() { server_ends_ = true; }

  // What the game is told.
  void came(const server::Player& player);
  void left(const server::Player& player);
  // Whoever has the account is sent away: nobody waits for it.
  void sent_away(const std::string& account) { sent_away_.insert(account); }
  void carried_out(const server::Player& player, std::uint32_t program, std::uint32_t number);

  [[nodiscard]] bool is_empty() const { return playing_.empty() && awaited_.empty(); }
  [[nodiscard]] Known known(server::Server& server) const;
  [[nodiscard]] const Carried& carried(const std::string& account, std::uint32_t program) {
    return carried_[{account, program}];
  }

 private:
  void fail(const std::string& what) {
    if (!wrong_) wrong_ = what;
  }
  void check(const server::ClientSession& session);

  core::Nanoseconds grace_;
  std::uint32_t players_max_;
  core::Nanoseconds now_ = 0;
  bool server_ends_ = false;
  std::optional<std::string> wrong_;
  std::map<std::uint32_t, std::string> accounts_;  // by number
  struct Away {
    core::Nanoseconds since = 0;
    bool is_gone = false;  // else it has come back, and said nothing yet
  };
  std::map<std::uint32_t, Away> away_;                        // by number
  std::map<std::string, std::uint32_t, std::less<>> number_;  // by account, of who has not left
  std::set<std::string> here_;                                // accounts, in this look
  std::set<std::uint32_t> awaited_;                           // since the server began: its game does not know them yet
  std::set<std::string> sent_away_;                           // and have not come since
  std::set<std::uint32_t> playing_;                           // as the game was told
  std::map<std::pair<std::string, std::uint32_t>, Carried> carried_;  // by account and program
  std::map<std::uint32_t, std::size_t> done_;                         // commands in this tick, by number
};

}  // namespace mobula::sim
