// Server and clients in one thread, with a network in memory.
#pragma once

#include <mobula/server/session/server.hpp>

#include "replication/replication_bench.hpp"

namespace mobula::bench {

core::Result<ReplicationReport> run_in_memory(const ReplicationOptions& options, Walkers& walkers,
                                              server::Server& server);

}  // namespace mobula::bench
