#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <recordings/cubes.hpp>

namespace mobula::bench {
namespace {

constexpr std::size_t numbers_per_cube = 8;

// Some cubes fly on, some turn, some stand, some jump.
std::vector<std::int32_t> tumbling(std::size_t frames, std::uint64_t seed) {
  core::Random random(seed);
  const auto between = [&](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(high - low + 1)));
  };
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < cubes_per_frame; ++i)
    numbers.insert(numbers.end(), {between(0, 3), between(0, 511), between(0, 511), between(0, 511),
                                   between(-16383, 16383), between(-16383, 16383), between(0, 8191), between(0, 1)});
  for (std::size_t frame = 1; frame < frames; ++frame) {
    for (std::size_t i = 0; i < cubes_per_frame; ++i) {
      const std::size_t before = numbers.size() - cubes_per_frame * numbers_per_cube;
      std::array<std::int32_t, numbers_per_cube> cube;
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(before), numbers_per_cube, cube.begin());
      const auto speed = static_cast<std::int32_t>(i % 40);
      if (i % 3 == 0) cube[4] = std::clamp(cube[4] + speed + between(-1, 1), -16383, 16383);
      if (i % 3 == 1) cube[1 + i % 2] = std::clamp(cube[1 + i % 2] + between(-3, 3), 0, 511);
      if (random.chance(1, 200)) cube[6] = between(0, 8191);
      if (random.chance(1, 100)) cube[0] = between(0, 3);
      if (random.chance(1, 100)) cube[7] ^= 1;
      numbers.insert(numbers.end(), cube.begin(), cube.end());
    }
  }
  return numbers;
}

core::Result<CubesRecording> parse(const std::vector<std::int32_t>& numbers) {
  return parse_cubes(core::as_bytes(numbers.data(), numbers.size()));
}

TEST(Cubes, EveryCubeIsRightInEveryFrame) {
  const CubesRecording recording = parse(tumbling(30, 1)).value();
  const PlayReport report = play_cubes(recording, {}).value();
  EXPECT_EQ(report.frames, 30u);
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_GT(report.p50_bytes, 0u);
  EXPECT_LE(report.p50_bytes, report.p95_bytes);
  EXPECT_LE(report.p95_bytes, report.max_bytes);
  EXPECT_GT(report.mean_datagram_bytes, report.mean_bytes);
}

TEST(Cubes, TheyAreWithLossAndOldBaselinesToo) {
  const CubesRecording recording = parse(tumbling(40, 2)).value();
  for (const std::uint32_t age : {1u, 6u, 20u}) {
    for (const std::uint32_t loss : {0u, 20u}) {
      const PlayReport report = play_cubes(recording, {.baseline_age = age, .loss_percent = loss}).value();
      EXPECT_EQ(report.mismatches, 0u) << "age " << age << ", loss " << loss;
    }
  }
}

TEST(Cubes, AStillWorldTakesNextToNothing) {
  std::vector<std::int32_t> numbers = tumbling(1, 3);
  const std::vector<std::int32_t> first = numbers;
  for (int i = 0; i < 5; ++i) numbers.insert(numbers.end(), first.begin(), first.end());
  const PlayReport report = play_cubes(parse(numbers).value(), {}).value();
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_LE(report.max_bytes, 2u);
}

TEST(Cubes, PlaysNoMoreFramesThanGiven) {
  const CubesRecording recording = parse(tumbling(10, 4)).value();
  EXPECT_EQ(play_cubes(recording, {.frames = 5}).value().frames, 5u);
  EXPECT_EQ(play_cubes(recording, {.frames = 50}).value().frames, 10u);
  EXPECT_STREQ(play_cubes(recording, {.frames = 1}).error().reason, "too short");
}

TEST(Cubes, RefusesAFileThatIsNotARecording) {
  const std::vector<std::int32_t> good = tumbling(2, 5);
  EXPECT_STREQ(parse_cubes({}).error().reason, "empty recording");
  EXPECT_STREQ(load_recording("/no/such/file", parse_cubes).error().reason, "cannot be read");
  EXPECT_STREQ(load_recording("/", parse_cubes).error().reason, "cannot be read");
  std::vector<std::int32_t> shorter = good;
  shorter.pop_back();
  EXPECT_STREQ(parse(shorter).error().reason, "truncated recording");
  const std::vector<std::int32_t> beyond = {4, 512, -1, 512, 16384, -16384, 8192, 2};
  for (std::size_t i = 0; i < numbers_per_cube; ++i) {
    std::vector<std::int32_t> wrong = good;
    wrong[numbers_per_cube * 900 + i] = beyond[i];
    const auto parsed = parse(wrong);
    ASSERT_FALSE(parsed.ok()) << i;
    EXPECT_STREQ(parsed.error().reason, "value out of range");
    EXPECT_NE(parsed.error().message.find("frame 0, cube 900"), std::string::npos) << parsed.error().message;
  }
}

TEST(Cubes, JsonHasTheKeysThatOthersRead) {
  const std::string json = to_json({.frames = 3, .mean_bytes = 1.5, .mismatches = 2});
  EXPECT_EQ(json,
            R"({"frames":3,"mean_bytes":1.50,"p50_bytes":0,"p95_bytes":0,"max_bytes":0,"mean_datagram_bytes":0.00,)"
            R"("encode_us":0.00,"decode_us":0.00,"mismatches":2})");
}

}  // namespace
}  // namespace mobula::bench
