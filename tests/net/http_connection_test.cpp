#include <gtest/gtest.h>

#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_connection.hpp>
#include <net/peers.hpp>
#include <net/raw_http.hpp>
#include <optional>

namespace mobula::net {
namespace http_connection_test {

using test::RawSocket;
using Answer = core::Result<std::string>;

std::string answer(std::string_view body, std::string_view more_headers = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(more_headers) + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

std::string chunk(std::string_view text) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + std::string(text) + "\r\n";
}

constexpr const char* chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// Gives each connection its answers, one per request, and closes it after the last one.
class ScriptedServer {
 public:
  using Answers = std::vector<std::string>;

  explicit ScriptedServer(std::vector<Answers> connections)
      : connections_(std::move(connections)), thread_([this] { serve(); }) {}
  ~ScriptedServer() {
    listener_.end();
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()); }
  // Returns the number of connections so far.
  [[nodiscard]] int accepted() const { return accepted_; }

 private:
  void serve() {
    for (const Answers& answers : connections_) {
      const RawSocket peer = listener_.accept();
      if (!peer.open()) return;
      ++accepted_;
      for (const std::string& each : answers) {
        if (peer.receive("\r\n\r\n").empty()) break;
        peer.send(each);
      }
      if (answers.empty()) (void)peer.receive();  // until the client gives up
      peer.end_sending();
    }
  }

  std::vector<Answers> connections_;
  test::RawListener listener_;
  std::atomic<int> accepted_ = 0;
  std::thread thread_;  // the last member: it uses the others
};

class HttpConnectionTest : public testing::Test {
 protected:
  HttpConnection::OnAnswer into(std::optional<Answer>& result) {
    return [&result](Answer given) { result = std::move(given); };
  }
  // Sends two requests at once, and waits for the second answer.
  void get_two(HttpConnection& connection) {
    connection.get("/", into(first));
    connection.get("/", into(second));
    ASSERT_TRUE(run_until_true(events, [this] { return second.has_value(); }));
  }
  static std::string reason(const std::optional<Answer>& result) {
    return !result ? "none" : result->ok() ? "answered" : result->error().reason;
  }

  EventLoop events;
  std::optional<Answer> first;
  std::optional<Answer> second;
};

TEST_F(HttpConnectionTest, KeepsTheConnectionForTheNextRequest) {
  const ScriptedServer server({{answer("one"), answer("two"), answer("three")}});
  HttpConnection connection(events, server.url());
  std::vector<std::string> got;
  const auto note = [&](const Answer& given) { got.push_back(given ? *given : given.error().message); };
  connection.post("/a", "{}", note);
  connection.get("/b", note);
  ASSERT_TRUE(run_until_true(events, [&] { return got.size() == 2; }));
  connection.post("/c", "{}", note);
  ASSERT_TRUE(run_until_true(events, [&] { return got.size() == 3; }));
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(HttpConnectionTest, ConnectsAgainAfterAnAnswerThatCloses) {
  const ScriptedServer server({{answer("one", "Connection: close\r\n")}, {answer("two")}});
  HttpConnection connection(events, server.url());
  ASSERT_NO_FATAL_FAILURE(get_two(connection));
  EXPECT_EQ(**first, "one");
  EXPECT_EQ(**second, "two");
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(HttpConnectionTest, ARefusedRequestDoesNotEndTheConnection) {
  const ScriptedServer server({{"HTTP/1.1 503 Unavailable\r\nContent-Length: 4\r\n\r\nwait", answer("two")}});
  HttpConnection connection(events, server.url());
  ASSERT_NO_FATAL_FAILURE(get_two(connection));
  EXPECT_EQ(reason(first), "refused");
  EXPECT_TRUE(first->error().message.ends_with(": 503 wait")) << first->error().message;
  EXPECT_EQ(**second, "two");
}

TEST_F(HttpConnectionTest, AMissingAnswerDoesNotHoldUpTheNext) {
  const ScriptedServer server({{}, {answer("two")}});
  HttpConnection connection(events, server.url(), {.timeout = core::second / 2});
  connection.get("/", into(first));
  ASSERT_TRUE(run_until_true(events, [&] { return first.has_value(); }));
  EXPECT_EQ(reason(first), "timed out");
  connection.get("/", into(second));
  ASSERT_TRUE(run_until_true(events, [&] { return second.has_value(); }));
  EXPECT_EQ(reason(second), "answered");
}

TEST_F(HttpConnectionTest, PassesEachLineOfALastingAnswer) {
  const ScriptedServer server(
      {{chunked + chunk("first\nsec") + chunk("ond\n") + chunk("\n") + chunk("last\nnot complete") + "0\r\n\r\n"}});
  HttpConnection connection(events, server.url());
  std::vector<std::string> lines;
  std::optional<Answer> end;
  connection.follow("/watch", "{}", [&](std::string_view line) { lines.emplace_back(line); }, into(end));
  ASSERT_TRUE(run_until_true(events, [&] { return end.has_value(); }));
  EXPECT_EQ(lines, (std::vector<std::string>{"first", "second", "", "last"}));
  EXPECT_EQ(**end, "");
}

TEST_F(HttpConnectionTest, ALastingAnswerMayEndEarly) {
  const ScriptedServer server({{chunked + chunk("first\n")}});
  HttpConnection connection(events, server.url());
  std::optional<Answer> end;
  int lines = 0;
  connection.follow("/watch", "{}", [&](std::string_view) { ++lines; }, into(end));
  ASSERT_TRUE(run_until_true(events, [&] { return end.has_value(); }));
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(reason(end), "bad answer");
}

TEST_F(HttpConnectionTest, ATooLongLineEndsALastingAnswer) {
  const ScriptedServer server({{chunked + chunk(std::string(300, 'x')) + chunk("\n")}});
  HttpConnection connection(events, server.url(), {.answer_bytes_max = 256});
  std::optional<Answer> end;
  connection.follow("/watch", "{}", [](std::string_view) { ADD_FAILURE(); }, into(end));
  ASSERT_TRUE(run_until_true(events, [&] { return end.has_value(); }));
  EXPECT_EQ(reason(end), "bad answer");
}

TEST_F(HttpConnectionTest, ARefusalOfALastingRequestIsAnError) {
  const ScriptedServer server({{"HTTP/1.1 400 Bad Request\r\nContent-Length: 6\r\n\r\nlines\n"}});
  HttpConnection connection(events, server.url());
  std::optional<Answer> end;
  connection.follow("/watch", "{}", [](std::string_view) { ADD_FAILURE(); }, into(end));
  ASSERT_TRUE(run_until_true(events, [&] { return end.has_value(); }));
  EXPECT_EQ(reason(end), "refused");
}

TEST_F(HttpConnectionTest, HandlersMayDestroyTheConnection) {
  const ScriptedServer server({{answer("one")}, {chunked + chunk("first\nsecond\n")}});
  auto connection = std::make_unique<HttpConnection>(events, server.url());
  connection->get("/", [&](const Answer&) { connection.reset(); });
  connection->get("/", [](const Answer&) { ADD_FAILURE(); });
  ASSERT_TRUE(run_until_true(events, [&] { return connection == nullptr; }));
  connection = std::make_unique<HttpConnection>(events, server.url());
  connection->follow("/", "{}", [&](std::string_view) { connection.reset(); }, [](const Answer&) { ADD_FAILURE(); });
  ASSERT_TRUE(run_until_true(events, [&] { return connection == nullptr; }));
  events.run_until(core::monotonic_now() + 10 * core::millisecond);
}

TEST_F(HttpConnectionTest, NothingIsCalledAfterTheDestructor) {
  const ScriptedServer server(std::vector<ScriptedServer::Answers>(1));  // never answers
  auto connection = std::make_unique<HttpConnection>(events, server.url());
  connection->get("/", [](const Answer&) { ADD_FAILURE(); });
  ASSERT_TRUE(run_until_true(events, [&] { return server.accepted() == 1; }));
  connection.reset();
  events.run_until(core::monotonic_now() + 20 * core::millisecond);
}

}  // namespace http_connection_test
}  // namespace mobula::net
