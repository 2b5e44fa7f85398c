#include "recordings/cubes_recording.hpp"

#include <array>
#include <fstream>
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

core::Result<CubesRecording> CubesRecording::parse(core::ByteView bytes) {
  if (bytes.empty()) return core::Error{"empty recording", "there is no frame in it"};
  if (bytes.size() % bytes_per_frame != 0)
    return core::Error{
        "truncated recording",
        core::format("{} bytes are not a whole number of frames, which have {} each", bytes.size(), bytes_per_frame)};
  CubesRecording recording;
  recording.cubes_.reserve(bytes.size() / bytes_per_frame * cubes_per_frame);
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
    recording.cubes_.push_back(cube_of(values));
  }
  return recording;
}

core::Result<CubesRecording> CubesRecording::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  std::array<char, 1 << 16> part;
  while (file.read(part.data(), part.size()), file.gcount() > 0)
    bytes.append(part.data(), static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.eof()) return core::Error{"cannot be read", "no such file, or it cannot be read"};
  return parse(std::as_bytes(std::span(bytes)));
}

}  // namespace mobula::bench
