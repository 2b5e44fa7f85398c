#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <server/rewind/rewound_world.hpp>

namespace mobula::server {
namespace {

using test::DrawnPicture;
using test::RewoundWorld;

struct PictureTally {
  std::uint64_t commands = 0;
  std::uint64_t outdated = 0;
  std::uint64_t equal = 0;
  std::uint64_t poses = 0;
  std::uint64_t dead = 0;     // drawn although the entity was destroyed by then
  std::uint64_t unknown = 0;  // shown, but its states are not known
};

// Expects that each component and pose is what the client drew, or not known.
void expect_pictures(RewoundWorld& tested, const DrawnPicture& picture, PictureTally& tally) {
  PictureWorkspace work;
  PastPictures pictures(tested.published(), tested.shadow(), work);
  for (const auto& [entity, drawn] : picture.entities) {
    const Seen seen = pictures.seen(entity, picture.view);
    SCOPED_TRACE(to_string(entity) + " at " + std::to_string(picture.view));
    if (seen == Seen::unknown) {
      if (drawn.shown && !drawn.stale) ++tally.unknown;
      continue;
    }
    if (drawn.stale || !drawn.shown) {
      ASSERT_EQ(seen, drawn.stale ? Seen::out_of_view : Seen::absent);
      continue;
    }
    ASSERT_EQ(seen != Seen::not_spawned, drawn.spawned);
    if (!tested.world.registry.valid(entity)) ++tally.dead;
    for (ecs::PoolId pool = 0; pool < tested.world.registry.pool_count(); ++pool) {
      core::Bytes component(tested.world.registry.pool(pool).type().size);
      const Drawn now = pictures.draw(entity, pool, picture.view, component.data());
      if (now == Drawn::unknown) continue;
      const auto found = drawn.components.find(pool);
      ASSERT_EQ(now == Drawn::yes, found != drawn.components.end()) << tested.world.registry.pool(pool).type().name;
      if (now == Drawn::no) continue;
      ASSERT_EQ(component, found->second) << tested.world.registry.pool(pool).type().name;
      ++tally.equal;
    }
    const std::optional<hierarchy::WorldTransform> world = pictures.world(entity, picture.view);
    if (!world) continue;
    ASSERT_EQ(world, drawn.world);
    ++tally.poses;
  }
}

void run_rewound(RewoundWorld& tested, const DrawnPicture& picture, PictureTally& tally) {
  tested.replica->acknowledge(picture.input);
  ++tally.commands;
  if (const core::Status advanced = tested.shadow().advance(picture.seen, tested.replica->view.settled()); !advanced) {
    ASSERT_STREQ(advanced.error().reason, "outdated deltas") << advanced.error().message;
    ++tally.outdated;
    return;
  }
  ASSERT_GE(static_cast<double>(tested.shadow().newest_tick()), picture.view);
  expect_pictures(tested, picture, tally);
}

PictureTally run_seeds(std::uint64_t seeds, std::span<const core::StringId32> marks) {
  PictureTally tally;
  test::for_each_seed(1, seeds, 200, [&](std::uint64_t seed) {
    RewoundWorld tested(seed, seed % 2 == 0 ? test::game_schema() : test::load_game_schema_without_courses(),
                        static_cast<std::uint32_t>(seed % 4) * 10, static_cast<std::uint32_t>(seed % 5), marks);
    for (int tick = 0; tick < 200; ++tick) {
      tested.tick(tested.world.random.below(12));
      tested.give_command();
      while (!tested.commands.empty() && (tested.commands.size() > 4 || tested.world.random.chance(1, 4))) {
        run_rewound(tested, tested.commands.front(), tally);
        tested.commands.pop_front();
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
  std::printf("%llu commands, %llu outdated, %llu components, %llu poses, %llu of dead entities, %llu unknown\n",
              static_cast<unsigned long long>(tally.commands), static_cast<unsigned long long>(tally.outdated),
              static_cast<unsigned long long>(tally.equal), static_cast<unsigned long long>(tally.poses),
              static_cast<unsigned long long>(tally.dead), static_cast<unsigned long long>(tally.unknown));
  return tally;
}

TEST(PastPictures, EqualWhatTheClientDrew) {
  const std::uint64_t seeds = test::few_or_all(12, 16);
  const PictureTally tally = run_seeds(seeds, {});
  if (test::soaks()) return;
  EXPECT_GT(tally.poses, 500 * seeds);
  EXPECT_GT(tally.dead, 0u);
  EXPECT_LT(tally.outdated * 20, tally.commands);
  EXPECT_LT(tally.unknown * 20, tally.poses);
}

// Entities gain and lose the mark.
TEST(PastPictures, MarkedEntitiesEqualWhatTheClientDrew) {
  const std::uint64_t seeds = test::few_or_all(6, 12);
  const std::array marks{core::StringId32("Health")};
  const PictureTally tally = run_seeds(seeds, marks);
  if (test::soaks()) return;
  EXPECT_GT(tally.poses, 50 * seeds);
  EXPECT_GT(tally.dead, 0u);
}

}  // namespace
}  // namespace mobula::server
