// One world of a process with its game, server, sockets, key and tick pacing. Runs on the thread of its event loop.
// Event loop and game must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/server/host/token_issuer.hpp>
#include <mobula/server/tick/tick_pacer.hpp>
#include <string>

namespace mobula::net {
class EventLoop;
class ServerPipes;
}  // namespace mobula::net
namespace mobula::store {
class Store;
}  // namespace mobula::store

namespace mobula::server {

class Game;
class Inspection;
class Server;
struct LevelChange;
struct Thrown;

/// One world of a process with its server.
class HostedWorld {
 public:
  /// Opens a world. Errors: those of check_values, the level's file, the sockets, the key, and Server::start.
  /// Also those of the ban list and of the store, and "failed" if the game throws.
  static core::Result<std::unique_ptr<HostedWorld>> open(net::EventLoop& events, std::string name, HostConfig config,
                                                         Game& game);
  ~HostedWorld();
  HostedWorld(const HostedWorld&) = delete;
  HostedWorld& operator=(const HostedWorld&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const HostConfig& config() const { return config_; }
  [[nodiscard]] Server& server() { return *server_; }
  [[nodiscard]] const net::ServerPipes& pipes() const { return *pipes_; }
  /// Returns the UDP port that the world listens on.
  [[nodiscard]] std::uint16_t udp_port() const;
  [[nodiscard]] const TokenIssuer& token_issuer() const { return token_issuer_; }
  [[nodiscard]] const TickPacer& pacer() const { return pacer_; }
  [[nodiscard]] Inspection& inspection() { return *inspection_; }

  /// Runs one tick now. If the game throws, the exception is logged and the world has failed: only shut_down() may
  /// follow. Does nothing in a world that has failed.
  void tick();
  /// Returns whether the world has failed because its game threw an exception.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Sets a function that is called by the destructor, while all parts exist.
  void on_ending(std::function<void()> handler) { ending_ = std::move(handler); }
  /// Runs code that calls hooks of the game, between ticks. If one throws, the world has failed. Errors: "failed".
  core::Status run(const std::function<void()>& code);
  /// Loads the level's file again. If the new version is refused, the error is logged and the old version stays. If the
  /// game throws meanwhile, the world has failed. Errors: "no level" without a level's file, "failed" if the game
  /// throws, those of the file and of Server::reload_level. Fails a check in a hook of a game.
  core::Result<LevelChange> reload_level();
  /// Refuses new clients from now on and notifies connected ones. Lasts drain_seconds of the configuration.
  void drain(std::string_view reason);
  /// Prevents the last save: another process may have the world by now.
  void forgo_save() { saves_ = false; }
  /// Begins the last save, so that the worlds of a process save in parallel. shut_down() waits for it.
  /// Does nothing for a failed world and after forgo_save().
  void begin_last_save();
  /// Saves the world, notifies the clients and ends their sessions. The last call before the destructor. Errors: those
  /// of the last save, "failed" for a failed world and "not saved" after forgo_save(); neither is saved.
  core::Status shut_down();
  /// Returns the store. Null if the world is not saved.
  [[nodiscard]] const store::Store* store() const { return store_.get(); }

 private:
  HostedWorld(std::string name, HostConfig config);
  core::Status start(net::EventLoop& events, Game& game);
  core::Status open_store(const Game& game);
  void receive_datagrams();
  void run_tick();
  void fail(const Thrown& thrown);
  void note(const Thrown& thrown);
  core::Status save_last();
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
  std::function<void()> ending_;
  bool failed_ = false;
  bool saves_ = true;
};

}  // namespace mobula::server
