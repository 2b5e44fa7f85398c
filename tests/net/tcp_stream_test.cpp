// TCP peers that are well-behaved, slow, greedy or hostile.
#include <mobula/core/random.hpp>

#include "pipes_testing.hpp"

namespace mobula::net::tcp_stream_test {
namespace {

using core::millisecond;
using testing::ElementsAre;
using transport::Address;
using transport::Pipe;

constexpr char too_long[] = {char(0xca), 4};  // 1226

TEST(TcpStream, KeepsDatagramBoundariesForAnySegmentation) {
  EventLoop loop;
  TestServer server(loop);
  RawPeer peer(server.tcp());
  core::Random random(7);
  std::string stream;
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.emplace_back(1 + random.below(transport::datagram_bytes_max), static_cast<char>('a' + i % 26));
    const auto size = static_cast<std::uint16_t>(expected.back().size());
    stream += text_of(core::as_bytes(&size, 1)) + expected.back();
  }
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t piece = 1 + random.below(random.chance(1, 2) ? 3 : 5000);
    peer.send(std::string_view(stream).substr(at, piece));
    at += piece;
    loop.run_until(0);
    peer.received();
  }
  ASSERT_TRUE(run_until_true(loop, [&] { return peer.received().size() >= stream.size(); }));
  EXPECT_EQ(server.received, expected);
  EXPECT_EQ(peer.received(), stream);  // the echo
  EXPECT_EQ(server.last_from, loopback(peer.port(), Pipe::tcp));
}

TEST(TcpStream, BadLengthClosesTheConnection) {
  EventLoop loop;
  TestServer server(loop);
  for (const std::string_view garbage : {std::string_view("\0\0", 2), std::string_view(too_long, 2),
                                         std::string_view("GET / HTTP/1.1\r\n\r\n"), std::string_view("\xff\xff", 2)}) {
    RawPeer peer(server.tcp());
    peer.send_framed("hello");
    peer.send(garbage);
    const Address address = loopback(peer.port(), Pipe::tcp);
    EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed() && !server.closed[address].empty(); }));
    EXPECT_THAT(server.closed[address], ElementsAre("bad length"));
  }
  EXPECT_THAT(server.received, ElementsAre("hello", "hello", "hello", "hello"));
  EXPECT_EQ(server.ended(Pipe::tcp, StreamEnd::bad_length), 4u);
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
}

TEST(TcpStream, DeliversNothingAfterABadLength) {
  EventLoop loop;
  TestServer server(loop);
  RawPeer peer(server.tcp());
  peer.send(std::string("\1\0a\0\0\1\0b", 8));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  EXPECT_THAT(server.received, ElementsAre("a"));
}

TEST(TcpStream, ClosesASilentConnection) {
  EventLoop loop;
  TestServer server(loop, {.first_datagram_max = 50 * millisecond});
  RawPeer silent(server.tcp());
  RawPeer slow(server.tcp());
  slow.send(std::string("\5\0half", 6));
  EXPECT_TRUE(run_until_true(loop, [&] { return silent.closed() && slow.closed() && server.connections() == 0; }));
  EXPECT_EQ(server.ended(Pipe::tcp, StreamEnd::no_datagram), 2u);
  EXPECT_TRUE(server.closed.empty());  // the owner was never notified of them
}

TEST(TcpStream, ClosesAnUnansweredConnection) {
  EventLoop loop;
  TestServer server(loop, {.first_datagram_max = 300 * millisecond, .nothing_sent_max = 20 * millisecond});
  server.echo = false;
  RawPeer peer(server.tcp());
  EXPECT_TRUE(run_until_true(loop, [&] {
    peer.send_framed("let me in");
    return peer.closed() && server.connections() == 0;
  }));
  EXPECT_EQ(server.ended(Pipe::tcp, StreamEnd::unanswered), 1u);
  EXPECT_THAT(server.closed[loopback(peer.port(), Pipe::tcp)], ElementsAre("unanswered"));
}

TEST(TcpStream, KeepsAnAnsweredConnection) {
  EventLoop loop;
  TestServer server(loop, {.first_datagram_max = 200 * millisecond, .nothing_sent_max = 200 * millisecond});
  RawPeer peer(server.tcp());
  peer.send_framed("x");
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  const core::Nanoseconds end = core::monotonic_now() + 900 * millisecond;
  while (core::monotonic_now() < end) {
    server.pipes->send(server.last_from, bytes_of("still there"));
    server.pipes->flush();
    loop.run_until(core::monotonic_now() + millisecond);
  }
  EXPECT_FALSE(peer.closed());
}

TEST(TcpStream, IsNotReadyUntilAStalledPeerReads) {
  EventLoop loop;
  TestServer server(loop);
  server.echo = false;
  RawPeer peer(server.tcp(), 4096);
  peer.send_framed("x");
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  const Address to = server.last_from;
  std::uint32_t sent = 0;
  const auto send_next = [&] {
    core::Bytes datagram(1000);
    core::store(datagram.data(), sent++);
    server.pipes->send(to, datagram);
    server.pipes->flush();
    loop.run_until(0);
  };
  while (server.pipes->ready(to) && sent < 10'000) send_next();
  ASSERT_LT(sent, 10'000u);
  // Sending on fills the queue, then drops datagrams; none is truncated.
  for (int i = 0; i < 200; ++i) send_next();
  const StreamCounters& counters = server.pipes->stream_counters(Pipe::tcp);
  EXPECT_GT(counters.dropped_full, 0u);
  EXPECT_EQ(counters.datagrams_sent + counters.dropped_full, sent);
  EXPECT_FALSE(server.pipes->ready(to));
  EXPECT_TRUE(run_until_true(loop, [&] {
    peer.received();
    return server.pipes->ready(to) && peer.received().size() == counters.datagrams_sent * 1002;
  }));
  const std::string& stream = peer.received();
  std::uint32_t last = 0;
  for (std::size_t at = 0; at < stream.size(); at += 1002) {
    ASSERT_EQ(core::load<std::uint16_t>(stream.data() + at), 1000);
    const auto number = core::load<std::uint32_t>(stream.data() + at + 2);
    ASSERT_TRUE(at == 0 || number > last);
    last = number;
  }
}

TEST(TcpStream, ClosesAPeerThatNeverReads) {
  EventLoop loop;
  TestServer server(loop, {.first_datagram_max = 300 * millisecond, .nothing_sent_max = 100 * millisecond});
  RawPeer peer(server.tcp(), 4096);
  peer.send_framed("x");
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  const Address to = server.last_from;
  EXPECT_TRUE(run_until_true(loop, [&] {
    while (server.pipes->ready(to)) {
      server.pipes->send(to, core::Bytes(1000));
      server.pipes->flush();
    }
    return server.connections() == 0;
  }));
  EXPECT_THAT(server.closed[to], ElementsAre("stalled"));
}

TEST(TcpStream, FinishedWritesTheQueueThenCloses) {
  EventLoop loop;
  TestServer server(loop);
  server.echo = false;
  RawPeer peer(server.tcp(), 4096);
  peer.send_framed("x");
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  const Address to = server.last_from;
  for (int i = 0; i < 50; ++i) server.pipes->send(to, core::Bytes(1000));
  server.pipes->finished(to);
  server.pipes->send(to, core::Bytes(1000));  // too late
  EXPECT_FALSE(server.pipes->ready(to));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  EXPECT_EQ(peer.received().size(), 50u * 1002);
  EXPECT_EQ(server.pipes->stream_counters(Pipe::tcp).dropped_closed, 1u);
  EXPECT_EQ(server.connections(), 1u);  // waits for the peer's close
  peer.half_close();
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_TRUE(server.closed.empty());
  EXPECT_EQ(server.ended(Pipe::tcp, StreamEnd::finished), 1u);
}

TEST(TcpStream, FinishedTimesOut) {
  EventLoop loop;
  TestServer server(loop, {.closing_max = 50 * millisecond});
  RawPeer peer(server.tcp());
  peer.send_framed("x");
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  server.pipes->finished(server.last_from);
  EXPECT_TRUE(run_until_true(loop, [&] {
    peer.send_framed("but wait");
    return server.connections() == 0;
  }));
  EXPECT_THAT(server.received, ElementsAre("x"));
}

TEST(TcpStream, HandlerMayFinishItsSender) {
  EventLoop loop;
  TestServer server(loop);
  server.pipes->on_datagram([&](const Address& from, core::ByteView datagram) {
    server.received.push_back(text_of(datagram));
    server.pipes->send(from, bytes_of("no"));
    server.pipes->finished(from);
  });
  RawPeer peer(server.tcp());
  peer.send(std::string("\1\0a\1\0b\1\0c", 9));
  EXPECT_TRUE(run_until_true(loop, [&] { return peer.closed(); }));
  EXPECT_THAT(server.received, ElementsAre("a"));
  EXPECT_EQ(peer.received(), std::string("\2\0no", 4));
}

TEST(TcpStream, ReportsAClosedPeerOnce) {
  EventLoop loop;
  TestServer server(loop);
  auto peer = std::make_unique<RawPeer>(server.tcp());
  peer->send_framed("x");
  ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty(); }));
  peer.reset();
  ASSERT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_THAT(server.closed[server.last_from], ElementsAre("closed by peer"));
  EXPECT_FALSE(server.pipes->ready(server.last_from));
  server.pipes->send(server.last_from, bytes_of("gone"));
  server.pipes->finished(server.last_from);
  server.pipes->flush();
  EXPECT_EQ(server.pipes->stream_counters(Pipe::tcp).dropped_closed, 1u);
}

}  // namespace
}  // namespace mobula::net::tcp_stream_test
