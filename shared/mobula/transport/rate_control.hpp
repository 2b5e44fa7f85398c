// How many bytes a session may send: a token bucket whose rate follows what the path carries.
//
// The rate is judged once per round, that is after a few measurements of the RTT that it can be blamed for:
//   delay  the least RTT of the round is clearly above the least of the last 10 to 20 seconds: a queue grows.
//          The rate becomes 85% of what was acknowledged, but at most halves.
//   loss   more than 10%, smoothed. Whether the rate is to blame is tried out: for a hundred datagrams it is 60%.
//          If that lowers the loss, the rate stays there. Otherwise the link is bad, not full: the rate is restored,
//          and for a minute so much loss and a little more is put up with, and the rate grows slowly.
//   else   a session that used its rate may send more: half as much again until the first sign of congestion,
//          afterwards by steps that start small and grow from good round to good round.
// It stays within [floor, max]. A session that sends less than it may keeps its rate. No more is in flight than the
// rate brings in the least RTT and a little: where acknowledgements stay away, sending stops before it is judged.
//
// The delay signal against a measured minimum is LEDBAT's (RFC 6817); the threshold of loss, the fall to 85% of the
// delivered rate and working on a rate instead of a window are Google Congestion Control's (draft-ietf-rmcat-gcc-02);
// trying out a rate before believing that loss depends on it is PCC's (Dong et al. 2015); growing steps are BIC's.
// LEDBAT's own window law was rejected: a late comer starves the others, since it takes their
// queue for the path's own delay. Here a fall to less than what is delivered drains the queue, so all see it empty.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/transport/link_estimates.hpp>

namespace mobula::transport {

// Bytes per second. 0 < floor <= start <= max.
struct RateLimits {
  std::uint32_t floor = 0;
  std::uint32_t start = 0;
  std::uint32_t max = 0;
};

class RateControl {
 public:
  explicit RateControl(const RateLimits& limits);

  [[nodiscard]] std::uint32_t bytes_per_second() const { return rate_; }
  // Negative: in debt, since a datagram goes out whole. budget_at: what it will be after update(now).
  [[nodiscard]] std::int64_t budget() const { return std::min(budget_, in_flight_max_ - in_flight_); }
  [[nodiscard]] std::int64_t budget_at(core::Nanoseconds now) const;

  void on_sent(std::size_t bytes) {
    budget_ -= static_cast<std::int64_t>(bytes);
    in_flight_ += static_cast<std::int64_t>(bytes);
    round_.sent += bytes;
  }
  // It is acknowledged or given up as lost.
  void on_landed(std::size_t bytes) { in_flight_ -= static_cast<std::int64_t>(bytes); }
  void on_acked(std::size_t bytes) { round_.acked += bytes; }
  // Of a datagram with entries.
  void on_outcome(bool lost, core::Nanoseconds sent_at) {
    if (trial_.rate != 0 && sent_at >= trial_.began) ++(lost ? trial_.lost : trial_.acked);
  }
  void on_rtt(core::Nanoseconds sample, core::Nanoseconds sent_at);
  // Once per flush.
  void update(core::Nanoseconds now, const LinkEstimates& link);

 private:
  struct Round {
    core::Nanoseconds began = 0;
    core::Nanoseconds rtt_min = 0;
    std::uint64_t sent = 0;
    std::uint64_t acked = 0;
    std::uint32_t samples = 0;
  };
  // Of a lower rate, whether there is less loss with it.
  struct Trial {
    core::Nanoseconds began = 0;
    std::uint32_t rate = 0;  // before it; 0: there is no trial
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
  // The least RTT of the window under way and of the one before; 0: none.
  std::array<core::Nanoseconds, 2> rtt_min_{};
  core::Nanoseconds window_began_ = 0;
};

}  // namespace mobula::transport
