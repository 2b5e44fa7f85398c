// The server's end of all connections, over whatever pipes: netcode 1.02 handshakes, sessions by address, timeouts.
// Nothing is kept for an address without a valid connect token, and what is kept is bounded: a table that is full
// refuses, and throws nobody out before his time.
//
//   connection request (a token)  -> handshake: keys by address, until its time is up   used token: until it expires
//   response (the challenge back) -> session, in the slot that is its netcode client index
//   closed by the server          -> farewell: late packets are answered with the reason, while it lingers
//
// A connect token opens one session. If it opened a second, both would seal with the same keys and sequences, and what
// was recorded of the first could be played to the second. For the same reason a response counts only with a challenge
// that was made in its own handshake.
//
// Invariant: the client ids and the list of connected sessions are those of the used slots.
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

struct SessionId {
  std::uint32_t index = ~0u;
  std::uint32_t generation = 0;

  bool operator==(const SessionId&) const = default;
};

struct ServerEndpointConfig {
  std::uint64_t protocol_id = mobula_protocol_id;
  core::SecretKey private_key{};    // shared with the backend that mints tokens
  core::SecretKey challenge_key{};  // random at each start; a simulation fills it from its seed
  std::uint64_t table_seed = 0;     // the same
  // A token must name one of these; the pipe does not matter.
  std::vector<Address> public_addresses;
  std::uint32_t sessions_max = 1024;
  std::uint32_t handshakes_max = 4096;                      // at a time
  std::uint32_t used_tokens_max = 65536;                    // remembered until they expire
  core::Nanoseconds handshake_timeout = 10 * core::second;  // at most; a token may say less
  core::Nanoseconds keepalive_interval = 500 * core::millisecond;
  core::Nanoseconds linger = 2 * core::second;
  RateLimit handshakes{.per_second = 20'000, .burst = 20'000};
  RateLimit handshakes_per_address{.per_second = 200, .burst = 1'000};
  RateLimit datagrams_per_session{.per_second = 2'000, .burst = 4'000};
  core::Nanoseconds flood_patience = 3 * core::second;  // so long beyond the limit, and the session is closed
  // Clients send commands, not resources: little is kept for each.
  SessionConfig session{
      .reliable_receive_bytes_max = 64 * 1024, .reliable_inbox_bytes_max = 256 * 1024, .takes_bulk = false};
};

struct ServerEvent {
  enum class Kind { connected, disconnected, refused };
  Kind kind = Kind::connected;
  SessionId session{};  // none when refused
  Address address{};
  Reason reason{};  // of a disconnect or refusal
  // Of who connected. By the time this is read the session may be over, and its slot another's.
  Identity identity{};
};

struct ServerCounters {
  std::uint64_t datagrams = 0;   // all that came
  std::uint64_t challenges = 0;  // sent
  DropCounters dropped;          // those that led to nothing
};

class ServerEndpoint {
 public:
  explicit ServerEndpoint(const ServerEndpointConfig& config);

  // Tokens that have expired by then are refused.
  void set_unix_time(std::uint64_t seconds) { unix_time_ = seconds; }

  // Handshakes are answered at once through `output`.
  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output);
  // Once per tick: timeouts, broken sessions, then the flush of every session whose pipe is ready.
  void update(core::Nanoseconds now, Output& output);
  // A stream's connection is gone, and with it what it carried: a session (reason pipe_lost) or a handshake.
  void pipe_closed(const Address& address, core::Nanoseconds now);
  // In the order in which things happened. False: there is none.
  bool poll_event(ServerEvent& event);

  // Null for a session that is no more.
  [[nodiscard]] Session* find(SessionId id);
  [[nodiscard]] const Address& address(SessionId id) const;    // of a connected session
  [[nodiscard]] const Identity& identity(SessionId id) const;  // the same
  // The connected sessions. Valid until the next receive, update, disconnect or pipe_closed.
  [[nodiscard]] std::span<const SessionId> sessions() const { return connected_; }
  // Its session will soon be used.
  void prefetch(SessionId id) const {
    if (const std::uint32_t at = slot_of(id); at != slots_.none) slots_[at].session->prefetch(0);
  }

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
  using TokenTag = std::array<std::byte, core::seal_bytes>;  // of a token's private part: no two have the same

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
    core::Nanoseconds kept_until = 0;  // at least, whatever becomes of the date
    bool spent = false;                // a session came of it
  };
  struct Slot {
    std::uint32_t position = 0;  // in connected_
    bool confirmed = false;      // the client has shown that it knows of its session
    Channel channel;
    core::Nanoseconds timeout = 0;  // 0: none
    core::Nanoseconds last_heard = 0;
    core::Nanoseconds last_sent = 0;
    core::Nanoseconds flood_began = 0;
    core::Nanoseconds flood_last = 0;
    RateLimiter gate;
    std::unique_ptr<Session> session;
    Identity identity;
  };
  struct Farewell {
    Channel channel;
    Reason reason;
    core::Nanoseconds ends = 0;
    core::Nanoseconds next_answer = 0;
  };

  // Handshakes, in server_handshake.cpp.
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
  void say_farewell(Channel& channel, const Address& to, const Reason& reason, int copies, Output& output);
  void expire_tables(core::Nanoseconds now, Output& output);
  void end_if_over(std::uint32_t slot, core::Nanoseconds now, Output& output);
  void flush_sessions(core::Nanoseconds now, Output& output);
  void flush(std::uint32_t slot, core::Nanoseconds now, Output& output);
  void send_keep_alive(std::uint32_t slot, core::Nanoseconds now, Output& output);
  void send_packet(Channel& channel, const Address& to, PacketType type, PacketBuffer& packet, std::size_t body_bytes,
                   Output& output);
  [[nodiscard]] SessionId id_of(std::uint32_t slot) const { return {slot, generations_[slot]}; }
  [[nodiscard]] std::uint32_t slot_of(SessionId id) const;  // none for a session that is no more

  ServerEndpointConfig config_;
  PacketDomain domain_;
  Pace session_pace_;
  HandshakeLimits limits_;
  std::uint64_t unix_time_ = 0;
  std::uint64_t challenge_sequence_ = 0;
  std::uint64_t global_sequence_;

  BoundedTable<Address, Slot> slots_;
  std::vector<std::uint32_t> generations_;                 // of the slots
  BoundedTable<std::uint64_t, std::uint32_t> slot_of_id_;  // by client id
  std::vector<SessionId> connected_;
  std::size_t first_flushed_ = 0;  // position in connected_
  BoundedTable<Address, Handshake> handshakes_;
  BoundedTable<TokenTag, UsedToken> used_tokens_;
  BoundedTable<Address, Farewell> farewells_;

  std::vector<ServerEvent> events_;
  std::size_t next_event_ = 0;
  core::Nanoseconds next_refused_event_ = 0;
  ServerCounters counters_;
  SessionStats closed_stats_;
  std::array<std::byte, datagram_bytes_max> opened_{};  // the body of the packet that is being received
};

}  // namespace mobula::transport
