// Conditions of a simulated network as people write them: "latency=80ms jitter=20ms loss=5% dup=1%", keys in any order,
// each at most once. Numbers are read exactly, in integers: what is written back reads as the same conditions.
//
//   latency=80ms            one way; us, ms, s, up to 60 s
//   jitter=20ms             added to it, at random
//   loss=5%                 lost; up to four digits after the point
//   dup=1%                  doubled
//   reorder=2%              held back behind others
//   corrupt=0.1%            with flipped bits
//   burst=1%:5[:80%]        bursts of loss: how often one begins, how many datagrams it lasts in the mean, and how many
//                           of these are lost (all if not given)
//   bandwidth=256KB/s       of each direction; B/s, KB/s (1,000), MB/s, GB/s
//   queue=100ms             how long what the bandwidth holds up may wait
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <string_view>

namespace mobula::transport {

// Nothing written is a perfect network. Refused with "unknown key", "given twice" or "bad value".
core::Result<NetworkConditions> parse_conditions(std::string_view text);

// What differs from a perfect network, in the order above.
std::string to_string(const NetworkConditions& conditions);

}  // namespace mobula::transport
