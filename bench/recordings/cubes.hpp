// A recording of tumbling cubes.
//
//   frame  901 cubes
//   cube   i32 largest 0..3, a, b, c 0..511, x, y -16383..16383, z 0..8191, interacting 0..1      little-endian
#pragma once

#include <mobula/bench/cubes.hpp>

#include "recordings/player.hpp"

namespace mobula::bench {

inline constexpr std::size_t cubes_per_frame = 901;

using CubesRecording = Recording<cubes::Cube>;

// Parses a recording. Errors: "empty recording", "truncated recording", "value out of range".
core::Result<CubesRecording> parse_cubes(core::ByteView bytes);

// Plays a recording. Every cube must equal the recorded one. Reasons: those of play().
core::Result<PlayReport> play_cubes(const CubesRecording& recording, const PlayOptions& options);

}  // namespace mobula::bench
