// The whole server without sockets, clocks or threads: datagrams and the time go in, datagrams
// come out. One tick: arrivals and messages -> commands -> game -> publish -> deltas to every client -> flush.
// The same code runs behind UDP sockets and in tests on a simulated network.
#pragma once

#include <map>
#include <memory>
#include <mobula/core/histogram.hpp>
#include <mobula/core/secret_stream.hpp>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/interest.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <mobula/server/session/ban_list.hpp>
#include <mobula/server/session/former_entities.hpp>
#include <mobula/server/session/rejoin_ids.hpp>
#include <mobula/server/session/session.hpp>
#include <mobula/server/tick/tick_phases.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mobula::server {

// Of an account that logs in while it is in already. Who is away is replaced in any case.
enum class DuplicateLogin : std::uint8_t {
  replace,  // the newcomer takes the player over, and the other client is told so
  refuse,   // the newcomer
};

struct ServerConfig {
  std::shared_ptr<const resource::Resource> level{};  // null: an empty world
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  std::uint32_t entities_max = 1u << 20;  // entities at a time
  // Of values that are no longer: what clients may rest on.
  std::size_t history_bytes = 16u << 20;
  // Of so many clients that do not ask for it, one has its mirror verified; 0: none.
  std::uint32_t verify_one_in = 100;
  // What one client is sent at most in a tick, deltas only; one delta of wire::delta_bytes_max is always allowed.
  std::uint32_t delta_bytes_per_tick_max = 24 * 1024;
  std::uint32_t players_max = 1024;  // those that are away included
  std::uint32_t spectators_max = 100;
  DuplicateLogin duplicate_login = DuplicateLogin::replace;
  BanList bans{};
  // How long the player of a lost connection stays in the world for its client to come back.
  core::Nanoseconds rejoin_grace = 30 * core::second;
  // So many at a time; whose place that would exceed is gone at once.
  std::uint32_t away_max = 256;
  // What rejoin tokens name this server by.
  std::vector<transport::Address> token_servers{};
  // Makes rejoin tokens. Fill it with core::random_bytes; a simulation fills it from its seed.
  core::SecretKey secret{};
  // By which ticks and systems are timed; null: they are not. Nothing but their times depends on it.
  TickPhases::Clock phase_clock = nullptr;
  // Where the world is kept: what has been saved there goes on, else a new one begins. Null: nowhere. It outlives the
  // server, which calls all of it but open() and status().
  store::Store* store = nullptr;
  std::uint32_t checkpoint_ticks = 200;  // between two
  transport::ServerEndpointConfig transport{};
};

// What people say who are not to be trusted with a log or a terminal: printable ASCII, '?' for the rest, cut.
std::string printable(std::string_view text, std::size_t characters_max);

struct ServerStats {
  std::uint64_t deltas_sent = 0;
  std::uint64_t delta_bytes_sent = 0;
  std::uint64_t commands = 0;                     // done
  std::uint64_t rejoins = 0;                      // players that came back
  std::uint64_t replaced = 0;                     // log-ins that took a player over from another client
  std::uint64_t corrections = 0;                  // entities that a mirror had wrong
  std::map<std::string, std::uint64_t> refusals;  // commands, messages and inputs, by reason
  core::Histogram client_bytes;                   // of deltas, of each client that was told any, in each tick
};

// A player that a restart must not forget.
struct KnownPlayer {
  std::uint32_t id = 0;
  std::string name;
  std::string account;
  ecs::Entity entity;
  bool present = false;  // in the world, or away; else only the entity is kept for the account
};

class Server {
 public:
  // Loads the schema, spawns the level, starts the game; or restores the saved world, which keeps its own level until
  // the configuration has another: that then replaces it, as by reload_level. Reasons: those of schema, spawner, game,
  // Store::restore and reload_level.
  static core::Result<std::unique_ptr<Server>> start(ServerConfig config, Game& game);

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now,
               transport::Output& output) {
    endpoint_.receive(from, datagram, now, output);
  }
  void tick(core::Nanoseconds now, transport::Output& output);
  // A stream that has ended.
  void pipe_closed(const transport::Address& from, core::Nanoseconds now) { endpoint_.pipe_closed(from, now); }
  // Seconds since 1970, against which connect tokens expire. Before the first datagram, and at each tick.
  void set_unix_time(std::uint64_t seconds);
  // Between ticks: the level's file has changed. Whole or not at all; players stay. Reasons: those of
  // World::reload_level and of the game.
  core::Result<LevelChange> reload_level(std::shared_ptr<const resource::Resource> level);
  // Between ticks; hooks of the game call World::kick and World::ban. The player or spectator is told the reason and
  // gone, and does not come back by a rejoin token. Reason: "no such player".
  core::Status kick(std::uint32_t player, std::string_view reason);
  // Whoever has the account is kicked, and not let in for so many seconds; 0: for ever. Reasons: those of BanList.
  core::Status ban(std::string_view account, std::string_view reason, std::uint64_t seconds);
  core::Status unban(std::string_view account) { return bans_.remove(account); }
  // By account: after so many, so many at most.
  [[nodiscard]] std::vector<Ban> bans(std::size_t skipped = 0, std::size_t most = BanList::bans_max) const {
    return bans_.list(unix_time_, skipped, most);
  }
  // Null: not banned, or no longer.
  [[nodiscard]] const Ban* find_ban(std::string_view account) const { return bans_.find(account, unix_time_); }

  // From now on nobody new is let in; clients are told that the server closes in so many seconds. Ticks go on.
  void drain(std::string_view reason, std::uint32_t seconds);
  [[nodiscard]] bool draining() const { return draining_.has_value(); }
  // The time is up, or nobody is connected.
  [[nodiscard]] bool drained() const;
  // Between ticks: saves the world as it is now. Reasons: "no store", "busy".
  core::Status checkpoint();
  // Between ticks, the last time before it shuts down: the world as it is now, waited for. Reasons: those of
  // Store::finish.
  core::Status finish_store();
  // Tells every client and ends their sessions. The game is told that everybody leaves: what is to be saved of them has
  // been saved before.
  void shut_down(core::Nanoseconds now, transport::Output& output);

  [[nodiscard]] World& world() { return *world_; }
  [[nodiscard]] Published& published() { return publisher_->published(); }
  [[nodiscard]] const Published& published() const { return publisher_->published(); }
  [[nodiscard]] const ServerStats& stats() const { return stats_; }
  [[nodiscard]] const TickPhases& phases() const { return phases_; }
  // The game's systems and what they took.
  [[nodiscard]] const ecs::Schedule& schedule() const { return *schedule_; }
  [[nodiscard]] std::span<const CommandInfo> commands() const { return commands_.commands(); }
  [[nodiscard]] const EncodedDeltaCache& encoded_deltas() const { return *encoded_; }
  [[nodiscard]] const transport::ServerEndpoint& endpoint() const { return endpoint_; }
  // In order of arrival, those that are away included. Valid until the next tick.
  [[nodiscard]] std::span<const std::unique_ptr<Session>> sessions() const { return sessions_; }
  // Null: the connection is lost.
  [[nodiscard]] const transport::Session* lanes(const Session& session) { return endpoint_.find(session.transport_id); }
  // Of the last tick.
  [[nodiscard]] core::Nanoseconds now() const { return now_; }
  // What of a player's deltas is whose, since the first question about it; who is not asked about for ten seconds is no
  // longer measured. Null: there is no such player, or it is told nothing yet.
  const SentBytes* measure(std::uint32_t player);
  // In the world, those that are away included.
  [[nodiscard]] std::size_t players() const { return count_joined(false); }
  [[nodiscard]] std::size_t spectators() const { return count_joined(true); }
  // What there is to save of players, and the number of the next who joins.
  [[nodiscard]] std::vector<KnownPlayer> known_players();
  [[nodiscard]] std::uint32_t next_player() const { return next_player_; }
  // Before the first tick, in a world that has been restored. Who was in it is away, and has as long as others to come
  // back: join() is asked for the same number and entity. What is not of this world is passed over.
  void restore_players(std::uint32_t next_player, const std::vector<KnownPlayer>& known);

 private:
  // The level that the world begins with: the saved one's, if there is one.
  static core::Result<std::shared_ptr<const resource::Resource>> first_level(const ServerConfig& config);
  core::Status begin_world();
  core::Status update_level(std::shared_ptr<const resource::Resource> level);
  [[nodiscard]] store::Facts facts();
  void save_if_due();
  struct Refusal {
    transport::ReasonCode code;
    core::Error error;
  };
  struct Draining {
    std::string reason;
    core::Nanoseconds ends = 0;
  };

  Server(ServerConfig config, Game& game, std::unique_ptr<World> world);
  void take_events(core::Nanoseconds now);
  void meet(const transport::ServerEvent& event, core::Nanoseconds now);
  void part(const transport::ServerEvent& event, core::Nanoseconds now);
  [[nodiscard]] bool may_more_be_away() const;
  void give_up_greeting(Session& session, core::Nanoseconds now);
  void end_absent(core::Nanoseconds now);
  void report_drops(core::Nanoseconds now);
  [[nodiscard]] Session* find(transport::SessionId id);
  [[nodiscard]] Session* find_rejoining(std::uint64_t client_id);

  void take_messages(Session& session, transport::Session& lanes, core::Nanoseconds now);
  core::Status take(Session& session, transport::Session& lanes, const wire::Hello& hello, core::Nanoseconds now);
  core::Status take(Session& session, const wire::ResourceRequest& request, core::Nanoseconds now);
  core::Status take(Session& session, transport::Session& lanes, const wire::MirrorHashes& said, core::Nanoseconds now);
  core::Status take(Session& session, const wire::MirrorDifference& difference, core::Nanoseconds now);
  void take_input(Session& session, core::ByteView bytes, core::Nanoseconds now);
  void take_acks(Session& session, core::Nanoseconds now);
  void run_commands(core::Nanoseconds now);
  void run_game();
  void take(const World::Kick& wish);
  [[nodiscard]] std::string account_of(const Identity& identity) const;
  [[nodiscard]] std::size_t count_joined(bool spectators) const;
  [[nodiscard]] std::optional<Refusal> check(const wire::Hello& hello) const;
  std::optional<Refusal> let_in(Session& session, const wire::Hello& hello);
  [[nodiscard]] std::optional<Refusal> check_room(bool spectator, bool counted) const;
  [[nodiscard]] Session* find_same_account(const Session& session);
  void end_who_was_sent_away(std::string_view account);
  void take_over(Session& session, Session& other);
  core::Status join(Session& session, const Session* before);
  core::Status ask_game(Player& player);
  core::Status welcome(Session& session, transport::Session& lanes, const wire::Hello& hello);
  void hand_rejoin_tokens(Session& session, transport::Session& lanes, core::Nanoseconds now);
  core::Status begin_view(Session& session, transport::Session& lanes);
  core::Status begin_play(Session& session, transport::Session& lanes);
  void want_prototypes(Session& session);
  void publish();
  core::Status tell(Session& session, transport::Session& lanes, core::Nanoseconds now,
                    const transport::Output& output);
  core::Status tell_events(Session& session, transport::Session& lanes);
  void prefetch_after(std::size_t at) const;
  void look(Session& session);
  void look_around(Session& session);
  void look_at_newcomers(Session& session);
  void replicate(Session& session, transport::Session& lanes, core::Nanoseconds now);
  void turn_away(transport::SessionId id, const transport::Address& address, transport::ReasonCode code,
                 const core::Error& error);
  void send_away(Session& session, const transport::Reason& reason, const char* counted);
  void close(Session& session, transport::ReasonCode code, const core::Error& error, core::Nanoseconds now);
  void end(Session& session, const std::string& why);
  void count_refusal(const core::Error& error, Session& session, core::Nanoseconds now);
  void drop_closed(core::Nanoseconds now, transport::Output& output);

  ServerConfig config_;
  Game& game_;
  CommandDispatch commands_;
  std::unique_ptr<World> world_;
  std::unique_ptr<ecs::Schedule> schedule_;
  std::unique_ptr<Publisher> publisher_;
  std::unique_ptr<EncodedDeltaCache> encoded_;
  std::unique_ptr<Interest> interest_;
  std::shared_ptr<LevelOffer> level_;  // null: there is none, or not yet
  bool offers_level_ = true;           // false: a reload has put another in its place
  transport::ServerEndpoint endpoint_;
  std::vector<std::unique_ptr<Session>> sessions_;  // in order of arrival
  std::vector<std::pair<transport::SessionId, transport::Reason>> closing_;
  std::uint32_t next_player_ = 1;
  ecs::Tick saved_tick_ = 0;        // of the last checkpoint
  core::Nanoseconds saved_at_ = 0;  // 0: no tick has run
  FormerEntities former_;
  BanList bans_;
  std::optional<Draining> draining_;
  std::uint64_t unix_time_ = 0;
  core::Nanoseconds now_ = 0;  // of the last tick
  core::SecretStream secrets_;
  RejoinIds rejoin_ids_;
  core::Nanoseconds next_drops_report_ = 0;
  transport::DropCounters reported_drops_;
  ServerStats stats_;
  TickPhases phases_;
  core::Bytes buffer_;
  wire::InputDatagram input_;
  std::vector<std::uint32_t> entering_;
  std::vector<std::uint32_t> leaving_;
  std::vector<wire::MirrorCorrection> corrections_;
};

}  // namespace mobula::server
