#include <gtest/gtest.h>

#include <mobula/net/destination.hpp>

#include "peers.hpp"

namespace mobula::net {
namespace {

std::string text_of(std::string_view written) {
  const core::Result<Destination> found = parse_destination(written);
  if (!found.ok()) return "refused: " + std::string(found.error().reason);
  return to_string(found->address) + ' ' + found->host + ' ' + found->host_and_port + (found->secure ? " secure" : "");
}

TEST(Destination, ParsesPipeAndAddress) {
  EXPECT_EQ(text_of("192.0.2.1:7777"), "192.0.2.1:7777 192.0.2.1 192.0.2.1:7777");
  EXPECT_EQ(text_of("udp:192.0.2.1:7777"), "192.0.2.1:7777 192.0.2.1 192.0.2.1:7777");
  EXPECT_EQ(text_of("tcp:192.0.2.1:7777"), "tcp:192.0.2.1:7777 192.0.2.1 192.0.2.1:7777");
  EXPECT_EQ(text_of("ws:[::1]:80"), "ws:[::1]:80 ::1 [::1]:80");
  EXPECT_EQ(text_of("wss:localhost:443"), "ws:127.0.0.1:443 localhost localhost:443 secure");
  EXPECT_EQ(text_of("[::1]:80"), "[::1]:80 ::1 [::1]:80");
}

TEST(Destination, RefusesMalformedText) {
  for (const char* text : {"", "tcp:", "tcp:localhost", "tcp:localhost:", "tcp::7777", "http:localhost:80",
                           "tcp:udp:localhost:80", "ws:::1:80", "TCP:127.0.0.1:80", "tcp:0.0.0.0:80"}) {
    EXPECT_EQ(text_of(text).substr(0, 7), "refused") << text;
  }
}

TEST(Destination, NamesAnUnknownPipe) {
  for (const char* text : {"upd:localhost:7777", "http:localhost:80", "TCP:127.0.0.1:80"}) {
    const core::Result<Destination> refused = parse_destination(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_NE(refused.error().message.find("known: udp, tcp, ws, wss"), std::string::npos) << text;
  }
}

TEST(Destination, AddressIsNeverSecure) {
  const Destination of_v6 = destination_of(loopback_v6(80, transport::Pipe::websocket));
  EXPECT_EQ(of_v6.host, "::1");
  EXPECT_EQ(of_v6.host_and_port, "[::1]:80");
  EXPECT_EQ(of_v6.pipe(), transport::Pipe::websocket);
  EXPECT_FALSE(of_v6.secure);
}

}  // namespace
}  // namespace mobula::net
