// Requests that the simulation answers, over real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <mobula/net/http_client.hpp>
#include <server/admin/http_server_fixture.hpp>
#include <thread>

namespace mobula::server::admin {
namespace {

using namespace http_test;

// A simulation thread that serves requests while it exists. A test without one has a simulation that hangs.
class Simulation {
 public:
  explicit Simulation(HttpServer& server)
      : thread_([this, &server] {
          while (!stop_) {
            server.serve(core::millisecond);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~Simulation() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

struct Facts {
  std::atomic<int> worked = 0;
  std::atomic<bool> stuck = false;
};

HttpServerConfig with_queries(Facts& facts, core::Nanoseconds answer_timeout = 60 * core::second) {
  HttpServerConfig result = config();
  result.answer_timeout = answer_timeout;
  result.routes.push_back({"POST", "/work", [&](const Request& request) -> Reply {
                             return Query{[&, text = request.body]() -> Finish {
                               ++facts.worked;
                               while (facts.stuck) std::this_thread::yield();
                               if (text == "throw") throw std::runtime_error("no such luck");
                               return [text] {
                                 if (text == "throw late") throw std::runtime_error("none at all");
                                 return Response{200, text};
                               };
                             }};
                           }});
  result.routes.push_back({"GET", "/otherwise", [](const Request&) -> Reply {
                             return Query{[]() -> Finish { return [] { return Response{200, "queried"}; }; },
                                          [] { return Response{200, "not queried"}; }};
                           }});
  return result;
}

// Each connection stays open until the simulation answers it.
TEST(HttpQueries, AConnectionBeyondTheMaximumWaits) {
  Facts facts;
  const auto server = start(with_queries(facts));
  std::vector<RawSocket> open;
  for (int i = 0; i < 64; ++i) {
    open.push_back(RawSocket::connect(server->local_port()));
    ASSERT_TRUE(open.back().send("POST /work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"));
  }
  const RawSocket one_more = RawSocket::connect(server->local_port());
  ASSERT_TRUE(one_more.send(live));
  EXPECT_FALSE(one_more.answers_within(200)) << "it is not accepted yet";
  EXPECT_EQ(connections_max, 64u) << "exactly this many are accepted";
  open.front().close();
  const Simulation simulation(*server);
  EXPECT_TRUE(one_more.receive("\"live\"}").starts_with("HTTP/1.1 200 OK\r\n"));
}

std::string post(const HttpServer& server, std::string_view path, std::string_view body = {}) {
  return answer_to(server, "POST " + std::string(path) +
                               " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
                               std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

TEST(HttpQueries, QueriesRunOnTheSimulationThread) {
  Facts facts;
  const auto server = start(with_queries(facts));
  const Simulation simulation(*server);
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 10; ++i) {
        const std::string text = std::to_string(client * 100 + i);
        if (net::http_post(url(*server, "/work"), text, {.timeout = 60 * core::second}).value() == text) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 40);
  EXPECT_EQ(facts.worked, 40);
}

TEST(HttpQueries, AnExceptionIsAnErrorResponse) {
  Facts facts;
  const auto server = start(with_queries(facts));
  const Simulation simulation(*server);
  testing::internal::CaptureStderr();
  expect_refused(post(*server, "/work", "throw"), "500", "failed");
  expect_refused(post(*server, "/work", "throw late"), "500", "failed");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("POST /work: no such luck"), std::string::npos) << log;
  EXPECT_NE(log.find("POST /work: none at all"), std::string::npos) << log;
  EXPECT_TRUE(post(*server, "/work", "well").ends_with("well"));
}

TEST(HttpQueries, AHangingSimulationHasNoLateEffect) {
  Facts facts;
  const auto server = start(with_queries(facts, 50 * core::millisecond));
  expect_refused(post(*server, "/work", "x"), "503", "no_answer");
  EXPECT_EQ(net::http_get(url(*server, "/otherwise")).value(), "not queried");
  EXPECT_EQ(net::http_get(url(*server, "/live")).value(), R"({"status":"live"})");
  const Simulation simulation(*server);  // resumes
  EXPECT_EQ(net::http_get(url(*server, "/otherwise"), {.timeout = 60 * core::second}).ok(), true);
  EXPECT_EQ(facts.worked, 0) << "a refused request has no late effect";
}

TEST(HttpQueries, StartedWorkThatDoesNotEndIsUnfinished) {
  Facts facts;
  facts.stuck = true;
  const auto server = start(with_queries(facts, 50 * core::millisecond));
  const Simulation simulation(*server);
  expect_refused(post(*server, "/work", "x"), "504", "unfinished");
  EXPECT_EQ(net::http_get(url(*server, "/live")).value(), R"({"status":"live"})");
  EXPECT_EQ(facts.worked, 1);
  facts.stuck = false;
}

TEST(HttpQueries, EndsWhileRequestsWaitForTheSimulation) {
  Facts facts;
  auto server = start(with_queries(facts));
  const RawSocket waits = RawSocket::connect(server->local_port());
  ASSERT_TRUE(waits.send("POST /work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"));
  while (facts.worked == 0) server->serve(core::millisecond);  // its answer may be in flight
  const RawSocket another = RawSocket::connect(server->local_port());
  ASSERT_TRUE(another.send("POST /work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\ny"));
  ASSERT_TRUE(net::http_get(url(*server, "/live")).ok());
  server.reset();
  EXPECT_EQ(another.receive(), "");
}

}  // namespace
}  // namespace mobula::server::admin
