// Rewind: the past as a client saw it when it gave a command. Game::rewind() turns it on.
//
//   core::Result<Rewound> past = world.rewind().view(player.id, context);
//   if (!past) return past.error();
//   if (std::optional<Rewound::Hit> hit = past->ray(…)) …
//
// Claims of a client are checked (view_claims.hpp). A refused one is counted by its reason, and logged.
#pragma once

#include <functional>
#include <mobula/server/game/world.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/rewind/rewind_stats.hpp>
#include <mobula/server/rewind/rewound.hpp>
#include <mobula/server/rewind/view_claims.hpp>

namespace mobula::server {

/// The client of a player, as far as its views depend on it.
struct RewindClient {
  ClientView* view = nullptr;  ///< null if it has none
  ViewClaims* claims = nullptr;
  transport::LinkEstimates path{};
};

class Rewind {
 public:
  /// Returns the client of a player, whose acknowledgements have been applied.
  using FindClient = std::function<RewindClient(std::uint32_t player)>;

  /// All but config and find outlive it. Nothing is published yet.
  Rewind(const RewindConfig& config, World& world, Published& published, RewindStats& stats, FindClient find);

  /// Records a publication. Once per tick, with the indices that changed.
  void record(std::span<const std::uint32_t> changed) { bounds_.update(changed, world_.tick()); }

  /// Returns the past as a player saw it when it gave a command. Errors: "no view" if the player has no client; those
  /// of ShadowMirror::advance and ClaimCheck::check.
  core::Result<Rewound> view(std::uint32_t player, const CommandContext& context);

  [[nodiscard]] const PastBounds& bounds() const { return bounds_; }

 private:
  core::Status admit(RewindClient& client, const CommandContext& context);

  World& world_;
  Published& published_;
  FindClient find_;
  ClaimCheck check_;
  PastBounds bounds_;
  RewindWorkspace work_;
  RewindStats& stats_;
};

}  // namespace mobula::server
