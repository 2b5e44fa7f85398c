#include <algorithm>
#include <cmath>
#include <mobula/client/connection/server_clock.hpp>

namespace mobula::client {
namespace {

constexpr double target_speed_change = 0.10;
constexpr double view_speed_change = 0.05;
constexpr core::Nanoseconds moved_off_min = 250 * core::millisecond;
constexpr double moved_off_ticks = 4;
// A silence longer than this plus the usual lateness is not caused by the network.
constexpr double silence_ticks_max = 8;
constexpr double lateness_ticks_max = 8;
constexpr core::Nanoseconds lateness_time_max = 250 * core::millisecond;
// Grows fast and shrinks slowly, so that it stays above nearly all.
constexpr double lateness_growth = 0.25;
constexpr double lateness_decay = 1.0 / 128;
constexpr core::Nanoseconds rtt_wobble = 20 * core::millisecond;
constexpr core::Nanoseconds rtt_max = 2 * core::second;
constexpr core::Nanoseconds rtt_span = 2 * core::second;
constexpr std::uint32_t rtt_estimates = 32;
constexpr double jitter_margin_max = 4;
constexpr double lead_min = -6;
constexpr double lead_max = 10;
constexpr double lead_decay = 1.0 / 64;
// A lead that shrinks by a tick makes commands late for about one RTT, until feedback arrives. At most one command in
// this many is late because of that.
constexpr double late_one_in = 50;
// Within this distance the target counts as settled: jitter moves it by as much.
constexpr double settled_ticks = 2;
constexpr core::Nanoseconds settled_time = 40 * core::millisecond;
constexpr double mean_gain = 1.0 / 32;

double moved_off(core::Nanoseconds tick_length) {
  return std::max(moved_off_ticks, static_cast<double>(moved_off_min) / static_cast<double>(tick_length));
}

}  // namespace

ServerClock::ServerClock(std::uint32_t ticks_per_second)
    : tick_length_(core::second / ticks_per_second),
      line_(tick_length_),
      target_(tick_length_, target_speed_change, moved_off(tick_length_)),
      view_(tick_length_, view_speed_change, moved_off(tick_length_)) {}

double ServerClock::to_ticks(core::Nanoseconds time) const {
  return static_cast<double>(time) / static_cast<double>(tick_length_);
}

// Average time to the server. The RTT contains the server's wait for its next flush, which is half a tick on average.
double ServerClock::one_way() const { return to_ticks(std::max<core::Nanoseconds>(rtt_ - tick_length_ / 2, 0)) / 2; }

double ServerClock::lateness_limit() const { return std::max(lateness_ticks_max, to_ticks(lateness_time_max)); }

double ServerClock::margin() const { return std::min(to_ticks(rtt_variation_), jitter_margin_max) + lead_; }

void ServerClock::on_delta(ecs::Tick tick, core::Nanoseconds now) {
  const bool first = !line_.known();
  const bool moved = line_.add(tick, now);
  if (moved) lateness_ = settled_lateness_;
  const double late = std::min(line_.at(now) - tick, lateness_limit());
  lateness_.mean += (late - lateness_.mean) * mean_gain;
  if (!first && tick > newest_) {
    // The tick after the newest was due; after losses a later one arrived instead.
    const double next_late = std::clamp(line_.at(now) - (newest_ + 1.0), 0.0, lateness_limit());
    double& nearly_all = lateness_.nearly_all;
    nearly_all += (next_late - nearly_all) * (next_late > nearly_all ? lateness_growth : lateness_decay);
  }
  if (late < moved_off_ticks && !moved) settled_lateness_ = lateness_;
  newest_ = first ? tick : std::max(newest_, tick);
}

void ServerClock::on_link(const transport::LinkEstimates& link, core::Nanoseconds now) {
  if (link.rtt == 0) return;
  RttFloor& floor = rtt_floor_;
  if (rtt_ == 0) floor = {.before = link.rtt, .smallest = link.rtt, .began = now, .estimates = 0};
  if (now - floor.began >= rtt_span && floor.estimates >= rtt_estimates)
    floor = {.before = floor.smallest, .smallest = link.rtt, .began = now, .estimates = 0};
  floor.smallest = std::min(floor.smallest, link.rtt);
  ++floor.estimates;
  const core::Nanoseconds smallest = std::min(floor.before, floor.smallest);
  rtt_ = std::min({link.rtt, smallest + smallest / 4 + rtt_wobble, rtt_max});
  rtt_variation_ = link.rtt_variation;
}

// Late commands raise the lead at once. More than a tick too early lowers it within seconds; less lowers it only as
// fast as keeps late commands rare. Commands that were sent before the target had settled do not count for the lead.
void ServerClock::on_feedback(const wire::CommandFeedback& feedback, core::Nanoseconds now) {
  if (feedback.done <= last_done_) return;
  last_done_ = feedback.done;
  if (feedback.margin == 0 || now < lead_settles_) return;
  if (feedback.margin > 0) {
    const double surplus = std::min<double>(feedback.margin, 4) - 1;
    lead_ -= surplus * lead_decay + 1 / (late_one_in * std::max(to_ticks(rtt_), 1.0));
    lead_ = std::max(lead_, lead_min);
    return;
  }
  lead_ = std::min(lead_ - std::max<double>(feedback.margin, -4) * 0.75, lead_max);
  lead_settles_ = now + rtt_ + 2 * tick_length_;
}

// Returns the ticks between the line and the server's clock.
double ServerClock::head_start() const { return std::max(one_way() - lateness_.mean, 0.0); }

// Returns the tick from which on the line is not followed: the server may have stopped.
double ServerClock::silent_from() const { return newest_ + lateness_.nearly_all + silence_ticks_max; }

double ServerClock::server_tick(core::Nanoseconds now) const {
  if (!known()) return 0;
  return std::min(line_.at(now), silent_from()) + head_start();
}

double ServerClock::target_tick(core::Nanoseconds now) {
  if (!known()) return 0;
  const double ahead = one_way() + 1 + margin();
  const double wanted = server_tick(now) + ahead;
  const double target = target_.follow(wanted, silent_from() + head_start() + ahead, now);
  if (std::abs(target - wanted) > std::max(settled_ticks, to_ticks(settled_time)))
    lead_settles_ = std::max(lead_settles_, now + rtt_ + 2 * tick_length_);
  return target;
}

double ServerClock::view_tick(core::Nanoseconds now) {
  if (!known()) return 0;
  return view_.follow(line_.at(now) - view_delay(), newest_, now);
}

}  // namespace mobula::client
