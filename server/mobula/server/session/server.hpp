// The whole server of one world, without sockets, clocks or threads: datagrams and the time go in, datagrams come out.
// The same code runs behind UDP sockets and in tests on a simulated network.
//
// The times given may jump, as after the process was stopped. Timeouts and grace periods do not count such pauses: the
// clients' datagrams have waited for the server.
//
//   tick:  connections, messages   Sessions, Admission, MessageHandler
//          commands, rules, game   MessageHandler, EntityDelivery, PredictedStep, Game, the schedule of systems
//          publication, deltas     Replicator
//          flush                   transport::ServerEndpoint
//          first states            Newcomers, Replicator
//          checkpoint              Checkpointer
//
// Server only conducts the tick; each part has its own state and its own header.
#pragma once

#include <memory>
#include <mobula/core/awake_clock.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/predicted_step.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/replication/replicator.hpp>
#include <mobula/server/rewind/rewind.hpp>
#include <mobula/server/session/admission.hpp>
#include <mobula/server/session/checkpointer.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/drop_report.hpp>
#include <mobula/server/session/entity_delivery.hpp>
#include <mobula/server/session/message_handler.hpp>
#include <mobula/server/session/newcomers.hpp>
#include <mobula/server/session/player_crossing.hpp>
#include <mobula/server/session/players.hpp>
#include <mobula/server/session/rejoin_tokens.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/server_stats.hpp>
#include <mobula/server/session/sessions.hpp>
#include <mobula/server/tick/tick_phases.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::server {

class Server {
 public:
  /// Loads the schema, spawns the level and starts the game, or restores the saved world. A restored world has the
  /// level that it was saved with. If the configured level differs, it then replaces the saved one as in reload_level.
  /// Errors: those of schema, spawner, game, Store::restore and reload_level.
  static core::Result<std::unique_ptr<Server>> start(ServerConfig config, Game& game);

  /// Takes a datagram that has arrived. Handshakes are answered at once through `output`.
  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now,
               transport::Output& output) {
    endpoint_.receive(from, datagram, clock_.advance(now), output);
  }
  /// Runs one tick and sends what it has for clients through `output`.
  void tick(core::Nanoseconds now, transport::Output& output);
  /// Notes that a stream has been closed.
  void pipe_closed(const transport::Address& from, core::Nanoseconds now) {
    endpoint_.pipe_closed(from, clock_.advance(now));
  }
  /// Sets the time, in seconds since 1970, at which connect tokens and bans expire. Before the first datagram, and
  /// before each tick.
  void set_unix_time(std::uint64_t seconds);

  /// Replaces the level, completely or not at all; players stay. Between ticks. Errors: those of World::reload_level
  /// and Game::check_level; "zone", as the parts of its level may be in other zones.
  core::Result<LevelChange> reload_level(std::shared_ptr<const resource::Resource> level);
  /// Disconnects a player or spectator with a reason. Its rejoin tokens are void. Between ticks;
  /// hooks of the game call World::kick. Error: "no such player".
  core::Status kick(std::uint32_t player, std::string_view reason) { return sessions_.kick(player, reason); }
  /// Bans an account for `seconds`, forever if 0, and kicks its players. Between ticks; hooks of
  /// the game call World::ban. Errors: those of BanList::add.
  core::Status ban(std::string_view account, std::string_view reason, std::uint64_t seconds) {
    return admission_.ban(account, reason, seconds, unix_seconds_);
  }
  /// Lifts a ban. Errors: those of BanList::remove.
  core::Status unban(std::string_view account) { return admission_.bans().remove(account); }
  /// Returns bans sorted by account. Skips `skipped`, returns at most `most`.
  [[nodiscard]] std::vector<Ban> bans(std::size_t skipped = 0, std::size_t most = BanList::bans_max) const {
    return admission_.bans().list(unix_seconds_, skipped, most);
  }
  /// Returns the ban of an account; null if there is none or it has expired.
  [[nodiscard]] const Ban* find_ban(std::string_view account) const {
    return admission_.bans().find(account, unix_seconds_);
  }

  /// Admits no new clients from now on, and announces to clients that the server closes in `seconds`. Ticks go on.
  void drain(std::string_view reason, std::uint32_t seconds);
  [[nodiscard]] bool draining() const { return admission_.drain().has_value(); }
  /// Returns whether the time of a drain is over, or no client is connected any more.
  [[nodiscard]] bool drained() const;
  /// Sends a player to another world of the cluster, as World::send_player does after the next tick. Between ticks.
  /// Errors: "no cluster", "no such player", and "bad name" of the world.
  core::Status send_player(std::uint32_t player, std::string_view world);
  /// Returns the way in and out for players of other worlds. Between ticks. Its owner takes World::take_departures().
  [[nodiscard]] PlayerCrossing& crossing() { return crossing_; }
  /// Returns and clears what is for entities of other zones. Between ticks.
  [[nodiscard]] std::vector<wire::Forward> take_abroad() { return delivery_.take_abroad(); }
  /// Does the same as in Checkpointer. Without it, World::send_player is refused.
  void on_save_crossings(std::function<core::Bytes()> crossings) {
    has_crossings_ = true;
    checkpointer_.on_save_crossings(std::move(crossings));
  }
  [[nodiscard]] const core::Bytes& saved_crossings() const { return checkpointer_.saved_crossings(); }
  /// Saves the world as it is now. Between ticks. Errors: "no store", "busy".
  core::Status checkpoint() { return checkpointer_.checkpoint(unix_seconds_); }
  /// Saves the world for the last time and waits for it. Between ticks, before shut_down. Errors: those of
  /// Store::finish.
  core::Status finish_store() { return checkpointer_.finish(unix_seconds_); }
  /// Disconnects all clients and removes all players from the game, after they have been saved.
  void shut_down(core::Nanoseconds now, transport::Output& output);

  [[nodiscard]] World& world() { return *world_; }
  /// Returns the greatest distance from a viewpoint at which an entity may be seen, in metres (Interest::reach).
  [[nodiscard]] float reach() const { return replicator_.interest().reach(); }
  [[nodiscard]] Published& published() { return replicator_.published(); }
  [[nodiscard]] const Published& published() const { return replicator_.published(); }
  [[nodiscard]] const ServerStats& stats() const { return stats_; }
  void set_zone_stats(const ZoneStats& stats) { stats_.zone = stats; }
  /// Sets the regions of the neighbouring zones that are connected. Between ticks.
  void set_regions(const std::function<Region(std::uint32_t zone)>& region_of);
  [[nodiscard]] const TickPhases& phases() const { return phases_; }
  /// Returns how many clients join at present, and how long they wait.
  [[nodiscard]] const NewcomerStats& newcomers() const { return newcomers_.stats(); }
  /// Returns the game's systems and the times that they took.
  [[nodiscard]] const ecs::Schedule& schedule() const { return schedule_; }
  [[nodiscard]] std::span<const CommandInfo> commands() const { return messages_.commands(); }
  /// Returns what the step of the game's rules has done.
  [[nodiscard]] const PredictedStepStats& predicted_step() const { return predicted_step_.stats(); }
  [[nodiscard]] const EncodedDeltaCache& encoded_deltas() const { return replicator_.encoded_deltas(); }
  [[nodiscard]] const transport::ServerEndpoint& endpoint() const { return endpoint_; }
  /// Returns all sessions in order of arrival, disconnected ones included. Valid until the next tick.
  [[nodiscard]] std::span<const std::unique_ptr<ClientSession>> sessions() const { return sessions_.all(); }
  /// Returns the session's connection; null if it is lost.
  [[nodiscard]] const transport::Session* connection(const ClientSession& session) {
    return endpoint_.find(session.transport_id);
  }
  /// Returns the time of the last tick, without pauses of the server.
  [[nodiscard]] core::Nanoseconds now() const { return now_; }
  /// Returns the delta bytes sent to a player per component; null if there is no such player or it has no view yet.
  /// Measuring starts with the first call and stops after 10 s without one.
  const ComponentBytes* measure(std::uint32_t player);
  /// Returns the number of players in the world, disconnected ones included.
  [[nodiscard]] std::size_t players() const { return players_.count(false); }
  [[nodiscard]] std::size_t spectators() const { return players_.count(true); }
  /// Returns the players to save.
  [[nodiscard]] std::vector<KnownPlayer> known_players() const { return sessions_.known_players(); }
  /// Returns the id of the next player or spectator to join.
  [[nodiscard]] std::uint32_t next_player() const { return players_.next_id(); }
  /// Restores the players of a saved world as disconnected players, before the first tick. They have the grace period
  /// to reconnect; Game::join is then called with the same id and entity. Players whose ids do not fit this
  /// world are skipped.
  void restore_players(std::uint32_t next_player, const std::vector<KnownPlayer>& known) {
    sessions_.restore_players(next_player, known);
  }

 private:
  Server(ServerConfig config, Game& game, std::unique_ptr<World> world, PredictedStep step);
  core::Status begin_world();
  void begin_rewind();
  [[nodiscard]] RewindClient rewind_client(std::uint32_t player);
  core::Status update_level(std::shared_ptr<const resource::Resource> level);
  void handle_connections(core::Nanoseconds now);
  void receive_messages(core::Nanoseconds now);
  void admit_newcomers(core::Nanoseconds now, transport::Output& output);
  void run_rules();
  void run_game();
  void send_all(core::Nanoseconds now, const transport::Output& output);
  void send_first_states(core::Nanoseconds now, transport::Output& output);
  [[nodiscard]] bool waits_for_admission(const ClientSession& session);
  [[nodiscard]] bool waits_for_states(const ClientSession& session, core::Nanoseconds now);
  void take_turn(ClientSession& session, core::Nanoseconds now, transport::Output& output);
  core::Status begin_play(ClientSession& session, transport::Session& connection);
  static core::Status send_player_entity(ClientSession& session, transport::Session& connection);
  core::Status send_resource_offer(ClientSession& session, transport::Session& connection) const;
  core::Status send(ClientSession& session, transport::Session& connection, core::Nanoseconds now,
                    const transport::Output& output);
  core::Status send_events(ClientSession& session, transport::Session& connection) const;

  // Parts refer to those above them.
  ServerConfig config_;
  Game& game_;
  ServerStats stats_;
  TickPhases phases_;
  core::AwakeClock clock_;
  core::Nanoseconds now_ = 0;  // time of clock_ at the last tick
  std::uint64_t unix_seconds_ = 0;
  std::unique_ptr<World> world_;
  ecs::Schedule schedule_;
  transport::ServerEndpoint endpoint_;
  DropReport drop_report_;
  Replicator replicator_;
  Players players_;
  Sessions sessions_;  // their views refer to the replicator
  RejoinTokenIssuer rejoin_tokens_;
  DepartedPlayers departed_;
  Admission admission_;
  PredictedStep predicted_step_;
  MessageHandler messages_;
  std::unique_ptr<Rewind> rewind_;  // null if the game rewinds nothing
  Newcomers newcomers_;
  Checkpointer checkpointer_;
  PlayerCrossing crossing_;
  EntityDelivery delivery_;
  bool has_crossings_ = false;
};

}  // namespace mobula::server
