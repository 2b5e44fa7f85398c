#include <gmock/gmock.h>

#include <mobula/net/local_addresses.hpp>

#include "peers.hpp"

namespace mobula::net {
namespace {

TEST(LocalAddresses, EndWithLoopbackAndHaveThePort) {
  const std::vector<transport::Address> addresses = local_addresses(7777);
  EXPECT_THAT(addresses, testing::Contains(loopback(7777)));
  bool loopback_seen = false;
  for (const transport::Address& address : addresses) {
    EXPECT_EQ(address.port, 7777);
    EXPECT_FALSE(address.is_any());
    EXPECT_FALSE(address.ip[0] == 0xfe && (address.ip[1] & 0xc0) == 0x80) << to_string(address);
    loopback_seen |= address == loopback(7777);
    const bool is_loopback = address.ip[12] == 127 || address == loopback_v6(7777);
    EXPECT_TRUE(is_loopback || !loopback_seen) << to_string(address);
  }
}

}  // namespace
}  // namespace mobula::net
