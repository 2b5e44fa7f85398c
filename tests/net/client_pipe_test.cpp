#include <net/raw_http.hpp>

#include "pipes_testing.hpp"

namespace mobula::net {
namespace {

using core::millisecond;
using testing::ElementsAre;
using transport::Address;
using transport::Pipe;

TEST(ClientPipe, DropsAndCountsUntilConnected) {
  EventLoop loop;
  TestServer server(loop);
  for (const Pipe pipe : {Pipe::tcp, Pipe::websocket}) {
    TestClient client(loop, loopback(server.pipes->local_port(pipe), pipe));
    EXPECT_FALSE(client.ready());
    client.send("too early");
    EXPECT_EQ(client.pipe->counters().dropped, 1u);
    ASSERT_TRUE(run_until_true(loop, [&] { return client.ready(); }));
    client.send("now");
    client.pipe->flush();
    EXPECT_TRUE(run_until_true(loop, [&] { return client.inbox.datagrams.size() == 1; }));
    EXPECT_FALSE(client.pipe->ready(loopback(9, pipe)));
    client.pipe->send(loopback(9, pipe), core::Bytes(8));
    EXPECT_EQ(client.pipe->counters().dropped, 2u);
    EXPECT_TRUE(client.closed.empty());
  }
  EXPECT_THAT(server.received, ElementsAre("now", "now"));
}

TEST(ClientPipe, ReportsAnUnreachableServer) {
  EventLoop loop;
  std::uint16_t nobody = 0;
  {
    const TestServer gone(loop);
    nobody = gone.tcp();
  }
  for (const Pipe pipe : {Pipe::tcp, Pipe::websocket}) {
    TestClient client(loop, loopback(nobody, pipe));
    EXPECT_TRUE(run_until_true(loop, [&] { return !client.closed.empty(); }));
    EXPECT_THAT(client.closed, ElementsAre("unreachable"));
  }
}

TEST(ClientPipe, TimesOutWithoutAnAnswer) {
  EventLoop loop;
  const int silent = socket(AF_INET, SOCK_STREAM, 0);  // the kernel connects, but no answer follows
  SocketAddress local;
  socklen_t size = to_v4(loopback(0), local);
  ASSERT_EQ(bind(silent, &local.any, size), 0);
  ASSERT_EQ(listen(silent, 1), 0);
  getsockname(silent, &local.any, &size);
  TestClient client(loop, destination_of(to_address(local, Pipe::websocket)),
                    {.stream = {.connect_max = 50 * millisecond}});
  EXPECT_TRUE(run_until_true(loop, [&] { return !client.closed.empty(); }));
  EXPECT_THAT(client.closed, ElementsAre("unreachable"));
  close(silent);
}

TEST(ClientPipe, RequestsThePathOfItsUrl) {
  EventLoop loop;
  for (const std::string path : {"", "/game", "/game/room%201/"}) {
    test::CannedServer server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    const std::string host = "localhost:" + std::to_string(server.port());
    TestClient client(loop, parse_destination("ws://" + host + path).value());
    EXPECT_TRUE(run_until_true(loop, [&] { return !client.closed.empty(); }));
    EXPECT_THAT(client.closed, ElementsAre("bad handshake: the answer to the WebSocket request has status 404"));
    const std::string request = server.question();
    EXPECT_THAT(request, testing::StartsWith("GET " + (path.empty() ? "/" : path) + " HTTP/1.1\r\n"));
    EXPECT_THAT(request, testing::HasSubstr("\r\nHost: " + host + "\r\n"));
  }
}

TEST(ClientPipe, JoinsBehindAnyPath) {
  EventLoop loop;
  TestServer server(loop);
  TestClient client(loop, parse_destination("ws://[::1]:" + std::to_string(server.websocket()) + "/game").value());
  ASSERT_TRUE(run_until_true(loop, [&] { return client.ready(); }));
  client.send("hello");
  client.pipe->flush();
  EXPECT_TRUE(run_until_true(loop, [&] { return client.inbox.datagrams.size() == 1; }));
}

TEST(ClientPipe, ReportsAServerThatCloses) {
  EventLoop loop;
  TestServer server(loop);
  for (const Pipe pipe : {Pipe::tcp, Pipe::websocket}) {
    TestClient client(loop, loopback(server.pipes->local_port(pipe), pipe));
    ASSERT_TRUE(run_until_true(loop, [&] { return client.ready(); }));
    client.send("x");
    client.pipe->flush();
    ASSERT_TRUE(run_until_true(loop, [&] { return !client.inbox.datagrams.empty(); }));
    server.pipes->finished(server.last_from);
    EXPECT_TRUE(run_until_true(loop, [&] { return !client.closed.empty() && server.connections() == 0; }));
    EXPECT_THAT(client.closed, ElementsAre("closed by peer"));
    EXPECT_FALSE(client.ready());
  }
}

TEST(ClientPipe, FinishedSendsTheQueueWithoutNotification) {
  EventLoop loop;
  TestServer server(loop);
  for (const Pipe pipe : {Pipe::tcp, Pipe::websocket}) {
    server.received.clear();
    TestClient client(loop, loopback(server.pipes->local_port(pipe), pipe));
    ASSERT_TRUE(run_until_true(loop, [&] { return client.ready(); }));
    for (int i = 0; i < 10; ++i) client.send("x");
    client.pipe->finished(client.to);
    EXPECT_TRUE(run_until_true(loop, [&] { return server.received.size() == 10 && server.connections() == 0; }));
    EXPECT_TRUE(client.closed.empty());
    EXPECT_THAT(server.closed[server.last_from], ElementsAre("closed by peer"));
  }
}

TEST(ClientPipe, MayBeDestroyedByItsHandler) {
  EventLoop loop;
  auto server = std::make_unique<TestServer>(loop);
  for (const Pipe pipe : {Pipe::tcp, Pipe::websocket}) {
    const Address to = loopback(server->pipes->local_port(pipe), pipe);
    auto opened = ClientPipe::open(loop, destination_of(to));
    ASSERT_TRUE(opened.ok());
    std::unique_ptr<ClientPipe> client = std::move(*opened);
    ASSERT_TRUE(run_until_true(loop, [&] { return client->ready(to); }));
    client->on_closed([&](std::string_view) { client.reset(); });
    server = std::make_unique<TestServer>(loop);
    EXPECT_TRUE(run_until_true(loop, [&] { return client == nullptr; }));
  }
}

// As used by bots.
TEST(ClientPipe, HundredsShareALoop) {
  constexpr std::size_t count = 300;
  EventLoop loop;
  TestServer server(loop);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::size_t i = 0; i < count; ++i) {
    const Pipe pipe = static_cast<Pipe>(i % 3);
    clients.push_back(std::make_unique<TestClient>(loop, loopback(server.pipes->local_port(pipe), pipe)));
  }
  const auto all_ready = [&] {
    return std::all_of(clients.begin(), clients.end(), [](const auto& client) { return client->ready(); });
  };
  ASSERT_TRUE(run_until_true(loop, all_ready));
  for (std::size_t i = 0; i < count; ++i) {
    clients[i]->send(std::to_string(i));
    clients[i]->pipe->flush();
  }
  const auto all_answered = [&] {
    return std::all_of(clients.begin(), clients.end(),
                       [](const auto& client) { return client->inbox.datagrams.size() == 1; });
  };
  ASSERT_TRUE(run_until_true(loop, all_answered));
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(text_of(clients[i]->inbox.datagrams[0]), std::to_string(i));
}

}  // namespace
}  // namespace mobula::net
