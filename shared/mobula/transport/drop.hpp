// Why a datagram led to nothing. Counted, not logged one by one and, but for a full server and for late packets of an
// ended session, not answered: most of it is hostile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::transport {

enum class Drop : std::uint8_t {
  none,
  // Any datagram.
  too_long,
  too_short,
  wrong_type,            // no packet, or none that this side takes
  wrong_sequence_bytes,  // not 1 to 8
  unknown_address,       // nobody there has a session or a handshake
  replayed,              // came before, or is too old to tell
  forged,                // sealed with another key, or damaged
  wrong_size,            // of the packet's kind
  wrong_state,           // a packet of another step of the handshake
  // Connection requests.
  wrong_version,
  wrong_protocol,
  token_expired,
  address_limit,  // too many from one address
  global_limit,   // too many from all
  token_forged,
  token_malformed,
  other_server,      // the token is for other servers
  address_in_use,    // by a session, or by another token's handshake
  client_in_use,     // the client id has a session
  token_used,        // by another address, or a session came of it already
  used_tokens_full,  // no room to remember the token
  server_full,       // answered with a denial
  handshakes_full,   // no room for the handshake
  // Responses.
  challenge_forged,
  stale_challenge,  // of another client, or of an earlier handshake
  // Of who has a session, or had one.
  flood,  // more than the session's rate; not even opened
  ended,  // a late packet of a session that this side closed
  count,
};

// Such as "token expired".
std::string_view to_string(Drop drop);

struct DropCounters {
  std::array<std::uint64_t, static_cast<std::size_t>(Drop::count)> counts{};

  void count(Drop drop) { ++counts[static_cast<std::size_t>(drop)]; }
  [[nodiscard]] std::uint64_t of(Drop drop) const { return counts[static_cast<std::size_t>(drop)]; }
  // Of all reasons. `none` counts what was not dropped.
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (std::size_t drop = 1; drop < counts.size(); ++drop) sum += counts[drop];
    return sum;
  }
};

// "forged 12, token expired 3": those of which there are more now than before, and by how many. Empty: there are none.
std::string describe_new(const DropCounters& now, const DropCounters& before);

}  // namespace mobula::transport
