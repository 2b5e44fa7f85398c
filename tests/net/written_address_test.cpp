#include <gtest/gtest.h>

#include <array>
#include <mobula/net/written_address.hpp>

namespace mobula::net {
namespace {

constexpr std::array<std::string_view, 3> pipe_names{"udp", "tcp", "ws"};

// "wss host 443 /path", with the header Host in parentheses.
std::string parts_of(std::string_view written, std::uint16_t game_port = game_port_default) {
  const core::Result<WrittenAddress> found = parse_address(written, game_port);
  if (!found) return "refused: " + std::string(found.error().reason);
  std::string text(pipe_names.at(static_cast<std::size_t>(found->pipe)));
  text += (found->secure ? "s " : " ") + found->at.host + ' ' + std::to_string(found->at.port.value()) + ' ';
  return text + found->path + " (" + host_header(*found) + ')';
}
std::string message_of(std::string_view written) {
  const core::Result<WrittenAddress> found = parse_address(written);
  return found ? "accepted" : found.error().message;
}

TEST(WrittenAddress, ParsesAPipeBeforeHostAndPort) {
  EXPECT_EQ(parts_of("192.0.2.1:7778"), "udp 192.0.2.1 7778 / (192.0.2.1:7778)");
  EXPECT_EQ(parts_of("udp:192.0.2.1:7778"), "udp 192.0.2.1 7778 / (192.0.2.1:7778)");
  EXPECT_EQ(parts_of("tcp:game.example:7778"), "tcp game.example 7778 / (game.example:7778)");
  EXPECT_EQ(parts_of("ws:[::1]:7778"), "ws ::1 7778 / ([::1]:7778)");
  EXPECT_EQ(parts_of("wss:localhost:443"), "wss localhost 443 / (localhost)");
  EXPECT_EQ(parts_of("WSS:localhost:80"), "wss localhost 80 / (localhost:80)");
}

TEST(WrittenAddress, ParsesUrls) {
  EXPECT_EQ(parts_of("ws://127.0.0.1:7778"), "ws 127.0.0.1 7778 / (127.0.0.1:7778)");
  EXPECT_EQ(parts_of("ws://127.0.0.1:7778/"), "ws 127.0.0.1 7778 / (127.0.0.1:7778)");
  EXPECT_EQ(parts_of("wss://game.example/game"), "wss game.example 443 /game (game.example)");
  EXPECT_EQ(parts_of("wss://game.example:443/a/b%20c/@:://"), "wss game.example 443 /a/b%20c/@::// (game.example)");
  EXPECT_EQ(parts_of("Wss://[2001:db8::1]/game"), "wss 2001:db8::1 443 /game ([2001:db8::1])");
  EXPECT_EQ(parts_of("ws://[::1]:7778/game"), "ws ::1 7778 /game ([::1]:7778)");
  EXPECT_EQ(parts_of("tcp://game.example:7778"), "tcp game.example 7778 / (game.example:7778)");
  EXPECT_EQ(parts_of("udp://[::1]:7778/"), "udp ::1 7778 / ([::1]:7778)");
}

TEST(WrittenAddress, AMissingPortIsThatOfThePipe) {
  for (const char* text : {"localhost", "udp:localhost", "udp://localhost"})
    EXPECT_EQ(parts_of(text), "udp localhost 7777 / (localhost:7777)") << text;
  for (const char* text : {"tcp:[::1]", "tcp://[::1]", "tcp://[::1]/"})
    EXPECT_EQ(parts_of(text), "tcp ::1 7777 / ([::1]:7777)") << text;
  EXPECT_EQ(parts_of("[::1]"), "udp ::1 7777 / ([::1]:7777)");
  EXPECT_EQ(parts_of("ws:localhost"), "ws localhost 80 / (localhost)");
  EXPECT_EQ(parts_of("ws://[::1]/x"), "ws ::1 80 /x ([::1])");
  EXPECT_EQ(parts_of("wss:[::1]"), "wss ::1 443 / ([::1])");
  EXPECT_EQ(parts_of("tcp:localhost", 9000), "tcp localhost 9000 / (localhost:9000)");
  EXPECT_EQ(parts_of("wss://localhost", 9000), "wss localhost 443 / (localhost)");
}

TEST(WrittenAddress, AHostMayHaveTheNameOfAPipe) {
  EXPECT_EQ(parts_of("tcp:7778"), "udp tcp 7778 / (tcp:7778)");
  EXPECT_EQ(parts_of("ws"), "udp ws 7777 / (ws:7777)");
  EXPECT_EQ(parts_of("ws://wss:80/ws"), "ws wss 80 /ws (wss)");
}

TEST(WrittenAddress, NamesAnUnknownScheme) {
  const std::string known = "; known: udp, tcp, ws, wss";
  EXPECT_EQ(message_of("upd:localhost:7777"), "'upd:localhost:7777' is not an address: unknown scheme 'upd'" + known);
  EXPECT_EQ(message_of("http://localhost"), "'http://localhost' is not an address: unknown scheme 'http'" + known);
  EXPECT_EQ(message_of("://localhost"), "'://localhost' is not an address: unknown scheme ''" + known);
  EXPECT_NE(message_of(std::string(500, 's') + "://x").find("unknown scheme 'ssss"), std::string::npos);
}

TEST(WrittenAddress, ARefusalNamesThePartOfTheUrl) {
  const auto problem = [](std::string_view text) {
    const std::string message = message_of(text);
    return message.substr(message.find("address: ") + 9);
  };
  EXPECT_EQ(problem("ws://"), "the host is missing; expected HOST:PORT");
  EXPECT_EQ(problem("ws:///game"), "the host is missing; expected HOST:PORT");
  EXPECT_EQ(problem("ws://:80/game"), "the host is missing; expected HOST:PORT");
  EXPECT_EQ(problem("ws://localhost:0/"), "port 0 cannot be connected to; expected 1 to 65535");
  EXPECT_EQ(problem("ws://localhost:65536/"), "the port must be a number, at most 65535");
  EXPECT_EQ(problem("ws://localhost:/"), "the port must be a number, at most 65535");
  EXPECT_EQ(problem("ws://::1/"), "an IPv6 address is written in brackets, like [::1]:7777");
  EXPECT_EQ(problem("ws://anna:secret@localhost/"),
            "user info ('@') is not supported; a connect token identifies the client");
  EXPECT_EQ(problem("ws://localhost?room=1"), "a query ('?') is not supported; leave it out");
  EXPECT_EQ(problem("ws://localhost/game?room=1"), "a query ('?') is not supported; leave it out");
  EXPECT_EQ(problem("wss://localhost/#top"), "a fragment ('#') is not supported; leave it out");
  EXPECT_EQ(problem("tcp://localhost/game"), "only ws and wss have a path; leave it out");
  EXPECT_EQ(problem("ws:localhost:80/game"), "a path needs a URL, such as ws://HOST:PORT/PATH");
  EXPECT_EQ(problem("//localhost"), "a path needs a URL, such as ws://HOST:PORT/PATH");
  for (const char* path : {"/a b", "/a\r\nX: y", "/\x7f", "/\xc3\xa4"})
    EXPECT_EQ(problem("ws://localhost" + std::string(path)),
              "the path has a character that a URL writes in percent-encoding, such as %20");
  for (const char* text : {"", "tcp:", "tcp::7777", "tcp:localhost:", "tcp:udp:localhost:80", "ws:::1:80", "7777"})
    EXPECT_EQ(parts_of(text), "refused: bad address") << text;
}

TEST(WrittenAddress, ATooLongOneIsRefused) {
  const std::string host = "ws://localhost/";
  const std::string longest = host + std::string(written_address_bytes_max - host.size(), 'x');
  EXPECT_TRUE(parts_of(longest).starts_with("ws localhost 80 /xxx"));
  EXPECT_TRUE(message_of(longest + 'x').ends_with("it has 1025 bytes; the maximum is 1024"));
}

}  // namespace
}  // namespace mobula::net
