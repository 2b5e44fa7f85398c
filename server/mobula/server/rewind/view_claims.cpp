#include <mobula/core/format.hpp>
#include <mobula/server/rewind/view_claims.hpp>

namespace mobula::server {
namespace {

constexpr double usual_share = 1.0 / 16;  // weight of a new claim in the mean
// A command is for the tick that begins when it arrives, and waits for the next flush on both sides.
constexpr double ticks_besides_path = 3;

}  // namespace

ClaimCheck::ClaimCheck(const RewindConfig& config, std::uint32_t ticks_per_second)
    : config_(config), ticks_per_second_(ticks_per_second) {}

core::Status ClaimCheck::check_moment(double view, const CommandContext& context, const ViewLimits& limits) const {
  if (view > limits.newest_delta)
    return core::Error{"view in the future", core::format("view {:.2f}; the newest delta that the client had is of {}",
                                                          view, limits.newest_delta)};
  if (view < limits.first_delta)
    return core::Error{"view before joining",
                       core::format("view {:.2f}; the first delta was of tick {}", view, limits.first_delta)};
  const double age = static_cast<double>(context.tick) - view;
  const double age_max = to_ticks(config_.view_age_max);
  if (age > age_max)
    return core::Error{"view too old",
                       core::format("{:.2f} ticks before the command; the maximum is {:.2f}", age, age_max)};
  if (view < limits.kept_since)
    return core::Error{"view too old",
                       core::format("view {:.2f}; the past is kept since tick {}", view, limits.kept_since)};
  return core::Done{};
}

core::Status ClaimCheck::check(const CommandContext& context, const ViewLimits& limits,
                               const transport::LinkEstimates& path, ViewClaims& claims) const {
  const double view = view_of(context);
  if (core::Status checked = check_moment(view, context, limits); !checked) return checked;
  if (view < claims.last_view)
    return core::Error{"view goes back", core::format("view {:.2f} after one of {:.2f}", view, claims.last_view)};
  const double slack = to_ticks(config_.claim_slack);
  // By the present: a client may name a past tick for its command.
  const double newest_age = static_cast<double>(limits.now) - limits.newest_delta;
  const double explained = to_ticks(path.rtt + 4 * path.rtt_variation) + ticks_besides_path + slack;
  if (newest_age > explained)
    return core::Error{
        "view beyond the path",
        core::format("the newest delta is {:.2f} ticks old; the path explains {:.2f}", newest_age, explained)};
  const double delay = limits.newest_delta - view;
  const double usual = claims.usual_delay;
  // Refused ones count too: after a gap in the deltas an honest client's view catches up for seconds.
  claims.usual_delay += (delay - usual) * (claims.count == 0 ? 1 : usual_share);
  if (claims.count >= usual_after && delay > usual + slack)
    return core::Error{"unusual view",
                       core::format("{:.2f} ticks behind the newest delta; usual are {:.2f}", delay, usual)};
  claims.last_view = view;
  ++claims.count;
  return core::Done{};
}

}  // namespace mobula::server
