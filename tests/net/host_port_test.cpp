#include <gtest/gtest.h>

#include <mobula/net/host_port.hpp>

namespace mobula::net {
namespace {

std::string text_of(const core::Result<HostPort>& parts) {
  if (!parts) return "refused: " + std::string(parts.error().reason);
  return (parts->bracketed ? "v6 " : "") + parts->host + ' ' + (parts->port ? std::to_string(*parts->port) : "no port");
}
std::string parsed(std::string_view text) { return text_of(parse_host_port(text, text)); }
std::string remote(std::string_view text, std::uint16_t port_default = 7777) {
  return text_of(parse_remote(text, text, port_default));
}
// Returns what is wrong, without the quoted text.
std::string problem(std::string_view text) {
  const core::Result<HostPort> parts = parse_remote(text, "X", 7777);
  const std::string message = parts ? "nothing" : parts.error().message;
  return message.substr(message.find(": ") + 2);
}

TEST(HostPort, ParsesHostAndPort) {
  EXPECT_EQ(parsed("192.0.2.1:7777"), "192.0.2.1 7777");
  EXPECT_EQ(parsed("server_1.game.example.:0"), "server_1.game.example. 0");
  EXPECT_EQ(parsed("localhost"), "localhost no port");
  EXPECT_EQ(parsed("127.1:65535"), "127.1 65535");
  EXPECT_EQ(parsed("[::1]:7777"), "v6 ::1 7777");
  EXPECT_EQ(parsed("[::1]"), "v6 ::1 no port");
  EXPECT_EQ(parsed("[::ffff:127.0.0.1]:7777"), "v6 ::ffff:127.0.0.1 7777");
}

TEST(HostPort, ARemoteHasAPort) {
  EXPECT_EQ(remote("localhost"), "localhost 7777");
  EXPECT_EQ(remote("[::1]"), "v6 ::1 7777");
  EXPECT_EQ(remote("localhost:80"), "localhost 80");
  EXPECT_EQ(remote("localhost", 0), "refused: bad address");
  EXPECT_EQ(remote("localhost:0"), "refused: bad address");
  EXPECT_EQ(remote("7777"), "refused: bad address") << "the host was forgotten";
  EXPECT_EQ(remote("127.1"), "127.1 7777");
}

TEST(HostPort, ARefusalNamesTheProblemAndTheRemedy) {
  EXPECT_EQ(parse_host_port("::1:7777", "ws:::1:7777").error().message,
            "'ws:::1:7777' is not an address: an IPv6 address is written in brackets, like [::1]:7777");
  EXPECT_EQ(problem(""), "the host is missing; expected HOST:PORT");
  EXPECT_EQ(problem(":7777"), "the host is missing; expected HOST:PORT");
  EXPECT_EQ(problem("7777"), "expected HOST:PORT");
  EXPECT_EQ(problem("localhost:0"), "port 0 cannot be connected to; expected 1 to 65535");
  for (const char* text : {"localhost:", "localhost:65536", "localhost:7777x", "localhost:-1", "localhost:+1",
                           "localhost: 1", "[::1]7777", "[::1]:"})
    EXPECT_EQ(problem(text), "the port must be a number, at most 65535") << text;
  for (const char* text : {"[]:7777", "[localhost]:7777", "[192.0.2.1]:7777", "[::g]:1", "[[::1]]:1", "[:::1]:1"})
    EXPECT_EQ(problem(text), "the text in brackets is not an IPv6 address") << text;
  for (const char* text : {"::1", "[::1", "a:b:80", "::"})
    EXPECT_EQ(problem(text), "an IPv6 address is written in brackets, like [::1]:7777") << text;
  EXPECT_EQ(problem(std::string(254, 'x') + ":1"), "a host name has at most 253 bytes");
  EXPECT_EQ(remote(std::string(253, 'x') + ":1"), std::string(253, 'x') + " 1");
  for (const std::string text :
       {"local host:1", "//localhost:1", "user@host:1", "host\r\nX:1", "h\xc3\xb6st:1", "a%b:1"})
    EXPECT_EQ(problem(text), "a host name has only letters, digits, '.', '-' and '_'") << text;
  EXPECT_EQ(parsed(std::string_view("local\0host:1", 12)), "refused: bad address");
  EXPECT_EQ(parsed(std::string_view("[::1\0]:1", 8)), "refused: bad address");
}

// An address of ours has no scope, and the kernel refuses to send to a link-local address without one.
TEST(HostPort, RefusesLinkLocalAddressesAndScopes) {
  for (const char* text : {"[fe80::1%eth0]:7777", "[fe80::1%25eth0]:7777", "[fe80::1%no-such-interface]",
                           "[fe80::1%1]:1", "[fe80::1]:7777", "[febf::1]:7777", "[::1%lo]:7777"})
    EXPECT_EQ(problem(text),
              "link-local addresses and scopes such as %eth0 are not supported; use another address of that machine")
        << text;
  EXPECT_EQ(remote("[fec0::1]"), "v6 fec0::1 7777");
  EXPECT_EQ(remote("169.254.1.1"), "169.254.1.1 7777");
}

TEST(HostPort, ARefusalIsPrintableAndShort) {
  const std::string message = bad_address("a\x1b[2J\n" + std::string(10'000, 'x'), "why").message;
  EXPECT_EQ(message.find_first_of("\x1b\n"), std::string::npos);
  EXPECT_LT(message.size(), 200u);
  EXPECT_TRUE(message.ends_with("' is not an address: why"));
}

}  // namespace
}  // namespace mobula::net
