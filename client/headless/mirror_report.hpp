// Reports of the headless client about its mirror, live and from a recording.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <string>
#include <string_view>

namespace mobula::client {

/// Returns a line about the second since `before`.
std::string summary_line(const Connection& connection, const ConnectionStats& before);
/// Returns the last line, as JSON. `more` are further members, each with a comma before it.
std::string final_line(const Connection& connection, std::string_view more = {});

/// Returns whether at least one tick was verified and none mismatched.
bool verified(const ConnectionStats& stats);
/// Returns whether `wanted` ticks were received and the mirror was verified at least once. False if `wanted` is 0.
bool has_ticks(const ConnectionStats& stats, std::uint64_t wanted);
/// Returns whether the mirror has reached tick `wanted` of the server. False if `wanted` is 0.
bool has_reached(const Connection& connection, ecs::Tick wanted);

}  // namespace mobula::client
