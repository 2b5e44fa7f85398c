// What the headless client tells of its mirror, live and from a recording.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <string>

namespace mobula::client {

// A line about the second since `before`.
std::string summary_line(const Connection& connection, const ConnectionStats& before);
// The last line, as JSON.
std::string final_line(const Connection& connection);

// At least one tick was verified, and none was another than the server's.
bool verified(const ConnectionStats& stats);
// All the ticks that were asked for came, and the mirror was checked once. Never, when no number was asked for.
bool has_ticks(const ConnectionStats& stats, std::uint64_t asked_for);
// The mirror has come to that tick of the server. Never, when none (0) was asked for.
bool has_come_to(const Connection& connection, ecs::Tick asked_for);

}  // namespace mobula::client
