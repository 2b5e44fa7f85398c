// The server's end of all connections of one pipe: handshakes, sessions by address, timeouts.
// Nothing is kept for an address before it has proved, by returning a cookie, that it receives what is sent there.
//
// A slot is free -> proved (the cookie came back) -> connected (the client has used its connection id)
//   -> lingering (closed; late datagrams are answered with the reason) -> free.
// Invariant: the address table holds exactly the slots that are not free; connected_ exactly the connected ones.
// Owns the sessions. A Session pointer is valid until the next receive, update or disconnect.
#pragma once

#include <memory>
#include <mobula/transport/address_table.hpp>
#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/protocol.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/session.hpp>
#include <optional>
#include <span>
#include <vector>

namespace mobula::transport {

struct SessionId {
  std::uint32_t index = ~0u;
  std::uint32_t generation = 0;

  bool operator==(const SessionId&) const = default;
};

struct ServerConfig {
  std::uint32_t protocol_version = 1;
  std::uint32_t sessions_max = 1024;
  // Makes cookies and connection ids. Fill it with core::random_bytes; a simulation fills it from its seed.
  core::SecretKey secret{};
  core::Nanoseconds timeout = 10 * core::second;           // nothing heard of a client
  core::Nanoseconds handshake_timeout = 5 * core::second;  // proved, but never connected
  core::Nanoseconds linger = 2 * core::second;
  core::Nanoseconds replace_after = core::second;  // silence after which the same address may connect anew
  // Clients send commands, not resources: little is kept for each.
  SessionConfig session{.reliable_receive_bytes_max = 64 * 1024, .reliable_inbox_bytes_max = 256 * 1024};
};

struct ServerEvent {
  enum class Kind { connected, disconnected, refused };
  Kind kind = Kind::connected;
  SessionId session{};  // none when refused
  Address address{};
  Reason reason{};  // of a disconnect or refusal
};

// Datagrams that led to nothing, by reason.
struct ServerCounters {
  std::uint64_t datagrams = 0;  // all that came
  std::uint64_t too_long = 0;
  std::uint64_t unknown_kind = 0;
  std::uint64_t malformed = 0;         // handshake or disconnect of a wrong size or magic
  std::uint64_t unknown_address = 0;   // payload or disconnect without a session
  std::uint64_t wrong_connection = 0;  // … with another connection id than its session's
  std::uint64_t bad_cookie = 0;
  std::uint64_t address_in_use = 0;  // handshake from an address that has a live session
  std::uint64_t other_protocol = 0;
  std::uint64_t server_full = 0;
  std::uint64_t challenges = 0;  // not garbage: hellos that were answered
};

class ServerEndpoint {
 public:
  explicit ServerEndpoint(const ServerConfig& config);

  // Handshakes are answered at once through `output`.
  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  // Once per tick: timeouts, broken sessions, then the flush of every session.
  void update(core::Nanoseconds now, Output& output);
  // In the order in which things happened. False: there is none.
  bool poll_event(ServerEvent& event);

  // Null for a session that is no more.
  [[nodiscard]] Session* find(SessionId id);
  [[nodiscard]] const Address& address(SessionId id) const;  // of a connected session
  // The connected sessions. Valid until the next receive, update or disconnect.
  [[nodiscard]] std::span<const SessionId> sessions() const { return connected_; }

  // Tells the client (several times, since datagrams get lost) and ends the session at once. What its lanes still
  // hold is not sent. An event follows. False: no such session.
  bool disconnect(SessionId id, const Reason& reason, core::Nanoseconds now, Output& output);
  void disconnect_all(const Reason& reason, core::Nanoseconds now, Output& output);

  [[nodiscard]] const ServerCounters& counters() const { return counters_; }
  // Sums over all sessions, closed ones included.
  [[nodiscard]] SessionStats total_stats() const;
  // Asserts the invariant.
  void check() const;

 private:
  enum class SlotState : std::uint8_t { free, proved, connected, lingering };
  struct Slot {
    SlotState state = SlotState::free;
    std::uint32_t generation = 0;
    std::uint32_t position = 0;  // in connected_
    Address address;
    std::uint64_t nonce = 0;
    ConnectionId connection{};
    core::Nanoseconds last_heard = 0;
    Reason reason;                     // while lingering
    std::unique_ptr<Session> session;  // while connected
  };

  void receive_hello(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  void receive_proof(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  void receive_payload(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  void receive_disconnect(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  bool speaks_our_protocol(const Address& from, const Hello& hello, core::Nanoseconds now, Output& output);
  void refuse(const Address& to, std::uint64_t nonce, const Reason& reason, core::Nanoseconds now, Output& output);
  void challenge(const Address& to, std::uint64_t nonce, core::Nanoseconds now, Output& output);
  void accept(const Slot& slot, Output& output);
  Slot* slot_with_connection(const Address& from, ConnectionId connection);
  [[nodiscard]] bool may_replace(const Slot& slot, core::Nanoseconds now) const;

  Slot& longest_lingering();
  Slot* open_slot(const Address& from, std::uint64_t nonce, core::Nanoseconds now);
  void connect(Slot& slot, core::Nanoseconds now);
  void close(Slot& slot, const Reason& reason, core::Nanoseconds now);
  void free_slot(Slot& slot);
  void send_disconnect(const Slot& slot, Output& output);
  void expire(Slot& slot, core::Nanoseconds now, Output& output);
  void flush(Slot& slot, core::Nanoseconds now, Output& output);
  [[nodiscard]] SessionId id_of(const Slot& slot) const;
  [[nodiscard]] std::uint32_t index_of(const Slot& slot) const;

  ServerConfig config_;
  CookieJar cookies_;
  AddressTable table_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t live_ = 0;  // proved and connected
  std::vector<SessionId> connected_;
  std::vector<ServerEvent> events_;
  std::size_t next_event_ = 0;
  std::uint64_t connections_made_ = 0;
  core::Nanoseconds next_refused_event_ = 0;
  ServerCounters counters_;
  SessionStats closed_stats_;
};

}  // namespace mobula::transport
