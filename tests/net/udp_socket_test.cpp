// Real sockets on the loopback address. The kernel chooses the ports, so tests can run in parallel.
#include <gtest/gtest.h>

#include <mobula/net/udp_socket.hpp>

#include "peers.hpp"

namespace mobula::net {
namespace {

using core::millisecond;
using core::second;
using transport::Address;

std::unique_ptr<UdpSocket> open_or_fail(EventLoop& loop, const Address& local) {
  core::Result<std::unique_ptr<UdpSocket>> socket = UdpSocket::open(loop, local);
  if (!socket.ok()) {
    ADD_FAILURE() << socket.error().message;
    std::abort();
  }
  return std::move(*socket);
}

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

// A peer sends to two addresses of a server, and expects each answer from the address that it has asked.
void expect_answers_from_asked(const Address& any) {
  EventLoop loop;
  const auto server = open_or_fail(loop, any);
  server->answer_from_asked_address();
  Inbox at_server;
  server->on_datagram(at_server.handler());
  for (std::uint8_t last = 1; last < 4; ++last) {
    const auto client = open_or_fail(loop, Address::v4(127, 0, 0, 9, 0));
    Inbox at_client;
    client->on_datagram(at_client.handler());
    const Address asked = Address::v4(127, 0, 0, last, server->local_port());
    const core::Bytes datagram(200, std::byte{last});
    client->send(asked, datagram);
    at_server = {};
    ASSERT_TRUE(run_until_true(loop, [&] { return !at_server.datagrams.empty(); }));
    for (int i = 0; i < 3; ++i) server->send(at_server.from[0], datagram);  // in segments
    server->send(at_server.from[0], core::Bytes(900, std::byte{last}));
    ASSERT_TRUE(run_until_true(loop, [&] { return at_client.datagrams.size() == 4; }));
    for (const Address& from : at_client.from) EXPECT_EQ(from, asked);
  }
}

TEST(UdpSocket, AnswersFromTheAddressThatWasAsked) {
  expect_answers_from_asked(Address::any(0));
  expect_answers_from_asked(Address::v4(0, 0, 0, 0, 0));
}

TEST(UdpSocket, ReportsItsReceiveBuffer) {
  EventLoop loop;
  EXPECT_GT(open_or_fail(loop, loopback(0))->receive_buffer_bytes(), 0u);
}

// The time is used up while the first datagram is handled.
TEST(UdpSocket, LeavesDatagramsToTheNextRunWhenTheTimeIsUp) {
  constexpr std::size_t sent = 150;
  EventLoop loop;
  const auto server = open_or_fail(loop, Address::any(0));
  const auto client = open_or_fail(loop, loopback(0));
  std::size_t received = 0;
  core::Nanoseconds deadline = 0;
  server->on_datagram([&](const Address&, core::ByteView) {
    ++received;
    while (core::monotonic_now() < deadline) continue;
  });
  for (std::size_t i = 0; i < sent; ++i) client->send(loopback(server->local_port()), core::Bytes(10));
  client->flush();
  deadline = core::monotonic_now() + 30 * millisecond;
  loop.run_until(deadline);
  EXPECT_LE(received, 64u) << "one batch";
  EXPECT_TRUE(run_until_true(loop, [&] { return received == sent; })) << "the kernel kept the rest";
}

TEST(UdpSocket, IsDualStack) {
  EventLoop loop;
  const Address v6_loopback{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0};
  core::Result<std::unique_ptr<UdpSocket>> v6_client = UdpSocket::open(loop, v6_loopback);
  if (!v6_client.ok()) GTEST_SKIP() << "no IPv6 on this machine: " << v6_client.error().message;
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

TEST(UdpSocket, ReportsWhyItCannotOpen) {
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

TEST(UdpSocket, ReceivesManyDatagramsWithoutLoss) {
  EventLoop loop;
  const auto server = open_or_fail(loop, loopback(0));
  const auto client = open_or_fail(loop, loopback(0));
  Inbox inbox;
  server->on_datagram(inbox.handler());
  for (std::uint32_t i = 0; i < 150; ++i) client->send(loopback(server->local_port()), core::as_bytes(&i, 1));
  ASSERT_TRUE(run_until_true(loop, [&] { return inbox.datagrams.size() == 150; }));
  for (std::uint32_t i = 0; i < 150; ++i) EXPECT_EQ(core::load<std::uint32_t>(inbox.datagrams[i].data()), i);
}

TEST(UdpSocket, ClosedPeerDoesNotStopReceiving) {
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

TEST(UdpSocket, CountsSendErrors) {
  EventLoop loop;
  const auto v4_only = open_or_fail(loop, loopback(0));
  v4_only->send(Address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 9}, core::Bytes(8));
  v4_only->send(loopback(9), core::Bytes(transport::datagram_bytes_max + 1));
  v4_only->flush();
  EXPECT_EQ(v4_only->counters().send_errors, 2u);
  EXPECT_EQ(v4_only->counters().datagrams_sent, 0u);
}

TEST(UdpSocket, ClosedSocketCallsNoHandler) {
  EventLoop loop;
  const auto sender = open_or_fail(loop, loopback(0));
  auto receiver = open_or_fail(loop, loopback(0));
  bool called = false;
  receiver->on_datagram([&](const Address&, core::ByteView) { called = true; });
  sender->send(loopback(receiver->local_port()), core::Bytes(8));
  sender->flush();
  receiver.reset();
  loop.run_until(core::monotonic_now() + 5 * millisecond);
  EXPECT_FALSE(called);
}

TEST(UdpSocket, DropsAndCountsTooLongDatagrams) {
  EventLoop loop;
  const auto server = open_or_fail(loop, loopback(0));
  Inbox inbox;
  server->on_datagram(inbox.handler());
  const int bare = socket(AF_INET, SOCK_DGRAM, 0);
  SocketAddress to;
  const socklen_t size = to_v4(loopback(server->local_port()), to);
  const std::string text(transport::datagram_bytes_max + 1, 'x');
  for (const std::size_t bytes : {text.size(), text.size() - 1}) sendto(bare, text.data(), bytes, 0, &to.any, size);
  EXPECT_TRUE(run_until_true(loop, [&] { return !inbox.datagrams.empty(); }));
  EXPECT_EQ(inbox.datagrams[0].size(), transport::datagram_bytes_max);
  EXPECT_EQ(server->counters().too_long, 1u);
  EXPECT_EQ(server->counters().datagrams_received, 1u);
  close(bare);
}

// A server that answers from its handler and 200 clients, each with a socket of its own, in one loop.
TEST(UdpSocket, ManySocketsShareTheBatchesOfALoop) {
  constexpr std::uint32_t datagrams = 20;
  EventLoop loop;
  const auto server = open_or_fail(loop, Address::any(0));
  server->on_datagram([&](const Address& from, core::ByteView datagram) { server->send(from, datagram); });
  std::vector<std::unique_ptr<UdpSocket>> clients;
  std::vector<Inbox> inboxes(200);
  for (Inbox& inbox : inboxes) {
    clients.push_back(open_or_fail(loop, Address::any(0)));
    clients.back()->on_datagram(inbox.handler());
  }
  for (std::uint32_t i = 0; i < datagrams; ++i) {
    for (std::uint32_t client = 0; client < clients.size(); ++client) {
      const std::array<std::uint32_t, 2> datagram{client, i};
      clients[client]->send(loopback(server->local_port()), core::as_bytes(datagram.data(), 2));
    }
    loop.run_until(0);
  }
  ASSERT_TRUE(run_until_true(loop, [&] {
    return std::all_of(inboxes.begin(), inboxes.end(),
                       [](const Inbox& inbox) { return inbox.datagrams.size() == datagrams; });
  }));
  for (std::uint32_t client = 0; client < clients.size(); ++client) {
    for (std::uint32_t i = 0; i < datagrams; ++i) {
      const auto echoed = core::load<std::array<std::uint32_t, 2>>(inboxes[client].datagrams[i].data());
      EXPECT_EQ(echoed, (std::array<std::uint32_t, 2>{client, i}));
    }
  }
  EXPECT_LT(server->counters().send_calls, server->counters().datagrams_sent / 2);
}

}  // namespace
}  // namespace mobula::net
