// A recording of asteroids that fly, turn and collide.
//
//   frame  250 bodies
//   body   f32 position x, y, z in metres, -512..512; rotation x, y, z, w, a unit quaternion of any sign little-endian
#pragma once

#include <mobula/bench/asteroids.hpp>

#include "recordings/player.hpp"
#include "recordings/pose.hpp"

namespace mobula::bench {

inline constexpr std::size_t asteroids_per_frame = 250;
inline constexpr std::size_t floats_per_asteroid = 7;
inline constexpr int asteroid_position_max = 512;  // the schema's range

using AsteroidsRecording = Recording<asteroids::Asteroid>;

// Parses a recording. Errors: "empty recording", "truncated recording", "value not finite", "value out of range", "not
// a unit quaternion".
core::Result<AsteroidsRecording> parse_asteroids(core::ByteView bytes);

struct AsteroidsReport {
  PlayReport play;  // its mismatches are missing bodies
  PoseError worst;  // greatest of all bodies in all frames
};

// Plays a recording, and measures the error of every body in every frame. A body whose pose is not finite is missing.
// Without a tolerance each state is sent, in steps of 0.01 m and with 11 bits for each part. Reasons: those of play().
core::Result<AsteroidsReport> play_asteroids(const AsteroidsRecording& recording, const PlayOptions& options,
                                             const PoseTolerance& tolerance = {});

[[nodiscard]] inline bool is_right(const AsteroidsReport& report) { return is_right(report.play); }
std::string to_json(const AsteroidsReport& report);
std::string to_table(const AsteroidsReport& report, const PlayOptions& options);

}  // namespace mobula::bench
