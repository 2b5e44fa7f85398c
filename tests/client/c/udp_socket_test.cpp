#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <c/udp_socket.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>

namespace mobula::c {
namespace {

using testing::HasSubstr;

TEST(CUdpSocket, AddressesAreParsed) {
  const auto v4 = resolve("127.0.0.1:7777");
  ASSERT_TRUE(v4.ok()) << v4.error().message;
  EXPECT_EQ(v4->front(), transport::Address::v4(127, 0, 0, 1, 7777));
  const auto v6 = resolve("[2001:db8::1]:80");
  ASSERT_TRUE(v6.ok()) << v6.error().message;
  EXPECT_EQ(to_string(v6->front()), "[2001:db8::1]:80");
  const auto name = resolve("localhost:1");
  ASSERT_TRUE(name.ok()) << name.error().message;
  EXPECT_EQ(name->front(), transport::Address::v4(127, 0, 0, 1, 1)) << "IPv4 first";
}

TEST(CUdpSocket, AnAddressMayHaveASchemeAndNoPort) {
  for (const char* text : {"127.0.0.1", "udp:127.0.0.1", "udp:127.0.0.1:7777", "udp://127.0.0.1", "udp://127.0.0.1/",
                           "udp://127.0.0.1:7777/"}) {
    const auto found = resolve(text);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->front(), transport::Address::v4(127, 0, 0, 1, 7777)) << text;
  }
  const auto v6 = resolve("udp://[2001:db8::1]");
  ASSERT_TRUE(v6.ok()) << v6.error().message;
  EXPECT_EQ(to_string(v6->front()), "[2001:db8::1]:7777");
  for (const char* text :
       {"tcp:127.0.0.1:7777", "ws://127.0.0.1", "wss://game.example/game", "http://127.0.0.1:7780"}) {
    const auto found = resolve(text);
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_THAT(found.error().message, HasSubstr("this library connects over udp"));
  }
}

TEST(CUdpSocket, TextThatIsNoAddressIsRefused) {
  for (const char* text : {"", ":", "localhost:", "udp:", "udp://", "udp://localhost/game", "::1", ":7777",
                           "localhost:0", "localhost:65536", "localhost:77x", "::1:7777", "[localhost]:7777", "[]:1",
                           "bell\a:1", "127.0.0.1:-1", "127.0.0.1: 1"}) {
    const auto found = resolve(text);
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_STREQ(found.error().reason, "bad address") << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "[fe80::1]:1"}) {
    const auto found = resolve(text);
    EXPECT_FALSE(found.ok()) << text;
  }
}

class CUdpSocketOnLoop : public testing::Test {
 protected:
  void SetUp() override {
    pipes = std::move(*net::ServerPipes::open(loop, {.listen = transport::Address::v4(127, 0, 0, 1, 0)}));
    pipes->on_datagram([this](const transport::Address& sender, core::ByteView datagram) {
      peer = sender;
      received.emplace_back(datagram.begin(), datagram.end());
    });
    ASSERT_TRUE(socket.open().ok());
  }
  [[nodiscard]] transport::Address server() const {
    return transport::Address::v4(127, 0, 0, 1, pipes->local_port(transport::Pipe::udp));
  }
  // Runs the server's loop until it has received something.
  bool serve() {
    const core::Nanoseconds end = core::monotonic_now() + 10 * core::second;
    while (received.empty() && core::monotonic_now() < end) loop.run_until(core::monotonic_now() + core::millisecond);
    return !received.empty();
  }

  net::EventLoop loop;
  std::unique_ptr<net::ServerPipes> pipes;
  UdpSocket socket;
  transport::Address peer;
  transport::Address from;
  std::vector<core::Bytes> received;
  std::array<std::byte, 2000> buffer{};
};

TEST_F(CUdpSocketOnLoop, DatagramsGoBothWays) {
  const core::Bytes question(1200, std::byte{3});
  socket.send(server(), question);
  ASSERT_TRUE(serve());
  EXPECT_EQ(received.front(), question);
  EXPECT_EQ(socket.receive(from, buffer), 0u) << "does not wait";
  const core::Bytes answer(700, std::byte{4});
  pipes->send(peer, answer);
  pipes->flush();
  socket.wait(10 * core::second);
  ASSERT_EQ(socket.receive(from, buffer), answer.size());
  EXPECT_EQ(from, server());
  EXPECT_EQ(buffer[699], std::byte{4});
  EXPECT_EQ(socket.sent(), 1u);
  EXPECT_EQ(socket.sent_bytes(), 1200u);
}

TEST_F(CUdpSocketOnLoop, OpeningAnewTakesAnotherPort) {
  socket.send(server(), core::Bytes(10));
  ASSERT_TRUE(serve());
  const transport::Address before = peer;
  received.clear();
  // The old port stays taken as long as its socket is open, so a held one cannot be given again.
  UdpSocket other;
  ASSERT_TRUE(other.open().ok());
  other.send(server(), core::Bytes(10));
  ASSERT_TRUE(serve());
  EXPECT_NE(peer, before);
}

TEST_F(CUdpSocketOnLoop, AClosedSocketDoesNothing) {
  socket.close();
  socket.send(server(), core::Bytes(10));
  socket.wait(core::millisecond);
  EXPECT_EQ(socket.receive(from, buffer), 0u);
  EXPECT_EQ(socket.sent(), 0u);
}

// The report of a datagram that nobody receives ends no receive.
TEST_F(CUdpSocketOnLoop, ASilentPeerIsNoError) {
  const transport::Address nobody = transport::Address::v4(127, 0, 0, 1, 1);
  for (int i = 0; i < 3; ++i) {
    socket.send(nobody, core::Bytes(10));
    EXPECT_EQ(socket.receive(from, buffer), 0u);
  }
  socket.send(server(), core::Bytes(10));
  ASSERT_TRUE(serve());
  pipes->send(peer, core::Bytes(20));
  pipes->flush();
  socket.wait(10 * core::second);
  EXPECT_EQ(socket.receive(from, buffer), 20u);
}

}  // namespace
}  // namespace mobula::c
