#include <mobula/server/replication/given_velocity.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mobula/server/replication/publisher.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::server::given_velocity_test {
namespace {

constexpr std::string_view ships_schema = R"(
  struct Body (component, not_sent) { velocity:mobula.engine.Vec3; spin:mobula.engine.Vec3; }
  struct Ship (component) {
    position:mobula.engine.Vec3 (range:"-512 512", step:"0.002", dead_reckoning:"0.005", velocity:"Body.velocity");
    rotation:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1", dead_reckoning:"0.001", velocity:"Body.spin");
    climb:float;
    height:double (range:"0 1000", step:"0.01", dead_reckoning:"0.02", velocity:"Ship.climb");
  }
)";
constexpr double tick_seconds = 0.05;
constexpr double tolerance = 0.005;
constexpr double step = 0.002;

struct Ship {
  std::array<float, 3> position{};
  std::array<float, 4> rotation{0, 0, 0, 1};
  float climb = 0;
  double height = 0;
};
struct Body {
  std::array<float, 3> velocity{};
  std::array<float, 3> spin{};
};

// One ship, published tick by tick.
class GivenVelocityTest : public testing::Test {
 protected:
  GivenVelocityTest() {
    static_cast<void>(reflect::register_components(registry, *schema).value());
    ships = registry.find_pool(core::StringId32("Ship"), core::StringId32("Ship"));
    bodies = registry.find_pool(core::StringId32("Body"), core::StringId32("Body"));
  }
  void spawn(const Ship& now, const Body* body) {
    ship = registry.create();
    registry.add_bytes(ship, ships);
    if (body != nullptr) registry.add_bytes(ship, bodies);
    write(now);
    if (body != nullptr) write(*body);
    publish();
    sent = 0;
  }
  void write(const Ship& now) {
    std::memcpy(registry.try_write(ship, ships), &now, sizeof now);
    truth = now;
  }
  void write(const Body& body) { std::memcpy(registry.try_write(ship, bodies), &body, sizeof body); }
  // Publishes the tick, counts a state that differs, and checks that it is near the truth.
  void publish() {
    publisher.publish();
    sent += publisher.published().changed(ship.index, false) == registry.tick() ? 1 : 0;
    const Ship value = published();
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(value.position[i]), static_cast<double>(truth.position[i]), tolerance + step / 2);
    double dot = 0;
    for (std::size_t i = 0; i < 4; ++i)
      dot += static_cast<double>(value.rotation[i]) * static_cast<double>(truth.rotation[i]);
    EXPECT_GT(std::abs(dot), 1 - 1e-5) << "tick " << registry.tick();
    EXPECT_NEAR(value.height, truth.height, 0.025);
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  void fly(int ticks, const std::function<Ship(int)>& at) {
    for (int i = 1; i <= ticks && !HasFailure(); ++i) {
      write(at(i));
      publish();
    }
  }
  [[nodiscard]] Ship published() {
    const wire::RowCodec& codec = *publisher.published().codecs().row(ships);
    std::vector<std::uint32_t> words(codec.words());
    publisher.published().words_now(ship.index, words.data());
    Ship value{};
    EXPECT_TRUE(codec.to_component(words.data(), true, registry.tick(), reinterpret_cast<std::byte*>(&value)));
    return value;
  }

  const std::shared_ptr<const reflect::Schema> schema = mobula::test::load_schema(ships_schema);
  ecs::Registry registry;
  Publisher publisher{registry, *schema, 16u << 20, tick_seconds};
  ecs::PoolId ships = ecs::no_pool;
  ecs::PoolId bodies = ecs::no_pool;
  ecs::Entity ship;
  Ship truth;
  int sent = 0;
};

// Returns a position in whole steps, as a predicted field has it.
float rounded(double value) { return static_cast<float>(std::round(value / step) * step); }

TEST_F(GivenVelocityTest, AProjectileIsOnItsCourseWhenItSpawns) {
  const Body body{.velocity = {8, -1, 0}};
  spawn({}, &body);
  fly(50, [](int tick) {
    return Ship{.position = {0.4f * static_cast<float>(tick), -0.05f * static_cast<float>(tick), 0}};
  });
  EXPECT_EQ(sent, 0);
}

TEST_F(GivenVelocityTest, ABounceIsSentOnce) {
  const Body body{.velocity = {8, 0, 0}};
  spawn({}, &body);
  fly(10, [](int tick) { return Ship{.position = {0.4f * static_cast<float>(tick), 0, 0}}; });
  write(Body{.velocity = {-8, 0, 0}});
  fly(10, [](int tick) { return Ship{.position = {4 - 0.4f * static_cast<float>(tick), 0, 0}}; });
  EXPECT_EQ(sent, 1);
}

TEST_F(GivenVelocityTest, ATeleportKeepsTheVelocity) {
  const Body body{.velocity = {8, 0, 0}};
  spawn({}, &body);
  fly(10, [](int tick) { return Ship{.position = {0.4f * static_cast<float>(tick), 0, 0}}; });
  fly(10, [](int tick) { return Ship{.position = {300 + 0.4f * static_cast<float>(tick), 0, 0}}; });
  EXPECT_EQ(sent, 1);
}

TEST_F(GivenVelocityTest, ASteadyPullIsPartOfTheCourse) {
  Body body{.velocity = {0, 10, 0}};
  spawn({}, &body);
  float y = 0;
  for (int tick = 0; tick < 60; ++tick) {
    body.velocity[1] -= 9.81f * 0.05f;
    y += body.velocity[1] * 0.05f;
    write(body);
    write(Ship{.position = {0, y, 0}});
    publish();
  }
  EXPECT_LE(sent, 5);
}

// The last difference of rounded values is wrong by up to a step.
TEST_F(GivenVelocityTest, ARoundedValueKeepsItsCourse) {
  const auto at = [](int tick) {
    return Ship{.position = {rounded(0.0313 * tick), rounded(0.0107 * tick), rounded(-0.0251 * tick)}};
  };
  const Body body{.velocity = {0.626f, 0.214f, -0.502f}};
  spawn({}, &body);
  fly(200, at);
  EXPECT_LE(sent, 2);
  spawn({}, nullptr);
  fly(200, at);
  EXPECT_GT(sent, 20) << "without a velocity";
}

TEST_F(GivenVelocityTest, WithoutTheComponentTheLastDifferenceCounts) {
  spawn({}, nullptr);
  fly(1, [](int) { return Ship{.position = {0.4f, 0, 0}}; });
  EXPECT_EQ(sent, 1);
  fly(50, [](int tick) { return Ship{.position = {0.4f + 0.4f * static_cast<float>(tick), 0, 0}}; });
  EXPECT_LE(sent, 2);
}

TEST_F(GivenVelocityTest, ARemovedComponentEndsNoCourse) {
  const Body body{.velocity = {8, 0, 0}};
  spawn({}, &body);
  fly(5, [](int tick) { return Ship{.position = {0.4f * static_cast<float>(tick), 0, 0}}; });
  registry.remove(ship, bodies);
  fly(20, [](int tick) { return Ship{.position = {2 + 0.4f * static_cast<float>(tick), 0, 0}}; });
  EXPECT_EQ(sent, 0);
}

TEST_F(GivenVelocityTest, ABodyThatStopsStandsWhateverItsVelocity) {
  const Body body{.velocity = {8, 0, 0}};
  spawn({}, &body);
  fly(10, [](int tick) { return Ship{.position = {0.4f * static_cast<float>(tick), 0, 0}}; });
  for (int i = 0; i < 20; ++i) publish();
  EXPECT_LE(sent, 2);
  EXPECT_FLOAT_EQ(published().position[0], 4);
}

TEST_F(GivenVelocityTest, AVelocityThatIsNotFiniteIsNotUsed) {
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const Body body{.velocity = {0, wrong, 0}, .spin = {wrong, 0, 0}};
    spawn({}, &body);
    fly(50, [](int tick) { return Ship{.position = {0.4f * static_cast<float>(tick), 0, 0}}; });
    EXPECT_LE(sent, 2);
  }
}

TEST_F(GivenVelocityTest, AVelocityBeyondTheRangeKeepsTheTolerance) {
  for (const float wrong : {1e9f, -1e30f, std::numeric_limits<float>::max()}) {
    const Body body{.velocity = {0, wrong, 0}, .spin = {0, wrong, 0}};
    spawn({}, &body);
    fly(20, [](int tick) { return Ship{.position = {0.4f * static_cast<float>(tick), 0, 0}}; });
    EXPECT_GT(sent, 10) << "each value is another course";
  }
}

// Returns the rotation after a number of turns by an angle about an axis of the world.
std::array<float, 4> turned(const std::array<double, 3>& axis, double angle) {
  const double sine = std::sin(angle / 2);
  return {static_cast<float>(axis[0] * sine), static_cast<float>(axis[1] * sine), static_cast<float>(axis[2] * sine),
          static_cast<float>(std::cos(angle / 2))};
}

TEST_F(GivenVelocityTest, ASpinIsInRadiansPerSecond) {
  const Body body{.spin = {0.6f, 0, 0.8f}};
  spawn({}, &body);
  fly(200, [](int tick) { return Ship{.rotation = turned({0.6, 0, 0.8}, tick_seconds * tick)}; });
  EXPECT_EQ(sent, 0);
}

TEST_F(GivenVelocityTest, ASpinOfMoreThanHalfATurnIsTheShorterOne) {
  const Body body{.spin = {0, 100, 0}};  // 5 radians per tick
  spawn({}, &body);
  fly(100, [](int tick) { return Ship{.rotation = turned({0, 1, 0}, 5.0 * tick)}; });
  EXPECT_EQ(sent, 0);
}

TEST_F(GivenVelocityTest, MayBeInTheSameComponentAndOfAnotherSize) {
  spawn({.climb = 2}, nullptr);
  fly(100, [](int tick) { return Ship{.climb = 2, .height = 0.1 * tick}; });
  EXPECT_EQ(sent, 0);
}

TEST(GivenVelocityDeathTest, ALengthOfTheTickIsNeeded) {
  const auto schema = mobula::test::load_schema(ships_schema);
  ecs::Registry registry;
  static_cast<void>(reflect::register_components(registry, *schema).value());
  Publisher publisher(registry, *schema);
  registry.add_bytes(registry.create(), registry.find_pool(core::StringId32("Ship"), core::StringId32("Ship")));
  EXPECT_DEATH(publisher.publish(), "the length of a tick is not known");
}

}  // namespace
}  // namespace mobula::server::given_velocity_test
