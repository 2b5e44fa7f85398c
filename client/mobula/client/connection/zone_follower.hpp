// Decides when a player's client opens a second connection to another zone, and when that takes over
// (docs/protocol.md, "Zones"). The client has the connections and their pipes.
//
//   present ──────── Follow ────────────────────── player crosses ─► closed
//                       └─► second: joining ─► complete ──────────► present, with the mirror continued
#pragma once

#include <mobula/client/connection/connection.hpp>

namespace mobula::client {

class ZoneFollower {
 public:
  /// Change that the client makes with its second connection.
  enum class Step : std::uint8_t {
    none,
    open,     // opens one to zone(), instead of one that it has
    drop,     // ends it
    give_up,  // ends both: the player is in zone(), and the client cannot follow it there
  };

  /// Takes what both connections were sent. `second` is null without one. Call it after they were updated.
  Step update(Connection& present, Connection* second);
  /// Notes that the client cannot open the connection. Returns what it does then.
  Step on_refused() { return has_moved_ ? Step::give_up : Step::none; }
  /// Notes that the server has ended the present session because the player is in a world. Returns `drop` if a second
  /// connection is to another one.
  Step on_moved(std::string_view world);
  /// Notes that the present connection is that of the player's zone.
  void on_arrived() { has_moved_ = false; }

  /// Returns where the second connection is.
  [[nodiscard]] const wire::Follow& zone() const { return zone_; }
  /// Returns whether the player is in another world than the present connection.
  [[nodiscard]] bool has_moved() const { return has_moved_; }

  /// Returns whether a second connection shows all that the player sees. It takes over then.
  [[nodiscard]] static bool is_complete(const Connection& second);
  /// Returns the settings of the second connection, to a server of zone(). Errors: those of transport::read_token.
  [[nodiscard]] core::Result<ConnectionConfig> settings(const Connection& present,
                                                        const transport::Address& server) const;
  /// Returns the world of the player after a second connection has ended, for a reason that may name another one.
  [[nodiscard]] const std::string& world_after(const transport::Reason& reason) const {
    return reason.code == transport::ReasonCode::moved ? reason.text : zone_.world;
  }

 private:
  wire::Follow zone_;
  bool has_moved_ = false;
};

}  // namespace mobula::client
