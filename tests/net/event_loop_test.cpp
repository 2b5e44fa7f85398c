#include <gtest/gtest.h>

#include <csignal>
#include <mobula/net/event_loop.hpp>
#include <thread>

namespace mobula::net {
namespace {

using core::millisecond;
using core::second;

TEST(EventLoop, WaitsUntilTheDeadline) {
  EventLoop loop;
  const core::Nanoseconds deadline = core::monotonic_now() + 20 * millisecond;
  loop.run_until(deadline);
  EXPECT_GE(core::monotonic_now(), deadline);
  loop.run_until(0);  // long ago: returns at once
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

TEST(EventLoop, HandlesTheFirstStopSignal) {
  EventLoop loop;
  int signals = 0;
  loop.on_stop_signal([&] {
    ++signals;
    loop.stop();
  });
  ASSERT_EQ(std::raise(SIGTERM), 0);
  loop.run_until(core::monotonic_now() + 60 * second);
  EXPECT_EQ(signals, 1);
}

TEST(EventLoopDeathTest, SecondStopSignalEndsABusyProcess) {
  const auto hear_two = [](int number) {
    EventLoop loop;
    loop.on_stop_signal([number] {
      static_cast<void>(std::raise(number));
      for (;;) continue;
    });
    static_cast<void>(std::raise(SIGTERM));
    loop.run_until(core::monotonic_now() + 60 * second);
  };
  EXPECT_EXIT(hear_two(SIGTERM), testing::ExitedWithCode(128 + SIGTERM), "");
  EXPECT_EXIT(hear_two(SIGINT), testing::ExitedWithCode(128 + SIGINT), "");
}

TEST(EventLoopDeathTest, SecondStopSignalEndsAStuckLoop) {
  const auto hear_two_while_busy = [] {
    EventLoop loop;
    loop.on_stop_signal([] {});
    static_cast<void>(std::raise(SIGTERM));
    static_cast<void>(std::raise(SIGTERM));
  };
  EXPECT_EXIT(hear_two_while_busy(), testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST(EventLoop, HandlesAReloadSignalWithoutStopping) {
  EventLoop loop;
  int signals = 0;
  loop.on_stop_signal([] { FAIL(); });
  loop.on_reload_signal([&] { ++signals; });
  ASSERT_EQ(std::raise(SIGHUP), 0);
  while (signals == 0) loop.run_until(core::monotonic_now() + core::millisecond);
  EXPECT_FALSE(loop.stopped());
}

}  // namespace
}  // namespace mobula::net
