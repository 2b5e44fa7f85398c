// A server that sends arbitrary messages to a connection, for tests.
#pragma once

#include <gtest/gtest.h>

#include <mobula/client/connection/connection.hpp>
#include <mobula/core/log.hpp>
#include <server/hamlet.hpp>
#include <utility>

namespace mobula::client {

// A server that sends arbitrary messages over a real transport.
class HostileServer {
 public:
  explicit HostileServer(const ConnectionConfig& config = connection_config()) : connection(config, 0) {
    endpoint_.set_unix_time(test::test_unix_time);
  }
  static ConnectionConfig connection_config() {
    ConnectionConfig config;
    config.transport.token = test::test_token(5);
    config.name = "ada";
    return config;
  }

  void tick() { frame(50 * core::millisecond); }
  void frame(core::Nanoseconds length) {
    now += length;
    for (const core::Bytes& datagram : std::exchange(client_port_.sent, {}))
      if (datagram.size() <= carried_bytes_max)
        endpoint_.receive(transport::Address::v4(10, 0, 0, 9, 9), datagram, now, port_);
    for (const core::Bytes& datagram : std::exchange(port_.sent, {}))
      connection.receive(test::village_address, datagram, now);
    connection.update(now, client_port_);
    endpoint_.update(now, port_);
    transport::ServerEvent event;
    while (endpoint_.poll_event(event))
      if (event.kind == transport::ServerEvent::Kind::connected) session_ = event.session;
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  // Ticks until the client is connected, and reads its Hello.
  void connect() {
    ticks(10);
    ASSERT_NE(lane(), nullptr);
    core::Bytes bytes;
    ASSERT_TRUE(lane()->next_reliable(bytes));
    hello = std::get<wire::Hello>(wire::decode_message(bytes).value());
  }
  void send_message(const wire::Message& message) { ASSERT_TRUE(lane()->send_reliable(wire::encode(message)).ok()); }
  void send_bytes(core::ByteView bytes) { ASSERT_TRUE(lane()->send_reliable(bytes).ok()); }
  // The body of a delta with four empty lists.
  static constexpr std::array empty_body{std::byte{0x21}, std::byte{0x09}};

  void send(const wire::DeltaHeader& header, core::ByteView body = empty_body) {
    core::Bytes bytes(wire::header_size(header));
    wire::write_header(header, bytes);
    bytes.insert(bytes.end(), body.begin(), body.end());
    ASSERT_TRUE(lane()->send_unreliable(bytes).ok());
  }
  // Returns the newest input that was received.
  wire::InputDatagram input() {
    wire::InputDatagram newest;
    core::Bytes bytes;
    while (lane() != nullptr && lane()->next_unreliable(bytes)) EXPECT_TRUE(wire::decode_input(bytes, newest).ok());
    newest.commands.clear();
    return newest;
  }
  static wire::Welcome welcome() {
    const core::ByteView schema = test::game_schema()->bytes();
    return {.session = 1,
            .ticks_per_second = 20,
            .entities_max = 1000,
            .schema_fingerprint = test::game_schema()->fingerprint(),
            .schema = {schema.begin(), schema.end()},
            .resources = {}};
  }
  transport::Session* lane() { return endpoint_.find(session_); }

  core::Nanoseconds now = 0;
  std::size_t carried_bytes_max = ~std::size_t{0};  // larger datagrams of the client are lost
  Connection connection;
  wire::Hello hello;

 private:
  struct Port : transport::Output {
    void send(const transport::Address& /*to*/, core::ByteView datagram) override {
      sent.emplace_back(datagram.begin(), datagram.end());
    }
    std::vector<core::Bytes> sent;
  };
  static transport::ServerEndpointConfig server_config() { return test::test_transport(); }

  transport::ServerEndpoint endpoint_{server_config()};
  transport::SessionId session_;
  Port port_;
  Port client_port_;
};

class ConnectionTest : public testing::Test {
 protected:
  using State = Connection::State;
  using ReasonCode = transport::ReasonCode;

  void SetUp() override {
    core::set_log_level(core::LogLevel::off);
    ASSERT_NO_FATAL_FAILURE(server.connect());
  }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }
  void play() {
    server.send_message(HostileServer::welcome());
    server.ticks(5);
    ASSERT_EQ(server.connection.state(), State::playing);
  }
  // Expects that a protocol error has ended the connection on both sides.
  void expect_failure() {
    server.ticks(5);
    EXPECT_EQ(server.connection.state(), State::closed);
    EXPECT_EQ(server.connection.reason().code, ReasonCode::protocol_error);
    EXPECT_EQ(server.lane(), nullptr);
  }

  HostileServer server;
};

}  // namespace mobula::client
