// PurrNet's public benchmark: clients that all see the same moving objects. The server has a process of its own, with
// real sockets, so that all of its CPU time is counted and none of the clients'.
#pragma once

#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/server/tick/tick_phases.hpp>
#include <string>

#include "recordings/pose.hpp"
#include "workload/movers.hpp"

namespace mobula::bench {

struct PurrnetOptions {
  Motion motion = Motion::wander;
  std::uint32_t clients = 100;
  std::uint32_t objects = 100;
  std::uint32_t ticks_per_second = 20;
  double seconds = 10;          // measured
  double settle_seconds = 3;    // from the last client's join to the measurement
  std::string latency = "0ms";  // one way, simulated by the clients
  // Bound of PurrNet for moving objects: 32 times two steps of 1 mm, and 32 times four of 1/1024 of a quaternion's
  // part.
  PoseTolerance tolerance{.position = 0.064, .rotation = 0.125};
  std::uint64_t seed = 1;
};

inline constexpr std::uint32_t purrnet_clients_max = 1000;
inline constexpr std::uint32_t purrnet_objects_max = 1000;

// Traffic and CPU time of the server's process in a number of ticks.
struct ServerUse {
  std::uint64_t ticks = 0;
  std::uint64_t datagrams_down = 0;
  std::uint64_t bytes_down = 0;  // datagrams without headers of UDP and IP
  std::uint64_t datagrams_up = 0;
  std::uint64_t bytes_up = 0;
  std::uint64_t delta_bytes = 0;  // deltas with their headers
  core::Nanoseconds cpu = 0;      // all threads, in the program and in the kernel
  // Wall time of each server::TickPhase, in which other processes may have had the core.
  std::array<core::Nanoseconds, static_cast<std::size_t>(server::TickPhase::count)> phases{};
};

struct PurrnetReport {
  ServerUse server;
  PoseError worst;                   // greatest of all compared poses
  std::uint64_t compared = 0;        // poses
  std::uint64_t missing = 0;         // poses that a client did not have in a tick
  std::uint64_t verified_ticks = 0;  // by the server's hashes
  std::uint64_t mismatched_ticks = 0;
};

// Errors: those of starting a server and of opening sockets; those of a latency's text; "not all joined"; "server
// ended".
core::Result<PurrnetReport> run_purrnet(const PurrnetOptions& options);

// A busy machine may lose datagrams, so that poses are missing although all is right.
[[nodiscard]] inline bool is_right(const PurrnetReport& report) {
  return report.compared > 0 && report.mismatched_ticks == 0;
}
std::string to_json(const PurrnetReport& report, const PurrnetOptions& options);
std::string to_table(const PurrnetReport& report, const PurrnetOptions& options);

}  // namespace mobula::bench
