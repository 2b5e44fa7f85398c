// A server that sends arbitrary bytes to a connection, without a network between: for tests of what no honest server
// sends.
#pragma once

#include <deque>
#include <mobula/client/connection/connection.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <server/hamlet.hpp>
#include <transport/direct_path.hpp>

namespace mobula::test {

class RawServer {
 public:
  explicit RawServer(client::ConnectionConfig config)
      : connection(with_token(std::move(config)), 0), endpoint_(small_transport()) {
    endpoint_.set_unix_time(test_unix_time);
  }

  // Updates the connection, then the server, and delivers what each of them sends.
  void tick() {
    connection.update(now, path_);
    deliver();
    endpoint_.update(now, path_);
    deliver();
    now += Village::tick_length;
    for (transport::ServerEvent event; endpoint_.poll_event(event);) session_ = event.session;
    transport::Session* session = endpoint_.find(session_);
    while (session != nullptr && session->next_reliable(buffer_)) messages.push_back(buffer_);
    while (session != nullptr && session->next_unreliable(buffer_)) inputs.push_back(buffer_);
  }
  // Ticks until the connection has sent Hello.
  void connect() {
    messages.clear();
    for (int i = 0; i < 20 && messages.empty(); ++i) tick();
  }
  void send_bytes(core::ByteView message) {
    if (transport::Session* session = endpoint_.find(session_)) static_cast<void>(session->send_reliable(message).ok());
  }
  void send_delta(core::ByteView delta) {
    if (transport::Session* session = endpoint_.find(session_)) static_cast<void>(session->send_unreliable(delta).ok());
  }
  void cut_pipe() {
    connection.pipe_closed("lost", now);
    endpoint_.pipe_closed(address_, now);
  }

  client::Connection connection;
  core::Nanoseconds now = 0;
  std::deque<core::Bytes> messages;  // reliable ones, received from the connection
  std::deque<core::Bytes> inputs;

 private:
  // Returns limits for one connection.
  static transport::ServerEndpointConfig small_transport() {
    transport::ServerEndpointConfig config = test_transport();
    config.used_tokens_max = 64;
    return config;
  }
  static client::ConnectionConfig with_token(client::ConnectionConfig config) {
    config.transport.token = test_token(1);
    return config;
  }
  void deliver() {
    path_.deliver([this](core::ByteView datagram) { endpoint_.receive(address_, datagram, now, path_); },
                  [this](core::ByteView datagram) { connection.receive(village_address, datagram, now); });
  }

  const transport::Address address_ = transport::Address::v4(10, 2, 0, 1, 5000);
  transport::ServerEndpoint endpoint_;
  transport::SessionId session_{};
  DirectPath path_{village_address};
  core::Bytes buffer_;
};

}  // namespace mobula::test
