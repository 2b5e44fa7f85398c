#include <gtest/gtest.h>

#include <mobula/core/aead.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/delta.hpp>
#include <recordings/cubes.hpp>

namespace mobula::bench {
namespace {

constexpr std::size_t cube_count = 5;
constexpr std::size_t frame_count = 40;

// Cube i moves i units in each frame.
CubesRecording moving() {
  std::vector<cubes::Cube> values(cube_count * frame_count);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i].position.x = static_cast<float>(i / cube_count * (i % cube_count));
  return {cube_count, std::move(values)};
}

struct Compared {
  std::size_t frame;
  std::size_t number;
  float x;
};

// Plays moving() and returns the comparisons, each of which has the given result.
std::vector<Compared> comparisons(const PlayOptions& options, bool right, PlayReport& report) {
  const CubesRecording recording = moving();
  PlayedWorld world = played_world("cubes", cubes::schema_bytes(), recording, std::equal_to<cubes::Cube>());
  std::vector<Compared> compared;
  world.is_right = [&](const client::Mirror& mirror, ecs::Entity entity, ecs::Tick /*tick*/, std::size_t frame,
                       std::size_t number) {
    compared.push_back({frame, number, mirror.registry().get<const cubes::Cube>(entity).position.x});
    return right;
  };
  report = play(world, options).value();
  return compared;
}

TEST(Player, ComparesEveryEntityInEveryFrame) {
  PlayReport report;
  const std::vector<Compared> compared = comparisons({}, true, report);
  ASSERT_EQ(compared.size(), cube_count * frame_count);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    EXPECT_EQ(compared[i].frame, i / cube_count);
    EXPECT_EQ(compared[i].number, i % cube_count);
    EXPECT_EQ(compared[i].x, static_cast<float>(i / cube_count * (i % cube_count)));
  }
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_TRUE(is_right(report));
}

TEST(Player, CountsEachEntityThatIsWrong) {
  PlayReport report;
  comparisons({}, false, report);
  EXPECT_EQ(report.mismatches, cube_count * frame_count);
  EXPECT_FALSE(is_right(report));
}

TEST(Player, ComparesALateEntityWithItsOwnFrame) {
  PlayReport report;
  const std::vector<Compared> compared = comparisons({.loss_percent = 40}, true, report);
  ASSERT_EQ(compared.size(), cube_count * frame_count);
  std::size_t late = 0;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    late += compared[i].number > 0 && compared[i].frame < i / cube_count ? 1 : 0;
    EXPECT_EQ(compared[i].x, static_cast<float>(compared[i].frame * compared[i].number)) << i;
  }
  EXPECT_GT(late, cube_count * frame_count / 10);
}

TEST(PlayedWorld, FindsAnEntityWithoutTheComponentWrong) {
  const CubesRecording recording = moving();
  const PlayedWorld world = played_world("cubes", cubes::schema_bytes(), recording, std::equal_to<cubes::Cube>());
  const auto mirror =
      std::move(client::Mirror::make(reflect::Schema::load(cubes::schema_bytes()).value(), cube_count).value());
  const ecs::Entity entity{0, 1};
  mirror->registry().create_given(entity);
  EXPECT_FALSE(world.is_right(*mirror, entity, 1, 0, 0));
  world.set(mirror->registry(), entity, 3, 2);
  EXPECT_TRUE(world.is_right(*mirror, entity, 1, 3, 2));
  EXPECT_FALSE(world.is_right(*mirror, entity, 1, 4, 2));
}

TEST(Player, CountsTheHeadersOfDeltasAndDatagrams) {
  PlayReport report;
  comparisons({}, true, report);
  EXPECT_EQ(report.entities, cube_count);
  EXPECT_EQ(report.frames, frame_count);
  EXPECT_EQ(report.datagrams_per_frame, 1);
  EXPECT_GT(report.mean_bytes, 0);
  const auto header_bytes = static_cast<double>(wire::header_size({.short_numbers = true}));
  EXPECT_EQ(report.mean_delta_bytes, report.mean_bytes + header_bytes);
  EXPECT_GT(report.mean_datagram_bytes, report.mean_delta_bytes + core::seal_bytes);
}

}  // namespace
}  // namespace mobula::bench
