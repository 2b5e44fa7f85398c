#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/transport/rate_limiter.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

TEST(RateLimiter, AdmitsTheBurstThenTheRate) {
  const Pace pace({.per_second = 10, .burst = 5});
  RateLimiter limiter;
  core::Nanoseconds now = 100 * second;
  int passed = 0;
  for (int i = 0; i < 100; ++i) passed += limiter.pass(pace, now) ? 1 : 0;
  EXPECT_EQ(passed, 5);
  for (int i = 0; i < 1000; ++i) passed += limiter.pass(pace, now += 10 * millisecond) ? 1 : 0;
  EXPECT_EQ(passed, 5 + 100);
}

TEST(RateLimiter, OpenDoesNotCharge) {
  const Pace pace({.per_second = 1, .burst = 1});
  RateLimiter limiter;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limiter.open(pace, 0));
  limiter.charge(pace, 0);
  EXPECT_FALSE(limiter.open(pace, second - 1));
  EXPECT_TRUE(limiter.open(pace, second));
}

// Model: a bucket of fractional tokens.
TEST(RateLimiter, AgreesWithATokenBucket) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    const Pace pace({.per_second = 100, .burst = 20});
    RateLimiter limiter;
    double tokens = 20;
    core::Nanoseconds now = 0;
    for (int i = 0; i < 5000; ++i) {
      const core::Nanoseconds step = random.below(20) * millisecond + 1;
      now += step;
      tokens = std::min(20.0, tokens + static_cast<double>(step) * 100e-9);
      if (tokens > 0.999 && tokens < 1.001) continue;  // too close to the limit to decide
      ASSERT_EQ(limiter.open(pace, now), tokens >= 1) << tokens;
      if (limiter.pass(pace, now)) tokens -= 1;
    }
  }
}

}  // namespace
}  // namespace mobula::transport
