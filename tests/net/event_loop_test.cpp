#include <gtest/gtest.h>

#include <chrono>
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

TEST(EventLoop, RepeatedStopSignalsAreOneRequest) {
  EventLoop loop;
  int signals = 0;
  loop.on_stop_signal([&] { ++signals; });
  for (const int number : {SIGTERM, SIGTERM, SIGINT, SIGINT}) ASSERT_EQ(std::raise(number), 0);
  while (signals == 0) loop.run_until(core::monotonic_now() + millisecond);
  ASSERT_EQ(std::raise(SIGTERM), 0);
  loop.run_until(core::monotonic_now() + 20 * millisecond);
  EXPECT_EQ(signals, 1);
}

TEST(EventLoopDeathTest, ALaterInterruptEndsAStuckProcess) {
  const auto interrupt_later = [] {
    EventLoop loop;
    loop.on_stop_signal([] {});
    static_cast<void>(std::raise(SIGTERM));
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    static_cast<void>(std::raise(SIGTERM));  // changes nothing
    static_cast<void>(std::raise(SIGINT));
  };
  EXPECT_EXIT(interrupt_later(), testing::ExitedWithCode(128 + SIGINT), "ended at once by a second Ctrl-C");
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
