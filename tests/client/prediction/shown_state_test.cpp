#include <gtest/gtest.h>

#include <cmath>
#include <mobula/client/prediction/shown_state.hpp>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::client::shown_state_test {
namespace {

constexpr std::uint32_t player = 3;
struct Ship {
  std::array<float, 3> position{};
  std::uint32_t jumps = 0;
};

constexpr ecs::Entity ship{7, 1};

// A mirror with one ship, which is predicted, and snapshots that a test makes.
class Shown : public testing::Test {
 protected:
  Shown()
      : mirror(std::move(*Mirror::make(make_schema(), 100))),
        set(std::move(*PredictedSet::make(*mirror, rules, player))),
        ring(set->registry(), set->predicted_pools(), 16),
        shown(*mirror, *set, ring, {.position_component = "Ship"}, 20),
        pool(mirror->registry().find_pool(core::StringId32("Ship"), core::StringId32("Ship"))) {
    mirror->registry().create_given(ship);
    mirror->registry().add_bytes(ship, pool);
    collect({ship});
  }
  static std::shared_ptr<const reflect::Schema> make_schema() {
    return test::load_schema(
        "struct Ship (component) { position:mobula.engine.Vec3 (predicted); jumps:uint (predicted, cut); }"
        "struct Tower (component) { position:float (predicted); }");
  }
  // Returns the set's pool of a pool of the mirror.
  ecs::PoolId own(ecs::PoolId mirrored) { return set->predicted()[set->place_of(mirrored)].own().id(); }
  void collect(std::vector<ecs::Entity> wanted) {
    set->collect(wanted, commands, 0);
    set->rebuild();
    ring.clear();
  }
  void save(ecs::Tick tick, float x, std::uint32_t jumps = 0) {
    core::store(set->registry().try_write(ship, own(pool)), Ship{{x, 0, 0}, jumps});
    ring.save(tick, set->stepped());
  }
  void place(ecs::Entity entity, float x) {
    core::store(set->registry().try_write(entity, own(pool)), Ship{{x, 0, 0}, 0});
  }
  // Spawns a ship for a command of the player.
  ecs::Entity spawn(std::uint32_t command, float x) {
    const ecs::Entity entity = set->stepped().next_local;
    set->registry().create_given(entity);
    set->registry().add_bytes(entity, own(pool));
    set->registry().add(entity, engine::SpawnKey{.tick = 10, .player = player, .command = command, .ordinal = 0});
    ++set->stepped().next_local.index;
    set->stepped().alive.push_back(entity);
    place(entity, x);
    return entity;
  }
  std::optional<float> x_at(double moment, ecs::Entity entity = ship) {
    Ship found;
    if (!shown.sample(entity, pool, {moment, moment}, reinterpret_cast<std::byte*>(&found))) return std::nullopt;
    return found.position[0];
  }

  prediction::Rules rules{.step = [](prediction::PredictedWorld&, ecs::Tick, std::span<const prediction::Command>) {}};
  std::unique_ptr<Mirror> mirror;
  std::unique_ptr<PredictedSet> set;
  SnapshotRing ring;
  ShownState shown;
  ecs::PoolId pool;
  CommandTimeline commands;
};

TEST_F(Shown, IsBetweenTheTicksAroundTheMoment) {
  save(10, 1);
  save(11, 3);
  save(12, 3.5f);
  EXPECT_EQ(x_at(10), 1);
  EXPECT_EQ(x_at(10.25), 1.5f);
  EXPECT_EQ(x_at(11.5), 3.25f);
  EXPECT_EQ(x_at(12), 3.5f);
}

TEST_F(Shown, StandsStillBeyondTheSnapshots) {
  save(10, 1);
  save(11, 3);
  EXPECT_EQ(x_at(9.5), 1);
  EXPECT_EQ(x_at(11.9), 3);
}

TEST_F(Shown, JumpsAcrossACut) {
  save(10, 1);
  save(11, 3, 1);
  EXPECT_EQ(x_at(10.75), 1);
  EXPECT_EQ(x_at(11), 3);
}

TEST_F(Shown, IsNothingOnceTheStepHasDestroyedIt) {
  save(10, 1);
  set->stepped().alive.clear();
  save(11, 3);
  EXPECT_FALSE(x_at(10.5).has_value());
  EXPECT_FALSE(x_at(11).has_value());
}

TEST_F(Shown, IsTheMirrorsOfOtherEntities) {
  collect({});
  core::store(mirror->registry().try_write(ship, pool), Ship{{5, 0, 0}, 0});
  EXPECT_EQ(x_at(10), 5);
}

TEST_F(Shown, DecaysToACorrectionAndMeasuresIt) {
  save(10, 1);
  save(11, 1);
  shown.capture({10.5, 10.5});
  save(10, 2);
  save(11, 2);
  EXPECT_NEAR(shown.correct({10.5, 10.5}), 1, 1e-6);
  EXPECT_EQ(x_at(10.5), 1);
  // The correction takes 150 ms, 3 ticks.
  save(12, 2);
  save(13, 2);
  save(14, 2);
  EXPECT_NEAR(*x_at(12), 1.5, 1e-5);
  EXPECT_EQ(x_at(13.5), 2);
  shown.drop_errors(20);
  EXPECT_EQ(x_at(11), 2);
}

// The predicted moment stands still while commands wait for answers, then catches up at once.
TEST_F(Shown, AStallNeitherHoldsACorrectionUpNorHurriesIt) {
  for (ecs::Tick tick = 10; tick < 15; ++tick) save(tick, 1);
  shown.capture({10, 10});
  for (ecs::Tick tick = 10; tick < 15; ++tick) save(tick, 2);
  shown.correct({10, 10});
  const auto x = [&](double predicted, double view) {
    Ship found;
    EXPECT_TRUE(shown.sample(ship, pool, {predicted, view}, reinterpret_cast<std::byte*>(&found)));
    return found.position[0];
  };
  EXPECT_NEAR(x(10, 11.5), 1.5, 1e-5);
  EXPECT_NEAR(x(14, 11.5), 1.5, 1e-5);
  EXPECT_EQ(x(10, 13), 2);
}

TEST_F(Shown, PassesFromTheMirrorToThePredictionAndBack) {
  collect({});
  core::store(mirror->registry().try_write(ship, pool), Ship{{5, 0, 0}, 0});
  shown.capture({10, 10});
  collect({ship});
  save(10, 7);
  save(11, 7);
  shown.correct({10, 10});
  EXPECT_EQ(x_at(10), 5);
  const float later = *x_at(11);
  EXPECT_GT(later, 5);
  EXPECT_LT(later, 7);
  shown.capture({11, 11});
  collect({});
  shown.correct({11, 11});
  EXPECT_NEAR(*x_at(11), later, 1e-5);
}

// Ships have the entry of all other types, towers one of their own.
TEST_F(Shown, EachTypeIsSmoothedByItsEntry) {
  const ecs::PoolId towers = mirror->registry().find_pool(core::StringId32("Tower"), core::StringId32("Tower"));
  mirror->registry().add_bytes(ship, towers);
  collect({ship});
  const PredictionConfig config{
      .smoothing = {{.duration = 200 * core::millisecond},
                    {.component = "Tower", .duration = 100 * core::millisecond, .snap_distance = 3}}};
  ShownState both(*mirror, *set, ring, config, 20);
  const auto save_both = [&](ecs::Tick first, ecs::Tick end, float value) {
    for (ecs::Tick tick = first; tick < end; ++tick) {
      core::store(set->registry().try_write(ship, own(towers)), value);
      save(tick, value);
    }
  };
  const auto correct = [&](ecs::Tick tick, float value) {
    const ShownMoment moment{static_cast<double>(tick), static_cast<double>(tick)};
    both.capture(moment);
    save_both(tick, tick + 6, value);
    both.correct(moment);
  };
  const auto shown_at = [&](double moment) {
    Ship of_ship;
    float of_tower = 0;
    EXPECT_TRUE(both.sample(ship, pool, {moment, moment}, reinterpret_cast<std::byte*>(&of_ship)));
    EXPECT_TRUE(both.sample(ship, towers, {moment, moment}, reinterpret_cast<std::byte*>(&of_tower)));
    return std::pair(of_ship.position[0], of_tower);
  };
  save_both(10, 12, 1);
  correct(10, 2);
  EXPECT_EQ(shown_at(10), std::pair(1.0f, 1.0f));
  EXPECT_EQ(shown_at(11), std::pair(1.25f, 1.5f)) << "a fourth and a half of the time are over";
  EXPECT_EQ(shown_at(12), std::pair(1.5f, 2.0f));
  EXPECT_EQ(shown_at(14), std::pair(2.0f, 2.0f));
  correct(14, 5.5f);
  EXPECT_EQ(shown_at(14), std::pair(2.0f, 5.5f)) << "3.5 are beyond the tower's snap distance alone";
}

TEST_F(Shown, ATypeWithoutAnEntryKeepsTheDefaults) {
  const PredictionConfig config{.smoothing = {{.component = "Tower", .duration = 0}}};
  ShownState own(*mirror, *set, ring, config, 20);
  for (const ecs::Tick tick : {10u, 11u, 12u, 13u}) save(tick, 1);
  own.capture({10, 10});
  for (const ecs::Tick tick : {10u, 11u, 12u, 13u}) save(tick, 2);
  own.correct({10, 10});
  Ship found;
  ASSERT_TRUE(own.sample(ship, pool, {10, 10}, reinterpret_cast<std::byte*>(&found)));
  EXPECT_EQ(found.position[0], 1);
  ASSERT_TRUE(own.sample(ship, pool, {13, 13}, reinterpret_cast<std::byte*>(&found)));
  EXPECT_EQ(found.position[0], 2) << "150 ms later";
}

// When the server refuses a command, the spawns of later ones take the handles that follow.
TEST_F(Shown, ASpawnIsFollowedToAnotherHandle) {
  const ecs::Entity first = spawn(7, 1);
  const ecs::Entity second = spawn(8, 5);
  for (const ecs::Tick tick : {10u, 11u}) ring.save(tick, set->stepped());
  shown.capture({10.5, 10.5});
  set->registry().get<engine::SpawnKey>(first).command = 8;
  set->registry().destroy(second);
  set->stepped().alive.pop_back();
  place(first, 6);
  for (const ecs::Tick tick : {10u, 11u, 12u, 13u}) ring.save(tick, set->stepped());
  EXPECT_NEAR(shown.correct({10.5, 10.5}), 1, 1e-6);
  EXPECT_EQ(x_at(10.5, first), 5);
  EXPECT_NEAR(*x_at(12, first), 5.5, 1e-5);
  EXPECT_FALSE(x_at(10.5, second).has_value());
}

// Whatever is corrected, the shown value is continuous at the moment of the correction.
TEST_F(Shown, IsContinuousAtRandomCorrections) {
  test::for_each_seed(1, 20, 200, [&](std::uint64_t seed) {
    core::Random random(seed);
    float x = 0;
    ecs::Tick tick = 100;
    save(tick, x);
    for (int i = 0; i < 200; ++i) {
      const double moment = static_cast<double>(tick) - static_cast<double>(random.uniform(0, 1));
      save(++tick, x += random.uniform(-0.2f, 0.2f));
      const std::optional<float> before = x_at(moment);
      shown.capture({moment, moment});
      const float error = random.uniform(-0.5f, 0.5f);
      for (ecs::Tick each = tick - 3; each <= tick; ++each)
        if (ring.has(each)) {
          ring.restore(each, set->stepped());
          save(each, core::load<Ship>(set->registry().try_read(ship, own(pool))).position[0] + error);
        }
      x += error;
      shown.correct({moment, moment});
      ASSERT_NEAR(*x_at(moment), *before, 1e-4);
    }
  });
}

}  // namespace
}  // namespace mobula::client::shown_state_test
