// Verifies a mirror against the server's hashes, and finds and reports what is wrong when they differ.
#pragma once

#include <mobula/client/connection/connection_config.hpp>
#include <mobula/client/mirror/mirror_check.hpp>

namespace mobula::client {

class Verification {
 public:
  /// Compares the mirror with the hash in the header of a delta that was applied, if it has one.
  void on_delta(const Mirror& mirror, const wire::DeltaHeader& header, core::Nanoseconds now, ConnectionStats& stats);
  /// Notes that the newest delta was decoded.
  void on_decoded() { unreadable_since_ = 0; }
  /// Returns whether a delta that cannot be decoded is skipped as if it were lost. Values are encoded against former
  /// values: where the mirror has those wrong, a delta may be unreadable though the server is right. False if the
  /// server does not verify this mirror, or if nothing could be decoded for 10 s.
  [[nodiscard]] bool skip_unreadable(const wire::DeltaHeader& header, core::Nanoseconds now, ConnectionStats& stats);
  /// Returns the next list of entity hashes to send to the server, if one is due.
  [[nodiscard]] std::optional<wire::MirrorHashes> next_hashes(Mirror& mirror, core::Nanoseconds now) {
    return check_.next(mirror, now);
  }
  /// Handles a correction from the server. Returns the differences to report to it. Reason: "malformed correction".
  core::Result<std::vector<wire::MirrorDifference>> on_correction(Mirror& mirror, const wire::MirrorCorrection& message,
                                                                  ConnectionStats& stats);

 private:
  MirrorCheck check_;
  std::uint32_t last_verified_ = 0;         // acknowledgement
  core::Nanoseconds unreadable_since_ = 0;  // 0 if the newest delta was decoded
};

}  // namespace mobula::client
