#include <gtest/gtest.h>

#include <csignal>
#include <mobula/net/event_loop.hpp>
#include <thread>

namespace mobula::net {
namespace {

using core::millisecond;
using core::second;

TEST(EventLoop, WaitsUntilTheDeadlineAndNotLess) {
  EventLoop loop;
  const core::Nanoseconds deadline = core::monotonic_now() + 20 * millisecond;
  loop.run_until(deadline);
  EXPECT_GE(core::monotonic_now(), deadline);
  loop.run_until(0);  // long past: returns
  EXPECT_FALSE(loop.stopped());
}

TEST(EventLoop, StopsFromAnotherThreadForGood) {
  EventLoop loop;
  std::thread stopper([&] { loop.stop(); });
  const core::Nanoseconds far = core::monotonic_now() + 3600 * second;
  loop.run_until(far);
  stopper.join();
  loop.run_until(far);
  EXPECT_TRUE(loop.stopped());
  EXPECT_LT(core::monotonic_now(), far);
}

TEST(EventLoop, TellsOfEachStopSignal) {
  EventLoop loop;
  int heard = 0;
  loop.on_stop_signal([&] {
    if (++heard == 2) loop.stop();
  });
  ASSERT_EQ(std::raise(SIGTERM), 0);
  ASSERT_EQ(std::raise(SIGINT), 0);
  loop.run_until(core::monotonic_now() + 60 * second);
  EXPECT_EQ(heard, 2);
}

TEST(EventLoop, TellsOfAReloadSignalAndDoesNotStop) {
  EventLoop loop;
  int heard = 0;
  loop.on_stop_signal([] { FAIL(); });
  loop.on_reload_signal([&] { ++heard; });
  ASSERT_EQ(std::raise(SIGHUP), 0);
  while (heard == 0) loop.run_until(core::monotonic_now() + core::millisecond);
  EXPECT_FALSE(loop.stopped());
}

}  // namespace
}  // namespace mobula::net
