#include <gtest/gtest.h>

#include <join/join_bench.hpp>

namespace mobula::bench {
namespace {

JoinReport join(const JoinCase& how, std::uint32_t objects = 1000) {
  JoinOptions options;
  options.objects = objects;
  return run_join(how, options).value();
}

TEST(Join, AClientWithTheLevelGetsChangesInTwoRoundTrips) {
  const JoinReport untouched = join({});
  const JoinReport moved = join({.moved_permille = 100});
  const JoinReport destroyed = join({.destroyed_permille = 100});
  for (const JoinReport& report : {untouched, moved, destroyed}) {
    EXPECT_EQ(report.mismatches, 0u);
    EXPECT_EQ(report.handshake_round_trips, 2u);
    EXPECT_EQ(report.round_trips, 2u);
    EXPECT_EQ(report.handshake_bytes, untouched.handshake_bytes);
    EXPECT_NEAR(static_cast<double>(report.welcome_bytes), static_cast<double>(untouched.welcome_bytes), 8);
  }
  EXPECT_EQ(untouched.entities, 1001u);
  EXPECT_EQ(moved.entities, 1001u);
  EXPECT_EQ(destroyed.entities, 901u);
  EXPECT_LT(untouched.delta_bytes, 100u);
  EXPECT_LT(destroyed.delta_bytes, 100u) << "the bitmap tells";
  EXPECT_GT(moved.delta_bytes, 100u);
  EXPECT_LT(moved.delta_bytes, 100u * 20);
}

TEST(Join, OnePercentOf10000MovedTakesLessThanFourKilobytes) {
  const JoinReport report = join({.moved_permille = 10}, 10'000);
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_LT(report.bytes_down(), 4000u);
  EXPECT_EQ(report.round_trips, 2u);
}

TEST(Join, AClientWithoutTheLevelGetsAllOfIt) {
  const JoinReport none = join({.moved_permille = 10, .cache = JoinCache::none});
  const JoinReport fetches = join({.moved_permille = 10, .cache = JoinCache::fetches});
  EXPECT_EQ(none.mismatches + fetches.mismatches, 0u);
  EXPECT_GT(none.delta_bytes, 8000u);
}

TEST(Join, JsonHasTheKeysThatOthersRead) {
  JoinReport report;
  report.of = {.moved_permille = 10, .cache = JoinCache::fetches};
  report.handshake_bytes = 1;
  report.welcome_bytes = 2;
  report.delta_bytes = 3;
  EXPECT_EQ(
      to_json({report}, {}),
      R"({"objects":10000,"round_trip_ms":100,"tick_rate":20,"rows":[{"moved_permille":10,"destroyed_permille":0,)"
      R"("resource":"fetches","entities":0,"bytes_down":6,"handshake_bytes":1,"welcome_bytes":2,"delta_bytes":3,)"
      R"("bytes_up":0,"handshake_round_trips":0,"round_trips":0,"join_ms":0,"ms":0,"server_cpu_ms":0.000,)"
      R"("mismatches":0}]})");
}

}  // namespace
}  // namespace mobula::bench
