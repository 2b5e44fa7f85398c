#include <mobula/server/replication/followed_unit.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <mobula/wire/row_codec.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::server::followed_unit_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Ship {
  std::array<float, 3> position{};
  std::array<float, 4> rotation{0, 0, 0, 1};
};

// Ships of which one unit is followed. The test plays the publisher.
class FollowedUnitTest : public testing::Test {
 protected:
  void follow(std::size_t which, std::size_t ships, bool has_speeds = false) {
    unit = &codec.courses()[which];
    followed = std::make_unique<FollowedUnit>(*unit, has_speeds);
    for (std::size_t i = 0; i < ships; ++i) add({}, EntryPast::changed);
  }
  void add(const Ship& ship, EntryPast past) {
    truths.push_back(ship);
    rows.emplace_back(codec.words());
    codec.to_words(bytes(truths.size() - 1), rows.back().data());
    followed->push(rows.back().data(), bytes(truths.size() - 1), past);
  }
  // Checks all entries. Returns those that end or settle.
  std::vector<std::uint32_t> check() {
    followed->begin_tick(++tick);
    std::vector<const std::byte*> components;
    for (std::size_t i = 0; i < truths.size(); ++i) components.push_back(bytes(i));
    std::vector<std::uint32_t> ended;
    for (std::uint32_t first = 0; first < followed->size(); first += FollowedUnit::block_size) {
      const std::uint32_t count = std::min(FollowedUnit::block_size, followed->size() - first);
      for (std::uint64_t bits = followed->check(first, count, components.data() + first); bits != 0; bits &= bits - 1)
        ended.push_back(first + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
    return ended;
  }
  // Begins a course that goes on as the last ticks did.
  void begin(std::uint32_t entry) {
    codec.to_course_words(*unit, bytes(entry), rows[entry].data());
    begin_course(*unit, tick, followed->truth(entry), rows[entry].data());
    followed->set_course(entry, rows[entry].data());
  }
  const std::byte* bytes(std::size_t entry) const { return reinterpret_cast<const std::byte*>(&truths[entry]); }
  static Ship turned(double half_angle, float length) {
    const auto [s, c] = std::pair(std::sin(half_angle), std::cos(half_angle));
    return {.rotation = {0, static_cast<float>(s) * length, 0, static_cast<float>(c) * length}};
  }

  const std::shared_ptr<const reflect::Schema> schema = mobula::test::load_schema(R"(
    struct Ship (component) {
      position:mobula.engine.Vec3 (range:"-512 512", step:"0.002", dead_reckoning:"0.005");
      rotation:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1", dead_reckoning:"0.001");
    })");
  const wire::RowCodec codec{*schema->find("Ship")};
  const wire::CourseUnit* unit = nullptr;
  std::unique_ptr<FollowedUnit> followed;
  std::vector<Ship> truths;
  std::vector<std::vector<std::uint32_t>> rows;
  ecs::Tick tick = 0;
};

using Entries = std::vector<std::uint32_t>;

TEST_F(FollowedUnitTest, AnEntryEndsBeyondTheTolerance) {
  follow(0, 200);
  truths[7].position[1] = 0.004f;
  truths[130].position[2] = -0.006f;
  EXPECT_EQ(check(), Entries{130});
  EXPECT_TRUE(followed->ends(130));
  EXPECT_FALSE(followed->ends(7));
}

TEST_F(FollowedUnitTest, AChangedValueSettlesAfterSettleTicks) {
  follow(0, 3);
  truths[1].position[0] = 0.004f;
  check();
  EXPECT_FALSE(followed->has_settled(1));
  for (ecs::Tick i = 1; i < settle_ticks; ++i) EXPECT_EQ(check(), Entries{}) << i;
  EXPECT_EQ(check(), Entries{1});
  EXPECT_TRUE(followed->settles(1));
  followed->settle(1, rows[1].data());
  EXPECT_TRUE(followed->has_settled(1));
  EXPECT_EQ(check(), Entries{});
}

TEST_F(FollowedUnitTest, APathEndsAtItsGreatestAge) {
  follow(0, 1);
  truths[0].position[0] = 0.0625f;
  EXPECT_EQ(check(), Entries{0});
  begin(0);
  rows[0][unit->course] = 1;  // so slow that it stays within the range
  followed->set_course(0, rows[0].data());
  const ecs::Tick begun = tick;
  while (true) {
    truths[0].position[0] = 0.0625f + static_cast<float>(tick + 1 - begun) * 0.002f / 32;
    if (!check().empty()) break;
  }
  EXPECT_EQ(tick, begun + wire::path_age_max + 1);
}

TEST_F(FollowedUnitTest, ATurnEndsAtItsGreatestAge) {
  follow(1, 1);
  truths[0] = turned(0.01, 1);
  EXPECT_EQ(check(), Entries{0});
  begin(0);
  const ecs::Tick begun = tick;
  do truths[0] = turned(0.01 * (tick - begun + 2), 1);
  while (check().empty());
  EXPECT_EQ(tick, begun + wire::turn_age_max + 1);
}

TEST_F(FollowedUnitTest, TheLengthOfARotationDoesNotCount) {
  follow(1, 2);
  truths[0] = turned(0.0009, 1);
  truths[1] = turned(0.0011, 1);
  for (const float length : {1.0f, 1.001f, 0.01f, 3000.0f, -1.0f}) {
    truths[0] = turned(0.0009, length);
    truths[1] = turned(0.0011, length);
    EXPECT_EQ(check(), Entries{1}) << length;
  }
}

TEST_F(FollowedUnitTest, AQuaternionThatIsNoRotationCountsAsNone) {
  follow(1, 4);
  truths[0].rotation = {};
  truths[1].rotation = {nan, 0, 0, 1};
  truths[2].rotation = {3e38f, 3e38f, 3e38f, 3e38f};
  truths[3].rotation = {1, 0, 0, 0};
  EXPECT_EQ(check(), Entries{3});
}

TEST_F(FollowedUnitTest, ValuesOutsideOfTheRangeCountAsItsEnds) {
  follow(0, 4);
  truths[0].position[0] = 1000;
  truths[1].position[0] = nan;
  EXPECT_EQ(check(), (Entries{0, 1}));
  begin(0);
  begin(1);
  truths[0].position[0] = std::numeric_limits<float>::infinity();
  truths[1].position[0] = -513;
  EXPECT_EQ(check(), Entries{}) << "both stay at their end";
}

TEST_F(FollowedUnitTest, RemembersTheValuesOfFourTicks) {
  follow(0, 2);
  for (int i = 1; i <= 6; ++i) {
    truths[1].position = {static_cast<float>(i), static_cast<float>(10 * i), 0};
    check();
  }
  const CourseTruth truth = followed->truth(1);
  for (std::uint32_t age = 0; age < CourseTruth::ticks; ++age)
    EXPECT_EQ(truth.at[age], (std::array<double, 4>{6.0 - age, 60.0 - 10 * age, 0, 0})) << age;
  EXPECT_EQ(followed->truth(0).at, CourseTruth().at);
}

TEST_F(FollowedUnitTest, CountsTheDifferencesSinceASpawn) {
  follow(0, 0);
  check();
  add({}, EntryPast::unchanged);
  add({}, EntryPast::changed);
  add({}, EntryPast::empty);
  for (std::uint32_t known = 0; known < 3; ++known) {
    check();
    EXPECT_EQ(followed->truth(0).differences, known);
    EXPECT_EQ(followed->truth(1).differences, CourseTruth::ticks);
    if (known > 0) EXPECT_EQ(followed->truth(2).differences, known - 1);
  }
}

TEST_F(FollowedUnitTest, CountsWhatIsComparedWithACourse) {
  follow(0, 100);
  check();
  EXPECT_EQ(followed->compared(), 0u) << "all have settled";
  truths[7].position[0] = 0.004f;
  truths[80].position[0] = 0.004f;
  for (ecs::Tick i = 0; i < settle_ticks; ++i) {
    check();
    EXPECT_EQ(followed->compared(), 2u) << i;
  }
  EXPECT_EQ(check(), (Entries{7, 80}));
  EXPECT_EQ(followed->compared(), 0u) << "both settle";
}

TEST_F(FollowedUnitTest, ANewEntryWithAVelocityBeginsInTheFirstCheck) {
  follow(0, 0);
  add({}, EntryPast::empty);
  add({}, EntryPast::given);
  EXPECT_EQ(check(), Entries{1});
  EXPECT_FALSE(followed->settles(1));
  EXPECT_EQ(followed->compared(), 0u);
  followed->set_course(1, rows[1].data());
  EXPECT_FALSE(followed->has_settled(1));
  for (ecs::Tick i = 1; i < settle_ticks; ++i) EXPECT_EQ(check(), Entries{}) << i;
  EXPECT_EQ(check(), Entries{1});
  EXPECT_TRUE(followed->settles(1));
}

TEST_F(FollowedUnitTest, OnlyChangedAndNewValuesHaveVelocities) {
  follow(0, 0, true);
  for (int i = 0; i < 3; ++i) add({}, EntryPast::empty);
  add({}, EntryPast::given);
  truths[1].position[0] = 0.001f;
  for (double expected = 1; expected < 5; ++expected) {
    std::vector<std::uint32_t> asked;
    check();
    followed->note_speeds(0, 4, [&](std::uint32_t entry) -> std::optional<CourseSpeed> {
      asked.push_back(entry);
      return CourseSpeed{expected};
    });
    EXPECT_EQ(asked, expected == 1 ? (Entries{1, 3}) : Entries{1});
    if (expected == 1) followed->set_course(3, rows[3].data());
    EXPECT_EQ(followed->truth(1).given[0], CourseSpeed{expected});
    if (expected > 2) EXPECT_EQ(followed->truth(1).given[2], CourseSpeed{expected - 2});
    EXPECT_FALSE(followed->truth(2).given[0]);
    EXPECT_EQ(followed->truth(3).given[0].has_value(), expected == 1);
    truths[1].position[0] += 0.001f;
  }
  followed->erase(0);
  EXPECT_FALSE(followed->truth(0).given[2]) << "the last entry";
  EXPECT_EQ(followed->truth(1).given[0], CourseSpeed{4});
}

TEST_F(FollowedUnitTest, ErasingMovesTheLastEntryIntoTheGap) {
  follow(0, 100);
  truths[99].position[0] = 0.2f;
  EXPECT_EQ(check(), Entries{99});
  begin(99);
  followed->erase(3);
  truths[3] = truths[99];
  rows[3] = rows[99];
  truths.pop_back();
  rows.pop_back();
  EXPECT_EQ(followed->truth(3).at[0][0], static_cast<double>(0.2f));
  EXPECT_FALSE(followed->has_settled(3));
  truths[3].position[0] = 0.4f;  // as the course of the entry goes on
  EXPECT_EQ(check(), Entries{});
  followed->check_entry(3, rows[3].data());
}

}  // namespace
}  // namespace mobula::server::followed_unit_test
