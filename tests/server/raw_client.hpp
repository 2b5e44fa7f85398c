// A client that sends arbitrary bytes to a server, without a network between. For tests of messages that no honest
// client sends.
#pragma once

#include <deque>
#include <mobula/server/session/server.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/wire/messages.hpp>
#include <server/hamlet.hpp>
#include <transport/direct_path.hpp>

namespace mobula::test {

class RawClient {
 public:
  static constexpr core::Nanoseconds tick_length = Village::tick_length;

  RawClient(server::Server& server, std::uint64_t client_id) : server_(server), own_(test_token(client_id)) {}

  // Connects with its own token, or with another.
  void connect() { connect(own_); }
  void connect(const transport::ConnectToken& token) {
    transport::ClientEndpointConfig config;
    config.token = token;
    endpoint_ = std::make_unique<transport::ClientEndpoint>(config, now);
    for (int i = 0; i < 10 && !endpoint_->connected(); ++i) tick();
  }
  // Reports to the server that the client's stream is closed.
  void cut_pipe() { server_.pipe_closed(address, now); }
  void tick() {
    if (endpoint_ != nullptr) endpoint_->update(now, path_);
    deliver();
    server_.tick(now, path_);
    deliver();
    now += tick_length;
    while (endpoint_ != nullptr && endpoint_->session().next_reliable(buffer_)) on_message();
    while (endpoint_ != nullptr && endpoint_->session().next_unreliable(buffer_)) deltas.push_back(buffer_);
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  void send_message(const wire::Message& message) { send_bytes(wire::encode(message)); }
  void send_bytes(core::ByteView message) { static_cast<void>(endpoint_->session().send_reliable(message).ok()); }
  void send_input(core::ByteView input) { static_cast<void>(endpoint_->session().send_unreliable(input).ok()); }
  void send_input(const wire::InputDatagram& input) {
    core::Bytes bytes(wire::input_bytes_max);
    bytes.resize(wire::encode_input(input, bytes).bytes);
    send_input(bytes);
  }
  [[nodiscard]] bool connected() const { return endpoint_ != nullptr && endpoint_->connected(); }

  const transport::Address address = transport::Address::v4(10, 2, 0, 1, 5000);
  core::Nanoseconds now = 0;
  std::size_t datagram_bytes_max = transport::datagram_bytes_max;  // that the path from the server carries
  std::deque<core::Bytes> messages;                                // reliable ones, received from the server
  std::deque<core::Bytes> deltas;                                  // unreliable ones
  std::vector<transport::ConnectToken> rejoin_tokens;              // received last

 private:
  void deliver() {
    path_.deliver([this](core::ByteView datagram) { server_.receive(address, datagram, now, path_); },
                  [this](core::ByteView datagram) {
                    if (endpoint_ != nullptr && datagram.size() <= datagram_bytes_max)
                      endpoint_->receive(village_address, datagram, now);
                  });
  }
  void on_message() {
    messages.push_back(buffer_);
    const core::Result<wire::Message> message = wire::decode_message(buffer_);
    const auto* given = message ? std::get_if<wire::RejoinTokens>(&*message) : nullptr;
    if (given == nullptr) return;
    rejoin_tokens.clear();
    for (core::ByteView rest = given->tokens; !rest.empty(); rest = rest.subspan(wire::token_bytes))
      rejoin_tokens.push_back(*transport::read_token(rest.first(wire::token_bytes)));
  }

  server::Server& server_;
  transport::ConnectToken own_;
  std::unique_ptr<transport::ClientEndpoint> endpoint_;
  DirectPath path_{village_address};
  core::Bytes buffer_;
};

}  // namespace mobula::test
