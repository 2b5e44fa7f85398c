// What stream pipes (TCP and WebSocket) have in common: their limits, what they count, and why a connection ends.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <string_view>

namespace mobula::net {

struct StreamLimits {
  std::uint32_t connections_max = 4096;
  // Of these, to which nothing has been sent yet: one more takes the place of the oldest. A host, which is an IPv4
  // address or an IPv6 network of 64 bits but not this machine, gets no more than its share.
  std::uint32_t unanswered_max = 1024;
  std::uint32_t unanswered_per_host_max = 64;
  // What one connection may have waiting, and how little it must be for the connection to be ready for more.
  std::size_t queue_bytes_max = 64 * 1024;
  std::size_t ready_bytes_max = 16 * 1024;
  // Nothing is kept for silence: a connection must have sent a whole datagram so soon after it was made,
  core::Nanoseconds first_datagram_max = 5 * core::second;
  // and later it belongs to a session, to which there is something to be sent all the time: what is sent nothing for so
  // long is closed.
  core::Nanoseconds nothing_sent_max = 10 * core::second;
  // The client's side: until a connection stands.
  core::Nanoseconds connect_max = 10 * core::second;
  // What waits is written, and the other side closes too, or it is cut off.
  core::Nanoseconds closing_max = 3 * core::second;
};

enum class StreamEnd : std::uint8_t {
  finished,        // we had nothing more to say
  closed_by_peer,  // in good order or not
  lost,            // an error on the way
  bad_length,      // of a datagram: none, or more than a datagram has
  bad_message,     // WebSocket: text, too long, a broken frame
  bad_handshake,   // of TLS or WebSocket: another path, another protocol, a certificate that is not trusted
  said_nothing,    // no whole datagram in time
  unanswered,      // none of its datagrams was worth an answer
  crowded_out,     // not answered yet, and others came
  stalled,         // it does not read what is sent
  unreachable,     // nobody answered where we wanted to connect to
  count,
};

// The name, such as "closed by peer".
std::string_view to_string(StreamEnd end);

struct StreamCounters {
  std::uint64_t datagrams_sent = 0;  // taken into a connection's queue
  std::uint64_t bytes_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped_full = 0;  // the connection's queue had no room
  std::uint64_t dropped_gone = 0;  // there was no connection
  std::uint64_t accepted = 0;
  std::uint64_t refused_full = 0;  // all the places are taken by such as were answered
  std::uint64_t refused_host = 0;  // more that are unanswered from one host than there may be
  std::array<std::uint64_t, static_cast<std::size_t>(StreamEnd::count)> ended{};
};

}  // namespace mobula::net
