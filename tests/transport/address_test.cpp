#include <gtest/gtest.h>

#include <mobula/transport/address.hpp>

namespace mobula::transport {
namespace {

Address v6(std::initializer_list<unsigned> groups, std::uint16_t port) {
  Address address{{}, port};
  std::size_t i = 0;
  for (const unsigned group : groups) {
    address.ip[i++] = static_cast<std::uint8_t>(group >> 8);
    address.ip[i++] = static_cast<std::uint8_t>(group & 0xff);
  }
  return address;
}

TEST(Address, FormatsNumericAddressesAndPorts) {
  EXPECT_EQ(to_string(Address::v4(192, 0, 2, 1, 7777)), "192.0.2.1:7777");
  EXPECT_EQ(to_string(Address::any(0)), "[::]:0");
  EXPECT_EQ(to_string(v6({0, 0, 0, 0, 0, 0, 0, 1}, 80)), "[::1]:80");
  EXPECT_EQ(to_string(v6({0x2001, 0xdb8, 0, 0, 1, 0, 0, 1}, 9)), "[2001:db8::1:0:0:1]:9");
  EXPECT_EQ(to_string(v6({0x2001, 0xdb8, 0, 1, 1, 1, 1, 1}, 9)), "[2001:db8:0:1:1:1:1:1]:9");
  EXPECT_EQ(to_string(v6({0xfe80, 0, 0, 0, 0, 0, 0, 0}, 9)), "[fe80::]:9");
  EXPECT_EQ(to_string(v6({1, 2, 3, 4, 5, 6, 7, 8}, 65535)), "[1:2:3:4:5:6:7:8]:65535");
}

TEST(Address, FormatsThePipeUnlessItIsUdp) {
  Address address = Address::v4(192, 0, 2, 1, 7777);
  address.pipe = Pipe::tcp;
  EXPECT_EQ(to_string(address), "tcp:192.0.2.1:7777");
  EXPECT_NE(address, Address::v4(192, 0, 2, 1, 7777));
  address.pipe = Pipe::websocket;
  EXPECT_EQ(to_string(address), "ws:192.0.2.1:7777");
}

TEST(Address, ComparesAddressAndPort) {
  const Address address = Address::v4(10, 0, 0, 1, 1);
  EXPECT_EQ(address, Address::v4(10, 0, 0, 1, 1));
  EXPECT_NE(address, Address::v4(10, 0, 0, 1, 2));
  EXPECT_NE(address, Address::v4(10, 0, 0, 2, 1));
  EXPECT_TRUE(address.is_v4());
  EXPECT_FALSE(address.is_any());
  EXPECT_TRUE(Address::any(5).is_any());
  EXPECT_FALSE(Address::any(5).is_v4());
  EXPECT_NE(std::hash<Address>()(address), std::hash<Address>()(Address::v4(10, 0, 0, 1, 2)));
}

}  // namespace
}  // namespace mobula::transport
