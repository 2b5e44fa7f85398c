// Why a connection was refused or ended: a code that programs compare and a short text for people's logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::transport {

enum class ReasonCode : std::uint8_t {
  none,
  other_protocol,       // the peer speaks another protocol version
  server_full,          // all its sessions are taken
  refused,              // the server will not have this client: schema, resources, a ban; the text says which
  timed_out,            // nothing was heard for too long
  left,                 // the peer closed the connection in good order
  kicked,               // the server threw the client out
  shutting_down,        // the server ends
  protocol_error,       // the peer broke the protocol
  replaced,             // the client came back, in a session of its own
  token_expired,        // the connect token was too old, or grew too old during the handshake
  invalid_token,        // the connect token is none
  no_answer,            // nobody answered the connection request
  handshake_timed_out,  // the server answered, but did not complete the handshake
  pipe_lost,            // the stream's connection is gone
  flooding,             // the peer sent more than it may, and did not stop
  count,
};

// What is longer is cut. Bytes that are not printable ASCII become '?', so that a log line stays a log line.
inline constexpr std::size_t reason_text_bytes_max = 160;

struct Reason {
  ReasonCode code = ReasonCode::none;
  std::string text;

  bool operator==(const Reason&) const = default;
};

// The code's name, such as "server full".
std::string_view to_string(ReasonCode code);
// "server full: 64 of 64 sessions are taken"; the name alone when there is no text.
std::string to_string(const Reason& reason);

}  // namespace mobula::transport
