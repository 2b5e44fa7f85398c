// The client's end of one connection by netcode 1.02: request with a connect token, response to the challenge, then a
// session, until it is closed with a reason. The token's servers are tried in turn.
// It never comes back from closed: to try again, make another with another token. One token opens one session.
//
// Health probe: a server that answers a request lives. Update once, hand it what comes, and when
// server_answered() is true drop the endpoint: the server forgets it, and keeps only that the token was used.
#pragma once

#include <mobula/transport/challenge_token.hpp>
#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/session.hpp>

namespace mobula::transport {

struct ClientEndpointConfig {
  ConnectToken token;
  // Where to go instead of to the token's servers, such as to them over TCP. In the same order; empty: the token's.
  std::vector<Address> servers;
  core::Nanoseconds handshake_interval = 100 * core::millisecond;
  core::Nanoseconds keepalive_interval = 500 * core::millisecond;
  SessionConfig session{};
};

class ClientEndpoint {
 public:
  enum class State { connecting, connected, closed };

  ClientEndpoint(const ClientEndpointConfig& config, core::Nanoseconds now);

  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  // Once per tick: the handshake's next step, timeouts, the flush of the session.
  void update(core::Nanoseconds now, Output& output);
  // Tells the server, several times. Nothing happens when already closed.
  void close(const Reason& reason, Output& output);
  // The stream to the present server is gone, or could not be made.
  void pipe_closed(std::string_view why, core::Nanoseconds now);

  [[nodiscard]] State state() const {
    return closed() ? State::closed : connected() ? State::connected : State::connecting;
  }
  [[nodiscard]] bool connected() const { return step_ == Step::connected; }
  [[nodiscard]] bool closed() const { return step_ == Step::closed; }
  // Why it is closed.
  [[nodiscard]] const Reason& reason() const { return reason_; }
  // Challenged, accepted or denied us: something there has the key of our token.
  [[nodiscard]] bool server_answered() const { return answered_; }
  // The one that is tried, or to which it is connected.
  [[nodiscard]] const Address& server() const { return config_.servers[server_]; }

  // Usable while connected; afterwards what had been received can still be fetched.
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  // Our slot at the server, and how many it has; known once connected.
  [[nodiscard]] std::uint32_t client_index() const { return client_index_; }
  [[nodiscard]] std::uint32_t clients_max() const { return clients_max_; }
  // Datagrams that led to nothing, by reason, and all of them.
  [[nodiscard]] const DropCounters& dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t ignored() const { return dropped_.total(); }

 private:
  enum class Step : std::uint8_t { requesting, responding, connected, closed };

  Drop take(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  Drop take_denied(core::Nanoseconds now);
  Drop take_challenge(core::ByteView body, core::Nanoseconds now);
  Drop take_keep_alive(core::ByteView body, core::Nanoseconds now);
  Drop take_payload(core::ByteView body, core::Nanoseconds now);
  Drop take_disconnect();

  void begin(core::Nanoseconds now);
  void try_next(const Reason& reason, core::Nanoseconds now);
  void end(const Reason& reason);
  void update_handshake(core::Nanoseconds now, Output& output);
  void update_session(core::Nanoseconds now, Output& output);
  void send_request(Output& output);
  void send_response(Output& output);
  void send_keep_alive(core::Nanoseconds now, Output& output);
  void send_packet(PacketType type, PacketBuffer& packet, std::size_t body_bytes, Output& output);
  // Nothing was heard for as long as the token allows.
  [[nodiscard]] bool silent(core::Nanoseconds now) const;
  [[nodiscard]] bool token_expired(core::Nanoseconds now) const;

  ClientEndpointConfig config_;
  PacketDomain domain_;
  Step step_ = Step::requesting;
  Reason reason_;
  bool answered_ = false;
  std::size_t server_ = 0;  // in config_.servers
  Channel channel_;
  std::uint32_t client_index_ = 0;
  std::uint32_t clients_max_ = 0;
  core::Nanoseconds started_;
  core::Nanoseconds last_heard_ = 0;
  core::Nanoseconds last_sent_ = 0;
  core::Nanoseconds next_step_ = 0;  // when the request or response is sent again
  DropCounters dropped_;
  Session session_;
  std::array<std::byte, challenge_body_bytes> challenge_{};
  std::array<std::byte, datagram_bytes_max> opened_{};  // the body of the packet that is being received
};

}  // namespace mobula::transport
