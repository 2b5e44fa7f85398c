// Compares the hashes that clients report of their mirrors with what the mirrors should have. Entities that differ are
// logged and sent again in full, and the client is asked in which fields they differ.
#pragma once

#include <mobula/server/replication/client_replication.hpp>
#include <mobula/server/replication/replication_stats.hpp>
#include <mobula/wire/messages.hpp>
#include <vector>

namespace mobula::server {

class MirrorVerifier {
 public:
  /// The statistics outlive this.
  explicit MirrorVerifier(ReplicationStats& stats) : stats_(stats) {}

  /// Compares the hashes of a client that has a view. Refusals: "not verified", "too many hashes".
  core::Status on_hashes(ClientReplication& client, transport::Session& connection, const wire::MirrorHashes& hashes,
                         core::Nanoseconds now);
  /// Logs a field that differs. Refusal: "not asked for".
  core::Status on_difference(ClientReplication& client, const wire::MirrorDifference& difference);

 private:
  ReplicationStats& stats_;
  std::vector<wire::MirrorCorrection> corrections_;
};

}  // namespace mobula::server
