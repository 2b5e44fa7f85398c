#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/net/address_range.hpp>
#include <mobula/net/ip_text.hpp>

namespace mobula::net::address_range_test {
namespace {

using transport::Address;

AddressRange range(std::string_view text) { return parse_address_range(text).value(); }
Address ip(std::string_view text) { return parse_ip(text).value(); }

TEST(AddressRange, ContainsAddressesWithItsFirstBits) {
  EXPECT_TRUE(range("10.0.0.0/8").contains(ip("10.255.0.1")));
  EXPECT_FALSE(range("10.0.0.0/8").contains(ip("11.0.0.0")));
  EXPECT_TRUE(range("172.16.0.0/12").contains(ip("172.31.255.255")));
  EXPECT_FALSE(range("172.16.0.0/12").contains(ip("172.32.0.0")));
  EXPECT_TRUE(range("2001:db8::/33").contains(ip("2001:db8:7fff::1")));
  EXPECT_FALSE(range("2001:db8::/33").contains(ip("2001:db8:8000::")));
}

TEST(AddressRange, AnAddressIsARangeOfOne) {
  EXPECT_TRUE(range("192.0.2.1").contains(ip("192.0.2.1")));
  EXPECT_FALSE(range("192.0.2.1").contains(ip("192.0.2.0")));
  EXPECT_EQ(range("192.0.2.1"), range("192.0.2.1/32"));
  EXPECT_EQ(range("::1"), range("::1/128"));
}

TEST(AddressRange, IgnoresPortAndPipe) {
  Address address = Address::v4(10, 1, 2, 3, 4711);
  address.pipe = transport::Pipe::websocket;
  EXPECT_TRUE(range("10.0.0.0/8").contains(address));
}

TEST(AddressRange, FamiliesStayApart) {
  EXPECT_TRUE(range("0.0.0.0/0").contains(ip("203.0.113.7")));
  EXPECT_FALSE(range("0.0.0.0/0").contains(ip("2001:db8::1")));
  EXPECT_FALSE(range("::/0").contains(ip("203.0.113.7"))) << "although it is stored as ::ffff:203.0.113.7";
  EXPECT_TRUE(range("::/0").contains(ip("2001:db8::1")));
  EXPECT_EQ(range("::ffff:10.0.0.0/104"), range("10.0.0.0/8"));
}

TEST(AddressRange, RefusesMalformedText) {
  for (const char* text : {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8x",
                           "10.0.0.0/8/8", "10.0.0/8", "::/129", "::/99999999999", "localhost", "[::1]", "10.0.0.1:80",
                           "10.0.0.0 /8", "10.0.0.0/255.0.0.0"}) {
    const core::Result<AddressRange> refused = parse_address_range(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_STREQ(refused.error().reason, "bad range");
  }
}

TEST(AddressRange, RefusesBitsAfterTheFirst) {
  EXPECT_EQ(parse_address_range("10.0.0.1/8").error().message,
            "'10.0.0.1/8' is not a range of addresses: the address has bits after the first 8; clear them");
  EXPECT_TRUE(parse_address_range("2001:db8::/29"));
  EXPECT_FALSE(parse_address_range("2001:db8::/28"));
  EXPECT_FALSE(parse_address_range("2001:db8::1/127"));
}

// A bit at each place is inside or outside as its number is.
TEST(AddressRange, EachBitCountsUpToTheLast) {
  for (unsigned bits = 0; bits <= 128; ++bits) {
    const AddressRange all_zero{{}, bits};
    for (unsigned bit = 0; bit < 128; ++bit) {
      Address address;
      address.ip[bit / 8] = static_cast<std::uint8_t>(0x80 >> bit % 8);
      ASSERT_EQ(all_zero.contains(address), bit >= bits) << bits << ' ' << bit;
    }
  }
}

TEST(AddressRange, AnyRangeOfAListSuffices) {
  const std::array ranges{range("10.0.0.0/8"), range("2001:db8::/32")};
  EXPECT_TRUE(contains(ranges, ip("10.1.1.1")));
  EXPECT_TRUE(contains(ranges, ip("2001:db8::5")));
  EXPECT_FALSE(contains(ranges, ip("192.0.2.1")));
  EXPECT_FALSE(contains({}, ip("10.1.1.1")));
}

}  // namespace
}  // namespace mobula::net::address_range_test
