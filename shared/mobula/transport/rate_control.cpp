#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/rate_control.hpp>

namespace mobula::transport {
namespace {

constexpr core::Nanoseconds burst = 100 * core::millisecond;
// Refill limit: a session that flushes less often does not reach the full rate.
constexpr core::Nanoseconds refill_max = 250 * core::millisecond;
constexpr core::Nanoseconds round_min = 50 * core::millisecond;
constexpr core::Nanoseconds round_max = core::second;  // after this time one sample suffices
constexpr std::uint32_t round_samples = 6;
constexpr core::Nanoseconds rtt_window = 10 * core::second;
constexpr core::Nanoseconds rtt_unmeasured = 100 * core::millisecond;
// Time added to the least RTT for the in-flight limit: flush intervals of both sides and the tolerated queue.
constexpr core::Nanoseconds in_flight_slack = 150 * core::millisecond;
constexpr core::Nanoseconds queue_delay_min = 30 * core::millisecond;
constexpr core::Nanoseconds noise_max = 40 * core::millisecond;
constexpr std::uint32_t tolerated_permille = 100;
constexpr std::uint32_t tolerated_permille_max = 350;  // more loss is always blamed on the rate
constexpr core::Nanoseconds tolerance_time = 60 * core::second;
constexpr std::uint32_t trial_datagrams = 100;
constexpr std::uint32_t step_min = 4096;
// Steps do not grow with the rate. Otherwise a session with a high rate would keep its share from the others.
constexpr std::uint32_t step_max = 32 * 1024;

std::int64_t bytes_in(std::uint32_t rate, core::Nanoseconds duration) {
  return static_cast<std::int64_t>(rate) * (duration / core::microsecond) / 1'000'000;
}

}  // namespace

RateControl::RateControl(const RateLimits& limits)
    : limits_(limits), rate_(limits.start), step_(step_min), tolerated_permille_(tolerated_permille) {
  MOBULA_ASSERT(limits.floor > 0 && limits.floor <= limits.start && limits.start <= limits.max, "rates out of order");
  budget_ = std::max<std::int64_t>(bytes_in(rate_, burst), 2 * payload_bytes_max);
  in_flight_max_ = bytes_in(rate_, rtt_unmeasured + in_flight_slack);
}

std::int64_t RateControl::budget_at(core::Nanoseconds now) const {
  RateControl later = *this;
  later.refill(now);
  return later.budget();
}

void RateControl::refill(core::Nanoseconds now) {
  carry_ += static_cast<std::int64_t>(rate_) * std::min(now - refilled_, refill_max);
  refilled_ = now;
  const std::int64_t bytes = carry_ / core::second;
  carry_ %= core::second;
  budget_ = std::min(budget_ + bytes, std::max({bytes, bytes_in(rate_, burst), std::int64_t{2 * payload_bytes_max}}));
}

void RateControl::on_rtt(core::Nanoseconds sample, core::Nanoseconds sent_at) {
  if (rtt_min_[0] == 0 || sample < rtt_min_[0]) rtt_min_[0] = sample;
  if (sent_at < slowed_at_) return;
  if (round_.samples == 0 || sample < round_.rtt_min) round_.rtt_min = sample;
  ++round_.samples;
  last_sample_sent_at_ = std::max(last_sample_sent_at_, sent_at);
}

core::Nanoseconds RateControl::least_rtt() const {
  if (rtt_min_[0] == 0 || rtt_min_[1] == 0) return std::max(rtt_min_[0], rtt_min_[1]);
  return std::min(rtt_min_[0], rtt_min_[1]);
}

void RateControl::update(core::Nanoseconds now, const LinkEstimates& link) {
  refill(now);
  if (!round_is_over(now)) return;
  judge(now, link);
  round_ = {.began = now};
  const core::Nanoseconds rtt = least_rtt() == 0 ? rtt_unmeasured : least_rtt();
  in_flight_max_ = std::max<std::int64_t>(bytes_in(rate_, rtt + in_flight_slack), 4 * payload_bytes_max);
  if (now - window_began_ < rtt_window) return;
  window_began_ = now;
  rtt_min_ = {0, rtt_min_[0]};
}

bool RateControl::round_is_over(core::Nanoseconds now) const {
  const core::Nanoseconds duration = now - round_.began;
  return duration >= (round_.samples >= round_samples ? round_min : round_max);
}

void RateControl::judge(core::Nanoseconds now, const LinkEstimates& link) {
  const core::Nanoseconds duration = now - round_.began;
  const std::uint64_t delivered = round_.acked * 1'000'000 / static_cast<std::uint64_t>(duration / core::microsecond);
  if (now >= tolerated_until_) tolerated_permille_ = tolerated_permille;
  const bool answered = round_.samples > 0 && last_sample_sent_at_ >= raised_at_;
  if (queue_grows(link)) {
    trial_ = {};
    slow_down(now, std::max<std::uint64_t>(delivered * 85 / 100, rate_ / 2));
  } else if (trial_.rate != 0) {
    if (trial_.acked + trial_.lost >= trial_datagrams) end_trial(now);
  } else if (link.loss_permille > tolerated_permille_) {
    begin_trial(now, link.loss_permille);
  } else if (answered && round_.sent * 4 >= static_cast<std::uint64_t>(bytes_in(rate_, duration)) * 3) {
    speed_up(now);
  }
}

void RateControl::begin_trial(core::Nanoseconds now, std::uint32_t loss_permille) {
  trial_ = {.began = now, .rate = rate_, .loss_permille = loss_permille};
  rate_ = std::max(static_cast<std::uint32_t>(std::uint64_t{rate_} * 60 / 100), limits_.floor);
}

void RateControl::end_trial(core::Nanoseconds now) {
  const std::uint32_t loss_permille = trial_.lost * 1000 / (trial_.acked + trial_.lost);
  const std::uint32_t tolerated = std::max(loss_permille, trial_.loss_permille) + 50;
  if (loss_permille * 10 <= trial_.loss_permille * 7 || tolerated > tolerated_permille_max) {
    slow_down(now, rate_);
  } else {
    rate_ = trial_.rate;
    tolerated_permille_ = tolerated;
    tolerated_until_ = now + tolerance_time;
  }
  trial_ = {};
}

// Noise: the variation of a round's least RTT without any queue.
bool RateControl::queue_grows(const LinkEstimates& link) const {
  if (round_.samples == 0) return false;
  const core::Nanoseconds base = least_rtt();
  const core::Nanoseconds noise = std::min(2 * link.rtt_variation, noise_max);
  return round_.rtt_min - base > std::max(queue_delay_min, base / 4) + noise;
}

void RateControl::speed_up(core::Nanoseconds now) {
  raised_at_ = now;
  std::uint32_t step = starting_ ? rate_ / 2 : step_;
  if (tolerated_permille_ > tolerated_permille) {
    step = step_min;
  } else {
    step_ = std::min({step_ + step_ / 2, step_max, std::max(rate_ / 2, step_min)});
  }
  rate_ += std::min(step, limits_.max - rate_);
}

void RateControl::slow_down(core::Nanoseconds now, std::uint64_t rate) {
  starting_ = false;
  slowed_at_ = now;
  step_ = step_min;
  rate_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rate, limits_.floor, rate_));
}

}  // namespace mobula::transport
