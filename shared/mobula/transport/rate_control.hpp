// Rate control of a session: a token bucket whose rate follows the capacity of the path.
//
// The rate is adjusted once per round. A round ends after a few RTT samples of datagrams sent at the current rate.
//   delay  The least RTT of the round is clearly above the least of the last 10 to 20 seconds: a queue grows.
//          The rate drops to 85% of the acknowledged rate, but not below half.
//   loss   Smoothed loss above 10%. A trial finds out whether the rate causes it: 60% of the rate for 100 datagrams.
//          If that lowers the loss, the rate stays there. Otherwise the link is lossy, not full: the rate is restored.
//          For a minute this loss and 5% more are then tolerated, and the rate grows slowly.
//   else   A session that used its rate may send more: plus 50% per round until the first congestion,
//          then by steps that start small and grow with each good round.
// The rate stays within [floor, max]. A session that sends less than its rate keeps the rate. The bytes in flight are
// limited to the rate times the least RTT plus some slack: without acknowledgements, sending stops within that time.
//
// Sources:
//   LEDBAT (RFC 6817): delay relative to a measured minimum.
//   Google Congestion Control (draft-ietf-rmcat-gcc-02): loss threshold, 85% of the delivered rate, a rate not a
//   window. PCC (Dong et al. 2015): trials that test whether loss depends on the rate. BIC: growing steps.
// LEDBAT's window law was rejected: a newcomer mistakes the others' queue for the path's delay and starves them. Here
// the rate drops below the delivered rate, which drains the queue, so all sessions measure the empty path.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/transport/link_estimates.hpp>

namespace mobula::transport {

/// Bytes per second. 0 < floor <= start <= max.
struct RateLimits {
  std::uint32_t floor = 0;
  std::uint32_t start = 0;
  std::uint32_t max = 0;
};

/// Token bucket with a rate that adapts to the path.
class RateControl {
 public:
  explicit RateControl(const RateLimits& limits);

  [[nodiscard]] std::uint32_t bytes_per_second() const { return rate_; }
  /// Bytes that may be sent now. Negative after a datagram larger than the rest. budget_at: the value after
  /// update(now).
  [[nodiscard]] std::int64_t budget() const { return std::min(budget_, in_flight_max_ - in_flight_); }
  [[nodiscard]] std::int64_t budget_at(core::Nanoseconds now) const;

  void on_sent(std::size_t bytes) {
    budget_ -= static_cast<std::int64_t>(bytes);
    in_flight_ += static_cast<std::int64_t>(bytes);
    round_.sent += bytes;
  }
  /// Removes a datagram from the bytes in flight: it was acknowledged or declared lost.
  void on_landed(std::size_t bytes) { in_flight_ -= static_cast<std::int64_t>(bytes); }
  void on_acked(std::size_t bytes) { round_.acked += bytes; }
  /// Records the outcome of a datagram with entries.
  void on_outcome(bool lost, core::Nanoseconds sent_at) {
    if (trial_.rate != 0 && sent_at >= trial_.began) ++(lost ? trial_.lost : trial_.acked);
  }
  void on_rtt(core::Nanoseconds sample, core::Nanoseconds sent_at);
  /// Refills the budget and adjusts the rate at the end of a round. Call it once per flush.
  void update(core::Nanoseconds now, const LinkEstimates& link);

 private:
  struct Round {
    core::Nanoseconds began = 0;
    core::Nanoseconds rtt_min = 0;
    std::uint64_t sent = 0;
    std::uint64_t acked = 0;
    std::uint32_t samples = 0;
  };
  // Trial of a lower rate: does it reduce the loss?
  struct Trial {
    core::Nanoseconds began = 0;
    std::uint32_t rate = 0;  // rate before the trial; 0 if there is none
    std::uint32_t loss_permille = 0;
    std::uint32_t acked = 0;
    std::uint32_t lost = 0;
  };

  void refill(core::Nanoseconds now);
  [[nodiscard]] core::Nanoseconds least_rtt() const;
  [[nodiscard]] bool round_is_over(core::Nanoseconds now) const;
  void judge(core::Nanoseconds now, const LinkEstimates& link);
  void begin_trial(core::Nanoseconds now, std::uint32_t loss_permille);
  void end_trial(core::Nanoseconds now);
  [[nodiscard]] bool queue_grows(const LinkEstimates& link) const;
  void speed_up(core::Nanoseconds now);
  void slow_down(core::Nanoseconds now, std::uint64_t rate);

  RateLimits limits_;
  std::uint32_t rate_;
  std::uint32_t step_;
  bool starting_ = true;
  std::int64_t budget_;
  std::int64_t in_flight_ = 0;
  std::int64_t in_flight_max_;
  std::int64_t carry_ = 0;  // byte-nanoseconds not yet in budget_
  core::Nanoseconds refilled_ = 0;
  Round round_;
  core::Nanoseconds slowed_at_ = 0;
  core::Nanoseconds raised_at_ = 0;
  core::Nanoseconds last_sample_sent_at_ = 0;
  Trial trial_;
  std::uint32_t tolerated_permille_;
  core::Nanoseconds tolerated_until_ = 0;
  // Least RTT of the current and of the previous window. 0 if not measured.
  std::array<core::Nanoseconds, 2> rtt_min_{};
  core::Nanoseconds window_began_ = 0;
};

}  // namespace mobula::transport
