#include <gtest/gtest.h>

#include <mobula/server/rewind/view_claims.hpp>

namespace mobula::server {
namespace {

// 20 ticks per second: views are at most 5 ticks old, and the slack is 2 ticks.
class ViewClaimsTest : public testing::Test {
 protected:
  const char* reason(ecs::Tick tick, double view) {
    const CommandContext context{
        .number = 1,
        .tick = tick,
        .view_tick = static_cast<ecs::Tick>(view),
        .view_fraction = static_cast<std::uint8_t>((view - static_cast<ecs::Tick>(view)) * 256)};
    const core::Status checked = check.check(context, limits, path, claims);
    return checked ? "accepted" : checked.error().reason;
  }

  ClaimCheck check{RewindConfig{.view_age_max = 250 * core::millisecond}, 20};
  ViewLimits limits{.now = 100, .first_delta = 50, .newest_delta = 98, .kept_since = 90};
  transport::LinkEstimates path{.rtt = 50 * core::millisecond};
  ViewClaims claims;
};

TEST_F(ViewClaimsTest, AcceptsWhatAnHonestClientClaims) {
  for (int i = 0; i < 50; ++i, ++limits.now, ++limits.newest_delta, ++limits.kept_since)
    EXPECT_STREQ(reason(limits.now, limits.newest_delta - 1.5), "accepted") << i;
  EXPECT_DOUBLE_EQ(claims.usual_delay, 1.5);
}

TEST_F(ViewClaimsTest, RefusesAViewInTheFuture) {
  EXPECT_STREQ(reason(100, 98.25), "view in the future");
  EXPECT_STREQ(reason(100, 98), "accepted");
}

TEST_F(ViewClaimsTest, RefusesAViewBeforeTheFirstDelta) {
  limits.first_delta = 97;
  EXPECT_STREQ(reason(100, 96.5), "view before joining");
}

TEST_F(ViewClaimsTest, RefusesAViewThatIsTooOld) {
  EXPECT_STREQ(reason(100, 94.75), "view too old");
  EXPECT_STREQ(reason(100, 95), "accepted");
  limits.kept_since = 97;
  EXPECT_STREQ(reason(100, 96), "view too old") << "the past is not kept";
}

TEST_F(ViewClaimsTest, RefusesAViewThatGoesBack) {
  EXPECT_STREQ(reason(100, 97.5), "accepted");
  EXPECT_STREQ(reason(100, 97.25), "view goes back");
  EXPECT_STREQ(reason(100, 97.5), "accepted");
}

TEST_F(ViewClaimsTest, RefusesDeltasOlderThanThePathExplains) {
  limits = {.now = 107, .first_delta = 50, .newest_delta = 101, .kept_since = 90};
  EXPECT_STREQ(reason(106, 101), "accepted") << "1 tick of path, 2 of slack, 3 besides";
  EXPECT_STREQ(reason(107, 101), "view too old");
  check = ClaimCheck({.view_age_max = core::second}, 20);
  limits.now = 108;
  EXPECT_STREQ(reason(108, 101), "view beyond the path");
  EXPECT_STREQ(reason(102, 101), "view beyond the path") << "whatever tick the command names";
  path.rtt_variation = 50 * core::millisecond;
  EXPECT_STREQ(reason(108, 101), "accepted");
}

TEST_F(ViewClaimsTest, RefusesAnUnusualDelay) {
  for (std::uint32_t i = 0; i < ClaimCheck::usual_after; ++i) EXPECT_STREQ(reason(100, 97.5), "accepted");
  limits = {.now = 110, .first_delta = 50, .newest_delta = 108, .kept_since = 90};
  EXPECT_STREQ(reason(110, 105.25), "unusual view");
  EXPECT_STREQ(reason(110, 105.5), "accepted");
}

// Deltas were lost for 6 ticks. The view stood still and catches up by a twentieth of a tick per tick.
TEST_F(ViewClaimsTest, AViewThatCatchesUpAfterAGapIsSoonUsual) {
  check = ClaimCheck({.view_age_max = core::second}, 20);
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_STREQ(reason(100, 97.5), "accepted");
  limits = {.now = 110, .first_delta = 50, .newest_delta = 108, .kept_since = 50};
  int refused = 0;
  double view = 102;
  for (int i = 0; i < 60; ++i, ++limits.now, ++limits.newest_delta, view += 1.05)
    if (const std::string found = reason(limits.now, view); found != "accepted") {
      EXPECT_EQ(found, "unusual view");
      ++refused;
    }
  EXPECT_GE(refused, 8) << "a sudden change is refused";
  EXPECT_LE(refused, 16);
}

TEST_F(ViewClaimsTest, NotesNothingOfARefusedClaim) {
  EXPECT_STREQ(reason(100, 98.25), "view in the future");
  EXPECT_EQ(claims.count, 0u);
  EXPECT_EQ(claims.last_view, 0);
}

}  // namespace
}  // namespace mobula::server
