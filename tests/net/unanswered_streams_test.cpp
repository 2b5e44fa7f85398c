#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/net/unanswered_streams.hpp>

namespace mobula::net {
namespace {

using transport::Address;

Address v6(std::uint8_t network, std::uint8_t host) {
  return {{0x20, 1, 0x0d, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host}, 1};
}

TEST(UnansweredStreams, LimitsEachHost) {
  UnansweredStreams streams(10, 10, 2, 7);
  streams.add(0, Address::v4(192, 0, 2, 1, 1));
  EXPECT_FALSE(streams.host_is_full(Address::v4(192, 0, 2, 1, 2)));
  streams.add(1, Address::v4(192, 0, 2, 1, 2));
  EXPECT_TRUE(streams.host_is_full(Address::v4(192, 0, 2, 1, 3)));
  EXPECT_FALSE(streams.host_is_full(Address::v4(192, 0, 2, 2, 1)));
  streams.add(2, v6(1, 1));
  streams.add(3, v6(1, 2));
  EXPECT_TRUE(streams.host_is_full(v6(1, 3)));
  EXPECT_FALSE(streams.host_is_full(v6(2, 1)));
  streams.remove(0);
  EXPECT_FALSE(streams.host_is_full(Address::v4(192, 0, 2, 1, 3)));
  streams.check();
}

TEST(UnansweredStreams, DoesNotLimitThisMachine) {
  UnansweredStreams streams(4, 4, 1, 7);
  const Address loopback_v6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 1};
  streams.add(0, Address::v4(127, 0, 0, 1, 1));
  streams.add(1, loopback_v6);
  EXPECT_FALSE(streams.host_is_full(Address::v4(127, 0, 0, 1, 2)));
  EXPECT_FALSE(streams.host_is_full(loopback_v6));
  streams.add(2, Address::v4(127, 0, 0, 1, 2));
  streams.add(3, loopback_v6);
  EXPECT_TRUE(streams.full());
  streams.check();
}

// Compared with a plain list in the order of arrival.
TEST(UnansweredStreams, AgreesWithAPlainList) {
  constexpr std::uint32_t slots = 40;
  constexpr std::uint32_t per_host_max = 4;
  UnansweredStreams streams(slots, 25, per_host_max, 7);
  std::vector<std::uint32_t> by_age;
  std::map<std::uint32_t, std::uint8_t> host_of;
  core::Random random(11);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t slot = random.below(slots);
    const auto host = static_cast<std::uint8_t>(random.below(12));
    const auto of_host = std::count_if(by_age.begin(), by_age.end(), [&](auto each) { return host_of[each] == host; });
    const Address address = host % 2 == 0 ? v6(host, static_cast<std::uint8_t>(step)) : Address::v4(10, 0, 0, host, 1);
    const auto at = std::find(by_age.begin(), by_age.end(), slot);
    ASSERT_EQ(streams.contains(slot), at != by_age.end());
    ASSERT_EQ(streams.host_is_full(address), of_host >= per_host_max);
    ASSERT_EQ(streams.full(), by_age.size() == 25);
    ASSERT_EQ(streams.oldest(), by_age.empty() ? streams.none : by_age.front());
    if (at != by_age.end()) by_age.erase(at);
    streams.remove(slot);
    if (random.chance(2, 3) && of_host < per_host_max && !streams.full()) {
      streams.add(slot, address);
      by_age.push_back(slot);
      host_of[slot] = host;
    }
    ASSERT_EQ(streams.size(), by_age.size());
    streams.check();
  }
}

}  // namespace
}  // namespace mobula::net
