// A client of the live feed with blocking reads.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mobula::test {

class LiveClient {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  explicit LiveClient(std::uint16_t port, const Headers& headers = {}, const std::string& host = "localhost") {
    namespace websocket = boost::beast::websocket;
    boost::system::error_code error;
    socket_.next_layer().connect({boost::asio::ip::address_v4::loopback(), port}, error);
    socket_.set_option(websocket::stream_base::decorator([headers](websocket::request_type& request) {
      for (const auto& [name, value] : headers) request.set(name, value);
    }));
    websocket::response_type response;
    socket_.handshake(response, host, "/api/live", error);
    status_ = response.result_int();
    open_ = !error;
    body_ = response.body();
  }

  [[nodiscard]] bool open() const { return open_; }
  // Returns the status of the answer to the upgrade.
  [[nodiscard]] unsigned status() const { return status_; }
  // Returns the body of an answer that refused the upgrade.
  [[nodiscard]] const std::string& body() const { return body_; }

  bool send(const std::string& text, bool binary = false) {
    boost::system::error_code error;
    socket_.binary(binary);
    socket_.write(boost::asio::buffer(text), error);
    return !error;
  }
  // Returns the next message; null if the connection has ended.
  nlohmann::json receive() {
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    socket_.read(buffer, error);
    if (error) return nullptr;
    return nlohmann::json::parse(boost::beast::buffers_to_string(buffer.data()));
  }
  // Returns the next message of a topic; null if the connection has ended.
  nlohmann::json receive(const std::string& topic) {
    for (;;) {
      nlohmann::json message = receive();
      if (message.is_null() || message.at("topic") == topic) return message;
    }
  }

 private:
  boost::asio::io_context io_;
  boost::beast::websocket::stream<boost::asio::ip::tcp::socket> socket_{io_};
  bool open_ = false;
  unsigned status_ = 0;
  std::string body_;
};

}  // namespace mobula::test
