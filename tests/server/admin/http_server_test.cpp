// Tests over real sockets on the loopback address, on ports that the kernel chooses.
#include <gtest/gtest.h>

#include <cerrno>
#include <mobula/core/format.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/net/spare_descriptor.hpp>
#include <net/all_descriptors.hpp>
#include <server/admin/http_server_fixture.hpp>

namespace mobula::server::admin {
namespace {

using namespace http_test;

TEST(HttpServer, AnswersOverHttp) {
  const auto server = start();
  EXPECT_EQ(net::http_get(url(*server, "/live")).value(), R"({"status":"live"})");
  EXPECT_EQ(net::http_post(url(*server, "/echo?a=1"), "text").value(), "a=1|text");
  const core::Result<std::string> none = net::http_get(url(*server, "/nothing"));
  EXPECT_STREQ(none.error().reason, "refused");
  EXPECT_EQ(none.error().message, url(*server, "/nothing") + ": 404 there is no '/nothing'");
}

TEST(HttpServer, ListensOnLoopbackByDefault) { EXPECT_EQ(to_string(HttpServerConfig().listen), "127.0.0.1:7780"); }

TEST(HttpServer, OneConnectionCarriesManyRequests) {
  const auto server = start();
  const RawSocket socket = RawSocket::connect(server->local_port());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(socket.send(live));
    ASSERT_TRUE(socket.receive("\"live\"}").starts_with("HTTP/1.1 200 OK\r\n"));
  }
  // Requests may also be sent all at once.
  ASSERT_TRUE(socket.send(live + live + "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  const std::string answers = socket.receive();
  std::size_t count = 0;
  for (std::size_t at = answers.find("200 OK"); at != std::string::npos; at = answers.find("200 OK", at + 1)) ++count;
  EXPECT_EQ(count, 3u);
}

TEST(HttpServer, AnswersWhenNoDescriptorsAreLeft) {
  const auto server = start();
  testing::internal::CaptureStderr();
  // UBSan takes descriptors when it meets a type for the first time, so each is met before. The second request is
  // answered when the first one's objects are destroyed.
  const boost::system::error_code error(EMFILE, boost::system::system_category());
  EXPECT_TRUE(net::is_out_of_descriptors(error));
  net::AcceptFailures().note(1, error);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(net::http_get(url(*server, "/live")).ok());
  {
    test::AllDescriptors taken;
    for (int i = 0; i < 3; ++i) {
      taken.give_back();
      const RawSocket socket = RawSocket::connect(server->local_port());
      ASSERT_TRUE(socket.send("GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
      EXPECT_TRUE(socket.receive().starts_with("HTTP/1.1 200 "));
    }
  }
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string expected = "connections to port " + std::to_string(server->local_port()) +
                               " wait, because accept fails: Too many open files";
  EXPECT_NE(log.find(expected), std::string::npos) << log;
}

TEST(HttpServer, AnswersAHealthCheckWithoutAHost) {
  const auto server = start();
  const std::string answer = answer_to(*server, "GET /live HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.0 200")) << answer;
}

TEST(HttpServer, RefusesPagesOfOtherOrigins) {
  const auto server = start();
  expect_refused(answer_to(*server, "GET /live HTTP/1.1\r\nHost: evil.example:7780\r\nConnection: close\r\n\r\n"),
                 "403", "foreign_host");
  expect_refused(answer_to(*server, "GET /live HTTP/1.1\r\nConnection: close\r\n\r\n"), "403", "foreign_host");
  expect_refused(answer_to(*server, "GET /live HTTP/1.0\r\nHost: evil.example\r\n\r\n"), "403", "foreign_host");
  expect_refused(answer_to(*server, "GET http://evil.example/live HTTP/1.0\r\n\r\n"), "403", "foreign_host");
  expect_refused(
      answer_to(*server, "GET /live HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
      "403", "foreign_host");
  for (const char* origin : {"http://evil.example", "null", ""}) {
    expect_refused(answer_to(*server, std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: ") + origin +
                                          "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
                   "403", "foreign_origin");
  }
  const auto get = [&](const std::string& headers) {
    return answer_to(*server, "GET /live HTTP/1.1\r\nHost: localhost\r\n" + headers + "Connection: close\r\n\r\n");
  };
  for (const char* site : {"cross-site", "same-site"})
    for (const char* destination : {"image", "empty", "iframe"})
      expect_refused(get(core::format("Sec-Fetch-Site: {}\r\nSec-Fetch-Dest: {}\r\n", site, destination)), "403",
                     "foreign_origin");
  for (const char* headers : {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\n",
                              "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Dest: empty\r\n",
                              "Sec-Fetch-Site: none\r\nSec-Fetch-Dest: document\r\n"})
    EXPECT_TRUE(get(headers).starts_with("HTTP/1.1 200 ")) << headers;
}

TEST(HttpServer, RefusesInvalidHttp) {
  const auto server = start();
  for (const char* bytes : {"what?\r\n\r\n", "GET /live\r\n\r\n", "GET /live HTTP/3.7\r\n\r\n", "\r\n\r\n\r\nx\r\n",
                            "GET /live HTTP/1.1\r\nno colon\r\n\r\n", "\x16\x03\x01\x02\x00\x01\r\n\r\n",
                            "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                            "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"}) {
    expect_refused(answer_to(*server, bytes), "400", "malformed");
  }
  EXPECT_TRUE(net::http_get(url(*server, "/live")).ok());
}

TEST(HttpServer, ATruncatedRequestIsMalformed) {
  const auto server = start();
  const RawSocket socket = RawSocket::connect(server->local_port());
  ASSERT_TRUE(socket.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf"));
  socket.end_sending();
  expect_refused(socket.receive(), "400", "malformed");
}

TEST(HttpServer, RefusesLargeRequestsWithAnAnswer) {
  const auto server = start();
  const std::string begin = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
  expect_refused(answer_to(*server, begin + "Content-Length: 16385\r\n\r\n" + std::string(16'385, 'x')), "413",
                 "body_too_large");
  expect_refused(answer_to(*server, begin + "Content-Length: 99999999999999\r\n\r\n"), "413", "body_too_large");
  expect_refused(answer_to(*server, begin + "Transfer-Encoding: chunked\r\n\r\nFFFF\r\n" + std::string(65'535, 'x')),
                 "413", "body_too_large");
  expect_refused(answer_to(*server, begin + "X: " + std::string(100'000, 'x')), "431", "header_too_large");
  expect_refused(answer_to(*server, "GET /" + std::string(100'000, 'x')), "431", "header_too_large");
  EXPECT_EQ(net::http_post(url(*server, "/echo"), std::string(16'384, 'x')).value().size(), 16'385u);
}

TEST(HttpServer, RefusesSlowRequestsAndClosesIdleConnections) {
  const auto server = start(config(300 * core::millisecond));
  expect_refused(answer_to(*server, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"), "408", "timed_out");
  expect_refused(answer_to(*server, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nx"), "408",
                 "timed_out");
  EXPECT_EQ(answer_to(*server, ""), "");
  const std::string once = answer_to(*server, live);
  EXPECT_TRUE(once.ends_with("\"live\"}")) << once;
}

TEST(HttpServer, TrickledBytesDoNotExtendTheTimeout) {
  const auto server = start(config(300 * core::millisecond));
  const RawSocket socket = RawSocket::connect(server->local_port());
  ASSERT_TRUE(socket.send("GET /live HTTP/1.1\r\nX: "));
  std::string answer;
  std::thread reader([&] { answer = socket.receive(); });
  while (socket.send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  reader.join();
  expect_refused(answer, "408", "timed_out");
}

// Each connection has a minute. Those of a kind send nothing, whole requests whose answers they do not read, or a part.
TEST(HttpServer, SlowPeersDoNotBlockOthers) {
  const auto server = start();
  std::vector<RawSocket> slow;
  for (std::size_t i = 0; i < 4 * connections_max; ++i) {
    slow.push_back(RawSocket::connect(server->local_port()));
    ASSERT_TRUE(slow.back().open());
    if (i % 3 == 1) slow.back().send(i % 2 == 0 ? live : closing);
    if (i % 3 == 2) slow.back().send("GET /live HT");
  }
  EXPECT_TRUE(net::http_get(url(*server, "/live"), {.timeout = 30 * core::second}).ok());
}

HttpServerConfig with_four_places() {
  HttpServerConfig few = config();
  few.connections_max = 4;
  return few;
}

TEST(HttpServer, IdleConnectionsDoNotBlockOthers) {
  const auto server = start(with_four_places());
  std::vector<RawSocket> idle;
  for (int i = 0; i < 3; ++i) {
    idle.push_back(RawSocket::connect(server->local_port()));
    ASSERT_TRUE(idle.back().send(live));
    ASSERT_FALSE(idle.back().receive("\"live\"}").empty());
  }
  ASSERT_TRUE(idle[0].send(live));
  ASSERT_FALSE(idle[0].receive("\"live\"}").empty());
  EXPECT_FALSE(answer_to(*server, closing).empty());
  EXPECT_EQ(idle[1].receive(), "") << "it waits longest, and is closed";
  for (const std::size_t stays : {0u, 2u}) {
    EXPECT_TRUE(idle[stays].send(live));
    EXPECT_FALSE(idle[stays].receive("\"live\"}").empty()) << stays;
  }
}

// A route whose body is shared by all answers.
HttpServerConfig with_shared(std::shared_ptr<const std::string> body, core::Nanoseconds timeout) {
  HttpServerConfig all = config(timeout);
  all.routes.push_back({"GET", "/shared", [body](const Request&) {
                          Response response;
                          response.shared_body = body;
                          return response;
                        }});
  return all;
}

TEST(HttpServer, AReceiverIsEvictedAfterIdleConnections) {
  const auto body = std::make_shared<const std::string>(20'000'000, 'x');  // more than sockets buffer
  HttpServerConfig few = with_shared(body, 60 * core::second);
  few.connections_max = 4;
  const auto server = start(std::move(few));
  std::vector<RawSocket> receiving;
  const auto begin_receiving = [&] {
    const RawSocket& socket = receiving.emplace_back(RawSocket::connect(server->local_port()));
    ASSERT_TRUE(socket.send("GET /shared HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    ASSERT_FALSE(socket.receive("HTTP").empty());
  };
  begin_receiving();
  begin_receiving();
  const RawSocket idle = RawSocket::connect(server->local_port());
  ASSERT_TRUE(idle.send(live));
  ASSERT_FALSE(idle.receive("\"live\"}").empty());
  begin_receiving();
  EXPECT_EQ(idle.receive(), "");
  EXPECT_FALSE(answer_to(*server, closing).empty());
  EXPECT_LT(receiving[0].receive().size(), body->size() / 2) << "it waits longest";
  EXPECT_GT(receiving[1].receive().size(), body->size() / 2);
  EXPECT_GT(receiving[2].receive().size(), body->size() / 2);
}

TEST(HttpServer, AnswersWithASharedBodyWithoutACopy) {
  const auto body = std::make_shared<const std::string>(2'000'000, 'x');
  const auto server = start(with_shared(body, 60 * core::second));
  EXPECT_EQ(net::http_get(url(*server, "/shared")).value(), *body);
  const std::string head = answer_to(*server, "HEAD /shared HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 2000000\r\n"), std::string::npos) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

// The time for an answer grows with its size: this one has more than a minute, though a step has less.
TEST(HttpServer, ALargeAnswerHasTimeToArrive) {
  const auto body = std::make_shared<const std::string>(std::size_t{8} << 20, 'x');
  const auto server = start(with_shared(body, 300 * core::millisecond));
  const RawSocket socket = RawSocket::connect(server->local_port());
  ASSERT_TRUE(socket.send("GET /shared HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  ASSERT_TRUE(socket.answers_within(60'000));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // longer than the timeout of a step
  EXPECT_GT(socket.receive().size(), body->size());
}

TEST(HttpServer, EndsWhileConnectionsAreOpen) {
  auto server = start();
  const RawSocket idle = RawSocket::connect(server->local_port());
  const RawSocket half = RawSocket::connect(server->local_port());
  ASSERT_TRUE(half.send("GET /live"));
  const std::string address = url(*server, "/live");
  ASSERT_TRUE(net::http_get(address).ok());
  server.reset();
  EXPECT_EQ(idle.receive(), "");
  EXPECT_EQ(half.receive(), "");
  EXPECT_STREQ(net::http_get(address).error().reason, "not running");
}

TEST(HttpServer, AnswersManyClientsAtOnce) {
  const auto server = start();
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 25; ++i) {
        const std::string text = std::to_string(client * 100 + i);
        if (net::http_post(url(*server, "/echo"), text, {.timeout = 60 * core::second}).value() == '|' + text) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 200);
}

TEST(HttpServer, ReportsWhyItCannotListen) {
  const auto first = start();
  HttpServerConfig again = config();
  again.listen.port = first->local_port();
  EXPECT_STREQ(try_listen(again.listen).error().reason, "port in use");
  EXPECT_TRUE(try_listen(config().listen).ok());
  core::Result<std::unique_ptr<HttpServer>> second = HttpServer::start(std::move(again));
  ASSERT_FALSE(second.ok());
  EXPECT_STREQ(second.error().reason, "port in use");
  EXPECT_NE(second.error().message.find(std::to_string(first->local_port())), std::string::npos);
  HttpServerConfig elsewhere = config();
  elsewhere.listen = Address::v4(192, 0, 2, 1, 0);
  elsewhere.bearer_token = "0123456789abcdef";
  core::Result<std::unique_ptr<HttpServer>> third = HttpServer::start(std::move(elsewhere));
  ASSERT_FALSE(third.ok());
  EXPECT_STREQ(third.error().reason, "no such address");
}

// Authorization ------------------------------------------------------------------------------------------------------

TEST(HttpServer, RoutesForEveryoneNeedNoTokenAnywhere) {
  HttpServerConfig beyond{.listen = Address::any(0), .routes = {live_route()}};
  EXPECT_TRUE(HttpServer::start(beyond).ok());
  beyond.routes.push_back({"GET", "/secret", [](const Request&) { return Response{}; }});
  EXPECT_STREQ(HttpServer::start(std::move(beyond)).error().reason, "no token");
}

TEST(HttpServer, NeedsATokenBeyondThisMachine) {
  for (const Address& open : {Address::any(0), Address::v4(0, 0, 0, 0, 0)}) {
    HttpServerConfig beyond = config();
    beyond.listen = open;
    const core::Result<std::unique_ptr<HttpServer>> refused = HttpServer::start(std::move(beyond));
    ASSERT_FALSE(refused.ok());
    EXPECT_STREQ(refused.error().reason, "no token");
  }
  HttpServerConfig beyond = config();
  beyond.listen = Address::v4(0, 0, 0, 0, 0);
  beyond.bearer_token = "0123456789abcdef";
  const auto server = start(std::move(beyond));
  const std::string head = "POST /echo HTTP/1.1\r\nHost: game.example\r\nConnection: close\r\nContent-Length: 2\r\n";
  const std::string without = answer_to(*server, head + "\r\nhi");
  expect_refused(without, "401", "unauthorized");
  EXPECT_NE(without.find("WWW-Authenticate: Bearer\r\n"), std::string::npos) << without;
  expect_refused(answer_to(*server, head + "Authorization: Bearer wrong\r\n\r\nhi"), "401", "unauthorized");
  expect_refused(
      answer_to(*server, head + "Authorization: Bearer 0123456789abcdef\r\nAuthorization: Bearer x\r\n\r\nhi"), "401",
      "unauthorized");
  EXPECT_TRUE(answer_to(*server, head + "Authorization: Bearer 0123456789abcdef\r\n\r\nhi").ends_with("|hi"));
  EXPECT_TRUE(answer_to(*server, "GET /live HTTP/1.1\r\nHost: game.example\r\nConnection: close\r\n\r\n")
                  .ends_with(R"({"status":"live"})"));
}

// After any bytes the thread still answers the next request.
TEST(HttpServer, SurvivesRandomBytes) {
  const auto server = start();
  std::uint32_t state = 41;
  const auto random = [&](std::uint32_t bound) { return (state = state * 1664525 + 1013904223) / 65536 % bound; };
  const std::string good =
      "POST /echo?x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (std::uint32_t edits = 1 + random(4); edits > 0; --edits) {
      bytes[random(static_cast<std::uint32_t>(bytes.size()))] = static_cast<char>(random(256));
    }
    const RawSocket socket = RawSocket::connect(server->local_port());
    ASSERT_TRUE(socket.open());
    socket.send(bytes);
    socket.end_sending();
    (void)socket.receive();
  }
  EXPECT_TRUE(net::http_get(url(*server, "/live")).ok());
}

}  // namespace
}  // namespace mobula::server::admin
