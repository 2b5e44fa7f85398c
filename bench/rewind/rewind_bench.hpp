// Rewind against what a client drew, and its cost. A real server and a real client share a process; the network between
// them loses 5% of the datagrams.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::bench {

struct RewindOptions {
  std::uint32_t shots = 2000;
  std::uint32_t targets = 30;     ///< entities that are compared with each shot
  std::uint32_t entities = 1000;  ///< for rays and recording
  std::uint32_t rays = 2000;
  std::uint32_t ticks_per_second = 30;
  std::uint64_t seed = 1;
};

struct RewindReport {
  std::uint64_t shots = 0;
  std::uint64_t refused = 0;
  std::uint64_t poses = 0;
  std::uint64_t unequal = 0;
  std::uint64_t unknown = 0;              ///< poses
  double view_us = 0;                     ///< time of a command's view, with the deltas that it applies
  double ray_us = 0;                      ///< time of a ray against all entities
  double candidates = 0;                  ///< that a ray tests exactly
  double record_ns = 0;                   ///< per entity and tick
  std::uint64_t entity_bytes = 0;         ///< per entity
  std::uint64_t client_entity_bytes = 0;  ///< per entity that a client sees
};

/// Compares shots, and measures views and rays.
core::Status run_shots(const RewindOptions& options, RewindReport& report);
core::Status run_rays(const RewindOptions& options, RewindReport& report);
/// Measures recording.
void run_recording(const RewindOptions& options, RewindReport& report);

std::string to_json(const RewindReport& report);
std::string to_table(const RewindReport& report, const RewindOptions& options);

}  // namespace mobula::bench
