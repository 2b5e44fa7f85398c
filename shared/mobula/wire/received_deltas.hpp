// Sets of deltas that a client has received: the newest one and bits for those before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mobula::wire {

inline constexpr std::size_t input_words_max = 4;  // they acknowledge 256 deltas
/// Bit n of all words is delta newest - n.
using ReceivedBits = std::array<std::uint64_t, input_words_max>;
inline constexpr std::uint32_t received_bits_max = 64 * input_words_max;

/// The newest deltas that a client had at some moment.
struct SeenDeltas {
  std::uint32_t newest = 0;    // sequence; 0 if the client had none, or if the set is unknown
  std::uint64_t received = 0;  // bit n: it had delta newest - n

  bool operator==(const SeenDeltas&) const = default;
};

/// Returns the bits as of a newest delta that is `steps` later.
ReceivedBits later(const ReceivedBits& bits, std::uint32_t steps);
/// Returns 64 bits, from bit `first` on. Those beyond the last are 0.
std::uint64_t bits_from(const ReceivedBits& bits, std::uint32_t first);
/// Returns the lowest bit that is set, at `first` or above; received_bits_max if there is none.
std::uint32_t next_received(const ReceivedBits& bits, std::uint32_t first);

}  // namespace mobula::wire
