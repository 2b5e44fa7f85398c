// Options of playing a recording, and a report on it as table or JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <string>
#include <vector>

namespace mobula::bench {

struct PlayOptions {
  std::uint32_t baseline_age = 6;  // frames from a delta to the first one encoded against it
  std::uint32_t loss_percent = 0;  // lost deltas and inputs
  std::size_t frames = ~std::size_t{0};
};

// Traffic of one frame.
struct FrameTraffic {
  std::size_t deltas = 0;
  std::size_t delta_bytes = 0;     // with the headers of deltas
  std::size_t state_bytes = 0;     // without them
  std::size_t datagram_bytes = 0;  // with the headers of delta, session and packet, and the seal
  core::Nanoseconds encode = 0;    // publish, choose, write
  core::Nanoseconds decode = 0;
};

// Bytes and times are those of all frames after the first, during which the client joins.
struct PlayReport {
  const char* noun = "entities";
  std::size_t entities = 0;
  std::size_t frames = 0;      // compared
  std::size_t join_ticks = 0;  // ticks until the client had the first frame
  std::size_t join_bytes = 0;  // bytes of deltas, headers included
  // Bytes of a frame, of the kinds that FrameTraffic has.
  double mean_bytes = 0;  // states
  std::size_t p50_bytes = 0;
  std::size_t p95_bytes = 0;
  std::size_t max_bytes = 0;
  double mean_delta_bytes = 0;
  double mean_datagram_bytes = 0;
  double datagrams_per_frame = 0;
  double encode_us = 0;
  double decode_us = 0;
  std::uint64_t mismatches = 0;  // entities that are absent or wrong after a frame's deltas
};

// Fills bytes and times of a report from the traffic of all frames after the first; there is at least one.
void add_traffic(PlayReport& report, const std::vector<FrameTraffic>& frames);

[[nodiscard]] inline bool is_right(const PlayReport& report) { return report.mismatches == 0; }
std::string to_json(const PlayReport& report);
std::string to_table(const PlayReport& report, const PlayOptions& options);
// Returns the table without its last line, which counts mismatches.
std::string traffic_table(const PlayReport& report, const PlayOptions& options);

}  // namespace mobula::bench
