// Counts summed over all bots and their connections.
#pragma once

#include <array>
#include <cstdint>

namespace mobula::client {

enum class Count : std::uint8_t {
  bytes_in,  // sealed datagrams, without UDP, TCP, IP
  bytes_out,
  datagrams_in,
  datagrams_out,
  session_datagrams_out,  // before a simulated network has dropped some
  losses_in,              // deltas that did not arrive
  losses_out,             // datagrams that the server did not acknowledge
  deltas,
  verified_ticks,
  mismatches,
  corrections,
  events,
  commands,
  commands_twice,  // executed twice; see ChatNumbers
  joins,           // worlds entered, including reconnections
  rejoins,         // reconnections as the same player
  leaves,          // departures by the bot's choice, of any kind
  predicted_ticks,
  replayed_ticks,
  rollbacks,
  late_mispredictions,
  remote_mispredictions,
  level_mispredictions,
  prediction_stalls,
  count,
};

inline constexpr std::size_t count_kinds = static_cast<std::size_t>(Count::count);

struct Counts {
  std::array<std::uint64_t, count_kinds> values{};

  std::uint64_t& operator[](Count kind) { return values[static_cast<std::size_t>(kind)]; }
  std::uint64_t operator[](Count kind) const { return values[static_cast<std::size_t>(kind)]; }
  void operator+=(const Counts& more) {
    for (std::size_t i = 0; i < count_kinds; ++i) values[i] += more.values[i];
  }
};

}  // namespace mobula::client
