#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <mobula/net/udp_socket.hpp>
#include <mutex>
#include <thread>

#include "peers.hpp"

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

// By default each of these ends the process.
TEST(EventLoop, SignalsOfNoOtherUseStopTheLoopToo) {
  for (const int number : {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU, SIGPWR}) {
    EventLoop loop;
    bool stopped = false;
    loop.on_stop_signal([&] {
      stopped = true;
      loop.stop();
    });
    ASSERT_EQ(std::raise(number), 0);
    loop.run_until(core::monotonic_now() + 60 * second);
    EXPECT_TRUE(stopped) << number;
  }
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

TEST(EventLoop, TheFirstInterruptAfterATerminationEndsNothing) {
  EventLoop loop;
  int signals = 0;
  loop.on_stop_signal([&] { ++signals; });
  ASSERT_EQ(std::raise(SIGTERM), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  ASSERT_EQ(std::raise(SIGINT), 0);
  while (signals == 0) loop.run_until(core::monotonic_now() + millisecond);
  EXPECT_EQ(signals, 1);
}

TEST(EventLoopDeathTest, ALaterInterruptEndsAStuckProcess) {
  const auto interrupt_later = [] {
    EventLoop loop;
    loop.on_stop_signal([] {});
    static_cast<void>(std::raise(SIGINT));
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

// A thread with a socket that sends each datagram back, after a while.
class Echo {
 public:
  explicit Echo(std::chrono::milliseconds answers_after) {
    socket_->on_datagram([this, answers_after](const transport::Address& from, core::ByteView datagram) {
      std::this_thread::sleep_for(answers_after);
      socket_->send(from, datagram);
      socket_->flush();
      const std::scoped_lock lock(mutex_);
      answered_.push_back(core::monotonic_now());
    });
    thread_ = std::thread([this] { loop_.run_until(core::monotonic_now() + 3600 * second); });
  }
  ~Echo() {
    loop_.stop();
    thread_.join();
  }
  [[nodiscard]] transport::Address address() const { return loopback(socket_->local_port()); }

  // Returns the number of datagrams that were sent back by then.
  int answers(core::Nanoseconds until) {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(std::ranges::count_if(answered_, [&](core::Nanoseconds at) { return at <= until; }));
  }

 private:
  std::mutex mutex_;
  std::vector<core::Nanoseconds> answered_;
  EventLoop loop_;
  std::unique_ptr<UdpSocket> socket_ = std::move(*UdpSocket::open(loop_, loopback(0)));
  std::thread thread_;
};

// A socket that answers the echo's datagrams, from the first one on.
struct Player {
  explicit Player(core::Nanoseconds pause, std::chrono::milliseconds answers_after = {}) : echo(answers_after) {
    loop.set_pause(pause);
    socket->on_datagram([this](const transport::Address&, core::ByteView) {
      ++received;
      socket->send(echo.address(), bytes_of("next"));
    });
    socket->send(echo.address(), bytes_of("first"));
  }

  Echo echo;
  EventLoop loop;
  std::unique_ptr<UdpSocket> socket = std::move(*UdpSocket::open(loop, loopback(0)));
  int received = 0;
};

// Each pause lasts until the deadline. An answer that was sent before is in the kernel's buffer by then.
TEST(EventLoop, HandlesWhatArrivedInAPauseBeforeItReturns) {
  Player player(3600 * second);
  while (player.received < 10) {
    const core::Nanoseconds deadline = core::monotonic_now() + 5 * millisecond;
    player.loop.run_until(deadline);
    EXPECT_GE(player.received, player.echo.answers(deadline));
  }
}

TEST(EventLoop, HandlesTogetherWhatArrivesInAPause) {
  constexpr core::Nanoseconds pause = 10 * millisecond;
  Player player(pause, std::chrono::milliseconds(1));
  const core::Nanoseconds begin = core::monotonic_now();
  player.loop.run_until(begin + 20 * pause);
  EXPECT_GT(player.received, 0);
  // Without a pause there are ten in its time. An answer takes longer than handling the datagram before.
  EXPECT_LT(player.received, 4 * (core::monotonic_now() - begin) / pause);
}

TEST(EventLoop, MakesNoPauseOnceStopped) {
  EventLoop loop;
  loop.set_pause(3600 * second);
  std::thread stopper([&] { loop.stop(); });
  const core::Nanoseconds far = core::monotonic_now() + 3600 * second;
  loop.run_until(far);
  stopper.join();
  EXPECT_LT(core::monotonic_now(), far);
}

}  // namespace
}  // namespace mobula::net
