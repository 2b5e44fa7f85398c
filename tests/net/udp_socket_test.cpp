// Real sockets on the loopback address. Ports are the kernel's choice, so that tests may run side by side.
#include <gtest/gtest.h>

#include <mobula/net/udp_socket.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::net {
namespace {

using core::millisecond;
using core::second;
using transport::Address;

Address loopback(std::uint16_t port) { return Address::v4(127, 0, 0, 1, port); }

std::unique_ptr<UdpSocket> open_or_fail(EventLoop& loop, const Address& local) {
  core::Result<std::unique_ptr<UdpSocket>> socket = UdpSocket::open(loop, local);
  if (!socket.ok()) {
    ADD_FAILURE() << socket.error().message;
    std::abort();
  }
  return std::move(*socket);
}

// Runs the loop until the condition holds; false when it does not within a generous time.
template <class Condition>
bool run_until_true(EventLoop& loop, Condition&& condition) {
  const core::Nanoseconds end = core::monotonic_now() + 20 * second;
  while (!condition() && core::monotonic_now() < end) loop.run_until(core::monotonic_now() + millisecond);
  return condition();
}

struct Inbox {
  std::vector<Address> from;
  std::vector<core::Bytes> datagrams;

  UdpSocket::Handler handler() {
    return [this](const Address& address, core::ByteView datagram) {
      from.push_back(address);
      datagrams.emplace_back(datagram.begin(), datagram.end());
    };
  }
};

TEST(UdpSocket, CarriesDatagramsBothWays) {
  EventLoop loop;
  const auto server = open_or_fail(loop, Address::any(0));
  const auto client = open_or_fail(loop, loopback(0));
  ASSERT_NE(server->local_port(), 0);
  Inbox at_server;
  Inbox at_client;
  server->on_datagram(at_server.handler());
  client->on_datagram(at_client.handler());

  const core::Bytes question(transport::datagram_bytes_max, std::byte{1});
  client->send(loopback(server->local_port()), question);
  ASSERT_TRUE(run_until_true(loop, [&] { return !at_server.datagrams.empty(); }));
  EXPECT_EQ(at_server.datagrams[0], question);
  EXPECT_EQ(at_server.from[0], loopback(client->local_port()));

  const core::Bytes answer(10, std::byte{2});
  server->send(at_server.from[0], answer);
  ASSERT_TRUE(run_until_true(loop, [&] { return !at_client.datagrams.empty(); }));
  EXPECT_EQ(at_client.datagrams[0], answer);
  EXPECT_EQ(at_client.from[0], loopback(server->local_port()));
  EXPECT_EQ(client->counters().datagrams_sent, 1u);
  EXPECT_EQ(client->counters().bytes_sent, question.size());
  EXPECT_EQ(client->counters().bytes_received, answer.size());
}

TEST(UdpSocket, OneSocketSpeaksIpv6AndIpv4) {
  EventLoop loop;
  const Address v6_loopback{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0};
  core::Result<std::unique_ptr<UdpSocket>> v6_client = UdpSocket::open(loop, v6_loopback);
  if (!v6_client.ok()) GTEST_SKIP() << "this machine has no IPv6: " << v6_client.error().message;
  const auto server = open_or_fail(loop, Address::any(0));
  const auto v4_client = open_or_fail(loop, loopback(0));
  Inbox inbox;
  server->on_datagram(inbox.handler());
  Address to = v6_loopback;
  to.port = server->local_port();
  (*v6_client)->send(to, core::Bytes(6));
  ASSERT_TRUE(run_until_true(loop, [&] { return inbox.from.size() == 1; }));
  v4_client->send(loopback(server->local_port()), core::Bytes(4));
  ASSERT_TRUE(run_until_true(loop, [&] { return inbox.from.size() == 2; }));
  EXPECT_EQ(inbox.from[0].ip, v6_loopback.ip);
  EXPECT_EQ(inbox.from[1].ip, loopback(0).ip);
}

TEST(UdpSocket, SaysWhyItCannotOpen) {
  EventLoop loop;
  const auto first = open_or_fail(loop, Address::any(0));
  for (const Address& local : {Address::any(first->local_port()), loopback(first->local_port())}) {
    core::Result<std::unique_ptr<UdpSocket>> second_socket = UdpSocket::open(loop, local);
    ASSERT_FALSE(second_socket.ok());
    EXPECT_STREQ(second_socket.error().reason, "port in use");
    EXPECT_NE(second_socket.error().message.find(std::to_string(first->local_port())), std::string::npos);
  }
  core::Result<std::unique_ptr<UdpSocket>> elsewhere = UdpSocket::open(loop, Address::v4(192, 0, 2, 1, 0));
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_STREQ(elsewhere.error().reason, "no such address");
}

TEST(UdpSocket, TakesManyDatagramsAndLosesNoneThatFit) {
  EventLoop loop;
  const auto server = open_or_fail(loop, loopback(0));
  const auto client = open_or_fail(loop, loopback(0));
  Inbox inbox;
  server->on_datagram(inbox.handler());
  for (std::uint32_t i = 0; i < 150; ++i) client->send(loopback(server->local_port()), core::as_bytes(&i, 1));
  ASSERT_TRUE(run_until_true(loop, [&] { return inbox.datagrams.size() == 150; }));
  for (std::uint32_t i = 0; i < 150; ++i) EXPECT_EQ(core::load<std::uint32_t>(inbox.datagrams[i].data()), i);
}

TEST(UdpSocket, APeerThatIsGoneDoesNotStopReceiving) {
  EventLoop loop;
  const auto server = open_or_fail(loop, loopback(0));
  auto gone = open_or_fail(loop, loopback(0));
  const std::uint16_t gone_port = gone->local_port();
  gone.reset();
  const auto client = open_or_fail(loop, loopback(0));
  Inbox inbox;
  server->on_datagram(inbox.handler());
  for (int i = 0; i < 5; ++i) server->send(loopback(gone_port), core::Bytes(8));
  loop.run_until(core::monotonic_now() + 5 * millisecond);
  client->send(loopback(server->local_port()), core::Bytes(8));
  EXPECT_TRUE(run_until_true(loop, [&] { return inbox.datagrams.size() == 1; }));
}

TEST(UdpSocket, CountsWhatCannotBeSent) {
  EventLoop loop;
  const auto v4_only = open_or_fail(loop, loopback(0));
  v4_only->send(Address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 9}, core::Bytes(8));
  v4_only->send(loopback(9), core::Bytes(100'000));  // longer than UDP allows
  EXPECT_EQ(v4_only->counters().send_errors, 2u);
  EXPECT_EQ(v4_only->counters().datagrams_sent, 0u);
}

TEST(UdpSocket, AClosedSocketCallsNobody) {
  EventLoop loop;
  const auto sender = open_or_fail(loop, loopback(0));
  auto receiver = open_or_fail(loop, loopback(0));
  bool called = false;
  receiver->on_datagram([&](const Address&, core::ByteView) { called = true; });
  sender->send(loopback(receiver->local_port()), core::Bytes(8));
  receiver.reset();
  loop.run_until(core::monotonic_now() + 5 * millisecond);
  EXPECT_FALSE(called);
}

// A server and 200 clients, each with a socket of its own, in one loop.
TEST(UdpSocket, CarriesSessionsOfManyClients) {
  struct Client {
    std::unique_ptr<UdpSocket> socket;
    std::unique_ptr<transport::ClientEndpoint> endpoint;
    std::uint32_t echoes = 0;
  };
  EventLoop loop;
  transport::ServerConfig config;
  config.sessions_max = 200;
  core::random_bytes(config.secret);
  transport::ServerEndpoint server(config);
  const auto server_socket = open_or_fail(loop, Address::any(0));
  server_socket->on_datagram([&](const Address& from, core::ByteView datagram) {
    server.receive(from, datagram, core::monotonic_now(), *server_socket);
  });
  std::vector<Client> clients(200);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    Client& client = clients[i];
    client.socket = open_or_fail(loop, Address::any(0));
    client.endpoint = std::make_unique<transport::ClientEndpoint>(
        transport::ClientConfig{.server = loopback(server_socket->local_port()), .nonce = 1000 + i},
        core::monotonic_now());
    client.socket->on_datagram([&client](const Address& from, core::ByteView datagram) {
      client.endpoint->receive(from, datagram, core::monotonic_now());
    });
  }
  const auto all_echoed = [&] {
    core::Bytes message;
    const core::Nanoseconds now = core::monotonic_now();
    for (const transport::SessionId id : server.sessions()) {
      transport::Session& session = *server.find(id);
      while (session.next_reliable(message)) EXPECT_TRUE(session.send_reliable(message).ok());
    }
    server.update(now, *server_socket);
    bool all = true;
    for (Client& client : clients) {
      const bool was_connected = client.endpoint->connected();
      client.endpoint->update(now, *client.socket);
      transport::Session& session = client.endpoint->session();
      if (was_connected && client.echoes == 0 && session.reliable_backlog_bytes() == 0) {
        EXPECT_TRUE(session.send_reliable(core::Bytes(2000, std::byte{7})).ok());
      }
      while (session.next_reliable(message)) {
        EXPECT_EQ(message, core::Bytes(2000, std::byte{7}));
        ++client.echoes;
      }
      all &= client.echoes > 0;
    }
    return all;
  };
  EXPECT_TRUE(run_until_true(loop, all_echoed));
  EXPECT_EQ(server.sessions().size(), 200u);
}

}  // namespace
}  // namespace mobula::net
