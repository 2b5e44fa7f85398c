// Smoothed measurements of the path to the peer.
#pragma once

#include <mobula/core/clock.hpp>

namespace mobula::transport {

/// Smoothed measurements of a path.
struct LinkEstimates {
  /// 0 until measured. Includes the time until the peer's next flush.
  core::Nanoseconds rtt = 0;
  core::Nanoseconds rtt_variation = 0;
  /// Mean deviation of the gaps between arrivals. Datagrams with equal arrival time count as one arrival.
  core::Nanoseconds arrival_jitter = 0;
  std::uint32_t loss_permille = 0;  // loss of sent datagrams with entries
  /// Rates of datagram bodies, without the overhead of encryption, UDP and IP.
  std::uint64_t sent_bytes_per_second = 0;
  std::uint64_t received_bytes_per_second = 0;
  std::uint64_t acked_bytes_per_second = 0;
};

/// Computes the estimates of a session's path.
class LinkEstimator {
 public:
  [[nodiscard]] const LinkEstimates& estimates() const { return estimates_; }
  /// Returns the time after which a datagram without an acknowledgement counts as lost.
  [[nodiscard]] core::Nanoseconds patience() const;

  void on_sent(std::size_t bytes) { sent_ += bytes; }
  void on_received(std::size_t bytes, core::Nanoseconds now);
  void on_acked(std::size_t bytes) { acked_ += bytes; }
  void on_rtt(core::Nanoseconds sample);
  /// Records the outcome of a datagram. forgive(): a datagram counted as lost was acknowledged after all.
  void on_outcome(bool lost);
  void forgive();
  /// Updates the rates. Call it once per flush.
  void update(core::Nanoseconds now);

 private:
  LinkEstimates estimates_;
  core::Nanoseconds last_arrival_ = -1;
  core::Nanoseconds mean_gap_ = 0;
  std::int32_t loss_ = 0;  // fixed point, 2^16 is 1
  // Since window_began_:
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t acked_ = 0;
  core::Nanoseconds window_began_ = 0;
};

}  // namespace mobula::transport
