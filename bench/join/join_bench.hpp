// Cost of joining: the real server and one client after another, in simulated time and without loss.
//
// The level is a field of crates, each with Transform, Health and Body, and every client sees all of it. Some crates
// have been moved or destroyed before the client joins. The client's own entity is not part of the level.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::bench {

// State of the client's cache of the level.
enum class JoinCache : std::uint8_t {
  has_it,   // the resource is cached
  fetches,  // an empty folder, so the resource is fetched
  none,     // no folder
};

struct JoinCase {
  std::uint32_t moved_permille = 0;      // share of the level's entities
  std::uint32_t destroyed_permille = 0;  // other entities of the level
  JoinCache cache = JoinCache::has_it;
};

struct JoinOptions {
  std::uint32_t objects = 10'000;
  core::Nanoseconds round_trip = 100 * core::millisecond;
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
};

// Costs until the mirror is complete (Connection::complete).
struct JoinReport {
  JoinCase of;
  std::uint32_t entities = 0;         // including the client's own
  std::uint64_t handshake_bytes = 0;  // down, until the session is established
  std::uint64_t welcome_bytes = 0;    // then, until the first delta: Welcome, the level's alive bitmap, prototypes
  std::uint64_t delta_bytes = 0;      // from then on, including everything else
  std::uint64_t bytes_up = 0;
  std::uint32_t handshake_round_trips = 0;
  std::uint32_t round_trips = 0;  // from Hello on
  double ms = 0;                  // from the first datagram on, simulated
  double join_ms = 0;             // from Hello on
  double server_cpu_ms = 0;       // the server's work meanwhile
  std::uint64_t mismatches = 0;   // entities that differ from the server's in a value

  [[nodiscard]] std::uint64_t bytes_down() const { return handshake_bytes + welcome_bytes + delta_bytes; }
};

// Returns 0, 1, 10 and 50 percent moved, 1 percent destroyed, and 1 percent moved without the cached resource.
std::vector<JoinCase> usual_joins();
// Runs a case. Errors: those of compiling a level and starting a server; "not complete" after a simulated minute.
core::Result<JoinReport> run_join(const JoinCase& join, const JoinOptions& options);

std::string to_json(const std::vector<JoinReport>& reports, const JoinOptions& options);
std::string to_table(const std::vector<JoinReport>& reports, const JoinOptions& options);

}  // namespace mobula::bench
