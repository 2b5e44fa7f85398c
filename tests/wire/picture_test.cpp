#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <mobula/core/random.hpp>
#include <mobula/wire/component_blend.hpp>
#include <mobula/wire/picture.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::wire::picture_test {
namespace {

using Words = std::vector<std::uint32_t>;

struct Ship {
  std::array<float, 3> position{};
  std::array<std::uint16_t, 4> turn{3, 256, 256, 256};
  float fuel = 0;
  std::uint32_t jumps = 0;
};
struct Buoy {
  std::array<float, 3> position{};
};
struct Boat {
  std::array<float, 3> position{};
  float fuel = 0;

  bool operator==(const Boat&) const = default;
};

class PictureTest : public testing::Test {
 protected:
  PictureTest() {
    layout.add(ships);
    courses.add(buoys);
    steered.add(boats);
  }
  // The words of a ship as a client receives it that owns it, or does not.
  [[nodiscard]] Words ship(float x, float fuel = 0, std::uint32_t jumps = 0) const {
    Words words(layout.words);
    const Ship value{.position = {x, 0, 0}, .fuel = fuel, .jumps = jumps};
    ships.to_words(reinterpret_cast<const std::byte*>(&value), words.data());
    return words;
  }
  [[nodiscard]] PictureState state(const Words& words, ecs::Tick tick, bool owner = true) const {
    return {&layout, words.data(), owner, tick};
  }
  [[nodiscard]] Ship drawn(const Picture& picture) const {
    Ship value{.fuel = 7};  // fields that a state does not have keep it
    draw_component(picture, ship_type, layout.rows[0], reinterpret_cast<std::byte*>(&value));
    return value;
  }
  [[nodiscard]] float x_of(const Picture& picture) const { return drawn(picture).position[0]; }
  // A buoy that moves `speed` steps of 0.01 per tick since a tick.
  [[nodiscard]] Words buoy(std::uint32_t place, std::int32_t speed, ecs::Tick since) const {
    Words words(courses.words);
    std::ranges::copy(courses.defaults, words.begin());
    const CourseUnit& unit = buoys.courses()[0];
    words[unit.first] = place;
    words[unit.course] = static_cast<std::uint32_t>(speed * static_cast<std::int32_t>(course_fraction));
    words[unit.tick_word()] = since;
    return words;
  }
  [[nodiscard]] float buoy_at(const Picture& picture) const {
    Buoy value;
    draw_component(picture, buoy_type, courses.rows[0], reinterpret_cast<std::byte*>(&value));
    return value.position[0];
  }

  const std::shared_ptr<const reflect::Schema> schema = mobula::test::load_schema(R"(
    struct Turn { most:ushort (range:"0 3"); a:ushort (bits:"9"); b:ushort (bits:"9"); c:ushort (bits:"9"); }
    struct Ship (component) { position:mobula.engine.Vec3; turn:Turn (smallest_three); fuel:float (owner_only);
      jumps:uint (cut); }
    struct Boat (component) { position:mobula.engine.Vec3 (range:"0 1000", step:"0.01", dead_reckoning:"0.01", predicted);
      fuel:float (owner_only); }
    struct Buoy (component) { position:mobula.engine.Vec3 (range:"0 1000", step:"0.01", dead_reckoning:"0.01"); })");
  const reflect::Component& ship_type = *schema->find("Ship");
  const reflect::Component& buoy_type = *schema->find("Buoy");
  const RowCodec ships{ship_type};
  const RowCodec buoys{buoy_type};
  const reflect::Component& boat_type = *schema->find("Boat");
  const RowCodec boats{boat_type};
  EntityLayout layout;   // layout of a ship
  EntityLayout courses;  // layout of a buoy
  EntityLayout steered;  // layout of a boat
};

TEST_F(PictureTest, AStateAloneIsDrawnAsItIs) {
  const Words words = ship(3, 5);
  EXPECT_EQ(x_of({.earlier = state(words, 10), .later = {}, .view = 14.5, .newest = 15}), 3);
  EXPECT_EQ(drawn({.earlier = state(words, 10), .later = {}, .view = 10, .newest = 10}).fuel, 5);
  EXPECT_EQ(drawn({.earlier = state(words, 10, false), .later = {}, .view = 10, .newest = 10}).fuel, 7);
}

TEST_F(PictureTest, BetweenTwoStatesValuesAreInterpolated) {
  const Words from = ship(1, 2);
  const Words to = ship(3, 4);
  Picture picture{.earlier = state(from, 10), .later = state(to, 12), .view = 10.5, .newest = 12};
  EXPECT_EQ(x_of(picture), 1.5f);
  EXPECT_EQ(drawn(picture).fuel, 2.5f);
  picture.view = 9;
  EXPECT_EQ(x_of(picture), 1) << "before the earlier one";
}

TEST_F(PictureTest, MotionTowardsAStateIsShort) {
  const Words from = ship(1);
  const Words to = ship(3);
  Picture picture{.earlier = state(from, 10), .later = state(to, 30), .view = 26, .newest = 30};
  EXPECT_EQ(x_of(picture), 1) << "it was at rest until 4 ticks before";
  picture.view = 28;
  EXPECT_EQ(x_of(picture), 2);
}

TEST_F(PictureTest, NothingIsInterpolatedAcrossACut) {
  const Words from = ship(1, 0, 0);
  const Words to = ship(3, 0, 1);
  EXPECT_EQ(x_of({.earlier = state(from, 10), .later = state(to, 12), .view = 11.9, .newest = 12}), 1);
}

TEST_F(PictureTest, AFieldThatOneStateLacksIsNotInterpolated) {
  const Words from = ship(1, 2);
  const Words to = ship(3, 4);
  const Ship gained =
      drawn({.earlier = state(from, 10, false), .later = state(to, 12, true), .view = 11, .newest = 12});
  EXPECT_EQ(gained.position[0], 2);
  EXPECT_EQ(gained.fuel, 7);
  const Ship lost = drawn({.earlier = state(from, 10, true), .later = state(to, 12, false), .view = 11, .newest = 12});
  EXPECT_EQ(lost.position[0], 2);
  EXPECT_EQ(lost.fuel, 2);
}

TEST_F(PictureTest, AComponentThatTheLaterStateLacksStays) {
  EntityLayout without;
  without.add(buoys);
  const Words from = ship(1);
  const Words to(without.words);
  // The layouts differ in a component with a cut, so nothing of the entity is interpolated.
  EXPECT_EQ(x_of({.earlier = state(from, 10), .later = {&without, to.data(), true, 12}, .view = 11, .newest = 12}), 1);
}

TEST_F(PictureTest, IntegersOfARotationTurnAsOne) {
  Words from = ship(0);
  Words to = ship(0);
  const Unit* turn = nullptr;
  for (const Unit& unit : ships.units())
    if (unit.kind == Unit::Kind::rotation) turn = &unit;
  ASSERT_NE(turn, nullptr);
  // A quarter about x and one about y: the omitted parts differ.
  std::ranges::copy(Words{3, 511, 256, 256}, from.begin() + turn->first);
  std::ranges::copy(Words{1, 256, 256, 511}, to.begin() + turn->first);
  Words between = from;
  turn_words(*turn, to.data() + turn->first, 0.25, between.data() + turn->first);
  const Ship found = drawn({.earlier = state(from, 10), .later = state(to, 12), .view = 10.5, .newest = 12});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.turn[i], between[turn->first + i]) << i;
  EXPECT_NE(between, from);
}

TEST_F(PictureTest, ACourseIsFollowedUpToTheNewestDelta) {
  const Words words = buoy(1000, 50, 10);  // from 10 m, 0.5 m a tick
  const PictureState alone{&courses, words.data(), false, 10};
  EXPECT_FLOAT_EQ(buoy_at({.earlier = alone, .later = {}, .view = 10, .newest = 14}), 10);
  EXPECT_FLOAT_EQ(buoy_at({.earlier = alone, .later = {}, .view = 12.5, .newest = 14}), 11.25f);
  EXPECT_FLOAT_EQ(buoy_at({.earlier = alone, .later = {}, .view = 20, .newest = 14}), 12);
}

TEST_F(PictureTest, ANewCourseBeginsInTheTickBeforeItsState) {
  const Words from = buoy(1000, 50, 10);
  const Words to = buoy(2000, 0, 15);  // at 20 m; it stood still
  Picture picture{
      .earlier = {&courses, from.data(), false, 10}, .later = {&courses, to.data(), false, 15}, .newest = 15};
  picture.view = 14;
  EXPECT_FLOAT_EQ(buoy_at(picture), 12) << "still on the old course";
  picture.view = 14.5;
  EXPECT_FLOAT_EQ(buoy_at(picture), 16) << "half-way between both courses";
  picture.view = 15;
  EXPECT_FLOAT_EQ(buoy_at(picture), 20);
}

TEST_F(PictureTest, ACourseThatBeganBeforeItsStateIsDrawnSinceThen) {
  const Words from = buoy(1000, 50, 10);
  const Words to = buoy(2000, 100, 13);  // arrived late, in the delta of tick 15
  Picture picture{
      .earlier = {&courses, from.data(), false, 10}, .later = {&courses, to.data(), false, 15}, .newest = 15};
  picture.view = 12;
  EXPECT_FLOAT_EQ(buoy_at(picture), 11);
  picture.view = 13;
  EXPECT_FLOAT_EQ(buoy_at(picture), 20);
  picture.view = 14;
  EXPECT_FLOAT_EQ(buoy_at(picture), 21);
}

// Both sides draw by one function, so a moment's fraction must not depend on what was drawn before.
// A client has defaults in place of the words that it does not receive, a server has the true ones.
TEST_F(PictureTest, DoesNotDependOnWordsThatAreNotReceived) {
  const CourseUnit& unit = boats.courses()[0];
  ASSERT_TRUE(unit.for_others);
  const auto boat = [&](float x, ecs::Tick since) {
    Words words(steered.words);
    const Boat value{.position = {x, 0, 0}, .fuel = x};
    boats.to_words(reinterpret_cast<const std::byte*>(&value), words.data());
    words[unit.course] = static_cast<std::uint32_t>(20 * course_fraction);
    words[unit.tick_word()] = since;
    return words;
  };
  const auto received = [&](Words words, bool owner) {
    const std::uint32_t first = owner ? boats.common_words() : boats.public_words();
    const std::uint32_t end = owner ? boats.public_words() : boats.words();
    std::copy(steered.defaults.begin() + first, steered.defaults.begin() + end, words.begin() + first);
    return words;
  };
  const auto draw = [&](const Words& from, bool from_owner, const Words& to, bool to_owner, double view) {
    Boat drawn{.fuel = 7};
    draw_component({.earlier = {&steered, from.data(), from_owner, 10},
                    .later = {&steered, to.data(), to_owner, 16},
                    .view = view,
                    .newest = 18},
                   boat_type, steered.rows[0], reinterpret_cast<std::byte*>(&drawn));
    return drawn;
  };
  for (const ecs::Tick since : {9u, 12u, 16u}) {
    const Words from = boat(1, 8);
    const Words to = boat(3, since);
    for (const bool from_owner : {false, true})
      for (const bool to_owner : {false, true})
        for (double view = 9; view <= 18; view += 0.25)
          EXPECT_EQ(draw(from, from_owner, to, to_owner, view),
                    draw(received(from, from_owner), from_owner, received(to, to_owner), to_owner, view))
              << since << ' ' << from_owner << to_owner << ' ' << view;
  }
}

TEST_F(PictureTest, LiesBetweenTheStatesAtEachMoment) {
  mobula::test::for_each_seed(1, 10, 200, [&](std::uint64_t seed) {
    core::Random random(seed);
    for (int i = 0; i < 100; ++i) {
      const float a = random.uniform(-100, 100);
      const float b = random.uniform(-100, 100);
      const Words from = ship(a);
      const Words to = ship(b);
      const ecs::Tick later = 11 + random.below(10);
      const double view = 10 + static_cast<double>(random.uniform(0, 1)) * (later - 10);
      const double begin = std::max(10.0, later - picture_motion_ticks_max);
      const double part = std::max(0.0, (view - begin) / (later - begin));
      const float expected =
          static_cast<float>(static_cast<double>(a) + (static_cast<double>(b) - static_cast<double>(a)) * part);
      ASSERT_FLOAT_EQ(x_of({.earlier = state(from, 10), .later = state(to, later), .view = view, .newest = later}),
                      expected);
    }
  });
}

}  // namespace
}  // namespace mobula::wire::picture_test
