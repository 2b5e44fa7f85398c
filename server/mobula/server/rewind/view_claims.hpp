// Limits of what a client may claim about the moment that it was looking at. A claim of the past is worth something, so
// it is bounded by settings, by the measured path, and by the client's earlier claims.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/game/command_buffer.hpp>
#include <mobula/server/game/rewind_config.hpp>
#include <mobula/transport/link_estimates.hpp>

namespace mobula::server {

/// Claims of one client so far.
struct ViewClaims {
  double last_view = 0;     ///< Views never go back.
  double usual_delay = 0;   ///< Mean of how far views were behind the newest delta, in ticks.
  std::uint32_t count = 0;  ///< accepted
  std::uint32_t refused = 0;
};

/// The moments that bound a claim.
struct ViewLimits {
  ecs::Tick now = 0;           ///< Tick in which the command runs.
  ecs::Tick first_delta = 0;   ///< Tick of the first delta that the client had; 0 if it had none.
  ecs::Tick newest_delta = 0;  ///< Tick of the newest one.
  ecs::Tick kept_since = 0;    ///< First tick that can be rewound.
};

/// Returns the moment of a command's view, in ticks.
[[nodiscard]] inline double view_of(const CommandContext& context) {
  return static_cast<double>(context.view_tick) + context.view_fraction / 256.0;
}

class ClaimCheck {
 public:
  ClaimCheck(const RewindConfig& config, std::uint32_t ticks_per_second);

  /// Checks a claim and notes it, if it is accepted. An unusual view changes what is usual. Errors:
  /// - "view in the future": after the newest delta that the client had
  /// - "view before joining": before the first one
  /// - "view too old": further before the command's tick than the settings allow, or not kept
  /// - "view goes back": before that of an earlier command
  /// - "view beyond the path": the newest delta is older than the session's round trip explains
  /// - "unusual view": further behind the newest delta than the client's views were
  core::Status check(const CommandContext& context, const ViewLimits& limits, const transport::LinkEstimates& path,
                     ViewClaims& claims) const;

  /// Returns a time in ticks.
  [[nodiscard]] double to_ticks(core::Nanoseconds time) const {
    return static_cast<double>(time) * ticks_per_second_ / static_cast<double>(core::second);
  }

  /// Claims after which the client's usual delay is known.
  static constexpr std::uint32_t usual_after = 8;

 private:
  [[nodiscard]] core::Status check_moment(double view, const CommandContext& context, const ViewLimits& limits) const;

  RewindConfig config_;
  double ticks_per_second_;
};

}  // namespace mobula::server
