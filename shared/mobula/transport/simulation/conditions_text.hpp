// Text form of simulated network conditions: "latency=80ms jitter=20ms loss=5% dup=1%". Keys have any order, each at
// most once. Numbers are parsed exactly, as integers, so formatting and parsing round-trip.
//
//   latency=80ms            one way; us, ms, s, up to 60 s
//   jitter=20ms             random delay added to the latency
//   loss=5%                 share of lost datagrams; up to four decimals
//   dup=1%                  share of duplicated datagrams
//   reorder=2%              share of datagrams delayed behind others
//   corrupt=0.1%            share of datagrams with flipped bits
//   burst=1%:5[:80%]        bursts of loss: share of datagrams that begin one, mean length in datagrams, share of them
//                           lost (default 100%)
//   bandwidth=256KB/s       per direction; B/s, KB/s (1,000), MB/s, GB/s
//   queue=100ms             maximum queueing delay at the bandwidth limit
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <string_view>

namespace mobula::transport {

/// Parses conditions. An empty text is a perfect network. Errors: "unknown key", "given twice", "bad value".
core::Result<NetworkConditions> parse_conditions(std::string_view text);

/// Formats the conditions that differ from a perfect network, in the order above.
std::string to_string(const NetworkConditions& conditions);

}  // namespace mobula::transport
