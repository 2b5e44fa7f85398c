// Everything that a connection is given. A connection has no clock, sockets or randomness of its own, so these calls
// alone determine what it does. A decorator such as RecordedConnection stands in front of it.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/transport/connect_token.hpp>
#include <mobula/transport/endpoint.hpp>
#include <string_view>

namespace mobula::client {

/// Inputs of a connection. `now` is a monotonic time that never decreases from call to call.
class ConnectionInput {
 public:
  ConnectionInput() = default;
  ConnectionInput(const ConnectionInput&) = delete;
  virtual ~ConnectionInput() = default;

  /// Processes a datagram. Its content is in the mirror when this returns.
  virtual void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) = 0;
  /// Sends acknowledgements and the command, and keeps the connection alive. Call it about once per tick of the server
  /// or with each frame: at most four acknowledgements are sent per tick of the server.
  virtual void update(core::Nanoseconds now, transport::Output& output) = 0;
  /// Sets the command that the next update sends, for the tick at which it can arrive in time. It is sent repeatedly
  /// until the server acknowledges it.
  virtual void set_command(core::ByteView command) = 0;
  /// Reports that the stream which carried the connection has ended.
  virtual void pipe_closed(std::string_view why, core::Nanoseconds now) = 0;
  /// Starts a new session as the same player, with a rejoin token. Requires Connection::can_rejoin. The mirror is kept
  /// and continued; it is replaced if the server no longer knows the player's session.
  virtual void rejoin(core::Nanoseconds now) = 0;
  /// Starts a new session with a new connect token, as if for the first time. Requires a closed connection. In another
  /// world (Connection::moved_to) the addresses are those of the token.
  virtual void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) = 0;
  /// Leaves the server. Does nothing if the connection is closed already.
  virtual void close(transport::Output& output) = 0;

 protected:
  ConnectionInput& operator=(ConnectionInput&&) = default;
};

}  // namespace mobula::client
