// State of replication to one client: its viewer, its view, its level and prototypes, its waiting acknowledgements. It
// outlives a connection, so that a client that resumes continues.
#pragma once

#include <memory>
#include <mobula/core/per_second.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/interest/viewer.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/level_offer.hpp>
#include <mobula/server/replication/sent_offer.hpp>
#include <mobula/transport/session.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <unordered_set>
#include <vector>

namespace mobula::server {

class ClientReplication {
 public:
  static constexpr std::uint32_t comparisons_per_second_max = 8;

  Viewer* viewer = nullptr;                 ///< owned by the world; null unless the player is in the game
  bool verifies = false;                    ///< the client asks for its mirror to be verified
  std::unique_ptr<ClientView> view;         ///< null before Welcome
  std::shared_ptr<const LevelOffer> level;  ///< the level that the client has; null if none
  SentOffer offer;

  /// Versions of what the last visibility query read.
  struct LastQuery {
    std::uint64_t interest_version = 0;  ///< 0 if the next query is due at once
    std::uint64_t owners_version = 0;
    std::uint64_t viewer_version = 0;
    ecs::Tick tick = 0;     ///< or a later tick in which a query would have found nothing new
    ecs::Tick updated = 0;  ///< last tick in which a query was considered
  };
  LastQuery last_query;

  /// Acknowledgements since the last delta was written, without commands. They are applied when the view is needed
  /// anyway and is in the CPU's cache.
  std::optional<wire::InputDatagram> acks;
  std::uint32_t differences_expected = 0;  ///< mirror differences that the client may still report

  /// Applies the waiting acknowledgements to the view. Error: that of ClientView::acknowledge.
  core::Status apply_acks();
  /// Sends the prototypes that the client's deltas wait for, instance names first. Fails if the reliable lane is full:
  /// the client has not read for long and is lost.
  core::Status announce_prototypes(const ecs::Registry& registry, transport::Session& connection);
  /// Counts a comparison of mirror hashes, which is expensive. Returns false beyond the limit per second, which an
  /// honest client does not reach.
  bool admit_comparison(core::Nanoseconds now) { return comparisons_.admit(now); }

  /// Forgets what was sent over the former connection and not acknowledged.
  void reset_connection();
  /// Continues with the view, over another connection. Reliable messages that may not have arrived are sent again.
  void resume_view() {
    view->prototypes().announce_again();
    if (view->bodies() != nullptr) view->bodies()->begin_again();
  }
  /// Drops the view. Replication starts anew with another.
  void drop_view();

 private:
  struct Announcement {
    transport::ReliableId message;
    std::vector<std::uint32_t> prototypes;  // the client's ids
  };

  core::Status send_new_names(const ecs::Registry& registry, transport::Session& connection);
  void note_delivered(const transport::Session& connection);

  std::vector<Announcement> announcements_;
  std::unordered_set<ecs::PoolId> named_pools_;
  core::PerSecond comparisons_{comparisons_per_second_max};
};

}  // namespace mobula::server
