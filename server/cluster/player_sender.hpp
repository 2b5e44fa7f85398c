// Sends players from one world of the cluster to another. Nodes know their players, so all of them are asked at their
// admin ports (POST /api/players/send).
#pragma once

#include <cluster/control.hpp>
#include <cluster/node_addresses.hpp>
#include <mobula/net/event_loop.hpp>

namespace mobula::cluster {

class PlayerSender {
 public:
  static constexpr core::Nanoseconds patience = 3 * core::second / 2;  // for all answers

  /// Everything must outlive it. `bearer` is the token of the nodes' admin ports; empty for none.
  PlayerSender(net::EventLoop& events, NodeAddresses& addresses, Control& control, std::string bearer)
      : events_(events), addresses_(addresses), control_(control), bearer_(std::move(bearer)) {}

  /// Requests that the player of an account goes to a world. Its game may refuse that later. Returns the name of the
  /// world that has the player, which may be that world. Errors: those of Control::known(),
  /// "no such world", "no such player", and "on the way" between two worlds. If no node has the player, and some do
  /// not answer: "unanswered".
  core::Result<std::string> send(const std::string& account, const std::string& world);

 private:
  struct Search;

  void ask(Search& search, const std::string& node, const std::string& admin);
  [[nodiscard]] core::Error not_found(const Search& search, const std::string& account) const;

  net::EventLoop& events_;
  NodeAddresses& addresses_;
  Control& control_;
  std::string bearer_;
};

}  // namespace mobula::cluster
