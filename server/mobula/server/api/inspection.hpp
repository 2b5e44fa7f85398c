// One world as people see it from outside: the admin port reads and writes it through this. What tools need is made
// when a tool first asks; each tick only leaves a row. Belongs to who hosts the world; used by the simulation's thread.
#pragma once

#include <functional>
#include <memory>
#include <mobula/ecs/locality.hpp>
#include <mobula/index/properties.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/tick/tick_log.hpp>
#include <mobula/server/tick/tick_pacer.hpp>
#include <optional>
#include <string>
#include <unordered_map>

namespace mobula::server {

class Inspection {
 public:
  // All of it outlives the inspection.
  struct World {
    Server& server;
    const TickPacer& pacer;
    const net::ServerPipes* pipes = nullptr;  // null: it has no sockets
    std::function<core::Result<LevelChange>()> reload;
    const store::Store* store = nullptr;  // null: it is kept nowhere
  };

  Inspection(std::string name, World world);
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  // After each tick. Allocates nothing.
  void note_tick();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Server& server() { return world_.server; }
  [[nodiscard]] server::World& world() { return world_.server.world(); }
  [[nodiscard]] ecs::Registry& registry() { return world().registry(); }
  [[nodiscard]] const TickTimes& times() const { return world_.pacer.times(); }
  [[nodiscard]] const TickLog& ticks() const { return *ticks_; }
  [[nodiscard]] const net::ServerPipes* pipes() const { return world_.pipes; }
  [[nodiscard]] const store::Store* store() const { return world_.store; }
  core::Result<LevelChange> reload() { return world_.reload(); }
  [[nodiscard]] index::Properties& properties();
  // Which of the level's file it is; nothing: none.
  [[nodiscard]] std::optional<std::uint32_t> in_level(ecs::Entity entity);
  // The one that brings `follower` into the order of `lead`: it goes on where it was, as long as nobody asks for
  // another.
  ecs::Defragmenter& defragmenter(ecs::PoolId lead, ecs::PoolId follower);

 private:
  struct Mending {
    ecs::PoolId lead;
    ecs::PoolId follower;
    ecs::Defragmenter defragmenter;
  };

  std::string name_;
  World world_;
  std::unique_ptr<TickLog> ticks_;
  TickRow totals_;  // of the times and bytes before the tick that comes
  std::optional<index::Properties> properties_;
  std::optional<Mending> mending_;
  std::optional<std::uint32_t> placed_version_;              // of the level whose entities these are
  std::unordered_map<std::uint32_t, std::uint32_t> placed_;  // entity index -> entity of the file
};

// Datagrams over all pipes of a world, as the kernel was handed them: without headers of UDP and below.
struct Traffic {
  std::uint64_t sent_bytes = 0;
  std::uint64_t sent_datagrams = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t received_datagrams = 0;
};
Traffic traffic(const net::ServerPipes& pipes, transport::Pipe pipe);
Traffic traffic(const net::ServerPipes* pipes);

}  // namespace mobula::server
