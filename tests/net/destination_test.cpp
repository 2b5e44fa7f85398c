#include <gtest/gtest.h>

#include <mobula/net/destination.hpp>

#include "peers.hpp"

namespace mobula::net {
namespace {

std::string text_of(const Destination& found) {
  return to_string(found.address) + ' ' + found.host + ' ' + found.host_header + found.path +
         (found.secure ? " secure" : "");
}
std::string text_of(std::string_view written) {
  const core::Result<Destination> found = parse_destination(written);
  return found ? text_of(*found) : "refused: " + std::string(found.error().reason);
}

TEST(Destination, HasTheAddressOfTheHostAndItsName) {
  EXPECT_EQ(text_of("192.0.2.1:7777"), "192.0.2.1:7777 192.0.2.1 192.0.2.1:7777/");
  EXPECT_EQ(text_of("tcp:192.0.2.1:7777"), "tcp:192.0.2.1:7777 192.0.2.1 192.0.2.1:7777/");
  EXPECT_EQ(text_of("ws:[::1]:7778"), "ws:[::1]:7778 ::1 [::1]:7778/");
  EXPECT_EQ(text_of("wss:localhost:443"), "ws:127.0.0.1:443 localhost localhost/ secure");
  EXPECT_EQ(text_of("wss://localhost:8443/game"), "ws:127.0.0.1:8443 localhost localhost:8443/game secure");
  EXPECT_EQ(text_of("ws://[::1]"), "ws:[::1]:80 ::1 [::1]/");
}

TEST(Destination, OneMachineHasManySpellings) {
  for (const char* text : {"127.0.0.1:7777", "localhost:7777", "localhost", "LocalHost", "127.1:7777", "127.1",
                           "[::ffff:127.0.0.1]:7777", "[::ffff:7f00:1]", "udp://localhost", "udp:127.0.0.1"}) {
    const core::Result<Destination> found = parse_destination(text);
    ASSERT_TRUE(found) << text << ": " << found.error().message;
    EXPECT_EQ(found->address, loopback(7777)) << text;
  }
  for (const char* text : {"[::1]", "[::1]:7777", "udp:[::1]", "udp://[::1]/", "[0:0:0:0:0:0:0:1]:7777"})
    EXPECT_EQ(parse_destination(text).value().address, loopback_v6(7777)) << text;
}

TEST(Destination, RefusesWhatCannotBeConnectedTo) {
  EXPECT_EQ(text_of("tcp:0.0.0.0:80"), "refused: bad address");
  EXPECT_EQ(text_of("ws://[::]/"), "refused: bad address");
  EXPECT_EQ(text_of("0:7777"), "refused: bad address");
  EXPECT_EQ(text_of("[fe80::1%eth0]:7777"), "refused: bad address");
  EXPECT_EQ(text_of("ws://no-such-host.invalid/"), "refused: unknown host");
}

TEST(Destination, AddressIsNeverSecure) {
  EXPECT_EQ(text_of(destination_of(loopback_v6(80, transport::Pipe::websocket))), "ws:[::1]:80 ::1 [::1]/");
  EXPECT_EQ(text_of(destination_of(loopback_v6(443, transport::Pipe::websocket))), "ws:[::1]:443 ::1 [::1]:443/");
  EXPECT_EQ(text_of(destination_of(loopback(7))), "127.0.0.1:7 127.0.0.1 127.0.0.1:7/");
}

}  // namespace
}  // namespace mobula::net
