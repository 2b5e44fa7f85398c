// The client's end of one connection: hello, proof, then a session, until it is closed with a reason.
// It never comes back from closed: to try again, make another with another nonce.
//
// Health probe: a server that answers a hello lives. Update once, hand it what comes, and when
// server_answered() is true drop the endpoint: the server has kept nothing of it.
#pragma once

#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/protocol.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/session.hpp>

namespace mobula::transport {

struct ClientConfig {
  std::uint32_t protocol_version = 1;
  Address server{};
  // Unguessable, and another for each connection: who knows it can forge the server's replies.
  std::uint64_t nonce = 0;
  core::Nanoseconds connect_timeout = 10 * core::second;
  core::Nanoseconds timeout = 10 * core::second;
  core::Nanoseconds hello_interval = 200 * core::millisecond;
  SessionConfig session{};
};

class ClientEndpoint {
 public:
  enum class State { connecting, connected, closed };

  ClientEndpoint(const ClientConfig& config, core::Nanoseconds now);

  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  // Once per tick: the handshake's next step, timeouts, the flush of the session.
  void update(core::Nanoseconds now, Output& output);
  // Tells the server, several times. Nothing happens when already closed.
  void close(const Reason& reason, Output& output);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool connected() const { return state_ == State::connected; }
  [[nodiscard]] bool closed() const { return state_ == State::closed; }
  // Why it is closed.
  [[nodiscard]] const Reason& reason() const { return reason_; }
  // Challenged, accepted or refused us: something at that address speaks the protocol.
  [[nodiscard]] bool server_answered() const { return answered_; }

  // Usable while connected; afterwards what had been received can still be fetched.
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  // Datagrams that led to nothing: from elsewhere, malformed, of another connection.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

 private:
  bool receive_challenge(core::ByteView datagram, core::Nanoseconds now);
  bool receive_accepted(core::ByteView datagram, core::Nanoseconds now);
  bool receive_refused(core::ByteView datagram);
  bool receive_payload(core::ByteView datagram, core::Nanoseconds now);
  bool receive_disconnect(core::ByteView datagram);
  void end(const Reason& reason);
  void update_handshake(core::Nanoseconds now, Output& output);

  ClientConfig config_;
  State state_ = State::connecting;
  Reason reason_;
  bool answered_ = false;
  bool has_cookie_ = false;
  Cookie cookie_{};
  ConnectionId connection_{};
  core::Nanoseconds started_;
  core::Nanoseconds next_hello_;
  core::Nanoseconds last_heard_ = 0;
  std::uint64_t ignored_ = 0;
  Session session_;
};

}  // namespace mobula::transport
