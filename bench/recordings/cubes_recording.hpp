// A recording of tumbling cubes.
//
//   frame  901 cubes
//   cube   i32 largest 0..3, a, b, c 0..511, x, y -16383..16383, z 0..8191, interacting 0..1      little-endian
#pragma once

#include <cstdint>
#include <mobula/bench/cubes.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::bench {

inline constexpr std::size_t cubes_per_frame = 901;

class CubesRecording {
 public:
  // Parses a recording. Errors: "empty recording", "truncated recording", "value out of range".
  static core::Result<CubesRecording> parse(core::ByteView bytes);
  // Loads a file. Errors: those of parse, "cannot be read".
  static core::Result<CubesRecording> load(const std::string& path);

  [[nodiscard]] std::size_t frames() const { return cubes_.size() / cubes_per_frame; }
  [[nodiscard]] std::span<const cubes::Cube> frame(std::size_t which) const {
    return std::span(cubes_).subspan(which * cubes_per_frame, cubes_per_frame);
  }

 private:
  std::vector<cubes::Cube> cubes_;
};

}  // namespace mobula::bench
