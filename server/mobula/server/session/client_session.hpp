// State of one client: its player, its view and what it has been sent. Not to be confused with transport::Session,
// the state of one connection.
//
//   greeting ─► joining ─► playing        Hello received ─► Welcome acknowledged, deltas flow
//       ▲          │          │
//       │          └────┬─────┘ connection lost
//       └─────── disconnected             a rejoin token resumes the session over a new connection
//
//   any of them ─► closing                the connection ends with this tick
//
// The player of a disconnected client stays in the world for a grace period. A client that resumes sends Hello again.
#pragma once

#include <array>
#include <memory>
#include <mobula/core/log_record.hpp>
#include <mobula/core/per_second.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/resource_transfer.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace mobula::server {

class ClientSession {
 public:
  enum class State { greeting, joining, playing, disconnected, closing };

  /// Refused commands and messages per second beyond which the client is kicked.
  static constexpr std::uint32_t refusals_per_second_max = 64;
  static constexpr std::uint32_t comparisons_per_second_max = 8;
  /// How long rejoin tokens wait for a client that does not have all its entities yet.
  static constexpr core::Nanoseconds tokens_wait_max = 2 * core::second;

  explicit ClientSession(transport::SessionId id) : transport_id(id) {}

  transport::SessionId transport_id;
  State state = State::greeting;
  core::Nanoseconds connected_at = 0;
  core::Nanoseconds disconnected_since = 0;  ///< kept until a resumed client sends Hello
  Player player;
  Viewer* viewer = nullptr;         ///< owned by the world; null unless joined
  bool joined = false;              ///< the game knows the player
  bool restored = false;            ///< restored from the store, and Game::join not called since
  bool was_playing = false;         ///< deltas have flowed, over this connection or an earlier one
  bool verifies = false;            ///< the client asks for its mirror to be verified
  std::uint32_t rejoin_number = 0;  ///< number in the client ids of its rejoin tokens; 0 before the first
  core::Nanoseconds next_rejoin_tokens = 0;
  transport::ReliableId welcome = 0;        ///< the last message of the welcome
  std::unique_ptr<ClientView> view;         ///< null before joining
  std::shared_ptr<const LevelOffer> level;  ///< the level that the client has; null if none

  /// Versions of what the last visibility query read.
  struct LastQuery {
    std::uint64_t interest_version = 0;  ///< 0 if the next query is due at once
    std::uint64_t owners_version = 0;
    std::uint64_t viewer_version = 0;
    ecs::Tick tick = 0;  ///< or a later tick in which a query would have found nothing new
  };
  LastQuery last_query;

  /// Acknowledgements since the last delta was written, without commands. They are applied when the view is needed
  /// anyway and is in the CPU's cache.
  std::optional<wire::InputDatagram> acks;
  CommandBuffer commands;
  CommandDispatch::RateLimiters limiters;  ///< rate limits of its commands
  ResourceTransfer transfer;
  std::uint32_t differences_expected = 0;  ///< mirror differences that the client may still report

  /// Notes that the connection is lost.
  void disconnect(core::Nanoseconds now);
  /// Continues over another connection. The client has to send Hello again.
  void resume(transport::SessionId id, core::Nanoseconds now);
  /// Continues replication from the mirror that the client kept, and returns true. Returns false if it kept none or has
  /// never received a delta. Then the view is dropped, and replication starts anew.
  bool resume_replication(bool mirror_kept);
  /// Applies the waiting acknowledgements to the view. Error: that of ClientView::acknowledge.
  core::Status apply_acks();
  /// Returns whether to send rejoin tokens. They are large, so they wait until the client has all its entities.
  [[nodiscard]] bool rejoin_tokens_due(core::Nanoseconds now) const;
  /// Sends the prototypes that the client's deltas wait for, instance names first. Fails if the reliable lane is full:
  /// the client has not read for long and is lost.
  core::Status announce_prototypes(const ecs::Registry& registry, transport::Session& lanes);
  /// Returns the fields of log lines about the client: the player, once there is one.
  [[nodiscard]] core::LogFields log_fields() const {
    return {.session = player.id != 0 ? player.id : core::LogFields::none};
  }
  /// Counts a refusal. Returns false beyond the limit per second.
  bool admit_refusal(core::Nanoseconds now) { return refusals_.admit(now); }
  /// Counts a comparison of mirror hashes, which is expensive. Returns false beyond the limit per second, which an
  /// honest client does not reach.
  bool admit_comparison(core::Nanoseconds now) { return comparisons_.admit(now); }

 private:
  struct Announcement {
    transport::ReliableId message;
    std::vector<std::uint32_t> prototypes;  // the client's ids
  };

  core::Status send_new_names(const ecs::Registry& registry, transport::Session& lanes);
  void note_delivered(const transport::Session& lanes);

  std::vector<Announcement> announcements_;
  std::unordered_set<ecs::PoolId> named_pools_;
  core::PerSecond refusals_{refusals_per_second_max};
  core::PerSecond comparisons_{comparisons_per_second_max};
};

}  // namespace mobula::server
