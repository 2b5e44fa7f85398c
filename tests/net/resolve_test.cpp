#include <gtest/gtest.h>

#include <mobula/net/resolve.hpp>

namespace mobula::net {
namespace {

using transport::Address;

std::string text_of(const core::Result<Address>& result) {
  return result.ok() ? to_string(*result) : "refused: " + std::string(result.error().reason);
}

TEST(Resolve, AcceptsNumericAddresses) {
  EXPECT_EQ(text_of(resolve("192.0.2.1:7777")), "192.0.2.1:7777");
  EXPECT_EQ(text_of(resolve("[::1]:7777")), "[::1]:7777");
  EXPECT_EQ(text_of(resolve("[2001:db8::2]:65535")), "[2001:db8::2]:65535");
  EXPECT_EQ(text_of(resolve("[::ffff:10.0.0.1]:1")), "10.0.0.1:1");
}

TEST(Resolve, AcceptsTheShortFormOfIpv4) { EXPECT_EQ(text_of(resolve("127.1:7777")), "127.0.0.1:7777"); }

TEST(Resolve, PrefersIpv4ForNames) { EXPECT_EQ(text_of(resolve("localhost:7777")), "127.0.0.1:7777"); }

TEST(Resolve, NeedsAHostAndAPort) {
  for (const char* text : {"", "localhost", "localhost:", "localhost:0", ":7777", "::1:7777", "[::1]", "[fe80::1]:1"})
    EXPECT_EQ(text_of(resolve(text)), "refused: bad address") << text;
}

TEST(Resolve, RefusesAddressesThatAreOnlyForListening) {
  for (const char* text : {"0.0.0.0:7777", "[::]:7777", "[::ffff:0.0.0.0]:7777", "0:7777"}) {
    const core::Result<Address> refused = resolve(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.error().message.find("use 127.0.0.1 for this machine"), std::string::npos) << text;
  }
}

TEST(Resolve, ANameHasAllItsAddressesIpv4First) {
  const core::Result<std::vector<Address>> all = resolve_all({.host = "localhost", .port = 7777});
  ASSERT_TRUE(all);
  ASSERT_FALSE(all->empty());
  EXPECT_EQ(to_string(all->front()), "127.0.0.1:7777");
  for (const Address& address : *all)
    EXPECT_TRUE(to_string(address).starts_with("127.") || to_string(address) == "[::1]:7777") << to_string(address);
}

TEST(Resolve, RefusesHostsThatDoNotExist) {
  const core::Result<Address> result = resolve("no-such-host.invalid:7777");
  ASSERT_FALSE(result.ok());
  EXPECT_STREQ(result.error().reason, "unknown host");
  EXPECT_NE(result.error().message.find("'no-such-host.invalid'"), std::string::npos);
}

TEST(ParseListen, AcceptsPortsAndNumericAddresses) {
  EXPECT_EQ(text_of(parse_listen("7777")), "[::]:7777");
  EXPECT_EQ(text_of(parse_listen("0")), "[::]:0");
  EXPECT_EQ(text_of(parse_listen("127.0.0.1:80")), "127.0.0.1:80");
  EXPECT_EQ(text_of(parse_listen("[::1]:0")), "[::1]:0");
}

TEST(ParseListen, RefusesMalformedText) {
  for (const char* text : {"", "x", "65536", "-1", "localhost:7777", "[::1]", "1.2.3:5",
                           "1.2.3.4:", "::", "[fe80::1%eth0]:0", "[fe80::1]:0", "ws://127.0.0.1:80"}) {
    EXPECT_EQ(text_of(parse_listen(text)), "refused: bad address") << text;
  }
}

}  // namespace
}  // namespace mobula::net
