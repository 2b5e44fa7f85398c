#include "replication/replication_bench.hpp"

#include <mobula/core/log.hpp>

#include "replication/crowd.hpp"
#include "replication/in_memory.hpp"
#include "replication/over_sockets.hpp"

namespace mobula::bench {

core::Result<ReplicationReport> run_replication(const ReplicationOptions& options) {
  core::set_log_level(core::LogLevel::error);
  Walkers walkers(options.walkers);
  if (options.sockets) return run_over_sockets(options, walkers);
  const auto server = start_bench_server(options, walkers, bench_server);
  if (!server) return server.error();
  return run_in_memory(options, walkers, **server);
}

}  // namespace mobula::bench
