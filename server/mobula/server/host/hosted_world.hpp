// One world of a process with all that lets clients at it: its game, its server, its sockets, its key, its ticks.
// Run by the thread of its event loop, which must outlive it, as its game must.
#pragma once

#include <memory>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/api/inspection.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/server/host/token_issuer.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/tick/tick_pacer.hpp>
#include <string>
#include <string_view>

namespace mobula::server {

class HostedWorld {
 public:
  // Reasons: those of the level's file, of opening the sockets, of the key, and of Server::start.
  static core::Result<std::unique_ptr<HostedWorld>> open(net::EventLoop& events, std::string name, HostConfig config,
                                                         Game& game);
  HostedWorld(const HostedWorld&) = delete;
  HostedWorld& operator=(const HostedWorld&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const HostConfig& config() const { return config_; }
  [[nodiscard]] Server& server() { return *server_; }
  [[nodiscard]] const net::ServerPipes& pipes() const { return *pipes_; }
  [[nodiscard]] const TokenIssuer& token_issuer() const { return token_issuer_; }
  [[nodiscard]] const TickPacer& pacer() const { return pacer_; }
  [[nodiscard]] Inspection& inspection() { return *inspection_; }

  // One tick, now.
  void tick();
  // The level's file has changed. What is wrong with the new version is told, and the old one stays.
  core::Result<LevelChange> reload_level();
  // Lets nobody in from now on, tells clients, and is done in so many seconds as the configuration says.
  void drain(std::string_view reason);
  // So that the worlds of a process save at the same time, before one after the other is waited for in shut_down().
  void begin_last_save();
  // Saves the world, tells every client and ends their sessions. The last call but the destructor's. Fails if the world
  // could not be saved.
  core::Status shut_down();
  // Null: the world is kept nowhere.
  [[nodiscard]] const store::Store* store() const { return store_.get(); }

 private:
  HostedWorld(std::string name, HostConfig config);
  core::Status start(net::EventLoop& events, Game& game);
  core::Status open_store(const Game& game);
  void take_datagrams();
  void log_pipes() const;
  void log_summary();

  std::string name_;
  HostConfig config_;
  std::unique_ptr<net::ServerPipes> pipes_;
  TokenIssuer token_issuer_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Server> server_;
  TickPacer pacer_;
  std::unique_ptr<Inspection> inspection_;
};

}  // namespace mobula::server
