// Sends the world to clients: publishes each tick once, then writes each client's deltas, events and announcements of
// prototypes. It knows the clients one at a time, never the table of sessions.
//
//   publish() ─► per client: VisibilityQuery ─► ClientView::choose ─► write_delta, until the budget is spent
//                            parts of entities that do not fit a datagram
//                            events, for what the client sees
#pragma once

#include <memory>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/interest.hpp>
#include <mobula/server/replication/client_replication.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <mobula/server/replication/replication_stats.hpp>
#include <mobula/server/replication/visibility_query.hpp>
#include <mobula/server/tick/tick_phases.hpp>
#include <span>

namespace mobula::server {

/// Without defaults, which are those of ServerConfig.
struct ReplicationConfig {
  std::uint32_t ticks_per_second;
  std::size_t history_bytes;               ///< memory for past values used as delta baselines
  std::uint32_t verify_one_in;             ///< verifies the mirror of one client in N; 0 disables it
  std::uint32_t delta_bytes_per_tick_max;  ///< per client; one delta is always allowed
};

class Replicator {
 public:
  /// All outlive this.
  Replicator(const ReplicationConfig& config, World& world, Game& game, ReplicationStats& stats, TickPhases& phases);

  /// Publishes the tick. Once per tick, after the game. Returns the indices whose entities changed, until the next
  /// call.
  std::span<const std::uint32_t> publish();
  /// Stops offering the level, because a reload has replaced it.
  void withdraw_level() { offers_level_ = false; }
  /// Returns the level if it can be replicated from and is one of the resources that a client has; else null.
  [[nodiscard]] std::shared_ptr<const LevelOffer> offered_level(std::span<const core::ContentHash> resources) const;

  /// Gives a client that receives its Welcome a view. The view starts in this tick, because the message about the level
  /// describes the level as of now. Fails if the reliable lane is full.
  core::Status begin_view(ClientReplication& client, transport::Session& connection);
  /// Prepares the client's view and announces the prototypes that its first deltas need. Called before the Welcome is
  /// acknowledged, which saves a round trip. Fails if the reliable lane is full.
  core::Status prepare_view(ClientReplication& client, transport::Session& connection);
  /// Forgets prototypes that were reclaimed in this tick. Once per tick and client, before its deltas.
  void forget_reclaimed(ClientReplication& client) const;
  /// Sends deltas within the client's budget, and prototypes that later deltas wait for. Fails if the reliable lane is
  /// full: the client has not read for long and is lost.
  core::Status send_deltas(ClientReplication& client, transport::Session& connection,
                           const wire::CommandFeedback& feedback, core::Nanoseconds now);
  /// Sends the events of the tick that concern the client. They follow Welcome on its lane, so a client that joins
  /// receives what the game sends to it then. Fails if the reliable lane is full.
  core::Status send_events(ClientReplication& client, transport::Session& connection) const;

  /// Returns the delta bytes sent to the client per component. Measuring starts with the first call and stops after
  /// 10 s without one. Null before the client has a view.
  static const ComponentBytes* measure(ClientReplication& client, core::Nanoseconds now);
  [[nodiscard]] const Interest& interest() const { return interest_; }
  [[nodiscard]] Published& published() { return publisher_.published(); }
  [[nodiscard]] const Published& published() const { return publisher_.published(); }
  [[nodiscard]] const EncodedDeltaCache& encoded_deltas() const { return encoded_deltas_; }

 private:
  void want_prototypes(ClientReplication& client);
  void choose(ClientReplication& client, std::size_t budget);
  void write_deltas(ClientReplication& client, transport::Session& connection, const wire::CommandFeedback& feedback,
                    std::size_t budget);
  bool send_delta(transport::Session& connection, core::ByteView delta);
  static std::size_t bytes_reserved(ClientReplication& client, std::size_t budget);
  void send_bodies(ClientReplication& client, transport::Session& connection, const wire::CommandFeedback& feedback,
                   std::size_t budget);

  ReplicationConfig config_;
  World& world_;
  ReplicationStats& stats_;
  TickPhases& phases_;
  Publisher publisher_;
  EncodedDeltaCache encoded_deltas_;
  ViewWorkspace workspace_;
  Interest interest_;
  VisibilityQuery visibility_;
  std::shared_ptr<LevelOffer> level_;              // null before the first publication, or if it cannot be offered
  bool offers_level_ = true;                       // false if there is no level offer to make, or no longer
  std::span<const ecs::PrototypeId> reclaimed_{};  // in this tick
};

}  // namespace mobula::server
