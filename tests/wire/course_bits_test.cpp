// Courses that a hostile server sends: bits that the writer never makes.
#include <mobula/wire/course_bits.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <mobula/wire/residual_code.hpp>
#include <wire/codec_world.hpp>

namespace mobula::wire::course_bits_test {
namespace {

using test::Bits;
using test::Words;

constexpr ecs::Tick tick = 100'000;
constexpr std::int64_t not_a_number = 0x7fc00000;  // the bits of a float

// Writes a group of numbers, each with its distance from 0 in 31 bits.
void write_group(core::BitWriter& bits, std::initializer_list<std::int64_t> numbers) {
  bits.write(31, course_group_width_bits);
  for (const std::int64_t number : numbers) {
    bits.write(static_cast<std::uint64_t>(std::abs(number)), 31);
    bits.write_bool(number < 0);
  }
}

// One component with one field.
class CourseBitsTest : public testing::Test {
 protected:
  explicit CourseBitsTest(
      std::string_view source = R"(struct C (component) { f:float (range:"0 127", step:"1", dead_reckoning:"1"); })")
      : schema(mobula::test::load_schema(source)), codec(schema->components().front()) {
    layout.add(codec);
  }
  // Reads a full state of tick `now`. Returns whether it was accepted.
  template <class Write>
  bool reads(ecs::Tick now, Write&& write) {
    const Bits bits = test::written(1000, [&](core::BitWriter& writer) {
      writer.write_bool(true);  // changed
      writer.write_bool(true);  // under way
      write(writer);
    });
    core::BitReader reader(bits.bytes);
    words.assign(layout.words, 0);
    return EntityCodec(layout, false, now).read_full(reader, words.data());
  }
  bool reads_age(ecs::Tick now, std::uint32_t age) {
    return reads(now, [&](core::BitWriter& bits) {
      bits.write_golomb(age, 0);
      bits.write(5, 7);
      write_group(bits, {32});
      bits.write_bool(false);
    });
  }
  bool reads_motion(std::int64_t velocity, std::int64_t acceleration) {
    return reads(tick, [&](core::BitWriter& bits) {
      bits.write_golomb(3, 0);
      bits.write(5, 7);
      write_group(bits, {velocity});
      bits.write_bool(true);
      write_group(bits, {acceleration});
    });
  }

  const std::shared_ptr<const reflect::Schema> schema;
  const RowCodec codec;
  EntityLayout layout;
  Words words;
};

TEST_F(CourseBitsTest, ACourseIsReadAsItWasWritten) {
  ASSERT_TRUE(reads_motion(-640, 7));
  EXPECT_EQ(words, (Words{5, static_cast<std::uint32_t>(-640), 7, tick - 3}));
}

TEST_F(CourseBitsTest, ABeginningBeforeTheFirstTickIsRefused) {
  EXPECT_TRUE(reads_age(100, 99));
  EXPECT_FALSE(reads_age(100, 100));
  EXPECT_FALSE(reads_age(100, 101));
  EXPECT_FALSE(reads_age(1, 1));
}

// An age that wraps would be a tick of the future.
TEST_F(CourseBitsTest, ABeginningAgesAgoIsRefused) {
  EXPECT_TRUE(reads_age(tick, path_age_max));
  EXPECT_FALSE(reads_age(tick, path_age_max + 1));
  EXPECT_FALSE(reads_age(tick, tick - 1));
  EXPECT_FALSE(reads_age(tick, std::numeric_limits<std::uint32_t>::max() - 1));
  EXPECT_FALSE(reads_age(std::numeric_limits<ecs::Tick>::max(), std::numeric_limits<ecs::Tick>::max() - 2));
}

TEST_F(CourseBitsTest, AVelocityBeyondItsRangeIsRefused) {
  for (const std::int64_t good : {std::int64_t{course_velocity_max}, -std::int64_t{course_velocity_max}}) {
    EXPECT_TRUE(reads_motion(good, 1)) << good;
    EXPECT_TRUE(reads_motion(1, good)) << good;
  }
  for (const std::int64_t wrong :
       {course_velocity_max + std::int64_t{1}, -course_velocity_max - std::int64_t{1}, not_a_number, -not_a_number,
        std::int64_t{0x7fffffff}, -std::int64_t{0x7fffffff}, std::int64_t{0x7f800000}}) {
    EXPECT_FALSE(reads_motion(wrong, 0)) << wrong;
    EXPECT_FALSE(reads_motion(1, wrong)) << wrong;
  }
}

TEST_F(CourseBitsTest, ACourseThatDoesNotMoveIsRefused) { EXPECT_FALSE(reads_motion(0, 0)); }

// The difference is in its range, and so is the baseline's velocity.
TEST_F(CourseBitsTest, ASumBeyondTheRangeIsRefused) {
  const Words baseline{5, static_cast<std::uint32_t>(course_velocity_max), 0, tick - 10};
  const auto reads_difference = [&](std::int64_t difference) {
    const Bits bits = test::written(1000, [&](core::BitWriter& writer) {
      writer.write_bool(true);
      writer.write_bool(true);
      writer.write_golomb(0, 0);
      write_residual(writer, static_cast<std::uint32_t>(ResidualFamily::vector) + half_octave(1), 0);
      write_group(writer, {difference});
      writer.write_bool(false);
    });
    Words before = baseline;
    before[1] = static_cast<std::uint32_t>(course_velocity_max);
    core::BitReader reader(bits.bytes);
    words.assign(layout.words, 0);
    const Baselines baselines{.baseline = before.data(), .time = {.age = 10, .span = 0}};
    return EntityCodec(layout, false, tick).read_delta(baselines, reader, words.data());
  };
  EXPECT_TRUE(reads_difference(-5));
  EXPECT_FALSE(reads_difference(1));
  EXPECT_FALSE(reads_difference(course_velocity_max));
}

class TurnBitsTest : public CourseBitsTest {
 protected:
  TurnBitsTest()
      : CourseBitsTest(R"(struct C (component) {
          q:mobula.engine.Quat (unit_quaternion, bits:"8", default:"0 0 0 1", dead_reckoning:"0.1"); })") {}
  bool reads_turn(std::initializer_list<std::int64_t> turn) {
    return reads(tick, [&](core::BitWriter& bits) {
      bits.write_golomb(0, 0);
      bits.write(3, 2);
      for (int i = 0; i < 3; ++i) bits.write(127, 8);
      write_group(bits, turn);
    });
  }
};

TEST_F(TurnBitsTest, ATurnLongerThanAUnitQuaternionIsRefused) {
  EXPECT_TRUE(reads_turn({course_turn_one, 0, 0}));
  EXPECT_TRUE(reads_turn({1000, -2000, 3000}));
  EXPECT_FALSE(reads_turn({course_turn_one, 1, 0}));
  EXPECT_FALSE(reads_turn({course_turn_one + 1, 0, 0}));
  EXPECT_FALSE(reads_turn({0, not_a_number, 0}));
  EXPECT_FALSE(reads_turn({0, 0, -0x7fffffff}));
  EXPECT_FALSE(reads_turn({0, 0, 0}));
}

}  // namespace
}  // namespace mobula::wire::course_bits_test
