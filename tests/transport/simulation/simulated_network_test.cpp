#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/transport/simulation/simulated_network.hpp>

namespace mobula::transport::simulated_network_test {
namespace {

const Address a = Address::v4(10, 0, 0, 1, 1);
const Address b = Address::v4(10, 0, 0, 2, 2);

core::ByteView bytes_of(const std::uint32_t& value) { return core::as_bytes(&value, 1); }

struct Arrival {
  core::Nanoseconds at;
  std::uint32_t value;
  bool operator==(const Arrival&) const = default;
};

// Sends 0, 1, 2, … one per millisecond and records the deliveries.
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

TEST(SimulatedNetwork, DelaysAndPreservesTheOrder) {
  SimulatedNetwork network(1, {.latency = 30 * core::millisecond});
  const std::vector<Arrival> arrivals = run(network, 100);
  ASSERT_EQ(arrivals.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(arrivals[i], (Arrival{(i + 30) * core::millisecond, i}));
  }
}

TEST(SimulatedNetwork, EqualTimesArriveInTheOrderOfSending) {
  SimulatedNetwork network(1, {});
  for (std::uint32_t i = 0; i < 50; ++i) network.send(a, b, bytes_of(i), 0);
  std::uint32_t expected = 0;
  network.deliver(0, [&](const Address&, const Address&, core::ByteView datagram) {
    EXPECT_EQ(core::load<std::uint32_t>(datagram.data()), expected++);
  });
  EXPECT_EQ(expected, 50u);
}

TEST(SimulatedNetwork, MatchesTheConfiguredShares) {
  SimulatedNetwork network(5, {.latency = 10 * core::millisecond,
                               .jitter = 5 * core::millisecond,
                               .loss_ppm = 250'000,
                               .duplicate_ppm = 250'000,
                               .reorder_ppm = 100'000,
                               .corrupt_ppm = 50'000});
  const std::vector<Arrival> arrivals = run(network, 10'000);
  const NetworkCounters& counters = network.counters();
  EXPECT_NEAR(static_cast<double>(counters.lost), 2500, 200);
  EXPECT_NEAR(static_cast<double>(counters.duplicated), 1875, 200);
  EXPECT_NEAR(static_cast<double>(counters.reordered), 937, 120);
  EXPECT_NEAR(static_cast<double>(counters.corrupted), 469, 100);
  EXPECT_EQ(counters.delivered, counters.sent - counters.lost + counters.duplicated);
  EXPECT_EQ(arrivals.size(), counters.delivered);
}

TEST(SimulatedNetwork, SameSeedGivesTheSameDeliveries) {
  const NetworkConditions conditions{.latency = 10 * core::millisecond,
                                     .jitter = 9 * core::millisecond,
                                     .loss_ppm = 100'000,
                                     .duplicate_ppm = 100'000,
                                     .corrupt_ppm = 100'000,
                                     .burst_ppm = 20'000,
                                     .burst_length = 3,
                                     .bandwidth_bytes_per_second = 3'900,
                                     .queue = 50 * core::millisecond};
  SimulatedNetwork first(7, conditions);
  SimulatedNetwork second(7, conditions);
  SimulatedNetwork third(8, conditions);
  const std::vector<Arrival> arrivals = run(first, 500);
  EXPECT_EQ(arrivals, run(second, 500));
  EXPECT_NE(arrivals, run(third, 500));
}

// Returns which of `count` datagrams, sent one per millisecond, were lost.
std::vector<bool> losses(SimulatedNetwork& network, std::uint32_t count) {
  std::vector<bool> lost(count, true);
  for (const Arrival& arrival : run(network, count)) lost[arrival.value] = false;
  return lost;
}

TEST(SimulatedNetwork, BurstsMatchTheConfiguredFrequencyAndLength) {
  SimulatedNetwork network(11, {.burst_ppm = 10'000, .burst_length = 8});
  const std::vector<bool> lost = losses(network, 100'000);
  std::uint32_t runs = 0;
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    total += lost[i] ? 1 : 0;
    runs += lost[i] && (i == 0 || !lost[i - 1]) ? 1 : 0;
  }
  const NetworkCounters& counters = network.counters();
  EXPECT_EQ(counters.lost, total);
  EXPECT_EQ(counters.delivered + counters.lost, counters.sent);
  // One datagram in a hundred outside of bursts begins one; each datagram ends its burst with chance 1/8.
  const double outside = 100'000.0 - total;
  EXPECT_NEAR(static_cast<double>(counters.bursts), 0.01 * outside, 100);
  EXPECT_NEAR(static_cast<double>(total) / static_cast<double>(counters.bursts), 8.0, 0.8);
  EXPECT_NEAR(runs, static_cast<double>(counters.bursts), 30);  // two bursts may be adjacent
}

TEST(SimulatedNetwork, BurstLosesItsOwnShare) {
  SimulatedNetwork network(12, {.loss_ppm = 0, .burst_ppm = 1'000'000, .burst_length = 5, .burst_loss_ppm = 300'000});
  EXPECT_EQ(losses(network, 10'000).size(), 10'000u);
  EXPECT_NEAR(static_cast<double>(network.counters().lost), 3000, 200);  // always inside a burst
}

TEST(SimulatedNetwork, EachPathHasIndependentBursts) {
  SimulatedNetwork network(13, {.burst_ppm = 20'000, .burst_length = 20});
  std::vector<std::uint32_t> of(2);
  std::uint32_t both = 0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto lost_on_the_way = [&](const Address& from, const Address& to) {
      const std::uint64_t before = network.counters().lost;
      network.send(from, to, bytes_of(i), i);
      return network.counters().lost > before;
    };
    const bool there = lost_on_the_way(a, b);
    const bool back = lost_on_the_way(b, a);
    of[0] += there ? 1 : 0;
    of[1] += back ? 1 : 0;
    both += there && back ? 1 : 0;
  }
  // Independence: both are in a burst as often as the product of the shares.
  EXPECT_GT(of[0], 4'000u);
  EXPECT_GT(of[1], 4'000u);
  EXPECT_NEAR(both / 20'000.0, of[0] / 20'000.0 * of[1] / 20'000.0, 0.03);
}

const Address c = Address::v4(10, 0, 0, 3, 3);

// Returns whether a datagram sent now arrives.
bool arrives(SimulatedNetwork& network, const Address& from, const Address& to) {
  bool there = false;
  network.send(from, to, core::Bytes(4), 0);
  network.deliver(0, [&](const Address&, const Address& at, core::ByteView) { there = at == to; });
  return there;
}

TEST(SimulatedNetwork, HealedAddressIsReachableAgain) {
  SimulatedNetwork network(1, {});
  network.cut(b);
  EXPECT_FALSE(arrives(network, a, b));
  EXPECT_FALSE(arrives(network, b, a));
  EXPECT_TRUE(arrives(network, a, c));
  network.cut(b, SimulatedNetwork::Way::to);
  EXPECT_FALSE(arrives(network, a, b));
  EXPECT_TRUE(arrives(network, b, a));
  network.cut(b, SimulatedNetwork::Way::from);
  EXPECT_TRUE(arrives(network, a, b));
  EXPECT_FALSE(arrives(network, b, a));
  network.heal(b);
  network.heal(c);  // was not cut
  EXPECT_TRUE(arrives(network, a, b));
  EXPECT_TRUE(arrives(network, b, a));
  EXPECT_EQ(network.counters().cut, 4u);
  EXPECT_EQ(network.counters().lost, 0u);
}

TEST(SimulatedNetwork, CutPathAffectsOneDirectionOnly) {
  SimulatedNetwork network(1, {});
  network.cut_path(a, b);
  network.heal_path(b, a);
  EXPECT_FALSE(arrives(network, a, b));
  EXPECT_TRUE(arrives(network, b, a));
  EXPECT_TRUE(arrives(network, a, c));
  network.heal(a);  // does not heal its paths
  EXPECT_FALSE(arrives(network, a, b));
  network.heal_path(a, b);
  EXPECT_TRUE(arrives(network, a, b));
}

TEST(SimulatedNetwork, DatagramsInFlightArriveAfterACut) {
  SimulatedNetwork network(1, {.latency = 10});
  network.send(a, b, core::Bytes(4), 0);
  network.cut(b);
  std::uint32_t arrived = 0;
  EXPECT_TRUE(network.in_flight_to(b));
  EXPECT_FALSE(network.in_flight_to(a));
  network.deliver(10, [&](const Address&, const Address&, core::ByteView) { ++arrived; });
  EXPECT_EQ(arrived, 1u);
  EXPECT_FALSE(network.in_flight_to(b));
}

// Reference model of a narrow path: bytes leave one after the other, each with its duration.
struct ReferenceLine {
  static constexpr core::Nanoseconds byte_duration = 1'000;  // 1 MB/s
  std::vector<core::Nanoseconds> leaves;                     // time per byte, ascending

  bool send(std::size_t bytes, core::Nanoseconds now, core::Nanoseconds queue) {
    const auto waiting =
        std::count_if(leaves.begin(), leaves.end(), [&](core::Nanoseconds at) { return at > now + queue; });
    if (waiting > 0) return false;
    for (std::size_t i = 0; i < bytes; ++i) {
      const core::Nanoseconds from = leaves.empty() ? now : std::max(now, leaves.back());
      leaves.push_back(from + byte_duration);
    }
    return true;
  }
};

TEST(SimulatedNetwork, NarrowPathAgreesWithAReferenceLine) {
  core::Random random(21);
  const NetworkConditions conditions{
      .latency = 3 * core::millisecond, .bandwidth_bytes_per_second = 1'000'000, .queue = 2 * core::millisecond};
  SimulatedNetwork network(1, conditions);
  const std::array<Address, 3> peers{a, b, c};
  std::array<ReferenceLine, 9> lines;
  std::vector<core::Nanoseconds> expected;
  std::vector<core::Nanoseconds> arrived;
  core::Nanoseconds now = 0;
  std::uint64_t dropped = 0;
  const auto deliver = [&] {
    network.deliver(now, [&](const Address&, const Address&, core::ByteView) { arrived.push_back(now); });
  };
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t from = random.below(3);
    const std::uint32_t to = random.below(3);
    const std::size_t bytes = 1 + random.below(1'200);
    network.send(peers[from], peers[to], core::Bytes(bytes), now);
    ReferenceLine& line = lines[from * 3 + to];
    if (line.send(bytes, now, conditions.queue)) {
      expected.push_back(line.leaves.back() + conditions.latency);
    } else {
      ++dropped;
    }
    const core::Nanoseconds next = now + random.below(150'000);
    while (network.in_flight() > 0 && network.next_arrival() <= next) {
      now = network.next_arrival();
      deliver();
    }
    now = next;
  }
  while (network.in_flight() > 0) {
    now = network.next_arrival();
    deliver();
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(arrived, expected);
  EXPECT_EQ(network.counters().overflowed, dropped);
  EXPECT_GT(dropped, 20u);
  EXPECT_GT(arrived.size(), 100u);
}

TEST(SimulatedNetwork, RemovesIdlePathsWithoutEffect) {
  const NetworkConditions conditions{.burst_ppm = 200'000, .burst_length = 3, .bandwidth_bytes_per_second = 100'000};
  SimulatedNetwork network(3, conditions);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Address from = a;
    from.port = static_cast<std::uint16_t>(i);
    network.send(from, b, core::Bytes(100), i * core::second);
  }
  const NetworkCounters& counters = network.counters();
  EXPECT_EQ(counters.overflowed, 0u);
  EXPECT_NEAR(static_cast<double>(counters.lost), 4'000, 300);
  EXPECT_EQ(counters.sent, counters.lost + network.in_flight());
}

TEST(SimulatedNetwork, CarriesDatagramsWithinTheQueueLimit) {
  const NetworkConditions conditions{.bandwidth_bytes_per_second = 1'000'000, .queue = 50'000};
  SimulatedNetwork network(1, conditions);
  network.send(a, b, core::Bytes(60), 0);  // is sent at 60'000 ns
  network.send(a, b, core::Bytes(1), 9'999);
  EXPECT_EQ(network.counters().overflowed, 1u);
  network.send(a, b, core::Bytes(1), 10'000);
  EXPECT_EQ(network.counters().overflowed, 1u);
  network.send(b, a, core::Bytes(1), 10'000);  // another path
  EXPECT_EQ(network.next_arrival(), 11'000);
}

// Uses enough other paths to trigger the removal of idle ones.
void use_other_paths(SimulatedNetwork& network, core::Nanoseconds now) {
  for (std::uint16_t port = 100; port < 5'100; ++port) {
    network.send(Address::v4(10, 0, 0, 9, port), c, core::Bytes(), now);
  }
}

TEST(SimulatedNetwork, KeepsPathsThatAreCutBusyOrInABurst) {
  const NetworkConditions always_bursts{.burst_ppm = 1'000'000, .burst_length = 100'000};
  NetworkConditions conditions{.burst_ppm = 1, .burst_length = 100'000, .bandwidth_bytes_per_second = 1'000};
  SimulatedNetwork network(1, always_bursts);
  network.send(a, c, core::Bytes(1), 0);
  network.set_conditions(conditions);
  network.cut_path(a, b);
  network.send(b, c, core::Bytes(10'000), 0);  // ten seconds
  const NetworkCounters before = network.counters();
  use_other_paths(network, core::second);
  EXPECT_EQ(network.counters().overflowed, before.overflowed);
  network.send(a, b, core::Bytes(1), core::second);
  network.send(b, c, core::Bytes(1), core::second);
  network.send(a, c, core::Bytes(1), core::second);
  EXPECT_EQ(network.counters().cut, before.cut + 1);
  EXPECT_EQ(network.counters().overflowed, before.overflowed + 1);
  EXPECT_EQ(network.counters().lost, before.lost + 1);
}

TEST(SimulatedNetwork, DisablingBurstsEndsABurst) {
  SimulatedNetwork network(1, {.burst_ppm = 1'000'000, .burst_length = 100'000});
  EXPECT_FALSE(arrives(network, a, b));
  network.set_conditions({.bandwidth_bytes_per_second = 1'000'000'000'000});
  EXPECT_TRUE(arrives(network, a, b));
  network.set_conditions({.burst_ppm = 1, .burst_length = 100'000});
  EXPECT_TRUE(arrives(network, a, b));
}

TEST(SimulatedNetwork, EveryDatagramIsAccountedFor) {
  SimulatedNetwork network(9, {.latency = core::millisecond,
                               .jitter = core::millisecond,
                               .loss_ppm = 50'000,
                               .duplicate_ppm = 50'000,
                               .burst_ppm = 10'000,
                               .burst_length = 10,
                               .bandwidth_bytes_per_second = 200'000,
                               .queue = core::millisecond});
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    if (i % 500 == 100) network.cut(a);
    if (i % 500 == 200) network.heal(a);
    const core::Nanoseconds now = i * core::millisecond / 2;
    network.send(a, b, core::Bytes(50 + i % 200), now);
    network.deliver(now, [](const Address&, const Address&, core::ByteView) {});
    const NetworkCounters& n = network.counters();
    ASSERT_EQ(n.sent + n.duplicated, n.lost + n.cut + n.overflowed + n.delivered + network.in_flight());
  }
  const NetworkCounters& n = network.counters();
  EXPECT_EQ(n.cut, 1'000u);
  EXPECT_GT(n.overflowed, 100u);
  EXPECT_GT(n.lost, 100u);
}

}  // namespace
}  // namespace mobula::transport::simulated_network_test
