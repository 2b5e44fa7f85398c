#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/wire/stored_rotation.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::wire::stored_rotation_test {
namespace {

struct Turn {
  std::uint8_t most = 3;
  std::uint16_t a = 256;
  std::uint16_t b = 256;
  std::uint16_t c = 256;

  bool operator==(const Turn&) const = default;
};
// As the schema below lays it out.
struct Turret {
  Turn base{};
  std::array<float, 4> barrel{0, 0, 0, 1};
  std::array<std::uint32_t, 4> sight{3, 7, 7, 7};
  std::uint8_t after = 7;

  bool operator==(const Turret&) const = default;
};

const reflect::Component& turret() {
  static const auto schema = mobula::test::load_schema(R"(
    struct Turn { most:ubyte (range:"0 3"); a:ushort (bits:"9"); b:ushort (bits:"9"); c:ushort (bits:"9"); }
    struct Coarse { most:uint (range:"0 3"); a:uint (bits:"4"); b:uint (bits:"4"); c:uint (bits:"4"); }
    struct Turret (component) { base:Turn (smallest_three); barrel:mobula.engine.Quat (unit_quaternion, default:"0 0 0 1");
      sight:Coarse (smallest_three); after:ubyte; }
    struct Bare (component) { own:Turn (smallest_three, not_sent);
      number:float; })");
  EXPECT_TRUE(StoredRotation::all_of(*schema->find("Bare")).empty());
  return *schema->find("Turret");
}

const std::byte* bytes_of(const Turret& value) { return reinterpret_cast<const std::byte*>(&value); }
std::byte* bytes_of(Turret& value) { return reinterpret_cast<std::byte*>(&value); }

Rotation random_rotation(core::Random& random) {
  Rotation rotation{};
  double square = 0;
  do {
    square = 0;
    for (double& part : rotation) {
      part = static_cast<double>(random.uniform(-1, 1));
      square += part * part;
    }
  } while (square > 1 || square < 0.01);
  for (double& part : rotation) part /= std::sqrt(square);
  return rotation;
}

// Returns the angle between two rotations, in radians. q and -q are one.
double angle(const Rotation& a, const Rotation& b) {
  double dot = 0;
  for (std::size_t i = 0; i < 4; ++i) dot += a[i] * b[i];
  return 2 * std::acos(std::min(std::abs(dot), 1.0));
}

TEST(StoredRotation, AreFoundByOffsetIfTheyAreSent) {
  ASSERT_EQ(turret().size, sizeof(Turret));
  const std::vector<StoredRotation> all = StoredRotation::all_of(turret());
  ASSERT_EQ(all.size(), 3u);
  const float half = std::sqrt(0.5f);
  const Turret value{.base = {.most = 1, .a = 256, .b = 256, .c = 256}, .barrel = {half, 0, 0, half}};
  Rotation rotation;
  ASSERT_TRUE(all[0].load(bytes_of(value), rotation));
  EXPECT_LT(angle(rotation, {0, 1, 0, 0}), 0.01);
  ASSERT_TRUE(all[1].load(bytes_of(value), rotation));
  EXPECT_LT(angle(rotation, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)}), 1e-3);
}

TEST(StoredRotation, AStoredOneIsTheNearestThatCanBe) {
  const std::array<double, 3> error_max{0.02, 1e-3, 0.6};  // 9 bits, floats, 4 bits
  const std::vector<StoredRotation> all = StoredRotation::all_of(turret());
  mobula::test::for_each_seed(1, 10, 200, [&](std::uint64_t seed) {
    core::Random random(seed);
    for (int i = 0; i < 100; ++i) {
      const std::size_t which = random.below(3);
      const Rotation wanted = random_rotation(random);
      Turret value;
      all[which].store(wanted, bytes_of(value));
      Rotation found;
      ASSERT_TRUE(all[which].load(bytes_of(value), found));
      ASSERT_LT(angle(wanted, found), error_max[which]) << which;
    }
  });
}

TEST(StoredRotation, ALoadedOneIsStoredAsItWas) {
  const std::vector<StoredRotation> all = StoredRotation::all_of(turret());
  const Turret value{.base = {.most = 2, .a = 117, .b = 400, .c = 255}, .barrel = {0, 1, 0, 0}, .sight = {1, 8, 7, 8}};
  Turret again;
  for (const StoredRotation& each : all) {
    Rotation rotation;
    ASSERT_TRUE(each.load(bytes_of(value), rotation));
    each.store(rotation, bytes_of(again));
  }
  EXPECT_EQ(again, value);
}

TEST(StoredRotation, OtherFieldsStay) {
  const std::vector<StoredRotation> all = StoredRotation::all_of(turret());
  Turret value;
  const Rotation half_turn{1, 0, 0, 0};
  all[0].store(half_turn, bytes_of(value));
  EXPECT_EQ(value.base.most, 0);
  EXPECT_EQ(value.barrel, Turret{}.barrel);
  EXPECT_EQ(value.sight, Turret{}.sight);
  all[2].store(half_turn, bytes_of(value));
  EXPECT_EQ(value.sight[0], 0u);
  EXPECT_EQ(value.after, 7);
}

TEST(StoredRotation, PartsThatAreNoRotationAreNotLoaded) {
  const StoredRotation barrel = StoredRotation::all_of(turret())[1];
  Rotation rotation;
  EXPECT_FALSE(barrel.load(bytes_of(Turret{.barrel = {0, 0, 0, 0}}), rotation));
  EXPECT_FALSE(barrel.load(bytes_of(Turret{.barrel = {std::numeric_limits<float>::quiet_NaN(), 0, 0, 1}}), rotation));
  ASSERT_TRUE(barrel.load(bytes_of(Turret{.barrel = {0, 0, 0, 5}}), rotation));
  EXPECT_EQ(rotation, (Rotation{0, 0, 0, 1}));
}

}  // namespace
}  // namespace mobula::wire::stored_rotation_test
