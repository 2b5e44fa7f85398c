// What a session measures of the path to its peer, smoothed.
#pragma once

#include <mobula/core/clock.hpp>

namespace mobula::transport {

struct LinkEstimates {
  // 0 until measured. Contains the time until the peer's next flush.
  core::Nanoseconds rtt = 0;
  core::Nanoseconds rtt_variation = 0;
  // How much the gaps between arrivals differ from their mean; what arrives at one time is one arrival.
  core::Nanoseconds arrival_jitter = 0;
  std::uint32_t loss_permille = 0;  // of the datagrams with entries that were sent
  // Bodies; what encryption, UDP and IP add is not in them.
  std::uint64_t sent_bytes_per_second = 0;
  std::uint64_t received_bytes_per_second = 0;
  std::uint64_t acked_bytes_per_second = 0;
};

class LinkEstimator {
 public:
  [[nodiscard]] const LinkEstimates& estimates() const { return estimates_; }
  // How long after sending a datagram without an acknowledgement counts as lost.
  [[nodiscard]] core::Nanoseconds patience() const;

  void on_sent(std::size_t bytes) { sent_ += bytes; }
  void on_received(std::size_t bytes, core::Nanoseconds now);
  void on_acked(std::size_t bytes) { acked_ += bytes; }
  void on_rtt(core::Nanoseconds sample);
  // The outcome of a datagram; `forgive`: one that was counted as lost has been acknowledged after all.
  void on_outcome(bool lost);
  void forgive();
  // Once per flush.
  void update(core::Nanoseconds now);

 private:
  LinkEstimates estimates_;
  core::Nanoseconds last_arrival_ = -1;
  core::Nanoseconds mean_gap_ = 0;
  std::int32_t loss_ = 0;  // 1 is 2^16
  // Since window_began_:
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t acked_ = 0;
  core::Nanoseconds window_began_ = 0;
};

}  // namespace mobula::transport
