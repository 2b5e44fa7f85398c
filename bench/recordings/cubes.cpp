#include "recordings/cubes.hpp"

#include <array>
#include <mobula/core/format.hpp>

namespace mobula::bench {
namespace {

struct Number {
  const char* name;
  std::int32_t low;
  std::int32_t high;
};
constexpr Number numbers[] = {{"largest", 0, 3},    {"a", 0, 511},        {"b", 0, 511},  {"c", 0, 511},
                              {"x", -16383, 16383}, {"y", -16383, 16383}, {"z", 0, 8191}, {"interacting", 0, 1}};
constexpr std::size_t numbers_per_cube = std::size(numbers);
constexpr std::size_t bytes_per_frame = cubes_per_frame * numbers_per_cube * sizeof(std::int32_t);

cubes::Cube cube_of(std::span<const std::int32_t, numbers_per_cube> values) {
  cubes::Cube cube;
  cube.rotation.largest = static_cast<std::uint8_t>(values[0]);
  cube.rotation.a = static_cast<std::uint16_t>(values[1]);
  cube.rotation.b = static_cast<std::uint16_t>(values[2]);
  cube.rotation.c = static_cast<std::uint16_t>(values[3]);
  cube.position = {static_cast<float>(values[4]), static_cast<float>(values[5]), static_cast<float>(values[6])};
  cube.interacting = values[7] != 0;
  return cube;
}

}  // namespace

core::Result<CubesRecording> parse_cubes(core::ByteView bytes) {
  const core::Result<std::size_t> frames = count_frames(bytes, bytes_per_frame);
  if (!frames) return frames.error();
  std::vector<cubes::Cube> cubes;
  cubes.reserve(*frames * cubes_per_frame);
  std::array<std::int32_t, numbers_per_cube> values;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(values)) {
    for (std::size_t i = 0; i < numbers_per_cube; ++i) {
      values[i] = core::load<std::int32_t>(&bytes[at + i * sizeof(std::int32_t)]);
      const auto& [name, low, high] = numbers[i];
      if (values[i] < low || values[i] > high)
        return core::Error{"value out of range",
                           core::format("frame {}, cube {}: {} is {}, expected {} to {}", at / bytes_per_frame,
                                        at / sizeof(values) % cubes_per_frame, name, values[i], low, high)};
    }
    cubes.push_back(cube_of(values));
  }
  return CubesRecording(cubes_per_frame, std::move(cubes));
}

core::Result<PlayReport> play_cubes(const CubesRecording& recording, const PlayOptions& options) {
  return play(played_world("cubes", cubes::schema_bytes(), recording, std::equal_to<cubes::Cube>()), options);
}

}  // namespace mobula::bench
