// State of one client: its player, its commands and its replication. Not to be confused with transport::Session,
// the state of one connection.
//
//   greeting ─► joining ─► playing        Hello received ─► Welcome acknowledged, deltas flow
//       ▲          │          │
//       │          └────┬─────┘ connection lost
//       └─────── disconnected             a rejoin token resumes the session over a new connection
//
//   any of them ─► closing                the connection ends with this tick
//
// A player whose entities go to another zone leaves the game, and its session departs. The client sees the world around
// its ghost until it plays in the other zone. There its session may have been visiting, with the same view.
//
// The player of a disconnected client stays in the world for a grace period. A client that resumes sends Hello again.
#pragma once

#include <mobula/core/log_record.hpp>
#include <mobula/core/per_second.hpp>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/interest/region.hpp>
#include <mobula/server/replication/client_replication.hpp>
#include <mobula/server/replication/resource_transfer.hpp>
#include <mobula/server/rewind/view_claims.hpp>
#include <mobula/server/session/prediction_totals.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <mobula/wire/messages.hpp>
#include <string>

namespace mobula::server {

class ClientSession {
 public:
  enum class State { greeting, joining, playing, disconnected, closing };

  /// Refused commands and messages per second beyond which the client is kicked.
  static constexpr std::uint32_t refusals_per_second_max = 64;
  /// Prediction reports per second. A client sends one, and those that were delayed by losses arrive together.
  static constexpr std::uint32_t reports_per_second_max = 16;
  /// How long rejoin tokens wait for a client that does not have all its entities yet.
  static constexpr core::Nanoseconds tokens_wait_max = 2 * core::second;

  /// Turns of a newcomer, and of a client that is sent a level.
  struct Turns {
    core::Nanoseconds last = 0;  ///< time of the last turn, or of the connection
    std::uint32_t missed = 0;    ///< ticks since then in which there was no time for it
    std::uint32_t count = 0;     ///< since the connection
  };
  /// Turns after which a client that never has all that it sees is served like one that plays.
  static constexpr std::uint32_t turns_max = 32;

  explicit ClientSession(transport::SessionId id) : transport_id(id) {}

  transport::SessionId transport_id;
  State state = State::greeting;
  core::Nanoseconds connected_at = 0;
  Turns turns;
  core::Nanoseconds disconnected_since = 0;  ///< kept until a resumed client sends Hello
  Player player;
  ecs::Entity sent_entity;             ///< player.entity as the client was last sent it
  bool joined = false;                 ///< the game knows the player
  std::optional<ZoneRegion> zone{};    ///< the neighbouring zone that the client is; the game does not know it
  bool newcomer = true;                ///< has not arrived since it connected
  bool restored = false;               ///< restored from the store, and Game::join not called since
  bool was_playing = false;            ///< deltas have flowed, over this connection or an earlier one
  bool reports_refusals = false;       ///< the client asks for its refused commands
  bool follows = false;                ///< the client asks for Follow
  bool departing = false;              ///< the player is in another zone, or on its way; it has a viewer still
  bool visiting = false;               ///< the player is in another zone, and may arrive; it has a viewer already
  std::string departs_to{};            ///< world to which the client was sent after its player; empty before that
  core::Nanoseconds absent_until = 0;  ///< when a departing or visiting session ends; 0 before its first tick
  std::unique_ptr<wire::Hello> held_hello{};  ///< waits for a player that arrives from another zone
  core::Nanoseconds held_since = 0;           ///< when it was received
  std::uint32_t first_command = 1;            ///< number of the first command that the client will send
  bool commands_continue = false;             ///< that number follows those of the player in the former zone
  bool small_bodies = false;                  ///< large datagrams of this connection do not arrive
  std::uint32_t rejoin_number = 0;            ///< number in the client ids of its rejoin tokens; 0 before the first
  core::Nanoseconds next_rejoin_tokens = 0;
  transport::ReliableId welcome = 0;  ///< the last message of the welcome
  core::Nanoseconds welcomed_at = 0;  ///< when it was sent
  ClientReplication replication;
  CommandBuffer commands;
  CommandDispatch::RateLimiters limiters;  ///< rate limits of its commands
  ResourceTransfer transfer;
  ViewClaims claims;  ///< claims of its views over this connection
  ReportedPrediction prediction;

  /// Returns whether the client can see this zone after its player has left it.
  [[nodiscard]] bool can_depart() const { return follows && state == State::playing; }
  /// Returns whether the client sees the world without a player in it.
  [[nodiscard]] bool is_absent() const { return departing || visiting; }
  /// Notes that the connection is lost.
  void disconnect(core::Nanoseconds now);
  /// Continues over another connection. The client has to send Hello again.
  void resume(transport::SessionId id, core::Nanoseconds now);
  /// Continues replication from the mirror that the client kept, and returns true. Returns false if it kept none or has
  /// never received a delta. Then the view is dropped, and replication starts anew.
  bool resume_replication(bool mirror_kept);
  /// Updates player.entity, which the game may have replaced or destroyed.
  void update_player_entity(const ecs::Registry& registry);
  /// Returns the time that orders newcomers and transfers of levels: a newcomer keeps its place for `turns_max` turns.
  [[nodiscard]] core::Nanoseconds waiting_since() const {
    return newcomer && turns.count < turns_max ? connected_at : turns.last;
  }
  /// Returns whether to send rejoin tokens. They are large, so they wait until the client has all its entities.
  [[nodiscard]] bool rejoin_tokens_due(core::Nanoseconds now) const;
  /// Returns whether the client has received all that it sees, and rejoin tokens, or has had too many turns.
  [[nodiscard]] bool has_arrived(core::Nanoseconds now) const;
  /// Returns "player", "spectator", or "neighbour" for a neighbouring zone.
  [[nodiscard]] const char* role() const { return zone ? "neighbour" : player.spectator ? "spectator" : "player"; }
  /// Returns the fields of log lines about the client: the player, once there is one.
  [[nodiscard]] core::LogFields log_fields() const {
    return {.session = player.id != 0 ? player.id : core::LogFields::none};
  }
  /// Counts a refusal. Returns false beyond the limit per second.
  bool admit_refusal(core::Nanoseconds now) { return refusals_.admit(now); }
  /// Counts a prediction report. Returns false beyond the limit per second.
  bool admit_report(core::Nanoseconds now) { return reports_.admit(now); }

 private:
  core::PerSecond refusals_{refusals_per_second_max};
  core::PerSecond reports_{reports_per_second_max};
};

}  // namespace mobula::server
