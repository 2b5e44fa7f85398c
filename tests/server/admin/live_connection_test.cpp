// Tests of the live feed over real sockets on the loopback address.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mobula/net/http_client.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/live.hpp>
#include <net/raw_http.hpp>
#include <server/admin/live_client.hpp>
#include <thread>

namespace mobula::server::admin {
namespace {

using nlohmann::json;
using test::LiveClient;
using test::RawSocket;

// A feed of numbered frames. It fails at number `ends`.
class Counter final : public Feed {
 public:
  explicit Counter(int first, int ends = 1 << 30, std::size_t padding = 0)
      : count_(first), ends_(ends), pad_(padding) {}

  Frame next() override {
    if (count_ == 99) throw std::runtime_error("no such luck");
    return [count = count_++, ends = ends_, pad = pad_]() -> core::Result<std::string> {
      if (count >= ends) return core::Error{"no such player", "the player has left"};
      return json{{"count", count}, {"padding", std::string(pad, '.')}}.dump();
    };
  }

 private:
  int count_;
  int ends_;
  std::size_t pad_;
};

core::Result<std::shared_ptr<Feed>> subscribe(std::string_view message) {
  const json request = json::parse(message);
  const int first = request.value("first", 0);
  if (first < 0) return core::Error{"bad request", "first: expected a number from 0"};
  return std::shared_ptr<Feed>(
      std::make_shared<Counter>(first, request.value("ends", 1 << 30), request.value("padding", 0u)));
}

// A server with a simulation thread that serves its requests.
struct Running {
  explicit Running(std::string token = {}, core::Nanoseconds answer_timeout = 60 * core::second) {
    HttpServerConfig config{.listen = transport::Address::v4(127, 0, 0, 1, 0), .routes = {live_route()}};
    config.topics = {{"numbers", 10, subscribe}, {"others", 10, subscribe}};
    config.welcome = R"({"version":"1"})";
    config.bearer_token = std::move(token);
    config.answer_timeout = answer_timeout;
    server = std::move(HttpServer::start(std::move(config)).value());
    thread = std::thread([this] {
      while (!stop) {
        if (!hangs) server->serve(core::millisecond);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  ~Running() {
    stop = true;
    thread.join();
  }
  [[nodiscard]] std::uint16_t port() const { return server->local_port(); }

  std::unique_ptr<HttpServer> server;
  std::atomic<bool> stop = false;
  std::atomic<bool> hangs = false;
  std::thread thread;
};

TEST(AdminLive, ASubscriberReceivesFrameAfterFrame) {
  const Running running;
  LiveClient client(running.port());
  ASSERT_TRUE(client.open());
  EXPECT_EQ(client.receive(), (json{{"topic", "welcome"}, {"version", "1"}}));
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers","first":5})"));
  for (int i = 5; i < 9; ++i) {
    const json frame = client.receive();
    EXPECT_EQ(frame.at("topic"), "numbers");
    EXPECT_EQ(frame.at("count"), i);
  }
  ASSERT_TRUE(client.send(R"({"subscribe":"others"})"));
  EXPECT_EQ(client.receive("others").at("count"), 0);
  EXPECT_GE(client.receive("numbers").at("count"), 9) << "both feeds continue";
}

TEST(AdminLive, ANewSubscriptionReplacesTheOld) {
  const Running running;
  LiveClient client(running.port());
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers","first":5})"));
  EXPECT_EQ(client.receive("numbers").at("count"), 5);
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers","first":1000})"));
  int last = 0;
  while (last < 1000) last = client.receive("numbers").at("count");
  EXPECT_EQ(last, 1000);
  ASSERT_TRUE(client.send(R"({"unsubscribe":"numbers"})"));
  ASSERT_TRUE(client.send(R"({"subscribe":"others","first":3})"));
  while (client.receive().at("topic") != "others") continue;
  for (int i = 4; i < 6; ++i) EXPECT_EQ(client.receive().at("count"), i) << "only frames of the other topic";
}

TEST(AdminLive, AnInvalidMessageIsAnErrorAndChangesNothing) {
  const Running running;
  LiveClient client(running.port());
  client.receive();
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {R"({"subscribe":"nubmers"})", {"no_such_topic", "there is no topic 'nubmers' (did you mean 'numbers'?)"}},
      {R"({"unsubscribe":"x"})", {"no_such_topic", "there is no topic 'x'"}},
      {R"({"subscribe":7})", {"no_such_topic", "there is no topic ''"}},
      {R"({})", {"bad_request", R"(expected {"subscribe": TOPIC} or {"unsubscribe": TOPIC})"}},
      {R"({"subscribe":"numbers","per_second":0})", {"bad_request", "per_second: expected a number from 0.1 to 10"}},
      {R"({"subscribe":"numbers","per_second":1e99})", {"bad_request", "per_second: expected a number from 0.1 to 10"}},
      {R"({"subscribe":"numbers","per_second":"4"})", {"bad_request", "per_second: expected a number"}},
      {R"({"subscribe":"numbers","first":-1})", {"bad_request", "first: expected a number from 0"}},
  };
  for (const auto& [message, error] : cases) {
    ASSERT_TRUE(client.send(message));
    const json answer = client.receive();
    EXPECT_EQ(answer.at("topic"), "error") << message;
    EXPECT_EQ(answer.at("code"), error.first) << message;
    EXPECT_EQ(answer.at("message"), error.second) << message;
    EXPECT_EQ(answer.at("ended"), false);
  }
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers"})"));
  EXPECT_EQ(client.receive().at("count"), 0);
}

TEST(AdminLive, InvalidJsonIsReportedByItsPlace) {
  const Running running;
  const std::pair<const char*, const char*> cases[] = {
      {"[]", R"(expected a JSON object such as {"subscribe": "overview"})"},
      {R"({"subscribe": nil})", "line 1, column 15: expected JSON, not 'ni'"},
      {R"({"per_second": 1e999})",
       "line 1, column 16: the number is too large; expected at most 1.7976931348623157e308"}};
  for (const auto& [text, message] : cases) {
    LiveClient client(running.port());
    client.receive();
    client.send(text);
    EXPECT_EQ(client.receive().at("message"), message);
  }
}

TEST(AdminLive, InvalidJsonEndsTheConnection) {
  const Running running;
  for (const char* message : {"", "x", "[]", "{", "\"subscribe\"", "\xff"}) {
    LiveClient client(running.port());
    client.receive();
    client.send(message);
    const json answer = client.receive();
    if (!answer.is_null()) {  // Beast itself closes on invalid UTF-8
      EXPECT_EQ(answer.at("code"), "malformed");
    }
    EXPECT_EQ(client.receive(), nullptr) << message;
  }
  LiveClient client(running.port());
  client.receive();
  client.send(R"({"subscribe":"numbers"})", true);
  EXPECT_EQ(client.receive().at("code"), "malformed") << "a binary message";
  LiveClient large(running.port());
  large.receive();
  large.send(R"({"subscribe":")" + std::string(5000, 'x') + "\"}");
  EXPECT_EQ(large.receive(), nullptr);
}

TEST(AdminLive, AFailedFeedEndsWithAnError) {
  const Running running;
  LiveClient client(running.port());
  client.receive();
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers","ends":2})"));
  EXPECT_EQ(client.receive().at("count"), 0);
  EXPECT_EQ(client.receive().at("count"), 1);
  EXPECT_EQ(client.receive(), (json{{"topic", "error"},
                                    {"about", "numbers"},
                                    {"code", "no_such_player"},
                                    {"message", "the player has left"},
                                    {"ended", true}}));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers","first":99})"));
  EXPECT_EQ(client.receive().at("code"), "failed");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no such luck"), std::string::npos);
}

TEST(AdminLive, AHangingSimulationIsReportedAndAwaited) {
  Running running({}, 50 * core::millisecond);
  LiveClient client(running.port());
  client.receive();
  running.hangs = true;
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers"})"));
  json answer = client.receive();
  while (answer.at("topic") == "numbers") answer = client.receive();  // a frame may have been made before
  EXPECT_EQ(answer.at("code"), "no_answer");
  EXPECT_EQ(answer.at("ended"), false);
  running.hangs = false;
  EXPECT_FALSE(client.receive("numbers").is_null()) << "the feed continues";
}

// A client that does not read receives only what its pipe holds. No further frames are made, and no other client waits.
TEST(AdminLive, ASlowReaderDelaysNoOther) {
  const Running running;
  LiveClient lazy(running.port());
  ASSERT_TRUE(lazy.send(R"({"subscribe":"numbers","padding":3000000})"));
  LiveClient client(running.port());
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers"})"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.receive("numbers").at("count"), i);
  EXPECT_EQ(lazy.receive("numbers").at("count"), 0) << "all frames arrive in order";
  EXPECT_EQ(lazy.receive("numbers").at("count"), 1);
}

TEST(AdminLive, RefusesPagesOfOtherOrigins) {
  const Running running;
  EXPECT_EQ(LiveClient(running.port(), {{"Origin", "http://evil.example"}}).status(), 403u);
  EXPECT_EQ(LiveClient(running.port(), {}, "evil.example").status(), 403u);
  EXPECT_TRUE(LiveClient(running.port(), {{"Origin", "http://localhost"}}).open());
}

TEST(AdminLive, ARequiredTokenIsTheFirstMessage) {
  const Running running("0123456789abcdef");
  LiveClient page(running.port());
  ASSERT_TRUE(page.send(R"({"token":"0123456789abcdef"})"));
  EXPECT_EQ(page.receive().at("topic"), "welcome");
  LiveClient program(running.port(), {{"Authorization", "Bearer 0123456789abcdef"}});
  EXPECT_EQ(program.receive().at("topic"), "welcome");
  for (const char* message : {R"({"token":"0123456789abcdeg"})", R"({"token":7})", R"({"subscribe":"numbers"})"}) {
    LiveClient peer(running.port(), {{"Authorization", "Bearer wrong"}});
    ASSERT_TRUE(peer.send(message));
    EXPECT_EQ(peer.receive().at("code"), "unauthorized");
    EXPECT_EQ(peer.receive(), nullptr);
  }
}

TEST(AdminLive, LimitsSubscribers) {
  const Running running;
  std::vector<std::unique_ptr<LiveClient>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<LiveClient>(running.port()));
    ASSERT_TRUE(clients.back()->open());
    clients.back()->receive();
  }
  EXPECT_EQ(LiveClient(running.port()).status(), 503u);
  EXPECT_TRUE(net::http_get("http://127.0.0.1:" + std::to_string(running.port()) + "/live").ok());
}

TEST(AdminLive, UnauthenticatedPeersTakeNoSubscribersPlace) {
  const Running running("0123456789abcdef");
  std::vector<std::unique_ptr<LiveClient>> peers;
  for (std::size_t i = 0; i < live_connections_max + 4; ++i) {
    peers.push_back(std::make_unique<LiveClient>(running.port()));
    ASSERT_TRUE(peers.back()->open());
  }
  LiveClient page(running.port());
  ASSERT_TRUE(page.send(R"({"token":"0123456789abcdef"})"));
  EXPECT_EQ(page.receive().at("topic"), "welcome");
}

// Unauthenticated peers count as connections until they send a token, and are closed after a timeout. So they cannot
// hold thousands of descriptors.
TEST(AdminLive, APeerWithoutATokenMakesPlace) {
  const Running running("0123456789abcdef");
  std::deque<LiveClient> peers;
  for (std::size_t i = 0; i < 2 * connections_max; ++i) ASSERT_TRUE(peers.emplace_back(running.port()).open()) << i;
  LiveClient watcher(running.port(), {{"Authorization", "Bearer 0123456789abcdef"}});
  EXPECT_EQ(watcher.receive().at("topic"), "welcome");
  EXPECT_TRUE(peers.front().receive().is_null()) << "it waited longest, and is closed";
  EXPECT_TRUE(peers.back().send(R"({"token": "0123456789abcdef"})"));
  EXPECT_EQ(peers.back().receive().at("topic"), "welcome");
}

TEST(AdminLive, RefusesRequestsThatAreNotWebSockets) {
  const Running running;
  const std::string begin =
      "GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  for (const char* rest : {"\r\n", "Sec-WebSocket-Version: 13\r\n\r\n",
                           "Sec-WebSocket-Version: 9\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"}) {
    const RawSocket socket = RawSocket::connect(running.port());
    ASSERT_TRUE(socket.send(begin + rest));
    socket.end_sending();
    const std::string answer = socket.receive();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 4")) << rest << answer;
  }
  const RawSocket eager = RawSocket::connect(running.port());
  ASSERT_TRUE(
      eager.send(begin + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nearly"));
  EXPECT_TRUE(eager.receive().starts_with("HTTP/1.1 400 "));
}

TEST(AdminLive, EndsWithOpenSubscriptions) {
  auto running = std::make_unique<Running>();
  LiveClient client(running->port());
  ASSERT_TRUE(client.send(R"({"subscribe":"numbers"})"));
  EXPECT_EQ(client.receive("numbers").at("count"), 0);
  running.reset();
  while (!client.receive().is_null()) continue;
}

}  // namespace
}  // namespace mobula::server::admin
