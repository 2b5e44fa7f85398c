// Sends the world to clients: publishes each tick once, then writes each client's deltas, events and announcements of
// prototypes. It knows sessions one at a time, never the table of them.
//
//   publish() ─► per client: VisibilityQuery ─► ClientView::choose ─► write_delta, until the budget is spent
//                            events, for what the client sees
#pragma once

#include <memory>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/interest.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/server_stats.hpp>
#include <mobula/server/session/visibility_query.hpp>
#include <span>

namespace mobula::server {

class Replicator {
 public:
  /// All outlive this.
  Replicator(const ServerConfig& config, World& world, Game& game, ServerStats& stats, TickPhases& phases);

  /// Publishes the tick. Once per tick, after the game.
  void publish();
  /// Stops offering the level, because a reload has replaced it.
  void withdraw_level() { offers_level_ = false; }
  /// Returns the level if it can be replicated from and is one of the resources that a client has; else null.
  [[nodiscard]] std::shared_ptr<const LevelOffer> offered_level(std::span<const core::ContentHash> resources) const;

  /// Gives a client that receives its Welcome a view. The view starts in this tick, because the message about the level
  /// describes the level as of now. Fails if the reliable lane is full.
  core::Status begin_view(ClientSession& session, transport::Session& lanes);
  /// Prepares the client's view, and starts its deltas once the Welcome is acknowledged. Prototypes that the first
  /// deltas need are announced before that, which saves a round trip. Fails if the reliable lane is full.
  core::Status begin_play(ClientSession& session, transport::Session& lanes);
  /// Forgets prototypes that were reclaimed in this tick. Once per tick and session, before its deltas.
  void forget_reclaimed(ClientSession& session) const;
  /// Sends deltas within the client's budget, and prototypes that later deltas wait for. Fails if the reliable lane is
  /// full: the client has not read for long and is lost.
  core::Status send_deltas(ClientSession& session, transport::Session& lanes, core::Nanoseconds now);
  /// Sends the events of the tick that concern the client. They follow Welcome on its lane, so a client that joins
  /// receives what the game sends to it then. Fails if the reliable lane is full.
  core::Status send_events(ClientSession& session, transport::Session& lanes) const;

  /// Returns the delta bytes sent to the client per component. Measuring starts with the first call and stops after
  /// 10 s without one. Null before the client has a view.
  static const SentBytes* measure(ClientSession& session, core::Nanoseconds now);
  [[nodiscard]] Published& published() { return publisher_.published(); }
  [[nodiscard]] const Published& published() const { return publisher_.published(); }
  [[nodiscard]] const EncodedDeltaCache& encoded_deltas() const { return encoded_deltas_; }

 private:
  void want_prototypes(ClientSession& session);
  void choose(ClientSession& session, std::size_t budget);
  void write_deltas(ClientSession& session, transport::Session& lanes, std::size_t budget);

  const ServerConfig& config_;
  World& world_;
  ServerStats& stats_;
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
