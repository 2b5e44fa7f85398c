// Compares the hashes that clients report of their mirrors with what the mirrors should have. Entities that differ are
// logged and sent again in full, and the client is asked in which fields they differ.
#pragma once

#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/server_stats.hpp>
#include <mobula/wire/messages.hpp>
#include <vector>

namespace mobula::server {

class MirrorVerifier {
 public:
  /// The statistics outlive this.
  explicit MirrorVerifier(ServerStats& stats) : stats_(stats) {}

  /// Compares the hashes of a client that has a view. Refusals: "not verified", "too many hashes".
  core::Status on_hashes(ClientSession& session, transport::Session& lanes, const wire::MirrorHashes& hashes,
                         core::Nanoseconds now);
  /// Logs a field that differs. Refusal: "not asked for".
  core::Status on_difference(ClientSession& session, const wire::MirrorDifference& difference);

 private:
  ServerStats& stats_;
  std::vector<wire::MirrorCorrection> corrections_;
};

}  // namespace mobula::server
