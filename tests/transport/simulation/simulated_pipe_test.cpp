#include <gtest/gtest.h>

#include <mobula/transport/simulation/simulated_pipe.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;

const Address server = Address::v4(10, 0, 0, 1, 7777);
const Address other = Address::v4(10, 0, 0, 2, 7777);

core::Bytes bytes_of(std::uint32_t value) {
  const core::ByteView view = core::as_bytes(&value, 1);
  return {view.begin(), view.end()};
}

// Records its calls.
struct Recorder final : Output {
  void send(const Address& to, core::ByteView datagram) override {
    events.push_back(to_string(to) + " " + std::to_string(core::load<std::uint32_t>(datagram.data())));
  }
  bool ready(const Address& to) const override { return to == server; }
  void flush() override { ++flushes; }
  void finished(const Address& to) override { events.push_back(to_string(to) + " finished"); }

  std::vector<std::string> events;
  int flushes = 0;
};

struct SimulatedPipeTest : testing::Test {
  Recorder real;
  SimulatedPipe pipe{real, 1, {.latency = 10 * millisecond}, 0};
  std::vector<std::string> came;

  void SetUp() override {
    pipe.on_datagram([this](const Address& from, core::ByteView datagram) {
      came.push_back(to_string(from) + " " + std::to_string(core::load<std::uint32_t>(datagram.data())));
    });
  }
};

using Events = std::vector<std::string>;

TEST_F(SimulatedPipeTest, SentDatagramsReachTheRealPipeOnArrival) {
  EXPECT_EQ(pipe.next_due(), SimulatedPipe::never);
  pipe.send(server, bytes_of(1));
  pipe.deliver(4 * millisecond);
  pipe.send(other, bytes_of(2));
  EXPECT_EQ(pipe.next_due(), 10 * millisecond);
  pipe.deliver(10 * millisecond - 1);
  EXPECT_EQ(real.events, Events{});
  pipe.deliver(10 * millisecond);
  EXPECT_EQ(real.events, Events{"10.0.0.1:7777 1"});
  EXPECT_EQ(pipe.next_due(), 14 * millisecond);
  pipe.deliver(20 * millisecond);
  EXPECT_EQ(real.events, (Events{"10.0.0.1:7777 1", "10.0.0.2:7777 2"}));
  EXPECT_EQ(pipe.next_due(), SimulatedPipe::never);
  EXPECT_EQ(real.flushes, 4);
  EXPECT_EQ(came, Events{});
}

TEST_F(SimulatedPipeTest, ReceivedDatagramsReachTheHandlerOnArrival) {
  pipe.receive(server, bytes_of(7), 5 * millisecond);
  pipe.deliver(14 * millisecond);
  EXPECT_EQ(came, Events{});
  EXPECT_EQ(pipe.next_due(), 15 * millisecond);
  pipe.deliver(15 * millisecond);
  EXPECT_EQ(came, Events{"10.0.0.1:7777 7"});
  EXPECT_EQ(real.events, Events{});
}

TEST_F(SimulatedPipeTest, IsReceivingUntilTheHandlerHasAll) {
  pipe.send(server, bytes_of(1));
  EXPECT_FALSE(pipe.is_receiving());
  pipe.receive(server, bytes_of(2), 0);
  pipe.deliver(9 * millisecond);
  EXPECT_TRUE(pipe.is_receiving());
  pipe.deliver(10 * millisecond);
  EXPECT_FALSE(pipe.is_receiving());
}

TEST_F(SimulatedPipeTest, HandlerMaySend) {
  pipe.on_datagram([this](const Address& from, core::ByteView datagram) { pipe.send(from, datagram); });
  pipe.receive(server, bytes_of(7), 0);
  pipe.deliver(10 * millisecond);
  EXPECT_EQ(pipe.next_due(), 20 * millisecond);
  pipe.deliver(20 * millisecond);
  EXPECT_EQ(real.events, Events{"10.0.0.1:7777 7"});
}

TEST_F(SimulatedPipeTest, DropsDatagramsWithoutAHandler) {
  pipe.on_datagram(nullptr);
  pipe.receive(server, bytes_of(7), 0);
  pipe.deliver(10 * millisecond);
  EXPECT_EQ(pipe.next_due(), SimulatedPipe::never);
}

TEST_F(SimulatedPipeTest, FinishesAPeerAfterItsLastDatagram) {
  pipe.finished(other);
  EXPECT_EQ(real.events, Events{"10.0.0.2:7777 finished"});
  pipe.send(server, bytes_of(1));
  pipe.finished(server);
  pipe.deliver(9 * millisecond);
  EXPECT_EQ(real.events.size(), 1u);
  pipe.deliver(10 * millisecond);
  EXPECT_EQ(real.events, (Events{"10.0.0.2:7777 finished", "10.0.0.1:7777 1", "10.0.0.1:7777 finished"}));
  pipe.deliver(11 * millisecond);
  EXPECT_EQ(real.events.size(), 3u);
}

TEST_F(SimulatedPipeTest, IsReadyIfTheRealPipeIs) {
  EXPECT_TRUE(pipe.ready(server));
  EXPECT_FALSE(pipe.ready(other));
}

TEST_F(SimulatedPipeTest, IgnoresAClockThatStepsBack) {
  pipe.deliver(20 * millisecond);
  pipe.receive(server, bytes_of(7), 0);
  pipe.deliver(0);
  EXPECT_EQ(pipe.next_due(), 30 * millisecond);
}

TEST(SimulatedPipe, LosesDatagramsInBothDirectionsBySeed) {
  const auto run = [](std::uint64_t seed) {
    Recorder real;
    std::vector<std::string> came;
    SimulatedPipe pipe(real, seed, {.loss_ppm = 250'000}, 0);
    pipe.on_datagram([&](const Address&, core::ByteView datagram) {
      came.push_back(std::to_string(core::load<std::uint32_t>(datagram.data())));
    });
    for (std::uint32_t i = 0; i < 2'000; ++i) {
      pipe.send(server, bytes_of(i));
      pipe.receive(server, bytes_of(i), i);
      pipe.deliver(i);
    }
    EXPECT_NEAR(static_cast<double>(real.events.size()), 1'500, 80);
    EXPECT_NEAR(static_cast<double>(came.size()), 1'500, 80);
    real.events.insert(real.events.end(), came.begin(), came.end());
    return real.events;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace mobula::transport
