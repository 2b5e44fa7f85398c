// Server end of all connections, over any pipe: netcode 1.02 handshakes, sessions by address, timeouts.
// Nothing is stored for an address without a valid connect token, and all tables are bounded. A full table refuses new
// entries; it never evicts one early.
//
//   connection request (token)  -> handshake: keys by address, until its timeout     used token: until it expires
//   response (challenge token)  -> session, in the slot that is its netcode client index
//   closed by the server        -> closed session: for `linger`, late packets are answered with the reason
//
// A connect token opens one session. A second one would seal with the same keys and sequences, and packets recorded
// from the first could be replayed to it. For the same reason a response needs a challenge of its own handshake.
//
// Invariant: slot_of_id_ and connected_ contain exactly the used slots.
// Owns the sessions. A Session pointer is valid until the next receive, update, disconnect or pipe_closed.
#pragma once

#include <memory>
#include <mobula/transport/bounded_table.hpp>
#include <mobula/transport/challenge_token.hpp>
#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/handshake_limits.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/session.hpp>
#include <span>

namespace mobula::transport {

/// Handle of a session: slot and generation. Never reused.
struct SessionId {
  std::uint32_t index = ~0u;
  std::uint32_t generation = 0;

  bool operator==(const SessionId&) const = default;
};

/// Configuration of a server endpoint.
struct ServerEndpointConfig {
  std::uint64_t protocol_id = mobula_protocol_id;
  core::SecretKey private_key{};    // shared with the backend that creates tokens
  core::SecretKey challenge_key{};  // random at each start; in a simulation from its seed
  std::uint64_t table_seed = 0;     // the same
  /// A token must name one of these addresses; their pipe is ignored.
  std::vector<Address> public_addresses;
  std::uint32_t sessions_max = 1024;
  std::uint32_t handshakes_max = 4096;                      // concurrent
  std::uint32_t used_tokens_max = 65536;                    // stored until they expire
  core::Nanoseconds handshake_timeout = 10 * core::second;  // maximum; a token may have a shorter one
  core::Nanoseconds keepalive_interval = 500 * core::millisecond;
  core::Nanoseconds linger = 2 * core::second;
  RateLimit handshakes{.per_second = 20'000, .burst = 20'000};
  RateLimit handshakes_per_address{.per_second = 200, .burst = 1'000};
  RateLimit datagrams_per_session{.per_second = 2'000, .burst = 4'000};
  core::Nanoseconds flood_patience = 3 * core::second;  // time above the limit until the session is closed
  /// Limits for commands: clients send no resources.
  SessionConfig session{
      .reliable_receive_bytes_max = 64 * 1024, .reliable_inbox_bytes_max = 256 * 1024, .accepts_bulk = false};
};

/// Event of a server endpoint.
struct ServerEvent {
  enum class Kind { connected, disconnected, refused };
  Kind kind = Kind::connected;
  SessionId session{};  // invalid if refused
  Address address{};
  Reason reason{};  // for a disconnect or refusal
  /// Identity of the connected client. When the event is read the session may be closed and its slot reused.
  Identity identity{};
};

/// Counters of a server endpoint.
struct ServerCounters {
  std::uint64_t datagrams = 0;   // received
  std::uint64_t challenges = 0;  // sent
  DropCounters dropped;          // received and dropped
  std::uint64_t expired_by = 0;  // seconds from the expiry of the last expired token to its request
};

/// Server end of all connections.
class ServerEndpoint {
 public:
  explicit ServerEndpoint(const ServerEndpointConfig& config);

  /// Sets the time against which tokens expire.
  void set_unix_time(std::uint64_t seconds) { unix_time_ = seconds; }

  /// Handles a datagram. Handshake packets are answered at once through `output`.
  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  /// Closes timed-out and failed sessions, then flushes every session whose pipe is ready. Call it once per tick.
  void update(core::Nanoseconds now, Output& output);
  /// Sends what one session has now, if its pipe is ready. update() sends what it has later.
  void flush(SessionId id, core::Nanoseconds now, Output& output);
  /// Handles a closed stream. Closes its session (reason pipe_lost) or handshake.
  void pipe_closed(const Address& address, core::Nanoseconds now);
  /// Fetches the next event, in order. Returns false if there is none.
  bool poll_event(ServerEvent& event);

  /// Returns the session. Null if it is closed.
  [[nodiscard]] Session* find(SessionId id);
  /// Returns the address and identity of a connected session.
  [[nodiscard]] const Address& address(SessionId id) const;
  [[nodiscard]] const Identity& identity(SessionId id) const;
  /// Returns the connected sessions. Valid until the next receive, update, disconnect or pipe_closed.
  [[nodiscard]] std::span<const SessionId> sessions() const { return connected_; }
  /// Loads the session into the cache.
  void prefetch(SessionId id) const {
    if (const std::uint32_t at = slot_of(id); at != slots_.none) slots_[at].session->prefetch(0);
  }

  /// Sends the reason to the client, four times because datagrams get lost, and closes the session at once. Queued
  /// messages are not sent. An event follows. Returns false if there is no such session.
  bool disconnect(SessionId id, const Reason& reason, core::Nanoseconds now, Output& output);
  void disconnect_all(const Reason& reason, core::Nanoseconds now, Output& output);

  [[nodiscard]] const ServerCounters& counters() const { return counters_; }
  /// Returns the sum over all sessions, including closed ones.
  [[nodiscard]] SessionStats total_stats() const;
  /// Asserts the invariant.
  void check() const;

 private:
  using TokenTag = std::array<std::byte, core::seal_bytes>;  // tag of a token's private part; unique

  struct Handshake {
    core::SecretKey send_key{};
    core::SecretKey receive_key{};
    TokenTag token{};
    std::uint64_t client_id = 0;
    std::uint64_t first_challenge = 0;
    std::int32_t timeout_seconds = 0;
    core::Nanoseconds expires = 0;
  };
  struct UsedToken {
    Address address;
    std::uint64_t expire_time = 0;     // unix seconds
    core::Nanoseconds kept_until = 0;  // at least; independent of the wall clock
    bool spent = false;                // it has opened a session
  };
  struct Slot {
    std::uint32_t position = 0;  // in connected_
    bool confirmed = false;      // a packet of the session was received
    Channel channel;
    core::Nanoseconds timeout = 0;  // 0 disables it
    core::Nanoseconds last_received = 0;
    core::Nanoseconds last_sent = 0;
    core::Nanoseconds flood_began = 0;
    core::Nanoseconds flood_last = 0;
    RateLimiter limiter;
    std::unique_ptr<Session> session;
    Identity identity;
  };
  struct ClosedSession {
    Channel channel;
    Reason reason;
    core::Nanoseconds ends = 0;
    core::Nanoseconds next_answer = 0;
  };

  // Handshakes; defined in server_handshake.cpp.
  Drop receive_request(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  [[nodiscard]] bool names_this_server(const PrivateToken& token) const;
  Drop use_token(const TokenTag& tag, const Address& from, std::uint64_t expire_time, core::Nanoseconds now);
  Drop begin_handshake(const TokenTag& tag, const PrivateToken& token, const Address& from, core::Nanoseconds now);
  Drop deny(const Address& to, const core::SecretKey& key, core::Nanoseconds now, Output& output);
  void challenge(const Address& to, const PrivateToken& token, Output& output);
  Drop receive_response(const Address& from, const PacketHead& head, core::ByteView datagram, core::Nanoseconds now,
                        Output& output);
  Drop check_response(const Handshake& handshake, core::ByteView body, ChallengeToken& token) const;
  void connect(const Address& from, std::uint32_t handshake, const ChallengeToken& token, core::Nanoseconds now,
               Output& output);
  void send_global(PacketType type, const Address& to, const core::SecretKey& key, PacketBuffer& packet,
                   std::size_t body_bytes, Output& output);

  Drop receive_sealed(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  Drop receive_from_session(std::uint32_t slot, const PacketHead& head, core::ByteView datagram, core::Nanoseconds now,
                            Output& output);
  Drop note_flood(std::uint32_t slot, core::Nanoseconds now, Output& output);
  Drop receive_late(const Address& from, const PacketHead& head, core::ByteView datagram, core::Nanoseconds now,
                    Output& output);

  void close(std::uint32_t slot, const Reason& reason);
  void close_by_client(std::uint32_t slot, const Reason& reason, Output& output);
  void send_disconnect(Channel& channel, const Address& to, const Reason& reason, int copies, Output& output);
  void expire_tables(core::Nanoseconds now, Output& output);
  void close_if_over(std::uint32_t slot, core::Nanoseconds now, Output& output);
  void flush_sessions(core::Nanoseconds now, Output& output);
  void flush(std::uint32_t slot, core::Nanoseconds now, Output& output);
  void send_keep_alive(std::uint32_t slot, core::Nanoseconds now, Output& output);
  void send_packet(Channel& channel, const Address& to, PacketType type, PacketBuffer& packet, std::size_t body_bytes,
                   Output& output);
  [[nodiscard]] SessionId id_of(std::uint32_t slot) const { return {slot, generations_[slot]}; }
  [[nodiscard]] std::uint32_t slot_of(SessionId id) const;  // none if it is closed

  ServerEndpointConfig config_;
  PacketDomain domain_;
  Pace session_pace_;
  HandshakeLimits limits_;
  std::uint64_t unix_time_ = 0;
  std::uint64_t challenge_sequence_ = 0;
  std::uint64_t global_sequence_;

  BoundedTable<Address, Slot> slots_;
  std::vector<std::uint32_t> generations_;                 // generation per slot
  BoundedTable<std::uint64_t, std::uint32_t> slot_of_id_;  // by client id
  std::vector<SessionId> connected_;
  std::size_t first_flushed_ = 0;  // position in connected_
  BoundedTable<Address, Handshake> handshakes_;
  BoundedTable<TokenTag, UsedToken> used_tokens_;
  BoundedTable<Address, ClosedSession> closed_sessions_;

  std::vector<ServerEvent> events_;
  std::size_t next_event_ = 0;
  core::Nanoseconds next_refused_event_ = 0;
  ServerCounters counters_;
  SessionStats closed_stats_;
  std::array<std::byte, datagram_bytes_max> opened_{};  // body of the packet being received
};

}  // namespace mobula::transport
