#include <mobula/client/connection/verification.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

// Within this time the server has sent again what the mirror has wrong.
constexpr core::Nanoseconds unreadable_max = 10 * core::second;

}  // namespace

void Verification::on_delta(const Mirror& mirror, const wire::DeltaHeader& header, core::Nanoseconds now,
                            ConnectionStats& stats) {
  const std::optional<bool> same = mirror.verify(header);
  if (!same || header.ack <= last_verified_) return;
  last_verified_ = header.ack;
  if (*same) {
    ++stats.verified_ticks;
    return;
  }
  if (stats.mismatched_ticks++ == 0)
    core::log_error("client", "tick {}: the mirror's hash differs from the server's; requesting corrections",
                    header.tick);
  check_.suspect(now);
}

bool Verification::skip_unreadable(const wire::DeltaHeader& header, core::Nanoseconds now, ConnectionStats& stats) {
  if (!header.verifies || header.ack == 0) return false;
  if (unreadable_since_ == 0) unreadable_since_ = now;
  if (now - unreadable_since_ > unreadable_max) return false;
  if (stats.unreadable_deltas++ == 0)
    core::log_error("client", "tick {}: the delta cannot be decoded, the mirror may be wrong; requesting corrections",
                    header.tick);
  check_.suspect(now);
  return true;
}

core::Result<std::vector<wire::MirrorDifference>> Verification::on_correction(Mirror& mirror,
                                                                              const wire::MirrorCorrection& message,
                                                                              ConnectionStats& stats) {
  ++stats.corrections;
  return check_.on_correction(mirror, message);
}

}  // namespace mobula::client
