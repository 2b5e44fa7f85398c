// Reasons for dropping a received datagram. Drops are counted, not logged one by one: most are hostile.
// They are not answered either, except for a full server and late packets of a closed session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::transport {

/// Reason for dropping a datagram. `none` means accepted.
enum class Drop : std::uint8_t {
  none,
  // For any datagram:
  too_long,
  too_short,
  wrong_type,            // unknown, or not accepted by this side
  wrong_sequence_bytes,  // not 1 to 8
  unknown_address,       // no session and no handshake
  replayed,              // duplicate, or older than the replay window
  forged,                // sealed with another key, or corrupted
  wrong_size,            // for its packet type
  wrong_state,           // belongs to another step of the handshake
  // For connection requests:
  wrong_version,
  wrong_protocol,
  token_expired,
  address_limit,  // too many requests from one address
  global_limit,   // too many requests from all addresses
  token_forged,
  token_malformed,
  other_server,      // the token is for other servers
  address_in_use,    // has a session, or a handshake with another token
  client_in_use,     // the client id already has a session
  token_used,        // by another address, or it already opened a session
  used_tokens_full,  // no room to record the token
  server_full,       // answered with a denial
  handshakes_full,   // no room for the handshake
  // For responses:
  challenge_forged,
  stale_challenge,  // issued to another client, or in an earlier handshake
  // For clients with a current or closed session:
  flood,  // above the session's rate limit; not decrypted
  ended,  // late packet of a session closed by this side
  count,
};

/// Returns the name, for example "token expired".
std::string_view to_string(Drop drop);

/// Number of datagrams per drop reason.
struct DropCounters {
  std::array<std::uint64_t, static_cast<std::size_t>(Drop::count)> counts{};

  void count(Drop drop) { ++counts[static_cast<std::size_t>(drop)]; }
  [[nodiscard]] std::uint64_t of(Drop drop) const { return counts[static_cast<std::size_t>(drop)]; }
  /// Returns the sum over all reasons except `none`, which counts accepted datagrams.
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (std::size_t drop = 1; drop < counts.size(); ++drop) sum += counts[drop];
    return sum;
  }
};

/// Returns the reasons whose count grew, with the difference: "forged 12, token expired 3". Empty if none did.
std::string describe_new(const DropCounters& now, const DropCounters& before);

}  // namespace mobula::transport
