// Peers that name their clients: PROXY headers on both stream pipes, and the headers of a WebSocket's request.
#include <mobula/net/ip_text.hpp>

#include "pipes_testing.hpp"
#include "raw_websocket.hpp"

namespace mobula::net::trusted_proxies_test {
namespace {

using namespace raw_websocket;
using namespace std::string_literals;
using core::millisecond;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using transport::Address;
using transport::Pipe;

const std::string line = "PROXY TCP4 192.0.2.7 198.51.100.1 56324 7777\r\n";
const std::string line_of_unknown = "PROXY UNKNOWN\r\n";
const std::string signature_v2 = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string header_v2 = signature_v2 + "\x21\x11\0\x10\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x1e\x61\4\0\1x"s;
const std::string header_v2_local = signature_v2 + "\x20\0\0\0"s;

std::string framed(const std::string& datagram) {
  const auto size = static_cast<std::uint16_t>(datagram.size());
  return text_of(core::as_bytes(&size, 1)) + datagram;
}

// A server that trusts this machine, or other proxies.
struct ProxiedServer : TestServer {
  explicit ProxiedServer(EventLoop& loop, StreamLimits limits = {}, std::string_view trusted = "127.0.0.0/8")
      : TestServer(loop, limits, {}, {}, {parse_address_range(trusted).value()}) {}

  // Returns the number of connections that ended so, of both pipes.
  [[nodiscard]] std::uint64_t ended_so(StreamEnd end) const {
    return ended(Pipe::tcp, end) + ended(Pipe::websocket, end);
  }
};

// Runs until the server has received a datagram, and returns from whom.
std::string sender(EventLoop& loop, const ProxiedServer& server) {
  EXPECT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  return to_string(server.last_from);
}

TEST(TrustedProxies, AHeaderBeforeTheStreamNamesTheClient) {
  EventLoop loop;
  for (const std::string& header : {line, header_v2}) {
    ProxiedServer server(loop);
    RawPeer tcp(server.tcp());
    tcp.send(header + framed("hello"));
    EXPECT_EQ(sender(loop, server), "tcp:192.0.2.7:56324");
    EXPECT_TRUE(run_until_true(loop, [&] { return tcp.received() == framed("hello"); })) << "the answer finds its way";

    server.received.clear();
    RawPeer websocket(server.websocket());
    websocket.send(header + request("/"));
    ASSERT_TRUE(run_until_true(loop, [&] { return websocket.received().ends_with("\r\n\r\n"); }));
    EXPECT_THAT(websocket.received(), StartsWith("HTTP/1.1 101"));
    websocket.send(frame(binary, "hello"));
    EXPECT_EQ(sender(loop, server), "ws:192.0.2.7:56324");
    server.pipes->check();
  }
}

TEST(TrustedProxies, AHeaderMayArriveByteByByte) {
  EventLoop loop;
  for (const std::string& header : {line, header_v2}) {
    ProxiedServer server(loop);
    RawPeer peer(server.tcp());
    for (const char byte : header + framed("hello")) {
      peer.send(std::string(1, byte));
      run_for(loop, millisecond);
    }
    EXPECT_EQ(sender(loop, server), "tcp:192.0.2.7:56324");
    EXPECT_THAT(server.received, ElementsAre("hello"));
  }
}

TEST(TrustedProxies, AProxyMayNameNoClient) {
  EventLoop loop;
  for (const std::string& header : {line_of_unknown, header_v2_local, ""s}) {
    ProxiedServer server(loop);
    RawPeer peer(server.tcp());
    peer.send(header + framed("hello"));
    EXPECT_EQ(sender(loop, server), to_string(loopback(peer.port(), Pipe::tcp)));
  }
}

// Lengths of 80 and 13 begin as a header does.
TEST(TrustedProxies, AStreamThatBeginsLikeAHeaderIsComplete) {
  EventLoop loop;
  for (const std::size_t size : {80u, 13u}) {
    ProxiedServer server(loop);
    RawPeer peer(server.tcp());
    const std::string datagram(size, 'd');
    for (const char byte : framed(datagram)) {
      peer.send(std::string(1, byte));
      run_for(loop, millisecond);
    }
    EXPECT_EQ(sender(loop, server), to_string(loopback(peer.port(), Pipe::tcp)));
    EXPECT_THAT(server.received, ElementsAre(datagram));
  }
  ProxiedServer server(loop);
  RawPeer peer(server.websocket());
  peer.send("P");
  run_for(loop, 5 * millisecond);
  peer.send("OST / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  EXPECT_THAT(peer.received(), StartsWith("HTTP/1.1 426"));
}

TEST(TrustedProxies, AMalformedHeaderClosesTheConnection) {
  EventLoop loop;
  ProxiedServer server(loop);
  std::uint64_t refused = 0;
  for (const std::uint16_t port : {server.tcp(), server.websocket()})
    for (const std::string& header : {"PROXY TCP4 192.0.2.7\r\n"s, "PROXY "s + std::string(200, 'x'),
                                      signature_v2 + "\x21\x12\0\x0c"s, signature_v2 + "\x21\x11\xff\xff"s}) {
      RawPeer peer(port);
      peer.send(header);
      ++refused;
      EXPECT_TRUE(run_until_true(loop, [&] {
        return peer.closed() && server.ended_so(StreamEnd::bad_proxy) == refused;
      })) << header;
    }
  EXPECT_THAT(server.received, IsEmpty());
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
}

TEST(TrustedProxies, OnlyOneHeaderIsRead) {
  EventLoop loop;
  ProxiedServer server(loop);
  RawPeer peer(server.tcp());
  peer.send(line + line + framed("hello"));
  EXPECT_TRUE(run_until_true(loop, [&] {
    return peer.closed() && server.ended(Pipe::tcp, StreamEnd::bad_length) == 1;
  })) << "the second is the client's own";
}

TEST(TrustedProxies, AHeaderOfAnUntrustedPeerIsMalformed) {
  EventLoop loop;
  ProxiedServer server(loop, {}, "10.0.0.0/8");
  for (const std::string& header : {line, header_v2}) {
    RawPeer tcp(server.tcp());
    tcp.send(header + framed("hello"));
    RawPeer websocket(server.websocket());
    websocket.send(header + request("/"));
    EXPECT_TRUE(run_until_true(loop, [&] { return tcp.closed() && websocket.closed(); }));
    EXPECT_THAT(websocket.received(), testing::Not(HasSubstr("101")));
  }
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_EQ(server.ended(Pipe::tcp, StreamEnd::bad_length), 2u);
  EXPECT_EQ(server.ended(Pipe::websocket, StreamEnd::bad_handshake), 2u);
  EXPECT_THAT(server.received, IsEmpty());
}

TEST(TrustedProxies, AnUnfinishedHeaderIsClosedInTime) {
  EventLoop loop;
  ProxiedServer server(loop, {.first_datagram_max = 100 * millisecond});
  RawPeer silent(server.tcp());
  RawPeer half_line(server.tcp());
  half_line.send("PROXY TCP4 192.");
  RawPeer half_v2(server.websocket());
  half_v2.send(header_v2.substr(0, 20));
  EXPECT_TRUE(run_until_true(
      loop, [&] { return silent.closed() && half_line.closed() && half_v2.closed() && server.connections() == 0; }));
  EXPECT_EQ(server.ended_so(StreamEnd::no_datagram), 3u);
}

TEST(TrustedProxies, AClientMayCloseWithinItsHeader) {
  EventLoop loop;
  ProxiedServer server(loop);
  for (const std::string& begin : {""s, "PROX"s, header_v2.substr(0, 15)}) {
    RawPeer peer(server.tcp());
    peer.send(begin);
    peer.half_close();
    EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed() && server.connections() == 0; })) << begin;
  }
}

// Returns what the server makes of a request with these headers: its client, or the status and text of the answer.
std::string outcome_of_request(const std::string& headers, std::string_view trusted = "127.0.0.0/8",
                               const std::string& before = {}) {
  EventLoop loop;
  ProxiedServer server(loop, {}, trusted);
  RawPeer peer(server.websocket());
  peer.send(before + request("/", headers));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.received().ends_with("\r\n\r\n") || peer.closed(); }));
  const std::string& answer = peer.received();
  if (!answer.starts_with("HTTP/1.1 101")) return answer.substr(9, 4) + answer.substr(answer.find("\r\n\r\n") + 4);
  peer.send(frame(binary, "hello"));
  const std::string client = sender(loop, server);
  server.pipes->check();
  return client == to_string(loopback(peer.port(), Pipe::websocket)) ? "the peer" : client.substr(0, client.rfind(':'));
}

TEST(TrustedProxies, HeadersOfARequestNameTheClient) {
  EXPECT_EQ(outcome_of_request("X-Forwarded-For: 203.0.113.5, 192.0.2.7, 127.0.0.9\r\n"), "ws:192.0.2.7");
  EXPECT_EQ(outcome_of_request("Forwarded: for=203.0.113.5, for=\"[2001:db8::7]:99\"\r\n"), "ws:[2001:db8::7]");
  EXPECT_EQ(outcome_of_request("x-forwarded-for: 203.0.113.5\r\nX-Other: 1\r\nX-Forwarded-For: 192.0.2.7\r\n"),
            "ws:192.0.2.7")
      << "lines are a list in their order";
  EXPECT_EQ(outcome_of_request("Forwarded: for=unknown\r\n"), "the peer");
  EXPECT_EQ(outcome_of_request(""), "the peer");
}

TEST(TrustedProxies, HeadersOfAnUntrustedRequestAreIgnored) {
  EXPECT_EQ(outcome_of_request("X-Forwarded-For: 192.0.2.7\r\n", "10.0.0.0/8"), "the peer");
  EXPECT_EQ(outcome_of_request("Forwarded: for=\r\n", "10.0.0.0/8"), "the peer");
}

TEST(TrustedProxies, AMalformedHeaderRefusesTheRequest) {
  EXPECT_EQ(outcome_of_request("X-Forwarded-For: localhost\r\n"), "400 X-Forwarded-For: 'localhost' is not an address");
  EXPECT_EQ(outcome_of_request("Forwarded: for=\r\n"), "400 Forwarded: expected name=value pairs");
  EXPECT_THAT(outcome_of_request("Forwarded: for=203.0.113.5\r\nX-Forwarded-For: 192.0.2.7\r\n"),
              StartsWith("400 Forwarded and X-Forwarded-For name different clients"));
}

// Returns whether refusals log a line with this text. The log holds back lines that repeat within a second, so it may
// take many refusals.
template <class Refuse>
bool logs(std::string_view text, Refuse&& refuse) {
  for (int i = 0; i < 5000; ++i) {
    testing::internal::CaptureStderr();
    refuse();
    if (testing::internal::GetCapturedStderr().find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(TrustedProxies, TheLogNamesAMalformedHeaderOnce) {
  EXPECT_TRUE(logs("2: X-Forwarded-For: 'two' is not an address", [] {
    const std::string of_proxy = "PROXY TCP4 127.0.0.9 198.51.100.1 2 7777\r\n";
    outcome_of_request("X-Forwarded-For: two\r\n", "127.0.0.0/8", of_proxy);
  }));
  EXPECT_TRUE(logs(": PROXY header: expected PROXY, TCP4 or TCP6", [] {
    EventLoop loop;
    ProxiedServer server(loop);
    RawPeer peer(server.tcp());
    peer.send("PROXY TCP4 nonsense\r\n");
    EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  }));
}

// The PROXY header replaces the peer's address. Only if that is a trusted proxy's, the request names the client.
TEST(TrustedProxies, TheHeaderBeforeTheStreamReplacesThePeer) {
  EXPECT_EQ(outcome_of_request("X-Forwarded-For: 203.0.113.5\r\n", "127.0.0.0/8", line), "ws:192.0.2.7")
      << "the client has written it";
  const std::string of_proxy = "PROXY TCP4 127.0.0.9 198.51.100.1 56324 7777\r\n";
  EXPECT_EQ(outcome_of_request("X-Forwarded-For: 203.0.113.5\r\n", "127.0.0.0/8", of_proxy), "ws:203.0.113.5");
}

TEST(TrustedProxies, EachClientHasALimitAndTheProxyHasNone) {
  EventLoop loop;
  ProxiedServer server(loop, {.unanswered_per_host_max = 2});
  server.echo = false;
  std::vector<std::unique_ptr<RawPeer>> peers;
  const auto connect = [&](const std::string& ip) -> RawPeer& {
    peers.push_back(std::make_unique<RawPeer>(server.tcp()));
    peers.back()->send("PROXY TCP4 " + ip + " 198.51.100.1 " + std::to_string(peers.size()) + " 7777\r\n" + framed(ip));
    return *peers.back();
  };
  for (int i = 0; i < 2; ++i) connect("192.0.2.7");
  ASSERT_TRUE(run_until_true(loop, [&] { return server.received.size() == 2; }));
  RawPeer& third = connect("192.0.2.7");
  EXPECT_TRUE(
      run_until_true(loop, [&] { return third.closed() && server.ended(Pipe::tcp, StreamEnd::host_full) == 1; }));
  EXPECT_EQ(server.pipes->stream_counters(Pipe::tcp).refused_host, 1u);
  for (int i = 8; i < 12; ++i) connect("192.0.2." + std::to_string(i));
  EXPECT_TRUE(run_until_true(loop, [&] { return server.received.size() == 6; }));
  server.pipes->check();
}

TEST(TrustedProxies, StreamsOfOneAddressGetPortsOfTheirOwn) {
  EventLoop loop;
  ProxiedServer server(loop);
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (const char* port : {"56324", "56325", "56326"}) {
    server.received.clear();
    peers.push_back(std::make_unique<RawPeer>(server.tcp()));
    peers.back()->send(line + framed("same address"));
    EXPECT_EQ(sender(loop, server), "tcp:192.0.2.7:" + std::string(port));
    EXPECT_TRUE(run_until_true(loop, [&] { return !peers.back()->received().empty(); }));
    server.pipes->check();
  }
  peers.erase(peers.begin());
  ASSERT_TRUE(run_until_true(loop, [&] { return server.connections() == 2; }));
  server.received.clear();
  peers.push_back(std::make_unique<RawPeer>(server.tcp()));
  peers.back()->send(line + framed("again"));
  EXPECT_EQ(sender(loop, server), "tcp:192.0.2.7:56324") << "it is free again";
}

TEST(TrustedProxies, AClosedStreamIsReportedByItsClient) {
  EventLoop loop;
  ProxiedServer server(loop);
  auto peer = std::make_unique<RawPeer>(server.tcp());
  peer->send(line + framed("hello"));
  sender(loop, server);
  peer.reset();
  ASSERT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  Address client = Address::v4(192, 0, 2, 7, 56324);
  client.pipe = Pipe::tcp;
  EXPECT_THAT(server.closed[client], ElementsAre("closed by peer"));
}

}  // namespace
}  // namespace mobula::net::trusted_proxies_test
