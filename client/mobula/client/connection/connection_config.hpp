// Settings and counters of a connection.
#pragma once

#include <memory>
#include <mobula/client/connection/resource_store.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <string>

namespace mobula::client {

/// Maximum size of a player's name.
inline constexpr std::size_t player_name_bytes_max = 24;

/// Settings of one connection.
struct ConnectionConfig {
  transport::ClientEndpointConfig transport{};  ///< Holds the connect token.
  /// Name of the player: printable UTF-8 of at most player_name_bytes_max. Others see the beginning of a longer one.
  std::string name{};
  /// Schema that the program was compiled with. A server with another schema refuses the client. Null accepts any.
  std::shared_ptr<const reflect::Schema> schema{};
  ResourceStore* resources = nullptr;  ///< Where the server's resources are kept. Null requests no resources.
  bool spectate = false;               ///< Joins as a spectator: without an entity and without commands.
  /// Asks the server for Connection::take_follow, if the player goes to another zone. Without it the server ends the
  /// connection then, with the reason `moved`.
  bool follows = false;
  bool awaits_player = false;  ///< The server welcomes the client once its player has arrived from another zone.
  bool verify = true;          ///< Asks the server for hashes that verify the mirror.
  /// False acknowledges deltas without decoding them and keeps no mirror, so that one process can run many clients.
  /// The server behaves as with any other client. It cannot be recorded.
  bool decode = true;
};

/// Counters since the connection was made, and those of connections that it continues. A rejoin or a reconnect does not
/// reset them.
struct ConnectionStats {
  std::uint64_t ticks = 0;              ///< Ticks of the server of which a delta was received.
  std::uint64_t deltas = 0;             ///< Deltas that were accepted.
  std::uint64_t late_deltas = 0;        ///< Deltas that arrived after a newer one.
  std::uint64_t lost_deltas = 0;        ///< Deltas given up, because they would arrive too late to be accepted.
  std::uint64_t verified_ticks = 0;     ///< Hashes of the server that matched the mirror.
  std::uint64_t mismatched_ticks = 0;   ///< Hashes of the server that did not match the mirror.
  std::uint64_t corrections = 0;        ///< Entities that the server reported as wrong in the mirror.
  std::uint64_t unreadable_deltas = 0;  ///< Deltas skipped because a wrong mirror could not decode them.
  std::uint64_t events = 0;             ///< Events handed out by Connection::events.
  std::uint64_t refused_commands = 0;   ///< Commands that the server reported as refused; log lines name the reasons.
  std::uint64_t bytes_received = 0;     ///< Bytes of all datagrams.
  std::uint64_t rejoins = 0;            ///< Calls of rejoin and reconnect.
  std::uint64_t resumed = 0;            ///< … after which the server has resumed the session.

  ConnectionStats& operator+=(const ConnectionStats& other) {
    ticks += other.ticks;
    deltas += other.deltas;
    late_deltas += other.late_deltas;
    lost_deltas += other.lost_deltas;
    verified_ticks += other.verified_ticks;
    mismatched_ticks += other.mismatched_ticks;
    corrections += other.corrections;
    unreadable_deltas += other.unreadable_deltas;
    events += other.events;
    refused_commands += other.refused_commands;
    bytes_received += other.bytes_received;
    rejoins += other.rejoins;
    resumed += other.resumed;
    return *this;
  }
};

}  // namespace mobula::client
