// The whole server without sockets, clocks or threads: datagrams and the time go in, datagrams
// come out. One tick: commands -> game -> publish -> deltas to every client -> flush.
// The same code runs behind UDP sockets and in tests on a simulated network.
#pragma once

#include <map>
#include <memory>
#include <mobula/server/game.hpp>
#include <mobula/server/publisher.hpp>
#include <mobula/server/session.hpp>
#include <mobula/server/world.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <string>
#include <vector>

namespace mobula::server {

struct ServerConfig {
  std::shared_ptr<const resource::Resource> level{};  // null: an empty world
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  // What one client is sent at most in a tick, deltas only.
  std::uint32_t delta_bytes_per_tick_max = 24 * 1024;
  transport::ServerConfig transport{};
};

struct ServerStats {
  std::uint64_t deltas_sent = 0;
  std::uint64_t delta_bytes_sent = 0;
  std::uint64_t commands = 0;                     // done
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
  // Between ticks: the level's file has changed. Whole or not at all; players stay. Reasons: those of
  // World::reload_level and of the game.
  core::Result<LevelChange> reload_level(std::shared_ptr<const resource::Resource> level);
  // Tells every client and ends their sessions.
  void shut_down(core::Nanoseconds now, transport::Output& output);

  [[nodiscard]] World& world() { return *world_; }
  [[nodiscard]] const Publisher& publisher() const { return *publisher_; }
  [[nodiscard]] const ServerStats& stats() const { return stats_; }
  [[nodiscard]] const transport::ServerEndpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] std::size_t players() const;

 private:
  Server(ServerConfig config, Game& game, std::unique_ptr<World> world);

  void take_events(core::Nanoseconds now);
  void take_messages(Session& session, transport::Session& lane);
  void take_input(Session& session, core::ByteView bytes);
  void greet(Session& session, transport::Session& lane, core::ByteView bytes);
  void run_commands();
  void begin_play(Session& session, transport::Session& lane);
  void replicate(Session& session, transport::Session& lane);
  void close(Session& session, transport::ReasonCode code, const core::Error& error);
  void end(Session& session, const std::string& why);
  void count_refusal(const core::Error& error, const Session& session);
  void drop_closed(core::Nanoseconds now, transport::Output& output);

  ServerConfig config_;
  Game& game_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Publisher> publisher_;
  transport::ServerEndpoint endpoint_;
  std::vector<std::unique_ptr<Session>> sessions_;  // in order of arrival
  std::vector<std::pair<transport::SessionId, transport::Reason>> closing_;
  std::uint32_t next_player_ = 1;
  ServerStats stats_;
  core::Bytes buffer_;
};

}  // namespace mobula::server
