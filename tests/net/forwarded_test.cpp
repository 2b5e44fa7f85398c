#include <gtest/gtest.h>

#include <mobula/net/forwarded.hpp>
#include <mobula/net/ip_text.hpp>

namespace mobula::net::forwarded_test {
namespace {

using transport::Address;

// The proxies: all of 10.0.0.0/8 and 2001:db8:1::/48. The request comes from 10.0.0.1:5000.
const std::array trusted{parse_address_range("10.0.0.0/8").value(), parse_address_range("2001:db8:1::/48").value()};
const Address proxy = Address::v4(10, 0, 0, 1, 5000);

// Returns the client as text, or the reason of the refusal.
std::string client_of(const ForwardedHeaders& headers, const Address& peer = proxy) {
  const core::Result<Address> client = client_of_request(peer, headers, trusted);
  return client ? to_string(*client) : std::string(client.error().reason);
}
std::string by_forwarded(std::string_view text) { return client_of({.forwarded = text}); }
std::string by_x_forwarded_for(std::string_view text) { return client_of({.x_forwarded_for = text}); }

TEST(Forwarded, WithoutHeadersThePeerIsTheClient) {
  EXPECT_EQ(client_of({}), "10.0.0.1:5000");
  EXPECT_EQ(client_of({.forwarded = " ", .x_forwarded_for = " \t"}), "10.0.0.1:5000");
}

TEST(Forwarded, HeadersOfAnUntrustedPeerAreIgnored) {
  const Address peer = Address::v4(192, 0, 2, 9, 5000);
  EXPECT_EQ(client_of({.forwarded = "for=192.0.2.1"}, peer), "192.0.2.9:5000");
  EXPECT_EQ(client_of({.x_forwarded_for = "192.0.2.1"}, peer), "192.0.2.9:5000");
  EXPECT_EQ(client_of({.forwarded = "=\"", .x_forwarded_for = "?"}, peer), "192.0.2.9:5000");
}

TEST(Forwarded, KeepsThePipeOfThePeer) {
  Address peer = proxy;
  peer.pipe = transport::Pipe::websocket;
  EXPECT_EQ(client_of({.x_forwarded_for = "192.0.2.1"}, peer), "ws:192.0.2.1:5000");
}

TEST(Forwarded, ReadsAddressesAndPorts) {
  EXPECT_EQ(by_forwarded("for=192.0.2.1"), "192.0.2.1:5000") << "the port of the proxy's connection";
  EXPECT_EQ(by_forwarded("for=\"192.0.2.1:4711\""), "192.0.2.1:4711");
  EXPECT_EQ(by_forwarded("for=\"[2001:db8::1]\""), "[2001:db8::1]:5000");
  EXPECT_EQ(by_forwarded("for=\"[2001:db8::1]:4711\""), "[2001:db8::1]:4711");
  EXPECT_EQ(by_forwarded("for=\"[2001:db8::1]:_hidden\""), "[2001:db8::1]:5000");
  EXPECT_EQ(by_forwarded("for=\"[::ffff:192.0.2.1]\""), "192.0.2.1:5000");
  EXPECT_EQ(by_forwarded("For=192.0.2.1;Proto=https;By=\"_x;y,z\";host=\"a\\\"b\""), "192.0.2.1:5000");
  EXPECT_EQ(by_forwarded("for=\"1\\92.0.2.1\""), "192.0.2.1:5000") << "an escaped character is itself";
  EXPECT_EQ(by_forwarded(" proto=https ; for=192.0.2.1 ,, "), "192.0.2.1:5000") << "empty elements are skipped";
}

TEST(Forwarded, ReadsTheOtherHeaderToo) {
  EXPECT_EQ(by_x_forwarded_for("192.0.2.1"), "192.0.2.1:5000");
  EXPECT_EQ(by_x_forwarded_for("192.0.2.1:4711"), "192.0.2.1:4711");
  EXPECT_EQ(by_x_forwarded_for("2001:db8::1"), "[2001:db8::1]:5000");
  EXPECT_EQ(by_x_forwarded_for("[2001:db8::1]"), "[2001:db8::1]:5000");
  EXPECT_EQ(by_x_forwarded_for("[2001:db8::1]:4711"), "[2001:db8::1]:4711");
  EXPECT_EQ(by_x_forwarded_for("\t192.0.2.1 , ,"), "192.0.2.1:5000");
}

TEST(Forwarded, TheRightmostUntrustedAddressCounts) {
  EXPECT_EQ(by_x_forwarded_for("192.0.2.1, 192.0.2.2, 10.3.0.1, 2001:db8:1::7"), "192.0.2.2:5000");
  EXPECT_EQ(by_forwarded("for=192.0.2.1, for=192.0.2.2, for=10.3.0.1, for=\"[2001:db8:1::7]:99\""), "192.0.2.2:5000");
}

TEST(Forwarded, TheFirstCountsIfAllAreTrusted) {
  EXPECT_EQ(by_x_forwarded_for("10.7.0.1, 10.3.0.1"), "10.7.0.1:5000");
  EXPECT_EQ(by_forwarded("for=10.7.0.1, for=10.3.0.1"), "10.7.0.1:5000");
}

TEST(Forwarded, AProxyThatHidesItsClientCountsItself) {
  for (const char* hidden : {"unknown", "UNKNOWN", "_hidden", "_gazonk.x-2"}) {
    EXPECT_EQ(by_forwarded("for=192.0.2.1, for=" + std::string(hidden)), "10.0.0.1:5000") << hidden;
    EXPECT_EQ(by_x_forwarded_for("192.0.2.1, " + std::string(hidden)), "10.0.0.1:5000") << hidden;
    EXPECT_EQ(by_x_forwarded_for("192.0.2.1, " + std::string(hidden) + ", 10.3.0.1"), "10.3.0.1:5000") << hidden;
  }
  EXPECT_EQ(by_forwarded("for=192.0.2.1, proto=https"), "10.0.0.1:5000") << "the proxy names no client";
  EXPECT_EQ(by_forwarded("for=\"unknown:4711\""), "10.0.0.1:5000");
}

// A client may write anything before the address that the proxy appends.
TEST(Forwarded, AClientCannotNameAnotherAddress) {
  for (const char* written : {"203.0.113.7", "10.0.0.9", "unknown", "???", "", ",,", "for=203.0.113.7", "\"", "[::1",
                              "for=\"203.0.113.7", "for=203.0.113.7;by=\"", "for=203.0.113.7;by=\"\\", "for=\"\\"}) {
    const std::string text = written;
    EXPECT_EQ(by_x_forwarded_for(text + ", 192.0.2.1"), "192.0.2.1:5000") << text;
    for (const char* appended :
         {", for=192.0.2.1", ", for=\"192.0.2.1\"", ", for=192.0.2.1;by=\"[::1]\";proto=https"}) {
      const std::string client = by_forwarded(text + appended);
      EXPECT_TRUE(client == "192.0.2.1:5000" || client == "bad Forwarded") << text << appended << ": " << client;
    }
  }
}

TEST(Forwarded, RefusesMalformedText) {
  for (const char* text : {"for",
                           "for=",
                           "=192.0.2.1",
                           "192.0.2.1",
                           "for =192.0.2.1",
                           "for= 192.0.2.1",
                           "for=192.0.2.1 proto=https",
                           "for=192.0.2.1;for=192.0.2.1",
                           "for=\"192.0.2.1",
                           "for=\"192.0.2.1\\",
                           "for=\"192.0.2.1\"x",
                           "for=192.0.2.1:80",
                           "for=[::1]",
                           "for=\"2001:db8::1\"",
                           "for=\"[2001:db8::1\"",
                           "for=\"[2001:db8::1]4711\"",
                           "for=\"[192.0.2.1]\"",
                           "for=\"192.0.2.1:\"",
                           "for=\"192.0.2.1:65536\"",
                           "for=\"192.0.2.1:-1\"",
                           "for=_",
                           "for=localhost",
                           "for=\"[unknown]\"",
                           "for=192.0.2.1, by",
                           "for=192.0.2.1|proto=https"})
    EXPECT_EQ(by_forwarded(text), "bad Forwarded") << text;
  for (const char* text : {"localhost", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:65536", "[192.0.2.1]", "[2001:db8::1",
                           "2001:db8::1]", "192.0.2.1 192.0.2.2", "\"192.0.2.1\"", "for=192.0.2.1", "_", "_?"})
    EXPECT_EQ(by_x_forwarded_for(text), "bad X-Forwarded-For") << text;
}

TEST(Forwarded, ReadsNothingBeforeTheClient) {
  EXPECT_EQ(by_x_forwarded_for("localhost, 192.0.2.1"), "192.0.2.1:5000");
  EXPECT_EQ(by_forwarded("for=localhost, for=192.0.2.1"), "192.0.2.1:5000");
}

TEST(Forwarded, BothHeadersMustNameOneClient) {
  EXPECT_EQ(client_of({.forwarded = "for=\"192.0.2.1:4711\"", .x_forwarded_for = "192.0.2.1"}), "192.0.2.1:4711")
      << "Forwarded counts";
  EXPECT_EQ(client_of({.forwarded = "for=203.0.113.7", .x_forwarded_for = "192.0.2.1"}), "two clients")
      << "one of them is the client's own";
  EXPECT_EQ(client_of({.forwarded = "for=192.0.2.1", .x_forwarded_for = "?"}), "bad X-Forwarded-For");
  EXPECT_EQ(client_of({.forwarded = "?", .x_forwarded_for = "192.0.2.1"}), "bad Forwarded");
}

TEST(Forwarded, ARefusalShowsThePartThatIsMalformed) {
  const core::Result<Address> refused = client_of_request(proxy, {.x_forwarded_for = "192.0.2.1, \x1b[31m"}, trusted);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "X-Forwarded-For: '\xef\xbf\xbd[31m' is not an address");
}

TEST(Forwarded, ATrustedProxyNamesTheRequestedHost) {
  const auto host_at = [](const Address& peer, std::string_view forwarded) {
    return host_of_request(peer, "10.0.0.5:7778", forwarded, trusted);
  };
  EXPECT_EQ(host_at(proxy, "game.example"), "game.example");
  EXPECT_EQ(host_at(proxy, " game.example:8443 , inner.example"), "game.example:8443") << "that of the browser";
  EXPECT_EQ(host_at(proxy, ""), "10.0.0.5:7778");
  EXPECT_EQ(host_at(proxy, " , inner.example"), "10.0.0.5:7778");
  EXPECT_EQ(host_at(Address::v4(203, 0, 113, 7, 5000), "game.example"), "10.0.0.5:7778") << "this peer is not trusted";
}

}  // namespace
}  // namespace mobula::net::forwarded_test
