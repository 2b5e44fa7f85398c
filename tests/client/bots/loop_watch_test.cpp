#include <gtest/gtest.h>

#include <bots/loop_watch.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/net/event_loop.hpp>

namespace mobula::client {
namespace {

TEST(LoopWatch, WaitsUntilTheLoopHasReadItsProbes) {
  net::EventLoop loop;
  auto opened = LoopWatch::open(loop);
  ASSERT_TRUE(opened.ok());
  const std::unique_ptr<LoopWatch> watch = std::move(*opened);
  EXPECT_FALSE(watch->waits());
  watch->probe();
  watch->probe();
  EXPECT_TRUE(watch->waits());
  EXPECT_EQ(watch->lags_us().count(), 0u) << "a loop that does not run reads nothing";
  for (int i = 0; i < 10'000 && watch->waits(); ++i) loop.run_until(core::monotonic_now() + core::millisecond);
  EXPECT_FALSE(watch->waits());
  EXPECT_EQ(watch->lags_us().count(), 2u);
}

}  // namespace
}  // namespace mobula::client
