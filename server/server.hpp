// The whole server without sockets, clocks or threads: datagrams and the time go in, datagrams
// come out. One tick: arrivals and messages -> commands -> game -> publish -> deltas to every client -> flush.
// The same code runs behind UDP sockets and in tests on a simulated network.
#pragma once

#include <map>
#include <memory>
#include <mobula/core/log_limit.hpp>
#include <mobula/core/secret_stream.hpp>
#include <mobula/server/game.hpp>
#include <mobula/server/interest.hpp>
#include <mobula/server/publisher.hpp>
#include <mobula/server/rejoin_ids.hpp>
#include <mobula/server/session.hpp>
#include <mobula/server/tick_phases.hpp>
#include <mobula/server/world.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <mobula/wire/messages.hpp>
#include <string>
#include <vector>

namespace mobula::server {

struct ServerConfig {
  std::shared_ptr<const resource::Resource> level{};  // null: an empty world
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  // Of values that are no longer: what clients may rest on.
  std::size_t history_bytes = 16u << 20;
  // Of so many clients that do not ask for it, one has its mirror verified; 0: none.
  std::uint32_t verify_one_in = 100;
  // What one client is sent at most in a tick, deltas only.
  std::uint32_t delta_bytes_per_tick_max = 24 * 1024;
  // How long the player of a lost connection stays in the world for its client to come back.
  core::Nanoseconds rejoin_grace = 30 * core::second;
  // So many at a time; whose place that would exceed is gone at once.
  std::uint32_t away_max = 256;
  // What rejoin tokens name this server by.
  std::vector<transport::Address> token_servers{};
  // Makes rejoin tokens. Fill it with core::random_bytes; a simulation fills it from its seed.
  core::SecretKey secret{};
  // By which ticks are timed; null: they are not. Nothing but phases() depends on it.
  TickPhases::Clock phase_clock = nullptr;
  transport::ServerConfig transport{};
};

struct ServerStats {
  std::uint64_t deltas_sent = 0;
  std::uint64_t delta_bytes_sent = 0;
  std::uint64_t commands = 0;                     // done
  std::uint64_t rejoins = 0;                      // players that came back
  std::uint64_t corrections = 0;                  // entities that a mirror had wrong
  std::map<std::string, std::uint64_t> refusals;  // commands, messages and inputs, by reason
};

class Server {
 public:
  // Loads the schema, spawns the level, starts the game. Reasons: those of schema, spawner and game.
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
  // Tells every client and ends their sessions.
  void shut_down(core::Nanoseconds now, transport::Output& output);

  [[nodiscard]] World& world() { return *world_; }
  [[nodiscard]] Published& published() { return publisher_->published(); }
  [[nodiscard]] const Published& published() const { return publisher_->published(); }
  [[nodiscard]] const ServerStats& stats() const { return stats_; }
  [[nodiscard]] const TickPhases& phases() const { return phases_; }
  [[nodiscard]] const EntityStrings& strings() const { return *strings_; }
  [[nodiscard]] const transport::ServerEndpoint& endpoint() const { return endpoint_; }
  // In the world, those that are away included.
  [[nodiscard]] std::size_t players() const;

 private:
  Server(ServerConfig config, Game& game, std::unique_ptr<World> world);

  void take_events(core::Nanoseconds now);
  void meet(const transport::ServerEvent& event, core::Nanoseconds now);
  void part(const transport::ServerEvent& event, core::Nanoseconds now);
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
  core::Status welcome(Session& session, transport::Session& lanes, bool with_schema, bool resumed);
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
  void replicate(Session& session, transport::Session& lanes, core::Nanoseconds now);
  void turn_away(transport::SessionId id, const transport::Address& address, transport::ReasonCode code,
                 const core::Error& error, core::Nanoseconds now);
  void close(Session& session, transport::ReasonCode code, const core::Error& error, core::Nanoseconds now);
  void end(Session& session, const std::string& why);
  void count_refusal(const core::Error& error, Session& session, core::Nanoseconds now);
  void drop_closed(core::Nanoseconds now, transport::Output& output);

  ServerConfig config_;
  Game& game_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Publisher> publisher_;
  std::unique_ptr<EntityStrings> strings_;
  std::unique_ptr<Interest> interest_;
  std::shared_ptr<LevelOffer> level_;  // null: there is none, or not yet
  bool offers_level_ = true;           // false: a reload has put another in its place
  transport::ServerEndpoint endpoint_;
  std::vector<std::unique_ptr<Session>> sessions_;  // in order of arrival
  std::vector<std::pair<transport::SessionId, transport::Reason>> closing_;
  std::uint32_t next_player_ = 1;
  std::uint64_t unix_time_ = 0;
  core::SecretStream secrets_;
  RejoinIds rejoin_ids_;
  core::LogLimit refused_log_{10};
  core::LogLimit closing_log_{10};
  core::LogLimit mirror_log_{20};
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
