// Hand-made WebSocket frames of RFC 6455, valid and invalid, against the server.
#include <mobula/core/log_repeats.hpp>

#include "pipes_testing.hpp"
#include "raw_websocket.hpp"

namespace mobula::net {
namespace {

using namespace raw_websocket;
using core::millisecond;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using transport::Address;
using transport::Pipe;

std::string from_server(char first, std::string_view payload) {
  return std::string{first, static_cast<char>(payload.size())} + std::string(payload);
}

std::string after_head(const std::string& received) {
  const std::size_t end = received.find("\r\n\r\n");
  return end == std::string::npos ? "" : received.substr(end + 4);
}

// A peer whose upgrade was accepted.
std::unique_ptr<RawPeer> upgraded(EventLoop& loop, TestServer& server, int receive_buffer_bytes = 0) {
  auto peer = std::make_unique<RawPeer>(server.websocket(), receive_buffer_bytes);
  peer->send(request("/"));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer->received().ends_with("\r\n\r\n"); }));
  EXPECT_THAT(peer->received(), StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(peer->received(), HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));  // RFC 6455, 1.3
  return peer;
}

TEST(WebSocketStream, BinaryMessageIsADatagram) {
  EventLoop loop;
  TestServer server(loop);
  const auto peer = upgraded(loop, server);
  const std::string longest(transport::datagram_bytes_max, 'y');
  peer->send(frame(binary, "hello") + frame(binary, longest));
  EXPECT_TRUE(run_until_true(loop, [&] { return after_head(peer->received()).size() == 7 + 4 + longest.size(); }));
  EXPECT_THAT(server.received, ElementsAre("hello", longest));
  EXPECT_THAT(after_head(peer->received()), StartsWith(from_server(binary, "hello")));
  EXPECT_THAT(after_head(peer->received()), testing::EndsWith(longest));
  EXPECT_EQ(server.last_from, loopback(peer->port(), Pipe::websocket));
}

TEST(WebSocketStream, AcceptsAFragmentedMessageWithAPingBetween) {
  EventLoop loop;
  TestServer server(loop);
  const auto peer = upgraded(loop, server);
  peer->send(frame(2, "hel") + frame(ping, "there?") + frame(char(0x80), "lo"));
  EXPECT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  EXPECT_THAT(server.received, ElementsAre("hello"));
  const std::string expected = from_server(pong, "there?") + from_server(binary, "hello");
  EXPECT_TRUE(run_until_true(loop, [&] { return after_head(peer->received()) == expected; }));
}

TEST(WebSocketStream, RefusesOtherMessagesWithACloseFrame) {
  const std::vector<std::pair<std::string, StreamEnd>> cases{
      {frame(text, "hello"), StreamEnd::bad_message},
      {frame(binary, std::string(transport::datagram_bytes_max + 1, 'x')), StreamEnd::bad_message},
      {frame(2, std::string(1000, 'x')) + frame(char(0x80), std::string(1000, 'x')), StreamEnd::bad_message},
      {frame(binary, ""), StreamEnd::bad_length},
      {frame(char(0xc2), "compressed"), StreamEnd::bad_message},
      {frame(char(0x83), "unknown"), StreamEnd::bad_message},
      {from_server(binary, "no mask"), StreamEnd::bad_message},
      {frame(char(0x80), "goes on"), StreamEnd::bad_message},
      {"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff 1234", StreamEnd::bad_message},
  };
  EventLoop loop;
  TestServer server(loop);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    server.received.clear();
    const std::uint64_t before = server.ended(Pipe::websocket, cases[i].second);
    const auto peer = upgraded(loop, server);
    peer->send(frame(binary, "good") + cases[i].first + frame(binary, "late"));
    const Address address = loopback(peer->port(), Pipe::websocket);
    EXPECT_TRUE(run_until_true(loop, [&] { return peer->closed() && !server.closed[address].empty(); }));
    EXPECT_THAT(server.received, ElementsAre("good"));
    EXPECT_EQ(server.ended(Pipe::websocket, cases[i].second), before + 1);
    EXPECT_THAT(server.closed[address], ElementsAre(to_string(cases[i].second)));
    const std::string answer = after_head(peer->received());
    ASSERT_EQ(answer.size(), 6u + 4u);
    EXPECT_EQ(answer[6], bye);
  }
}

TEST(WebSocketStream, AnswersACloseFrame) {
  EventLoop loop;
  TestServer server(loop);
  const auto peer = upgraded(loop, server);
  peer->send(frame(binary, "x") + frame(bye, "\x03\xe8"));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer->closed() && !server.closed.empty(); }));
  EXPECT_EQ(after_head(peer->received()), from_server(binary, "x") + from_server(bye, "\x03\xe8"));
  EXPECT_THAT(server.closed[server.last_from], ElementsAre("closed by peer"));
}

TEST(WebSocketStream, FinishedWritesTheQueueAndACloseFrame) {
  EventLoop loop;
  TestServer server(loop);
  server.echo = false;
  const auto peer = upgraded(loop, server);
  peer->send(frame(binary, "x"));
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  server.pipes->send(server.last_from, bytes_of("last"));
  server.pipes->finished(server.last_from);
  EXPECT_TRUE(run_until_true(loop, [&] { return peer->closed(); }));
  EXPECT_EQ(after_head(peer->received()), from_server(binary, "last") + from_server(bye, "\x03\xe8"));
  peer->send(frame(bye, "\x03\xe8"));
  peer->half_close();
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
}

TEST(WebSocketStream, OffersNoExtensions) {
  EventLoop loop;
  TestServer server(loop);
  RawPeer peer(server.websocket());
  peer.send(request("/", "Sec-WebSocket-Extensions: permessage-deflate\r\n"));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.received().ends_with("\r\n\r\n"); }));
  EXPECT_THAT(peer.received(), StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(peer.received(), testing::Not(HasSubstr("Extensions")));
}

TEST(WebSocketStream, AcceptsAnyPath) {
  EventLoop loop;
  TestServer server(loop);
  for (const std::string& path : {std::string("/game"), std::string("/game/room%201/"), std::string("/?room=1"),
                                  std::string("http://game.example/game"), '/' + std::string(3000, 'x')}) {
    server.received.clear();
    RawPeer peer(server.websocket());
    peer.send(request(path));
    ASSERT_TRUE(run_until_true(loop, [&] { return peer.received().ends_with("\r\n\r\n"); })) << path;
    EXPECT_THAT(peer.received(), StartsWith("HTTP/1.1 101")) << path;
    peer.send(frame(binary, "hello"));
    EXPECT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  }
}

TEST(WebSocketStream, RefusesOtherProtocols) {
  EventLoop loop;
  TestServer server(loop);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "HTTP/1.1 426"},
      {"GET /game HTTP/1.1\r\nHost: here\r\n\r\n", "HTTP/1.1 426"},
      {"POST / HTTP/1.1\r\nHost: here\r\n\r\n", "HTTP/1.1 426"},
      {request("/") + frame(binary, "too early"), "HTTP/1.1 400"},
  };
  for (const auto& [asked, answer] : cases) {
    RawPeer peer(server.websocket());
    peer.send(asked);
    EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
    EXPECT_THAT(peer.received(), StartsWith(answer)) << asked;
    const std::string body = after_head(peer.received());
    EXPECT_THAT(peer.received(), HasSubstr("Content-Length: " + std::to_string(body.size()) + "\r\n"));
    EXPECT_FALSE(body.empty());
  }
  for (const std::string& garbage :
       {std::string(5000, 'x'), std::string("\5\0hello", 7), std::string("\x16\x03\x01\r\n"),
        "GET / HTTP/1.1\r\nx: " + std::string(5000, 'x'), request('/' + std::string(5000, 'x'))}) {
    RawPeer peer(server.websocket());
    peer.send(garbage);
    peer.half_close();
    EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  }
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_EQ(server.ended(Pipe::websocket, StreamEnd::bad_handshake), 9u);
  EXPECT_TRUE(server.closed.empty());
}

TEST(WebSocketStream, NamesWhatIsWrongWithARequest) {
  EventLoop loop;
  TestServer server(loop);
  TestServer behind(loop, {}, {}, {}, {parse_address_range("127.0.0.0/8").value()});
  const std::vector<std::pair<std::string, std::string>> cases{
      {request("/", "Cookie: " + std::string(4200, 'c') + "\r\n"), "431"},
      {request('/' + std::string(5000, 'x')), "431"},
      {request("/", "X-Forwarded-For : 1.1.1.1\r\n"), "400"},
      {request("/", std::string("X-Forwarded-For: 1.1.1.1\0\r\n", 27)), "400"},
      {"hello\r\n\r\n", "400"},
      {request("/") + frame(binary, "too early"), "400"},
  };
  for (const auto& [asked, status] : cases) {
    for (TestServer* const asks : {&server, &behind}) {
      core::restart_log_repeats();
      testing::internal::CaptureStderr();
      RawPeer peer(asks->websocket());
      peer.send(asked);
      EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
      const std::string log = testing::internal::GetCapturedStderr();
      EXPECT_THAT(peer.received(), StartsWith("HTTP/1.1 " + status)) << asked;
      const std::string body = after_head(peer.received());
      EXPECT_FALSE(body.empty());
      EXPECT_THAT(log, HasSubstr(asks == &server ? "refused a connection of ws:127.0.0.1:"
                                                 : "refused a connection of the trusted proxy ws:127.0.0.1:"));
      EXPECT_THAT(log, HasSubstr(body));
    }
  }
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() + behind.connections() == 0; }));
}

TEST(WebSocketStream, ARequestThatIsNoUpgradeOfItsVersionIsLogged) {
  EventLoop loop;
  TestServer server(loop);
  std::string nameless = request("/");
  nameless.erase(nameless.find("Host: here\r\n"), 12);
  core::restart_log_repeats();
  testing::internal::CaptureStderr();
  RawPeer peer(server.websocket());
  peer.send(nameless);
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("refused a connection of ws:127.0.0.1:"));
  EXPECT_THAT(peer.received(), StartsWith("HTTP/1.1 400"));
}

// Sends an upgrade with these headers and returns the status of the answer.
std::string status_of(EventLoop& loop, const TestServer& server, const std::string& headers) {
  RawPeer peer(server.websocket());
  peer.send(request("/", headers));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.received().find("\r\n\r\n") != std::string::npos; }));
  return peer.received().substr(9, 3);
}

TEST(WebSocketStream, RefusesPagesOfOtherOriginsByName) {
  EventLoop loop;
  TestServer server(loop);
  testing::internal::CaptureStderr();
  std::uint64_t refused = 0;
  for (const char* origin : {"http://evil.example", "null", "", "http://here.evil.example", "http://here:80",
                             "http://here\r\nOrigin: http://here", "http://here\r\nHost: here"}) {
    EXPECT_EQ(status_of(loop, server, "Origin: " + std::string(origin) + "\r\n"), "403") << origin;
    ++refused;
    EXPECT_TRUE(
        run_until_true(loop, [&] { return server.ended(Pipe::websocket, StreamEnd::foreign_origin) == refused; }));
  }
  EXPECT_EQ(to_string(StreamEnd::foreign_origin), "foreign origin");
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("refused a WebSocket of a page of the origin 'http://evil.example', whose host is not 'here'"));
  EXPECT_TRUE(server.received.empty());
}

TEST(WebSocketStream, AcceptsPagesOfItsHostAndPrograms) {
  EventLoop loop;
  TestServer server(loop);
  for (const char* headers :
       {"", "Origin: http://here\r\n", "Origin: https://here:8443\r\n", "Origin: HTTP://HERE\r\n"})
    EXPECT_EQ(status_of(loop, server, headers), "101") << headers;
}

TEST(WebSocketStream, AcceptsPagesOfAllowedOrigins) {
  EventLoop loop;
  TestServer server(loop, {}, {}, {}, {}, {"https://game.example", "http://localhost:5173"});
  for (const char* origin : {"https://game.example", "http://localhost:5173", "http://here:8080"})
    EXPECT_EQ(status_of(loop, server, "Origin: " + std::string(origin) + "\r\n"), "101") << origin;
  for (const char* origin : {"http://game.example", "https://game.example:8443", "null"})
    EXPECT_EQ(status_of(loop, server, "Origin: " + std::string(origin) + "\r\n"), "403") << origin;
  TestServer open(loop, {}, {}, {}, {}, {"*"});
  EXPECT_EQ(status_of(loop, open, "Origin: null\r\n"), "101");
}

TEST(WebSocketStream, ATrustedProxyNamesTheHostOfPages) {
  EventLoop loop;
  const std::string page = "Origin: https://game.example\r\nX-Forwarded-Host: game.example\r\n";
  TestServer behind(loop, {}, {}, {}, {parse_address_range("127.0.0.0/8").value()});
  EXPECT_EQ(status_of(loop, behind, page), "101");
  EXPECT_EQ(status_of(loop, behind, "Origin: https://evil.example\r\nX-Forwarded-Host: game.example\r\n"), "403");
  TestServer alone(loop);
  EXPECT_EQ(status_of(loop, alone, page), "403") << "the peer is not trusted";
}

TEST(WebSocketStream, ClosesAHalfOpenUpgrade) {
  EventLoop loop;
  TestServer server(loop, {.first_datagram_max = 300 * millisecond});
  RawPeer silent(server.websocket());
  RawPeer half(server.websocket());
  half.send("GET / HTTP/1.1\r\n");
  const auto only_upgraded = upgraded(loop, server);
  EXPECT_TRUE(run_until_true(
      loop, [&] { return silent.closed() && half.closed() && only_upgraded->closed() && server.connections() == 0; }));
  EXPECT_EQ(server.ended(Pipe::websocket, StreamEnd::no_datagram), 3u);
}

TEST(WebSocketStream, IsNotReadyUntilAStalledPeerReads) {
  EventLoop loop;
  TestServer server(loop);
  server.echo = false;
  const auto peer = upgraded(loop, server, 4096);
  peer->send(frame(binary, "x"));
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  const Address to = server.last_from;
  const std::size_t head = peer->received().size();
  for (int i = 0; i < 10'000 && server.pipes->ready(to); ++i) {
    server.pipes->send(to, core::Bytes(1000));
    server.pipes->flush();
    loop.run_until(0);
  }
  ASSERT_FALSE(server.pipes->ready(to));
  const StreamCounters& counters = server.pipes->stream_counters(Pipe::websocket);
  EXPECT_TRUE(run_until_true(loop, [&] {
    return peer->received().size() == head + 1004 * counters.datagrams_sent && server.pipes->ready(to);
  }));
  EXPECT_EQ(counters.dropped_full, 0u);
}

// Whether it reads the pongs or not.
TEST(WebSocketStream, ClosesAPeerThatOnlyPings) {
  EventLoop loop;
  TestServer server(loop);
  const auto send = [&](RawPeer& peer, int pings) {
    for (int i = 0; i < pings; ++i) peer.send(frame(ping, "p"));
  };
  const auto peer = upgraded(loop, server);
  for (const std::string_view message : {"x", "y"}) {
    send(*peer, 32);
    peer->send(frame(binary, message));
  }
  EXPECT_TRUE(run_until_true(loop, [&] { return server.received.size() == 2; }));
  send(*peer, 33);
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_EQ(server.ended(Pipe::websocket, StreamEnd::bad_message), 1u);
}

}  // namespace
}  // namespace mobula::net
