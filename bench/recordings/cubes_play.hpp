// Plays a recording of tumbling cubes through publisher, view and mirror of one client, and compares each cube in each
// frame.
#pragma once

#include "recordings/cubes_recording.hpp"

namespace mobula::bench {

struct CubesOptions {
  std::uint32_t baseline_age = 6;  // frames from a delta to the first one encoded against it
  std::uint32_t loss_percent = 0;  // lost deltas and inputs
  std::size_t frames = ~std::size_t{0};
};

// The client joins during the first frame. Bytes and times are those of all frames after it.
struct CubesReport {
  std::size_t frames = 0;      // compared
  std::size_t join_ticks = 0;  // ticks until the client had the first frame
  std::size_t join_bytes = 0;  // bytes of deltas, headers included
  // Bytes of a frame's deltas without their headers.
  double mean_bytes = 0;
  std::size_t p50_bytes = 0;
  std::size_t p95_bytes = 0;
  std::size_t max_bytes = 0;
  // With the headers of delta, session and packet, and the seal.
  double mean_datagram_bytes = 0;
  double datagrams_per_frame = 0;
  double encode_us = 0;  // publish, choose, write
  double decode_us = 0;
  std::uint64_t mismatches = 0;  // cubes that differ after a frame's deltas
};

// Reasons: "too short", of less than two frames; "never joined".
core::Result<CubesReport> play_cubes(const CubesRecording& recording, const CubesOptions& options);

std::string to_json(const CubesReport& report);
std::string to_table(const CubesReport& report, const CubesOptions& options);

}  // namespace mobula::bench
