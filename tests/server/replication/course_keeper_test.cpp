#include <mobula/server/replication/course_keeper.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::server::course_keeper_test {
namespace {

constexpr std::string_view ships_schema = R"(
  struct Ship (component) {
    position:mobula.engine.Vec3 (range:"-512 512", step:"0.002", dead_reckoning:"0.005");
    rotation:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1", dead_reckoning:"0.001");
    name:ushort;
  }
)";
constexpr double tolerance = 0.005;
constexpr double step = 0.002;

struct Ship {
  std::array<float, 3> position{};
  std::array<float, 4> rotation{0, 0, 0, 1};
  std::uint16_t name = 0;
};

// One ship, published tick by tick.
class CourseKeeperTest : public testing::Test {
 protected:
  CourseKeeperTest() {
    static_cast<void>(reflect::register_components(registry, *schema).value());
    pool = registry.find_pool(core::StringId32("Ship"), core::StringId32("Ship"));
    ship = registry.create();
    registry.add_bytes(ship, pool);
    publish();
    sent = 0;
  }
  // Publishes the tick, counts a state that differs, and checks that it is near the truth.
  void publish() {
    const bool changed = !publisher.publish().empty();
    sent += changed ? 1 : 0;
    if (changed) last_sent = registry.tick();
    expect_near();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  void write(const Ship& now) {
    std::memcpy(registry.try_write(ship, pool), &now, sizeof now);
    truth = now;
  }
  void fly(int ticks, const std::function<Ship(int)>& at) {
    for (int i = 1; i <= ticks; ++i) {
      write(at(i));
      publish();
    }
  }
  void stand(int ticks) {
    for (int i = 0; i < ticks; ++i) publish();
  }
  [[nodiscard]] Ship published() {
    std::vector<std::uint32_t> words(publisher.published().codecs().row(pool)->words());
    publisher.published().words_now(ship.index, words.data());
    Ship value{};
    EXPECT_TRUE(publisher.published().codecs().row(pool)->to_component(words.data(), true, registry.tick(),
                                                                       reinterpret_cast<std::byte*>(&value)));
    return value;
  }
  void expect_near() {
    const Ship value = published();
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(value.position[i]),
                  std::clamp(static_cast<double>(truth.position[i]), -512.0, 512.0), tolerance + step / 2)
          << "tick " << registry.tick();
    double dot = 0;
    for (std::size_t i = 0; i < 4; ++i)
      dot += static_cast<double>(value.rotation[i]) * static_cast<double>(truth.rotation[i]);
    EXPECT_GT(std::abs(dot), 1 - 1e-5) << "tick " << registry.tick();
    EXPECT_EQ(value.name, truth.name);
  }

  const std::shared_ptr<const reflect::Schema> schema = mobula::test::load_schema(ships_schema);
  ecs::Registry registry;
  Publisher publisher{registry, *schema};
  ecs::PoolId pool = ecs::no_pool;
  ecs::Entity ship;
  Ship truth;
  int sent = 0;
  ecs::Tick last_sent = 0;
};

TEST_F(CourseKeeperTest, AStraightFlightIsSentOnce) {
  fly(500, [](int tick) { return Ship{.position = {0.0313f * static_cast<float>(tick), 1, 0}}; });
  EXPECT_LE(sent, 3);
}

TEST_F(CourseKeeperTest, AThrownBodyIsSentAFewTimes) {
  fly(60, [](int tick) {
    const auto t = static_cast<float>(tick) / 20;
    return Ship{.position = {4 * t, 10 * t - 4.905f * t * t, 0}};
  });
  EXPECT_LE(sent, 6);
}

TEST_F(CourseKeeperTest, AnEvenTurnIsSentOnceInItsGreatestAge) {
  fly(static_cast<int>(wire::turn_age_max), [](int tick) {
    const float half = 0.02f * static_cast<float>(tick);
    return Ship{.rotation = {0, std::sin(half), 0, std::cos(half)}};
  });
  EXPECT_LE(sent, 3);
}

TEST_F(CourseKeeperTest, ABodyThatStopsWithoutAWriteDoesNotGoOn) {
  fly(10, [](int tick) { return Ship{.position = {0.5f * static_cast<float>(tick), 0, 0}}; });
  stand(1);
  EXPECT_EQ(last_sent, registry.tick() - 1);
}

TEST_F(CourseKeeperTest, ABodyAtRestBecomesExactAndIsSentNoMore) {
  fly(30, [](int tick) { return Ship{.position = {0.0101f * static_cast<float>(tick), 0, 0}}; });
  stand(static_cast<int>(settle_ticks) + 1);
  EXPECT_NEAR(static_cast<double>(published().position[0]), static_cast<double>(truth.position[0]), step / 2 + 1e-6);
  const int before = sent;
  stand(1000);
  EXPECT_EQ(sent, before);
}

// It never leaves the tolerance.
TEST_F(CourseKeeperTest, ASmallMoveBecomesExact) {
  write({.position = {0.004f, 0, 0}});
  publish();
  EXPECT_EQ(sent, 0);
  stand(static_cast<int>(settle_ticks));
  EXPECT_EQ(sent, 1);
  EXPECT_FLOAT_EQ(published().position[0], 0.004f);
}

TEST_F(CourseKeeperTest, AJumpGivesNoVelocity) {
  fly(5, [](int tick) { return Ship{.position = {0.1f * static_cast<float>(tick), 0, 0}}; });
  write({.position = {300, 0, 0}});
  publish();
  const int before = sent;
  stand(2);
  EXPECT_EQ(sent, before);
}

TEST_F(CourseKeeperTest, ALongCourseIsRenewed) {
  registry.set_tick(1000);
  fly(static_cast<int>(wire::path_age_max) + 50,
      [](int tick) { return Ship{.position = {0, 0.03125f * static_cast<float>(tick) / 64, 0}}; });
  EXPECT_GE(sent, 2);
  EXPECT_GT(last_sent, 1000 + wire::path_age_max);
}

TEST_F(CourseKeeperTest, ATurnThatJumpsGivesNoVelocity) {
  fly(5, [](int tick) {
    const float half = 0.01f * static_cast<float>(tick);
    return Ship{.rotation = {0, std::sin(half), 0, std::cos(half)}};
  });
  write({.rotation = {0.7071068f, 0, 0, 0.7071068f}});
  publish();
  const int before = sent;
  stand(2);
  EXPECT_EQ(sent, before);
}

// The first difference after a spawn is a velocity, however fast.
TEST_F(CourseKeeperTest, AProjectileIsOnItsCourseAfterOneTick) {
  fly(50, [](int tick) { return Ship{.position = {8.0f * static_cast<float>(tick), 0, 0}}; });
  EXPECT_EQ(sent, 1);
}

TEST_F(CourseKeeperTest, ABodyOutsideOfTheRangeStandsAtItsEnd) {
  fly(20, [](int tick) { return Ship{.position = {0, -500 - static_cast<float>(tick), 0}}; });
  stand(static_cast<int>(settle_ticks));
  const int before = sent;
  for (int tick = 0; tick < 50; ++tick) {
    truth.position[1] = -600 - static_cast<float>(tick);
    std::memcpy(registry.try_write(ship, pool), &truth, sizeof truth);
    publisher.publish();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  EXPECT_EQ(sent, before);
  EXPECT_FLOAT_EQ(published().position[1], -512);
}

// A field beside it changes in each tick.
TEST_F(CourseKeeperTest, AValueBesideOneThatChangesBecomesExact) {
  write({.position = {0.004f, 0, 0}});
  publish();
  for (std::uint16_t i = 1; i <= settle_ticks; ++i) {
    truth.name = i;
    write(truth);
    publish();
  }
  EXPECT_FLOAT_EQ(published().position[0], 0.004f);
}

TEST_F(CourseKeeperTest, OtherFieldsAreSentAtOnce) {
  fly(20, [](int tick) { return Ship{.position = {0.1f * static_cast<float>(tick), 0, 0}}; });
  const int before = sent;
  truth.name = 7;
  truth.position[0] += 0.1f;
  write(truth);
  publish();
  EXPECT_EQ(sent, before + 1);
  EXPECT_EQ(published().name, 7);
}

TEST_F(CourseKeeperTest, ValuesThatAreNotFiniteEndNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float wrong : {nan, std::numeric_limits<float>::infinity(), 3e38f}) {
    std::memcpy(registry.try_write(ship, pool), std::array{wrong, wrong, wrong, wrong, wrong, wrong, wrong}.data(), 28);
    for (int i = 0; i < 3; ++i) {
      publisher.publish();
      registry.clear_journal();
      registry.set_tick(registry.tick() + 1);
    }
  }
  truth = {};
  write(truth);
  stand(10);
}

// The tolerance holds whatever the ship does.
TEST_F(CourseKeeperTest, RandomFlightsStayWithinTheTolerance) {
  core::Random random(3);
  Ship now;
  double velocity[3] = {};
  for (int tick = 0; tick < 5000; ++tick) {
    if (random.chance(1, 40))
      for (double& each : velocity) each = static_cast<double>(random.uniform(-0.2f, 0.2f));
    if (random.chance(1, 300)) now.position = {random.uniform(-500, 500), random.uniform(-500, 500), 0};
    if (random.chance(1, 100)) std::ranges::fill(velocity, 0);
    for (std::size_t i = 0; i < 3; ++i)
      now.position[i] = std::clamp(now.position[i] + static_cast<float>(velocity[i]), -511.0f, 511.0f);
    if (random.chance(7, 8)) write(now);
    publish();
    if (HasFailure()) break;
  }
  EXPECT_LT(sent, 2500) << "seed 3";
}

}  // namespace
}  // namespace mobula::server::course_keeper_test
