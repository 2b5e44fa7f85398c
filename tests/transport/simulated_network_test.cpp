#include <gtest/gtest.h>

#include <mobula/transport/simulated_network.hpp>

namespace mobula::transport {
namespace {

const Address a = Address::v4(10, 0, 0, 1, 1);
const Address b = Address::v4(10, 0, 0, 2, 2);

core::ByteView bytes_of(const std::uint32_t& value) { return core::as_bytes(&value, 1); }

struct Arrival {
  core::Nanoseconds at;
  std::uint32_t value;
  bool operator==(const Arrival&) const = default;
};

// Sends 0, 1, 2, … one per millisecond and notes what comes.
std::vector<Arrival> run(SimulatedNetwork& network, std::uint32_t count) {
  std::vector<Arrival> arrivals;
  for (std::uint32_t step = 0; step < count + 1000; ++step) {
    const core::Nanoseconds now = step * core::millisecond;
    if (step < count) network.send(a, b, bytes_of(step), now);
    network.deliver(now, [&](const Address& from, const Address& to, core::ByteView datagram) {
      EXPECT_EQ(from, a);
      EXPECT_EQ(to, b);
      ASSERT_EQ(datagram.size(), 4u);
      arrivals.push_back({now, core::load<std::uint32_t>(datagram.data())});
    });
  }
  EXPECT_EQ(network.in_flight(), 0u);
  return arrivals;
}

TEST(SimulatedNetwork, DelaysAndKeepsTheOrder) {
  SimulatedNetwork network(1, {.latency = 30 * core::millisecond});
  const std::vector<Arrival> arrivals = run(network, 100);
  ASSERT_EQ(arrivals.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(arrivals[i], (Arrival{(i + 30) * core::millisecond, i}));
  }
}

TEST(SimulatedNetwork, EqualTimesArriveAsTheyWereSent) {
  SimulatedNetwork network(1, {});
  for (std::uint32_t i = 0; i < 50; ++i) network.send(a, b, bytes_of(i), 0);
  std::uint32_t expected = 0;
  network.deliver(0, [&](const Address&, const Address&, core::ByteView datagram) {
    EXPECT_EQ(core::load<std::uint32_t>(datagram.data()), expected++);
  });
  EXPECT_EQ(expected, 50u);
}

TEST(SimulatedNetwork, LosesDoublesReordersAndCorruptsAboutAsOftenAsTold) {
  SimulatedNetwork network(5, {.latency = 10 * core::millisecond,
                               .jitter = 5 * core::millisecond,
                               .loss_permille = 250,
                               .duplicate_permille = 250,
                               .reorder_permille = 100,
                               .corrupt_permille = 50});
  const std::vector<Arrival> arrivals = run(network, 10'000);
  const NetworkCounters& counters = network.counters();
  EXPECT_NEAR(static_cast<double>(counters.lost), 2500, 200);
  EXPECT_NEAR(static_cast<double>(counters.duplicated), 1875, 200);
  EXPECT_NEAR(static_cast<double>(counters.reordered), 937, 120);
  EXPECT_NEAR(static_cast<double>(counters.corrupted), 469, 100);
  EXPECT_EQ(counters.delivered, counters.sent - counters.lost + counters.duplicated);
  EXPECT_EQ(arrivals.size(), counters.delivered);
}

TEST(SimulatedNetwork, SameSeedSameDeliveries) {
  const NetworkConditions conditions{.latency = 10 * core::millisecond,
                                     .jitter = 9 * core::millisecond,
                                     .loss_permille = 100,
                                     .duplicate_permille = 100,
                                     .corrupt_permille = 100};
  SimulatedNetwork first(7, conditions);
  SimulatedNetwork second(7, conditions);
  SimulatedNetwork third(8, conditions);
  const std::vector<Arrival> arrivals = run(first, 500);
  EXPECT_EQ(arrivals, run(second, 500));
  EXPECT_NE(arrivals, run(third, 500));
}

}  // namespace
}  // namespace mobula::transport
