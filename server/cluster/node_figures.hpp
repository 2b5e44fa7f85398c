// Figures of worlds, which their nodes give at their admin ports (GET /api/status). A node is asked once a second while
// somebody wants the figures of one of its worlds.
#pragma once

#include <cluster/node_addresses.hpp>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/net/http_connection.hpp>
#include <nlohmann/json.hpp>

namespace mobula::cluster {

class NodeFigures {
 public:
  static constexpr core::Nanoseconds interval = core::second;
  static constexpr core::Nanoseconds wanted_for = 5 * core::second;  // after the last call of world()
  static constexpr core::Nanoseconds patience = 3 * core::second;    // for an answer
  static constexpr core::Nanoseconds valid_for = 6 * core::second;

  /// Everything must outlive it. `bearer` is the token of the nodes' admin ports; empty for none.
  NodeFigures(net::EventLoop& events, NodeAddresses& addresses, std::string bearer)
      : events_(events), addresses_(addresses), bearer_(std::move(bearer)) {}

  /// Asks nodes that are due.
  void update(core::Nanoseconds now);
  /// Returns the figures of a world of the node with this admin URL. Null while they are unknown or too old.
  nlohmann::json world(const std::string& admin, const std::string& world, core::Nanoseconds now);
  /// Returns why a node does not answer. Empty if it does, or was not asked.
  [[nodiscard]] std::string trouble(const std::string& admin) const;

 private:
  struct Node {
    std::unique_ptr<net::HttpConnection> connection{};  // null until the address is known
    bool asked = false;                                 // and not answered
    core::Nanoseconds due = 0;
    core::Nanoseconds wanted_at = 0;
    core::Nanoseconds answered_at = 0;
    nlohmann::json worlds = nlohmann::json::object();  // by name
    std::string trouble{};
  };

  void ask(const std::string& admin, Node& node, core::Nanoseconds now);

  net::EventLoop& events_;
  NodeAddresses& addresses_;
  std::string bearer_;
  std::map<std::string, Node> nodes_;  // by admin URL
};

}  // namespace mobula::cluster
