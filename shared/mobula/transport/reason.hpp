// Reason of a refused or closed connection: a code for programs and a short text for logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::transport {

/// Codes of reasons, with their numbers on the wire.
enum class ReasonCode : std::uint8_t {
  none,
  other_protocol,       // the peer has another protocol version
  server_full,          // all sessions of the server are in use
  refused,              // schema, resources or a ban; the text has the details
  timed_out,            // no packet within the timeout
  left,                 // the peer closed the connection
  kicked,               // the server disconnected the client
  shutting_down,        // the server is stopping
  protocol_error,       // the peer violated the protocol
  replaced,             // the client reconnected in another session
  token_expired,        // the connect token expired, before or during the handshake
  invalid_token,        // not a valid connect token
  no_answer,            // no answer to the connection request
  handshake_timed_out,  // the server answered, but did not complete the handshake
  pipe_lost,            // the stream's connection was closed
  flooding,             // the peer exceeded its rate limit for too long
  moved,                // the player is in another world, which the text names
  count,
};

/// Longer texts are truncated. Bytes other than printable ASCII become '?': a reason cannot break a log line.
inline constexpr std::size_t reason_text_bytes_max = 160;

/// Reason of a refused or closed connection.
struct Reason {
  ReasonCode code = ReasonCode::none;
  std::string text;

  bool operator==(const Reason&) const = default;
};

/// Returns the name of the code, for example "server full".
std::string_view to_string(ReasonCode code);
/// Returns "server full: 64 of 64 sessions are taken", or the name alone if there is no text.
std::string to_string(const Reason& reason);

}  // namespace mobula::transport
