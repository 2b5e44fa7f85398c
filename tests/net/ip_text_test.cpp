#include <gtest/gtest.h>

#include <mobula/net/ip_text.hpp>

namespace mobula::net::ip_text_test {
namespace {

using transport::Address;

TEST(IpText, ParsesBothFamiliesWithPortZero) {
  EXPECT_EQ(parse_ip("192.0.2.1"), Address::v4(192, 0, 2, 1, 0));
  EXPECT_EQ(parse_ip("::ffff:192.0.2.1"), Address::v4(192, 0, 2, 1, 0));
  EXPECT_EQ(parse_ip("2001:DB8::1"), (Address{{0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0}));
  EXPECT_EQ(parse_ip("::"), Address::any(0));
  EXPECT_TRUE(parse_ip("1111:2222:3333:4444:5555:6666:255.255.255.255"));
}

TEST(IpText, RefusesAnythingElse) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view("localhost"), std::string_view("192.0.2"),
        std::string_view("192.0.2.256"), std::string_view("192.0.2.01"), std::string_view("0xc0.0.2.1"),
        std::string_view("3221225985"), std::string_view("192.0.2.1:80"), std::string_view("[::1]"),
        std::string_view("fe80::1%1"), std::string_view("::1::2"), std::string_view(" ::1"), std::string_view("::1 "),
        std::string_view("::1\0", 4), std::string_view("1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb")})
    EXPECT_FALSE(parse_ip(text)) << text;
}

}  // namespace
}  // namespace mobula::net::ip_text_test
