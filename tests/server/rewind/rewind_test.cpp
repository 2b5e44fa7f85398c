#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <headless/temporary_folder.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <seeds.hpp>
#include <server/rewind/favour_victim.hpp>
#include <server/rewind/shooting_game.hpp>

namespace mobula::server {
namespace {

using test::Shooter;
using test::ShootingGame;
using test::Village;

constexpr std::uint32_t loss_ppm = 50'000;

// A server, a client that shoots, and the network between them.
class Range {
 public:
  explicit Range(std::uint64_t seed, const transport::NetworkConditions& conditions = {}, bool changes = true)
      : village_(game, {.seed = seed}, conditions, seed) {
    game.changes = changes;
    client = &village_.join("ada");
    shooter.emplace(*client);
    EXPECT_TRUE(village_.tick_until([&] {
      shooter->note_given(game);
      return client->connection.player_entity() && client->connection.complete();
    }));
  }
  void ticks(int count, bool shoots = true) {
    for (int i = 0; i < count; ++i) {
      if (shoots) shooter->shoot();
      village_.tick();
      shooter->note_given(game);
    }
  }
  [[nodiscard]] const RewindStats& stats() const { return village_.server->stats().rewind; }
  [[nodiscard]] std::uint64_t refused(const std::string& reason) const {
    const auto found = stats().refusals.find(reason);
    return found == stats().refusals.end() ? 0 : found->second;
  }
  Village& village() { return village_; }

  ShootingGame game;
  Village::Client* client = nullptr;
  std::optional<Shooter> shooter;

 private:
  Village village_;
};

struct ShotTally {
  std::uint64_t shots = 0;
  std::uint64_t poses = 0;
  std::uint64_t unknown = 0;
  std::uint64_t refused = 0;
};

// Expects that each judged pose is the one that was drawn, and that none is missing.
void compare_shots(const ShootingGame& game, const Shooter& shooter, ShotTally& tally) {
  for (const auto& [key, judged] : game.judged) {
    const auto drawn = shooter.drawn.find(key.second);
    ASSERT_NE(drawn, shooter.drawn.end());
    if (judged.refused != nullptr) {
      ++tally.refused;
      continue;
    }
    ++tally.shots;
    tally.unknown += judged.unknown.size();
    for (const auto& [entity, pose] : judged.shown) {
      const auto then = drawn->second.find(entity);
      ASSERT_NE(then, drawn->second.end()) << "command " << key.second << ", " << to_string(entity);
      ASSERT_EQ(pose, then->second) << "command " << key.second << ", " << to_string(entity);
      ++tally.poses;
    }
    for (const auto& [entity, pose] : drawn->second)
      ASSERT_TRUE(judged.shown.contains(entity) || judged.unknown.contains(entity)) << to_string(entity);
  }
}

TEST(Rewind, JudgesWhatTheClientDrewAtFivePercentLoss) {
  const std::uint64_t seeds = test::few_or_all(3, 12);
  ShotTally tally;
  test::for_each_seed(1, seeds, 400, [&](std::uint64_t seed) {
    Range range(seed, {.latency = 30 * core::millisecond,
                       .jitter = seed % 2 == 0 ? 0 : 40 * core::millisecond,
                       .loss_ppm = loss_ppm,
                       .reorder_ppm = seed % 3 == 0 ? 50'000u : 0u});
    range.ticks(400);
    compare_shots(range.game, *range.shooter, tally);
    for (const auto& [reason, count] : range.stats().refusals)
      std::printf("seed %d: %s: %d\n", static_cast<int>(seed), reason.c_str(), static_cast<int>(count));
  });
  std::printf("%llu shots, %llu poses, %llu unknown, %llu refused\n", static_cast<unsigned long long>(tally.shots),
              static_cast<unsigned long long>(tally.poses), static_cast<unsigned long long>(tally.unknown),
              static_cast<unsigned long long>(tally.refused));
  if (test::soaks()) return;
  EXPECT_GT(tally.shots, 300 * seeds);
  EXPECT_GT(tally.poses, 5000 * seeds);
  EXPECT_LT(tally.unknown * 50, tally.poses);
  EXPECT_LT(tally.refused * 10, tally.shots);
}

// A client has the level's entities from its own copy, until they change.
TEST(Rewind, JudgesEntitiesOfTheLevelAsTheyBeginToMove) {
  const std::shared_ptr<const resource::Resource> level = test::hamlet();
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  client::ResourceFolder store = *client::ResourceFolder::open(folder.path());
  auto reception = store.receive(level->identity(), level->clients_bytes().size());
  ASSERT_TRUE(*(*reception)->append(0, level->clients_bytes()));
  ShootingGame game;
  game.targets_max = 0;
  Village village(game, {.level = level}, {.latency = 30 * core::millisecond, .loss_ppm = loss_ppm}, 1);
  const ecs::EntityRange range = village.server->world().level_range();
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (village.server->world().registry().has<engine::Transform>(range.at(i))) game.ever.insert(range.at(i));
  Village::Client& ada = village.join(
      client::ConnectionConfig{.transport = {}, .name = "ada", .schema = test::game_schema(), .resources = &store});
  Shooter shooter(ada);
  ASSERT_TRUE(village.tick_until([&] {
    shooter.note_given(game);
    return ada.connection.player_entity() && ada.connection.complete();
  }));
  std::size_t moving = 0;
  for (int tick = 0; tick < 200; ++tick) {
    if (tick % 3 == 0 && moving < game.ever.size()) ++moving;
    auto entity = game.ever.begin();
    for (std::size_t i = 0; i < moving; ++i, ++entity)
      village.server->world().registry().get<engine::Transform>(*entity).position.y += 0.1f;
    shooter.shoot();
    village.tick();
    shooter.note_given(game);
  }
  ShotTally tally;
  compare_shots(game, shooter, tally);
  EXPECT_GT(tally.shots, 150u);
  EXPECT_GT(tally.poses, 1000u);
  EXPECT_LT(tally.unknown * 50, tally.poses);
}

TEST(Rewind, RefusesClaimsByNameAndCountsThem) {
  Range range(1, {.latency = 20 * core::millisecond}, false);
  range.ticks(30);
  ASSERT_GT(range.stats().views, 10u);
  ASSERT_TRUE(range.stats().refusals.empty());
  // Each claim follows an honest one.
  const auto claim = [&](const char* reason, const std::function<void(CommandContext&)>& change) {
    range.ticks(5, false);
    const std::uint64_t before = range.refused(reason);
    int executed = 0;
    range.game.claim = [&](CommandContext& context) {
      if (executed++ > 0) change(context);
    };
    range.ticks(2);
    range.ticks(5, false);
    EXPECT_EQ(executed, 2);
    EXPECT_EQ(range.refused(reason), before + 1) << reason;
    range.game.claim = nullptr;
  };
  claim("view in the future", [](CommandContext& context) { context.view_tick = context.tick; });
  claim("view too old", [](CommandContext& context) { context.view_tick = context.tick - 11; });
  claim("view before joining", [](CommandContext& context) { context.view_tick = 0; });
  claim("view goes back", [](CommandContext& context) { context.view_tick -= 2, context.view_fraction = 0; });
  claim("unknown deltas", [](CommandContext& context) { context.seen = {}; });
  claim("unknown deltas", [](CommandContext& context) { context.seen.newest += 1000; });
  claim("outdated deltas", [](CommandContext& context) { context.seen.received &= ~2ull; });
  const ViewClaims& claims = range.village().server->sessions().front()->claims;
  EXPECT_EQ(claims.refused, 7u) << "counted for the session too";
  EXPECT_EQ(claims.count, range.stats().views);
  const std::uint64_t views = range.stats().views;
  range.ticks(10);
  EXPECT_GT(range.stats().views, views) << "honest claims go on";
}

TEST(Rewind, LogsARefusedViewWithItsPlayerAndReason) {
  Range range(1, {.latency = 20 * core::millisecond}, false);
  range.ticks(10);
  range.game.claim = [](CommandContext& context) { context.view_tick = context.tick; };
  testing::internal::CaptureStderr();
  range.ticks(3);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, testing::HasSubstr("view of player 1 refused: view in the future: "));
  EXPECT_GT(range.refused("view in the future"), 0u);
}

// A mirror that is kept over a rejoin is known as before: neither what it has nor its former claims are forgotten.
TEST(Rewind, JudgesWhatARejoinedClientDrewWithItsOldMirror) {
  Range range(3, {.latency = 20 * core::millisecond, .loss_ppm = loss_ppm});
  range.ticks(60);
  Village& village = range.village();
  village.network.cut(range.client->port.from);
  for (int i = 0; i < 3000 && range.client->connection.state() != client::Connection::State::closed; ++i)
    range.ticks(1, false);
  ASSERT_TRUE(range.client->connection.can_rejoin());
  village.network.heal(range.client->port.from);
  range.client->input->rejoin(village.now);
  ASSERT_TRUE(village.tick_until([&] { return range.client->connection.complete(); }));
  EXPECT_EQ(range.client->connection.mirror_number(), 1u);
  const std::uint64_t views = range.stats().views;
  range.ticks(120);
  EXPECT_GT(range.stats().views, views + 60);
  ShotTally tally;
  compare_shots(range.game, *range.shooter, tally);
  EXPECT_GT(tally.poses, 1000u);
}

// Its views were near the newest delta, and then one is far behind.
TEST(Rewind, RefusesAViewThatIsUnusuallyFarBehind) {
  Range range(1, {.latency = 20 * core::millisecond}, false);
  range.ticks(60);
  ASSERT_TRUE(range.stats().refusals.empty());
  double first = 0;
  range.game.claim = [&](CommandContext& context) {
    if (first == 0) first = view_of(context);
    context.view_tick = static_cast<ecs::Tick>(first);  // looks at one moment for ever
    context.view_fraction = 255;
  };
  range.ticks(20);
  EXPECT_GT(range.refused("unusual view"), 0u);
  EXPECT_EQ(range.refused("view beyond the path"), 0u);
}

TEST(Rewind, RefusesAPlayerWithoutAClient) {
  Range range(1, {}, false);
  const core::Result<Rewound> past = range.village().server->world().rewind().view(1000, {.tick = 1});
  ASSERT_FALSE(past);
  EXPECT_STREQ(past.error().reason, "no view");
}

// Shots at a target that moves out of their line. Until its client draws that, a ray through the past hits it.
TEST(Rewind, AnOldShotMissesATargetThatHasReachedCover) {
  Range range(1, {.latency = 30 * core::millisecond}, false);
  range.game.targets_max = 0;
  World& world = range.village().server->world();
  const ecs::Entity target = *world.create(engine::Transform{.position = {.x = 5, .y = 0, .z = 100}});
  const Ray ray{.origin = {.x = 0, .y = 1, .z = 100}, .direction = {.x = 1, .y = 0, .z = 0}, .length = 50};
  struct Shots {
    int young = 0;  // that hit by a rule that takes no view for old
    int old = 0;    // that hit by one that takes each for old
  };
  Shots shots;
  range.game.claim = [&](const CommandContext& context) {
    core::Result<Rewound> past = world.rewind().view(1, context);
    if (!past) return;
    const auto by = [&](double seconds) {
      const std::optional<Rewound::Hit> hit = test::favour_victim(world, *past, ray, seconds);
      return hit && hit->entity == target ? 1 : 0;
    };
    shots.young += by(10);
    shots.old += by(0);
  };
  range.ticks(30);
  EXPECT_GT(shots.young, 10);
  EXPECT_EQ(shots.old, shots.young) << "it stands in the line";
  world.registry().get<engine::Transform>(target).position.z += 2;
  range.ticks(1);
  shots = {};
  range.ticks(20);
  EXPECT_GT(shots.young, 0) << "the shooter saw it in the line";
  EXPECT_EQ(shots.old, 0);
}

TEST(RewindDeathTest, AViewOfThePastEndsWithItsTick) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        Range range(1, {}, false);
        World& world = range.village().server->world();
        std::optional<Rewound> kept;
        range.game.claim = [&](const CommandContext& context) {
          if (kept) static_cast<void>(kept->seen(*world.create(engine::Transform{})));
          if (core::Result<Rewound> past = world.rewind().view(1, context)) kept.emplace(*past);
        };
        range.ticks(60);
      },
      "a view of the past is used after its tick");
}

TEST(RewindDeathTest, AGameThatKeepsNoPastFailsACheck) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        test::TinyGame game;
        Village village(game);
        static_cast<void>(village.server->world().rewind());
      },
      "the past is not kept");
}

}  // namespace
}  // namespace mobula::server
