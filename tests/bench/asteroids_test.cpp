#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/reflect/schema.hpp>
#include <recordings/asteroids.hpp>
#include <recordings/asteroids_flight.hpp>

namespace mobula::bench {
namespace {

using testing::HasSubstr;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// Half a step of a coordinate, and the rounding of a float.
constexpr double position_error_max = 0.00501;
// A part that is sent is half a step of 0.00069 off; a greatest part of 0.5 takes the errors of the three others.
constexpr double rotation_error_max = 0.00105;

AsteroidsRecording straight(std::uint32_t frames, std::uint64_t seed) {
  return parse_asteroids(make_flight({.frames = frames, .kicks_permille = 0, .seed = seed})).value();
}

void expect_good(const AsteroidsReport& report) {
  EXPECT_TRUE(is_right(report));
  EXPECT_EQ(report.play.mismatches, 0u);
  EXPECT_LE(report.worst.position, position_error_max);
  EXPECT_LE(report.worst.rotation, rotation_error_max);
  EXPECT_GT(report.worst.position, 0.0049) << "values are rounded to steps of 0.01";
  EXPECT_GT(report.worst.rotation, 0.0003) << "rotations are rounded to 11 bits";
}

TEST(Asteroids, StraightFlightIsWithinHalfAStep) {
  const AsteroidsRecording recording = straight(40, 1);
  for (const std::uint32_t age : {1u, 2u, 6u, 20u}) {
    SCOPED_TRACE(age);
    const AsteroidsReport report = play_asteroids(recording, {.baseline_age = age}).value();
    EXPECT_EQ(report.play.frames, 40u);
    expect_good(report);
  }
}

TEST(Asteroids, BodiesAreWithinHalfAStepOfTheirTickUnderLoss) {
  const AsteroidsRecording recording = straight(60, 2);
  expect_good(play_asteroids(recording, {.baseline_age = 2, .loss_percent = 20}).value());
  expect_good(play_asteroids(recording, {.baseline_age = 6, .loss_percent = 20}).value());
}

TEST(Asteroids, KickedBodiesAreWithinHalfAStep) {
  const core::Bytes bytes = make_flight({.frames = 40, .kicks_permille = 200, .seed = 3});
  expect_good(play_asteroids(parse_asteroids(bytes).value(), {.baseline_age = 2}).value());
}

TEST(Asteroids, DeadReckoningKeepsItsToleranceForAFewBytes) {
  const core::Bytes bytes = make_flight({.frames = 120, .kicks_permille = 20, .seed = 6});
  const AsteroidsRecording recording = parse_asteroids(bytes).value();
  const double exact = play_asteroids(recording, {.baseline_age = 2}).value().play.mean_delta_bytes;
  for (const PoseTolerance tolerance : {PoseTolerance{0.006, 0.001}, PoseTolerance{0.05, 0.01}}) {
    for (const std::uint32_t loss : {0u, 20u}) {
      const PlayOptions options{.baseline_age = 2, .loss_percent = loss};
      const AsteroidsReport report = play_asteroids(recording, options, tolerance).value();
      EXPECT_TRUE(is_right(report));
      EXPECT_LE(report.worst.position, tolerance.position + 1e-4);
      EXPECT_LE(report.worst.rotation, tolerance.rotation + 1e-6);
      EXPECT_LT(report.play.mean_delta_bytes, exact / 2);
    }
  }
}

TEST(Asteroids, AnOlderBaselineTakesMoreBytes) {
  const AsteroidsRecording recording = straight(60, 4);
  const auto bytes = [&](std::uint32_t age) {
    return play_asteroids(recording, {.baseline_age = age}).value().play.mean_delta_bytes;
  };
  EXPECT_LT(bytes(1), bytes(2));
  EXPECT_LT(bytes(2), bytes(6));
}

TEST(Asteroids, BodiesThatStandTakeNextToNothing) {
  const core::Bytes first = make_flight({.frames = 1, .seed = 5});
  core::Bytes bytes;
  for (int i = 0; i < 6; ++i) bytes.insert(bytes.end(), first.begin(), first.end());
  const AsteroidsReport report = play_asteroids(parse_asteroids(bytes).value(), {}).value();
  EXPECT_TRUE(is_right(report));
  EXPECT_LE(report.play.max_bytes, 2u);
}

TEST(Asteroids, TwoFramesAreTheFewest) {
  EXPECT_STREQ(play_asteroids(straight(1, 6), {}).error().reason, "too short");
  EXPECT_EQ(play_asteroids(straight(2, 6), {}).value().play.frames, 2u);
}

// Two frames in which one float of the last body has another value.
core::Result<AsteroidsRecording> parse_with(std::size_t which, float value) {
  core::Bytes bytes = make_flight({.frames = 2, .seed = 7});
  core::store(&bytes[bytes.size() - (floats_per_asteroid - which) * sizeof(float)], value);
  return parse_asteroids(bytes);
}

void expect_refused(const core::Result<AsteroidsRecording>& parsed, const char* reason) {
  ASSERT_FALSE(parsed.ok());
  EXPECT_STREQ(parsed.error().reason, reason);
  EXPECT_THAT(parsed.error().message, HasSubstr("frame 1, body 249: "));
}

TEST(AsteroidsRecording, RefusesBytesThatAreNoCompleteFrames) {
  core::Bytes bytes = make_flight({.frames = 2, .seed = 7});
  EXPECT_STREQ(parse_asteroids({}).error().reason, "empty recording");
  bytes.pop_back();
  EXPECT_STREQ(parse_asteroids(bytes).error().reason, "truncated recording");
  bytes.resize(bytes.size() - floats_per_asteroid * sizeof(float) + 1);
  EXPECT_STREQ(parse_asteroids(bytes).error().reason, "truncated recording") << "a frame of 249 bodies";
}

TEST(AsteroidsRecording, RefusesAValueThatIsNotFinite) {
  for (const float value : {not_a_number, infinity, -infinity}) {
    for (std::size_t i = 0; i < floats_per_asteroid; ++i) expect_refused(parse_with(i, value), "value not finite");
  }
}

TEST(AsteroidsRecording, RefusesAPositionBeyondTheRange) {
  for (std::size_t i = 0; i < 3; ++i) {
    expect_refused(parse_with(i, 512.1f), "value out of range");
    expect_refused(parse_with(i, -512.1f), "value out of range");
    EXPECT_TRUE(parse_with(i, 512).ok());
    EXPECT_TRUE(parse_with(i, -512).ok());
  }
}

TEST(AsteroidsRecording, RefusesARotationThatIsNotOfUnitLength) {
  for (std::size_t i = 3; i < floats_per_asteroid; ++i) {
    expect_refused(parse_with(i, 1.1f), "not a unit quaternion");
    expect_refused(parse_with(i, std::numeric_limits<float>::max()), "not a unit quaternion");
  }
  core::Bytes bytes = make_flight({.frames = 2, .seed = 7});
  std::fill_n(bytes.end() - 4 * sizeof(float), 4 * sizeof(float), std::byte{0});
  expect_refused(parse_asteroids(bytes), "not a unit quaternion");
}

TEST(AsteroidsRecording, RangeIsTheSchemas) {
  const auto schema = reflect::Schema::load(asteroids::schema_bytes()).value();
  for (const char* path : {"position.x", "position.y", "position.z"}) {
    const reflect::Field* const field = schema->find("Asteroid")->find_field(path);
    ASSERT_NE(field, nullptr) << path;
    EXPECT_EQ(field->high, asteroid_position_max);
    EXPECT_EQ(field->low, -asteroid_position_max);
  }
}

TEST(AsteroidsReport, JsonHasTheKeysThatOthersRead) {
  AsteroidsReport report{.play = {.entities = 250, .mean_bytes = 480, .mean_delta_bytes = 500},
                         .worst = {0.005, 0.001}};
  report.play.mean_datagram_bytes = 550;
  report.play.datagrams_per_frame = 2;
  report.play.encode_us = 1.5;
  report.play.mismatches = 3;
  EXPECT_EQ(to_json(report),
            R"({"goodput_bytes_per_update":2.000,"wire_bytes_per_update":2.424,"worst_position_error":0.005000,)"
            R"("worst_rotation_error":0.001000,"missing":3,"encode_us":1.50,"decode_us":0.00})");
  EXPECT_FALSE(is_right(report));
}

TEST(AsteroidsReport, TableHasBytesErrorsAndMissingBodies) {
  AsteroidsReport report{.play = {.noun = "asteroids", .entities = 250, .frames = 7}, .worst = {0.004, 0.0007}};
  report.play.mean_delta_bytes = 500;
  report.play.mean_datagram_bytes = 550;
  report.play.datagrams_per_frame = 1;
  report.play.mismatches = 3;
  const std::string table = to_table(report, {.baseline_age = 2});
  EXPECT_THAT(table, HasSubstr("7 frames of 250 asteroids"));
  EXPECT_THAT(table, HasSubstr("goodput                2.000"));
  EXPECT_THAT(table, HasSubstr("wire                   2.312"));
  EXPECT_THAT(table, HasSubstr("0.004000 m of a coordinate, 0.000700 of a part"));
  EXPECT_THAT(table, testing::EndsWith("\n3 missing\n"));
}

}  // namespace
}  // namespace mobula::bench
