#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/text_socket.hpp>
#include <net/peers.hpp>
#include <net/raw_http.hpp>
#include <optional>
#include <thread>

namespace mobula::net {
namespace text_socket_test {

namespace beast = boost::beast;
using boost::asio::ip::tcp;
using Stream = beast::websocket::stream<tcp::socket>;
using Request = beast::http::request<beast::http::string_body>;

// Accepts one connection and reads its request. A script goes on with it, in a thread of the server.
class Server {
 public:
  using Script = std::function<void(Stream& stream, const Request& request)>;

  explicit Server(Script script) : thread_([this, script = std::move(script)] { serve(script); }) {}
  ~Server() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/api/live";
  }
  // Accepts the WebSocket and sends texts. Ends with the client.
  static Script sends(std::vector<std::string> texts, bool text = true) {
    return [texts = std::move(texts), text](Stream& stream, const Request& request) {
      boost::system::error_code ignored;
      stream.accept(request, ignored);
      stream.text(text);
      for (const std::string& each : texts) stream.write(boost::asio::buffer(each), ignored);
      wait_for_end(stream);
    };
  }
  static void wait_for_end(Stream& stream) {
    beast::flat_buffer buffer;
    boost::system::error_code error;
    while (!error) stream.read(buffer, error);
  }

 private:
  void serve(const Script& script) {
    boost::system::error_code error;
    tcp::socket socket = acceptor_.accept(error);
    if (error) return;
    beast::flat_buffer buffer;
    Request request;
    beast::http::read(socket, buffer, request, error);
    Stream stream(std::move(socket));
    script(stream, request);
  }

  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;  // the last member: it uses the others
};

class TextSocketTest : public testing::Test {
 protected:
  std::unique_ptr<TextSocket> open(const std::string& url, HttpOptions options = {.timeout = core::second}) {
    return std::make_unique<TextSocket>(
        events, url,
        TextSocket::Handlers{[this](std::string_view text) { texts.emplace_back(text); },
                             [this](const core::Error& error) { ended = error.reason; }},
        std::move(options));
  }
  std::string end() {
    EXPECT_TRUE(run_until_true(events, [this] { return ended.has_value(); }));
    return ended.value_or("");
  }

  EventLoop events;
  std::vector<std::string> texts;
  std::optional<std::string> ended;
};

TEST_F(TextSocketTest, ExchangesTexts) {
  std::string bearer;
  std::vector<std::string> got;
  std::atomic<bool> over = false;
  const Server server([&](Stream& stream, const Request& request) {
    bearer = request[beast::http::field::authorization];
    stream.accept(request);
    stream.text(true);
    stream.write(boost::asio::buffer(std::string("welcome")));
    for (int i = 0; i < 2; ++i) {
      beast::flat_buffer buffer;
      stream.read(buffer);
      got.push_back(beast::buffers_to_string(buffer.cdata()));
    }
    stream.write(boost::asio::buffer(std::string("done")));
    Server::wait_for_end(stream);
    over = true;
  });
  auto socket = open(server.url(), {.bearer = "a-token"});
  socket->send("too early");
  ASSERT_TRUE(run_until_true(events, [this] { return texts.size() == 1; }));
  socket->send("one");
  socket->send("two");
  ASSERT_TRUE(run_until_true(events, [this] { return texts.size() == 2; }));
  EXPECT_EQ(texts, (std::vector<std::string>{"welcome", "done"}));
  EXPECT_FALSE(ended);
  socket.reset();
  ASSERT_TRUE(run_until_true(events, [&] { return over.load(); }));
  EXPECT_EQ(bearer, "Bearer a-token");
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two"}));
}

TEST_F(TextSocketTest, ARefusedUpgradeIsNamed) {
  const test::CannedServer server("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  const auto socket = open(server.url("/api/live"));
  EXPECT_EQ(end(), "refused");
}

TEST_F(TextSocketTest, AServerThatClosesIsNamed) {
  const Server server([&](Stream& stream, const Request& request) {
    stream.accept(request);
    stream.text(true);
    stream.write(boost::asio::buffer(std::string("one")));
    boost::system::error_code ignored;
    stream.close(beast::websocket::close_code::normal, ignored);
  });
  const auto socket = open(server.url());
  EXPECT_EQ(end(), "closed");
  EXPECT_EQ(texts.size(), 1u);
}

TEST_F(TextSocketTest, OtherMessagesAreRefused) {
  const Server server(Server::sends({"x"}, false));
  const auto socket = open(server.url());
  EXPECT_EQ(end(), "closed");
}

TEST_F(TextSocketTest, LongTextsAreRefused) {
  const Server server(Server::sends({std::string(100, 'x')}));
  const auto socket = open(server.url(), {.answer_bytes_max = 50});
  EXPECT_EQ(end(), "closed");
  EXPECT_TRUE(texts.empty());
}

TEST_F(TextSocketTest, ASilentServerIsNamed) {
  const test::CannedServer server("", true);
  const auto socket = open(server.url("/api/live"), {.timeout = core::second / 4});
  EXPECT_EQ(end(), "timed out");
}

TEST_F(TextSocketTest, BadAddressesAreNamed) {
  const auto nowhere = open("ftp://127.0.0.1/");
  EXPECT_EQ(end(), "bad address");
  ended.reset();
  const auto nobody = open("http://127.0.0.1:1/api/live");
  EXPECT_EQ(end(), "unreachable");
}

TEST_F(TextSocketTest, ItsOwnerMayDestroyItInAHandler) {
  const Server server(Server::sends({"one", "two"}));
  std::unique_ptr<TextSocket> socket;
  socket = std::make_unique<TextSocket>(events, server.url(),
                                        TextSocket::Handlers{[&](std::string_view text) {
                                                               texts.emplace_back(text);
                                                               socket.reset();
                                                             },
                                                             [this](const core::Error&) { ended = "ended"; }});
  ASSERT_TRUE(run_until_true(events, [&] { return socket == nullptr; }));
  events.run_until(core::monotonic_now() + 20 * core::millisecond);
  EXPECT_EQ(texts.size(), 1u);
  EXPECT_FALSE(ended);
}

}  // namespace text_socket_test
}  // namespace mobula::net
