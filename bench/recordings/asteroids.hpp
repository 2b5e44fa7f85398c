// A recording of asteroids that fly, turn and collide.
//
//   frame  250 bodies
//   body   f32 position x, y, z in metres, -512..512; rotation x, y, z, w, a unit quaternion of any sign little-endian
#pragma once

#include <mobula/bench/asteroids.hpp>

#include "recordings/player.hpp"

namespace mobula::bench {

inline constexpr std::size_t asteroids_per_frame = 250;
inline constexpr std::size_t floats_per_asteroid = 7;
inline constexpr float asteroid_position_max = 512;  // the schema's range

using AsteroidsRecording = Recording<asteroids::Asteroid>;

// Parses a recording. Errors: "empty recording", "truncated recording", "value not finite", "value out of range", "not
// a unit quaternion".
core::Result<AsteroidsRecording> parse_asteroids(core::ByteView bytes);

struct PoseError {
  double position = 0;  // greatest difference of a coordinate, in metres
  double rotation = 0;  // greatest difference of a part of the quaternions, after the nearer sign is taken
};

// Returns how far a pose is from the recorded one. Not finite if the pose is not.
PoseError pose_error(const asteroids::Asteroid& pose, const asteroids::Asteroid& recorded);

// Errors that dead reckoning may make, in metres and of a part of a quaternion. Without them each state is sent, in
// steps of 0.01 m and with 11 bits for each part.
struct AsteroidsTolerance {
  double position = 0;
  double rotation = 0;

  [[nodiscard]] bool reckons() const { return position > 0; }
};

struct AsteroidsReport {
  PlayReport play;  // its mismatches are missing bodies
  PoseError worst;  // greatest of all bodies in all frames
};

// Returns the schema of bodies with dead reckoning, in the binary form of FlatBuffers. A step is at most 2/5 of the
// tolerance. Both are above 0.
core::Bytes reckoned_schema(const AsteroidsTolerance& tolerance);

// Plays a recording, and measures the error of every body in every frame. A body whose pose is not finite is missing.
// Reasons: those of play().
core::Result<AsteroidsReport> play_asteroids(const AsteroidsRecording& recording, const PlayOptions& options,
                                             const AsteroidsTolerance& tolerance = {});

[[nodiscard]] inline bool is_right(const AsteroidsReport& report) { return is_right(report.play); }
std::string to_json(const AsteroidsReport& report);
std::string to_table(const AsteroidsReport& report, const PlayOptions& options);

}  // namespace mobula::bench
