// The server with a real UDP socket, its clients with theirs in another thread.
#pragma once

#include "replication/replication_bench.hpp"

namespace mobula::bench {

core::Result<ReplicationReport> run_over_sockets(const ReplicationOptions& options, Walkers& walkers);

}  // namespace mobula::bench
