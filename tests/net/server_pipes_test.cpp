// A server with all its pipes and connection limits.
#include "pipes_testing.hpp"
#include "without_ipv6.hpp"

namespace mobula::net::server_pipes_test {
namespace {

using core::millisecond;
using testing::ElementsAre;
using transport::Address;
using transport::Pipe;

TEST(ServerPipes, AcceptsAllPipesAndBothFamilies) {
  EventLoop loop;
  TestServer server(loop);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (const Pipe pipe : {Pipe::udp, Pipe::tcp, Pipe::websocket}) {
    const std::uint16_t port = server.pipes->local_port(pipe);
    ASSERT_NE(port, 0);
    clients.push_back(std::make_unique<TestClient>(loop, loopback(port, pipe)));
    clients.push_back(std::make_unique<TestClient>(loop, loopback_v6(port, pipe)));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    SCOPED_TRACE(to_string(clients[i]->to));
    ASSERT_TRUE(run_until_true(loop, [&] { return clients[i]->ready(); }));
    for (int n = 0; n < 20; ++n) clients[i]->send(std::to_string(i) + ':' + std::to_string(n));
    clients[i]->pipe->flush();
    ASSERT_TRUE(run_until_true(loop, [&] { return clients[i]->inbox.datagrams.size() == 20; }));
    for (int n = 0; n < 20; ++n) {
      EXPECT_EQ(text_of(clients[i]->inbox.datagrams[static_cast<std::size_t>(n)]),
                std::to_string(i) + ':' + std::to_string(n));
      EXPECT_EQ(clients[i]->inbox.from[static_cast<std::size_t>(n)], clients[i]->to);
    }
    EXPECT_EQ(server.last_from.pipe, clients[i]->to.pipe);
    EXPECT_EQ(server.last_from.ip, clients[i]->to.ip);
    EXPECT_EQ(clients[i]->pipe->counters().datagrams_sent, 20u);
    EXPECT_EQ(clients[i]->pipe->counters().datagrams_received, 20u);
  }
  EXPECT_EQ(server.pipes->udp_counters().datagrams_received, 40u);
  EXPECT_EQ(server.pipes->stream_counters(Pipe::tcp).datagrams_received, 40u);
  EXPECT_EQ(server.pipes->stream_counters(Pipe::websocket).datagrams_sent, 40u);
  server.pipes->check();
}

TEST(ServerPipes, OpensOnlyUdpByDefault) {
  EventLoop loop;
  auto pipes = ServerPipes::open(loop, {.listen = loopback(0)});
  ASSERT_TRUE(pipes.ok());
  EXPECT_EQ((*pipes)->local_port(Pipe::tcp), 0);
  EXPECT_FALSE((*pipes)->ready(loopback(9, Pipe::tcp)));
  (*pipes)->send(loopback(9, Pipe::tcp), core::Bytes(8));
  (*pipes)->finished(loopback(9, Pipe::websocket));
  (*pipes)->flush();
  EXPECT_EQ((*pipes)->stream_counters(Pipe::tcp).datagrams_sent, 0u);
}

TEST(ServerPipes, ReportsWhyItCannotOpen) {
  EventLoop loop;
  const TestServer server(loop);
  for (const Pipe pipe : {Pipe::udp, Pipe::tcp, Pipe::websocket}) {
    ServerPipesConfig config{.listen = Address::any(0)};
    const std::uint16_t used = server.pipes->local_port(pipe);
    if (pipe == Pipe::udp) config.listen.port = used;
    if (pipe == Pipe::tcp) config.tcp_port = used;
    if (pipe == Pipe::websocket) config.websocket_port = used;
    const auto second = ServerPipes::open(loop, config);
    ASSERT_FALSE(second.ok());
    EXPECT_STREQ(second.error().reason, "port in use");
    EXPECT_THAT(second.error().message, testing::HasSubstr(pipe == Pipe::udp ? "UDP port" : "TCP port"));
  }
  const auto no_certificate = ServerPipes::open(
      loop, {.listen = loopback(0), .websocket_port = 0, .certificate_file = "/no/such", .key_file = "/no/such"});
  ASSERT_FALSE(no_certificate.ok());
  EXPECT_STREQ(no_certificate.error().reason, "bad certificate");
}

TEST(ServerPipes, RefusesConnectionsAboveTheLimit) {
  EventLoop loop;
  TestServer server(loop, {.connections_max = 5});
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(std::make_unique<RawPeer>(server.tcp()));
    peers.back()->send_framed("x");
    ASSERT_TRUE(run_until_true(loop, [&] { return !peers.back()->received().empty(); }));
  }
  for (int i = 0; i < 3; ++i) {
    RawPeer late(server.tcp());
    EXPECT_TRUE(run_until_true(loop, [&] { return late.closed(); }));
  }
  const StreamCounters& counters = server.pipes->stream_counters(Pipe::tcp);
  EXPECT_EQ(counters.accepted, 5u);
  EXPECT_EQ(counters.refused_full, 3u);
  for (auto& peer : peers) EXPECT_FALSE(peer->closed());
  peers.clear();
  ASSERT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  RawPeer late(server.tcp());
  late.send_framed("y");
  EXPECT_TRUE(run_until_true(loop, [&] { return server.received.back() == "y"; }));
}

// With a limit on unanswered connections, or on all of them.
TEST(ServerPipes, UnansweredConnectionsDoNotBlockOthers) {
  for (const std::uint32_t unanswered_max : {4u, 100u}) {
    EventLoop loop;
    TestServer server(loop, {.connections_max = 8, .unanswered_max = unanswered_max});
    server.echo = false;
    std::vector<std::unique_ptr<RawPeer>> garbage;
    std::vector<std::unique_ptr<RawPeer>> honest;
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 20; ++i) {
        garbage.push_back(std::make_unique<RawPeer>(server.tcp()));
        if (i % 3 == 1) garbage.back()->send_framed("garbage");
        if (i % 3 == 2) garbage.back()->send("\xff\xff");
      }
      honest.push_back(std::make_unique<RawPeer>(server.tcp()));
      honest.back()->send_framed("honest");
      ASSERT_TRUE(run_until_true(loop, [&] { return !server.received.empty() && server.received.back() == "honest"; }));
      server.pipes->send(server.last_from, bytes_of("welcome"));
      server.pipes->flush();
      server.received.clear();
      server.pipes->check();
      EXPECT_LE(server.connections(), 9u);
    }
    for (auto& peer : honest) {
      ASSERT_TRUE(run_until_true(loop, [&] { return peer->received() == std::string("\7\0welcome", 9); }));
      EXPECT_FALSE(peer->closed());
    }
    EXPECT_GE(server.ended(Pipe::tcp, StreamEnd::crowded_out), 40u);
    EXPECT_EQ(server.pipes->stream_counters(Pipe::tcp).refused_full, 0u);
    EXPECT_EQ(server.pipes->stream_counters(Pipe::tcp).refused_host, 0u);
  }
}

// Connections open, send, break and close in any order; the tables stay consistent.
TEST(ServerPipes, SurvivesManyConnectionsInAnyOrder) {
  EventLoop loop;
  TestServer server(loop, {.connections_max = 30, .unanswered_max = 10, .closing_max = 20 * millisecond});
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::uint32_t round = 0; round < 600; ++round) {
    const Pipe pipe = round % 3 == 0 ? Pipe::websocket : Pipe::tcp;
    clients.push_back(std::make_unique<TestClient>(loop, loopback(server.pipes->local_port(pipe), pipe)));
    loop.run_until(0);
    for (auto& client : clients) {
      client->send("x");
      client->pipe->flush();
    }
    loop.run_until(0);
    if (round % 7 == 0) server.pipes->finished(server.last_from);
    if (clients.size() > 40) clients.erase(clients.begin() + round % 40);
    server.pipes->check();
  }
  EXPECT_GT(server.received.size(), 600u);
  clients.clear();
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
}

TEST(ServerPipes, MayBeDestroyedWithBusyConnections) {
  EventLoop loop;
  auto server = std::make_unique<TestServer>(loop);
  TestClient tcp(loop, loopback(server->tcp(), Pipe::tcp));
  TestClient websocket(loop, loopback(server->websocket(), Pipe::websocket));
  ASSERT_TRUE(run_until_true(loop, [&] { return tcp.ready() && websocket.ready(); }));
  for (int i = 0; i < 10; ++i) {
    tcp.send("x");
    websocket.send("x");
  }
  server.reset();
  EXPECT_TRUE(run_until_true(loop, [&] { return !tcp.closed.empty() && !websocket.closed.empty(); }));
}

TEST(ServerPipesDeathTest, AnyAddressIsIpv4OnAMachineWithoutIpv6) {
  const auto serve = [] {
    if (!forbid_ipv6()) std::exit(2);
    EventLoop loop;
    TestServer server(loop);
    TestClient client(loop, transport::Address::v4(127, 0, 0, 1, server.pipes->local_port(transport::Pipe::udp)));
    client.send("hello");
    const bool answered = run_until_true(loop, [&] { return !client.inbox.datagrams.empty(); });
    std::exit(answered && server.tcp() != 0 && server.websocket() != 0 ? 0 : 1);
  };
  EXPECT_EXIT(serve(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace mobula::net::server_pipes_test
