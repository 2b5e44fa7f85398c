#include <gtest/gtest.h>

#include <mobula/transport/handshake_limits.hpp>

namespace mobula::transport {
namespace {

using core::second;

Address v6(std::uint8_t network, std::uint8_t host, std::uint16_t port) {
  Address address;
  address.ip = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host};
  address.port = port;
  return address;
}

int passed(HandshakeLimits& limits, const Address& from, int tries, core::Nanoseconds now) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += limits.pass(from, now) == Drop::none ? 1 : 0;
  return count;
}

TEST(HandshakeLimits, LimitsAnAddressForAllPorts) {
  HandshakeLimits limits({1000, 1000}, {10, 5}, 1);
  EXPECT_EQ(passed(limits, Address::v4(1, 2, 3, 4, 100), 10, 0), 5);
  EXPECT_EQ(limits.pass(Address::v4(1, 2, 3, 4, 101), 0), Drop::address_limit);
  EXPECT_EQ(passed(limits, Address::v4(1, 2, 3, 5, 100), 10, 0), 5);
  EXPECT_EQ(passed(limits, Address::v4(1, 2, 3, 4, 100), 10, second), 5);
}

TEST(HandshakeLimits, CountsAnIpv6NetworkOf64BitsAsOneAddress) {
  HandshakeLimits limits({1000, 1000}, {10, 5}, 1);
  EXPECT_EQ(passed(limits, v6(1, 1, 7), 10, 0), 5);
  EXPECT_EQ(limits.pass(v6(1, 2, 8), 0), Drop::address_limit);
  EXPECT_EQ(limits.pass(v6(2, 1, 7), 0), Drop::none);
}

TEST(HandshakeLimits, OneFloodDoesNotExhaustTheGlobalLimit) {
  HandshakeLimits limits({100, 20}, {10, 5}, 1);
  EXPECT_EQ(passed(limits, Address::v4(1, 2, 3, 4, 1), 10'000, 0), 5);
  int count = 0;
  for (std::uint8_t i = 0; i < 100; ++i) count += passed(limits, Address::v4(5, 6, 7, i, 1), 1, 0);
  EXPECT_EQ(count, 15);
  EXPECT_EQ(limits.pass(Address::v4(9, 9, 9, 9, 1), 0), Drop::global_limit);
}

}  // namespace
}  // namespace mobula::transport
