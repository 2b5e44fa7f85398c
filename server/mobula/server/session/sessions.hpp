// The table of sessions in order of arrival, disconnected ones included. It also ends sessions: after a lost
// connection, a kick, or the grace period. Admission decides which clients get one.
//
// A session that is closed stays in the table until the transport reports the end of its connection.
#pragma once

#include <memory>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/players.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/server_stats.hpp>
#include <mobula/server/session/session_index.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::server {

class Sessions {
 public:
  /// All outlive this.
  Sessions(const ServerConfig& config, transport::ServerEndpoint& endpoint, Players& players, ServerStats& stats)
      : config_(config), endpoint_(endpoint), players_(players), stats_(stats) {}

  /// Returns all sessions in order of arrival. Valid until a session is added or removed.
  [[nodiscard]] std::span<const std::unique_ptr<ClientSession>> all() const { return sessions_; }
  /// Returns the session of a player or spectator in the game; null if there is none.
  [[nodiscard]] ClientSession* find_joined(std::uint32_t player) const;
  /// Returns the session that a rejoin token's number belongs to; null if it has ended.
  [[nodiscard]] ClientSession* find_rejoining(std::uint32_t rejoin_number) const;
  /// Returns another session in the game with the same account; null if there is none.
  [[nodiscard]] ClientSession* find_same_account(const ClientSession& session) const;
  /// Returns whether a player or spectator in the game is connected.
  [[nodiscard]] bool any_connected() const;

  /// Adds a session in state greeting.
  ClientSession& add(const transport::ServerEvent& connected, std::string account, core::Nanoseconds now);
  /// Gives a session its first rejoin number, which no other has.
  void set_rejoin_number(ClientSession& session, std::uint32_t number) { index_.set_rejoin_number(session, number); }
  /// Continues the session over a new connection. Closes the old connection if it still exists.
  void resume(ClientSession& session, const transport::ServerEvent& connected, core::Nanoseconds now);
  /// Handles the end of a connection: keeps the player for the grace period, or removes the session.
  void on_disconnected(const transport::ServerEvent& event, core::Nanoseconds now);
  /// Disconnects a client that has not sent Hello, or has not acknowledged its Welcome, in time.
  void check_join_timeout(ClientSession& session, core::Nanoseconds now);
  /// Removes disconnected sessions whose grace period is over, and closes those whose player was absent for
  /// absent_time.
  void remove_expired(core::Nanoseconds now);

  /// Refuses a connection that has no session.
  void refuse_connection(transport::SessionId id, const transport::Address& address, transport::ReasonCode code,
                         const core::Error& error);
  /// Closes a session because of an error of its client. The player leaves when the connection has ended.
  void close(ClientSession& session, transport::ReasonCode code, const core::Error& error, core::Nanoseconds now);
  /// Closes a session by the server's decision and counts a refusal as `counter`. The player of a disconnected client
  /// leaves at once.
  void expel(ClientSession& session, const transport::Reason& reason, const char* counter);
  /// Expels all sessions of an account.
  void expel_account(std::string_view account, const transport::Reason& reason, const char* counter);
  /// Expels a player or spectator. Error: "no such player".
  core::Status kick(std::uint32_t player, std::string_view reason);
  /// Removes players of the account whose sessions are closing from the game, so that Game::leave is called before the
  /// account's next Game::join.
  void finish_closing(std::string_view account);
  /// Counts and logs a refused command, message or input, and closes the session if there are too many.
  void count_refusal(ClientSession& session, const core::Error& error, core::Nanoseconds now);
  /// Ends the connections of closed sessions and refused ones.
  void end_connections(core::Nanoseconds now, transport::Output& output);
  /// Removes a player from the game. The connection of its client stays open until end_released().
  void release(ClientSession& session, std::string_view why);
  /// Returns the session whose client can be sent to another zone; null if there is none. The player is in the game. Or
  /// it departs, and its client was not sent after it.
  [[nodiscard]] ClientSession* find_follower(std::string_view account) const;
  /// Sends the client to another zone.
  void send_follow(ClientSession& session, const wire::Follow& follow);
  /// Ends the connections of an account's closed sessions.
  void end_released(std::string_view account, const transport::Reason& reason);
  /// Takes in a player from another world as a disconnected session, in place of others of its account. Their clients
  /// are sent to `world`, which is this one. A visiting client of the account plays at once. Errors: "world full", and
  /// those of Players::take_in.
  core::Status take_in(KnownPlayer known, core::ByteView data, std::string_view world, std::uint32_t first_command = 1);
  /// Removes all players and spectators from the game.
  void leave_all(std::string_view why);

  /// Returns the players to save: those in the game, then former players that still have an entity.
  [[nodiscard]] std::vector<KnownPlayer> known_players() const;
  /// Restores the players of a saved world as disconnected sessions, before the first tick. Their grace period starts
  /// with that tick. A dead entity becomes null. Players whose ids do not fit this world are skipped.
  void restore_players(std::uint32_t next_player, const std::vector<KnownPlayer>& known);

  /// How long a session departs, and one visits after its player's entity was seen.
  static constexpr core::Nanoseconds absent_time = 10 * core::second;

 private:
  void end_absent(core::Nanoseconds now);
  [[nodiscard]] ClientSession* find_visitor(std::string_view account) const;
  void expel_others(std::string_view account, const ClientSession* visitor, const transport::Reason& reason);
  bool let_in(ClientSession& visitor, const ClientSession& arrived);
  void check_hello_timeout(ClientSession& session, core::Nanoseconds now);
  [[nodiscard]] ClientSession* find(transport::SessionId id) const;
  [[nodiscard]] bool has_room_for_disconnected() const { return disconnected_ < config_.disconnected_max; }
  // Keeps the session of a lost connection.
  void disconnect(ClientSession& session, core::Nanoseconds now);
  [[nodiscard]] bool counts_agree() const;

  const ServerConfig& config_;
  transport::ServerEndpoint& endpoint_;
  Players& players_;
  ServerStats& stats_;
  std::vector<std::unique_ptr<ClientSession>> sessions_;  // in order of arrival
  SessionIndex index_;                                    // finds them
  std::uint32_t disconnected_ = 0;                        // sessions in that state
  std::vector<std::pair<transport::SessionId, transport::Reason>> ending_connections_;
};

}  // namespace mobula::server
