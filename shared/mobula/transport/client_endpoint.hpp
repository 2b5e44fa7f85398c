// Client end of one netcode 1.02 connection: connect request, response to the challenge, session, closed with a reason.
// The servers of the token are tried in order.
// A closed endpoint is never reopened. To connect again, create one with another token: a token opens one session.
//
// Use as a health probe: a server that answers a request is alive. Call update() once, pass received datagrams to
// receive(), and destroy the endpoint when server_answered() is true. The server then keeps only the used token.
#pragma once

#include <mobula/transport/challenge_token.hpp>
#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/session.hpp>

namespace mobula::transport {

/// Configuration of a client endpoint.
struct ClientEndpointConfig {
  ConnectToken token{};
  /// Addresses to use instead of the token's, for example the same servers over TCP, in the same order. If empty, the
  /// addresses of the token.
  std::vector<Address> servers{};
  core::Nanoseconds handshake_interval = 100 * core::millisecond;
  core::Nanoseconds keepalive_interval = 500 * core::millisecond;
  SessionConfig session{};
};

/// Client end of one connection.
class ClientEndpoint {
 public:
  enum class State { connecting, connected, closed };

  ClientEndpoint(const ClientEndpointConfig& config, core::Nanoseconds now);

  /// Handles a datagram. One that is not from the current server, or not genuine, is counted and has no effect.
  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  /// Sends the next step of the handshake, checks timeouts and flushes the session. Call it once per tick.
  void update(core::Nanoseconds now, Output& output);
  /// Sends the reason to the server, four times, and closes. Does nothing if already closed.
  void close(const Reason& reason, Output& output);
  /// Handles a stream to the current server that was closed or could not be opened.
  void pipe_closed(std::string_view why, core::Nanoseconds now);

  [[nodiscard]] State state() const {
    return closed() ? State::closed : connected() ? State::connected : State::connecting;
  }
  [[nodiscard]] bool connected() const { return step_ == Step::connected; }
  [[nodiscard]] bool closed() const { return step_ == Step::closed; }
  /// Returns why the endpoint is closed. ReasonCode::none before.
  [[nodiscard]] const Reason& reason() const { return reason_; }
  /// Returns whether a server challenged, accepted or denied the client, that is, holds the key that sealed the token.
  [[nodiscard]] bool server_answered() const { return answered_; }
  /// Returns the server that is being tried or is connected.
  [[nodiscard]] const Address& server() const { return config_.servers[server_]; }

  /// Returns the session, usable while connected. After that, messages already received can still be fetched.
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  /// Returns the slot of this client at the server, and the server's number of slots. Valid once connected.
  [[nodiscard]] std::uint32_t client_index() const { return client_index_; }
  [[nodiscard]] std::uint32_t clients_max() const { return clients_max_; }
  /// Returns the dropped datagrams by reason, and their sum.
  [[nodiscard]] const DropCounters& dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t ignored() const { return dropped_.total(); }

 private:
  enum class Step : std::uint8_t { requesting, responding, connected, closed };

  Drop handle(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  Drop on_denied(core::Nanoseconds now);
  Drop on_challenge(core::ByteView body, core::Nanoseconds now);
  Drop on_keep_alive(core::ByteView body, core::Nanoseconds now);
  Drop on_payload(core::ByteView body, core::Nanoseconds now);
  Drop on_disconnect();

  void begin(core::Nanoseconds now);
  void try_next(const Reason& reason, core::Nanoseconds now);
  void end(const Reason& reason);
  void update_handshake(core::Nanoseconds now, Output& output);
  void update_session(core::Nanoseconds now, Output& output);
  void send_request(Output& output);
  void send_response(Output& output);
  void send_keep_alive(core::Nanoseconds now, Output& output);
  void send_packet(PacketType type, PacketBuffer& packet, std::size_t body_bytes, Output& output);
  // Whether nothing was received for the token's timeout.
  void note_pause(core::Nanoseconds now);
  // Returns 0 if there is none.
  [[nodiscard]] core::Nanoseconds timeout() const;
  [[nodiscard]] bool timed_out(core::Nanoseconds now) const;
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
  core::Nanoseconds last_call_;
  core::Nanoseconds pause_ = 0;  // at least the timeout; 0 if there was none
  core::Nanoseconds last_received_ = 0;
  core::Nanoseconds last_sent_ = 0;
  core::Nanoseconds next_step_ = 0;  // when the request or response is due
  DropCounters dropped_;
  Session session_;
  std::array<std::byte, challenge_body_bytes> challenge_{};
  std::array<std::byte, datagram_bytes_max> opened_{};  // body of the packet being received
};

}  // namespace mobula::transport
