// What it takes to join: the real server and one client after another, in simulated time and without loss.
//
// The level is a field of crates, each with Transform, Health and Body, and everybody sees all of it. Some of them have
// been moved, or destroyed, when the client comes. It gets an entity of its own, which is not of the level.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::bench {

// What of the level the client has when it comes.
enum class JoinCache : std::uint8_t {
  has_it,   // the resource
  fetches,  // a folder for it
  none,     // nothing to keep it in
};

struct JoinCase {
  std::uint32_t moved_permille = 0;      // of the level's entities
  std::uint32_t destroyed_permille = 0;  // of them too, but others
  JoinCache cache = JoinCache::has_it;
};

struct JoinOptions {
  std::uint32_t objects = 10'000;
  core::Nanoseconds round_trip = 100 * core::millisecond;
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
};

// Until the mirror is complete: the client knows of nothing that it lacks (Connection::complete).
struct JoinReport {
  JoinCase of;
  std::uint32_t entities = 0;         // that there are, the client's own included
  std::uint64_t handshake_bytes = 0;  // down, until the session stands
  std::uint64_t welcome_bytes = 0;    // then, until the first delta: Welcome, the level's alive bitmap, prototypes
  std::uint64_t delta_bytes = 0;      // from there on, with all that came between
  std::uint64_t bytes_up = 0;
  std::uint32_t handshake_round_trips = 0;
  std::uint32_t round_trips = 0;  // from Hello on
  double ms = 0;                  // from the first datagram on, simulated
  double join_ms = 0;             // from Hello on
  double server_cpu_ms = 0;       // all that the server did meanwhile
  std::uint64_t mismatches = 0;   // entities that are not, value by value, what the server has

  [[nodiscard]] std::uint64_t bytes_down() const { return handshake_bytes + welcome_bytes + delta_bytes; }
};

// 0, 1, 10 and 50 percent moved, 1 percent destroyed, and 1 percent moved for who does not have the resource.
std::vector<JoinCase> usual_joins();
// Reasons: those of compiling a level and of starting a server; "not complete": within a simulated minute.
core::Result<JoinReport> run_join(const JoinCase& join, const JoinOptions& options);

std::string to_json(const std::vector<JoinReport>& reports, const JoinOptions& options);
std::string to_table(const std::vector<JoinReport>& reports, const JoinOptions& options);

}  // namespace mobula::bench
