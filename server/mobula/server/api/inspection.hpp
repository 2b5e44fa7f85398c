// Access of the admin port to one world. State that only tools need is created at the first query; each tick only adds
// a row. Owned by the host of the world; used on the simulation thread.
#pragma once

#include <functional>
#include <memory>
#include <mobula/ecs/locality.hpp>
#include <mobula/index/properties.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/api/course_meter.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/tick/tick_log.hpp>
#include <mobula/server/tick/tick_pacer.hpp>
#include <optional>
#include <string>
#include <unordered_map>

namespace mobula::server {

class Inspection {
 public:
  /// Everything referred to outlives the inspection.
  struct World {
    Server& server;
    const TickPacer& pacer;
    const net::ServerPipes* pipes = nullptr;  // null if it has no sockets
    std::function<core::Result<LevelChange>()> reload;
    const store::Store* store = nullptr;  // null if the world is not saved
    // Runs code that calls hooks of the game; the world fails if one throws. Null calls it alone.
    std::function<core::Status(const std::function<void()>& code)> run = nullptr;
  };

  Inspection(std::string name, World world);
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// Adds a row. Called after each tick. Does not allocate.
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
  /// Runs a query, which may call hooks of the game. If a hook throws, the world has failed. Errors: "failed". Other
  /// exceptions pass.
  core::Status run(const std::function<void()>& query);
  [[nodiscard]] index::Properties& properties();
  /// Returns the entity's number in the level's file, or nothing if it is not from the level.
  [[nodiscard]] std::optional<std::uint32_t> in_level(ecs::Entity entity);
  /// Returns the defragmenter that brings `follower` into the order of `lead`. It keeps its progress until another pair
  /// is requested.
  ecs::Defragmenter& defragmenter(ecs::PoolId lead, ecs::PoolId follower);
  /// Returns the counts of a unit's courses since the measurement began (CourseMeter).
  CourseMeter::Interval measure_courses(ecs::PoolId pool, std::size_t unit) {
    return courses_.measure(world_.server.published(), pool, unit, world_.server.now());
  }

 private:
  struct Defragmentation {
    ecs::PoolId lead;
    ecs::PoolId follower;
    ecs::Defragmenter defragmenter;
  };

  std::string name_;
  World world_;
  std::unique_ptr<TickLog> ticks_;
  TickRow totals_;  // totals of times and bytes before the next tick
  std::optional<index::Properties> properties_;
  std::optional<Defragmentation> defragmentation_;
  CourseMeter courses_;
  std::optional<std::uint32_t> placed_version_;              // version of the level that placed_ belongs to
  std::unordered_map<std::uint32_t, std::uint32_t> placed_;  // entity index -> entity of the file
};

/// Datagrams over all pipes of a world, without headers of UDP and below.
struct Traffic {
  std::uint64_t sent_bytes = 0;
  std::uint64_t sent_datagrams = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t received_datagrams = 0;
};
Traffic traffic(const net::ServerPipes& pipes, transport::Pipe pipe);
Traffic traffic(const net::ServerPipes* pipes);

}  // namespace mobula::server
