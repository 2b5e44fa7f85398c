#include <algorithm>
#include <mobula/transport/link_estimates.hpp>

namespace mobula::transport {
namespace {

constexpr core::Nanoseconds patience_unmeasured = 300 * core::millisecond;
constexpr core::Nanoseconds patience_min = 50 * core::millisecond;
constexpr core::Nanoseconds patience_max = 5 * core::second;
constexpr core::Nanoseconds variation_min = 5 * core::millisecond;
constexpr core::Nanoseconds bandwidth_window = 500 * core::millisecond;
constexpr std::int32_t loss_one = 1 << 16;
constexpr std::int32_t loss_memory = 64;  // datagrams

core::Nanoseconds difference(core::Nanoseconds a, core::Nanoseconds b) { return a > b ? a - b : b - a; }

void smooth_rate(std::uint64_t& rate, std::uint64_t& bytes, core::Nanoseconds duration) {
  const std::uint64_t sample = bytes * 1'000'000 / static_cast<std::uint64_t>(duration / core::microsecond);
  rate = rate == 0 ? sample : (3 * rate + sample) / 4;
  bytes = 0;
}

}  // namespace

// Smoothing of RFC 6298. Each datagram has its own sequence, so samples are never ambiguous.
void LinkEstimator::on_rtt(core::Nanoseconds sample) {
  LinkEstimates& e = estimates_;
  sample = std::max<core::Nanoseconds>(sample, 1);
  if (e.rtt == 0) {
    e.rtt = sample;
    e.rtt_variation = sample / 2;
    return;
  }
  e.rtt_variation += (difference(sample, e.rtt) - e.rtt_variation) / 4;
  e.rtt = std::max<core::Nanoseconds>(e.rtt + (sample - e.rtt) / 8, 1);
}

core::Nanoseconds LinkEstimator::patience() const {
  if (estimates_.rtt == 0) return patience_unmeasured;
  const core::Nanoseconds spread = 4 * std::max(estimates_.rtt_variation, variation_min);
  return std::clamp(estimates_.rtt + spread, patience_min, patience_max);
}

void LinkEstimator::on_received(std::size_t bytes, core::Nanoseconds now) {
  received_ += bytes;
  if (now == last_arrival_) return;
  if (last_arrival_ >= 0) {
    const core::Nanoseconds gap = now - last_arrival_;
    if (mean_gap_ == 0) mean_gap_ = gap;
    estimates_.arrival_jitter += (difference(gap, mean_gap_) - estimates_.arrival_jitter) / 16;
    mean_gap_ += (gap - mean_gap_) / 16;
  }
  last_arrival_ = now;
}

void LinkEstimator::on_outcome(bool lost) {
  loss_ += ((lost ? loss_one : 0) - loss_) / loss_memory;
  estimates_.loss_permille = static_cast<std::uint32_t>(loss_) * 1000 / loss_one;
}

void LinkEstimator::forgive() {
  loss_ = std::max(0, loss_ - loss_one / loss_memory);
  estimates_.loss_permille = static_cast<std::uint32_t>(loss_) * 1000 / loss_one;
}

void LinkEstimator::update(core::Nanoseconds now) {
  const core::Nanoseconds duration = now - window_began_;
  if (duration < bandwidth_window) return;
  smooth_rate(estimates_.sent_bytes_per_second, sent_, duration);
  smooth_rate(estimates_.received_bytes_per_second, received_, duration);
  smooth_rate(estimates_.acked_bytes_per_second, acked_, duration);
  window_began_ = now;
}

}  // namespace mobula::transport
