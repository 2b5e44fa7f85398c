// Limits, counters and end reasons of stream pipes (TCP and WebSocket).
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <string_view>

namespace mobula::net {

/// Limits of a stream pipe.
struct StreamLimits {
  std::uint32_t connections_max = 4096;
  /// Connections to which nothing has been sent yet. One more replaces the oldest. The limit per host applies to an
  /// IPv4 address or IPv6 /64, but neither to this machine nor to a trusted proxy.
  std::uint32_t unanswered_max = 1024;
  std::uint32_t unanswered_per_host_max = 64;
  /// Maximum bytes queued for one connection, and the number up to which it is ready for more.
  std::size_t queue_bytes_max = 64 * 1024;
  std::size_t ready_bytes_max = 16 * 1024;
  /// Time for a new connection to send its first datagram, a proxy's header included.
  core::Nanoseconds first_datagram_max = 5 * core::second;
  /// Time without a datagram to a connection until it is closed. A session always sends something, so the connection
  /// has no session.
  core::Nanoseconds nothing_sent_max = 10 * core::second;
  /// Time for a client to connect, including handshakes.
  core::Nanoseconds connect_max = 10 * core::second;
  /// Time to send the queue and to receive the peer's close. After that the connection is cut.
  core::Nanoseconds closing_max = 3 * core::second;
};

/// Reason for the end of a stream connection.
enum class StreamEnd : std::uint8_t {
  finished,        // closed by this side
  closed_by_peer,  // with or without a close handshake
  lost,            // network error
  bad_length,      // datagram of 0 or too many bytes
  bad_message,     // WebSocket: text message, too long, or a malformed frame
  bad_handshake,   // TLS or WebSocket: another protocol, untrusted certificate
  bad_proxy,       // a trusted proxy's header is malformed: PROXY, Forwarded or X-Forwarded-For
  foreign_origin,  // WebSocket: a page of an origin that is not allowed
  host_full,       // too many unanswered connections of the host that a trusted proxy names
  no_datagram,     // no complete datagram in time
  unanswered,      // no datagram to it for nothing_sent_max
  crowded_out,     // unanswered, replaced by a newer connection
  stalled,         // the peer does not read
  unreachable,     // no answer from the server
  count,
};

/// Returns the name, for example "closed by peer".
std::string_view to_string(StreamEnd end);

/// Counters of a stream pipe.
struct StreamCounters {
  std::uint64_t datagrams_sent = 0;  // queued
  std::uint64_t bytes_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped_full = 0;    // the connection's queue had no room
  std::uint64_t dropped_closed = 0;  // no open connection
  std::uint64_t accepted = 0;
  std::uint64_t refused_full = 0;  // all connections in use by answered clients
  std::uint64_t refused_host = 0;  // too many unanswered connections from one host
  std::array<std::uint64_t, static_cast<std::size_t>(StreamEnd::count)> ended{};
};

}  // namespace mobula::net
