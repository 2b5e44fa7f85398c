#include "workload/purrnet.hpp"

#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>

#include "workload/server_process.hpp"
#include "workload/spectators.hpp"

namespace mobula::bench {
namespace {

constexpr double join_seconds_max = 60;
constexpr double tick_patience_seconds = 5;  // until the server's next tick

const core::Error ended{"server ended", "the server's process ended too early"};

}  // namespace

core::Result<PurrnetReport> run_purrnet(const PurrnetOptions& options) {
  core::set_log_level(core::LogLevel::error);
  const core::Result<std::unique_ptr<ServerProcess>> started = ServerProcess::start(options);
  if (!started) return started.error();
  ServerProcess& server = **started;
  const core::Result<std::unique_ptr<Spectators>> opened = Spectators::open(options, server);
  if (!opened) return opened.error();
  Spectators& spectators = **opened;
  if (!spectators.run(join_seconds_max, [&] { return spectators.all_complete() || server.over(); }))
    return core::Error{"not all joined", core::format("{} of {} clients have the world after {} s",
                                                      spectators.complete_count(), options.clients, join_seconds_max)};
  const auto over = [&] { return server.over(); };
  spectators.run(options.settle_seconds, over);
  spectators.begin_comparison();
  const auto run_to = [&](ServerPhase phase) {
    server.ask(phase);
    return spectators.run(tick_patience_seconds, [&] { return server.phase() == phase; });
  };
  if (!run_to(ServerPhase::measuring)) return ended;
  spectators.run(options.seconds, over);
  if (!run_to(ServerPhase::measured)) return ended;
  PurrnetReport report;
  report.server = server.use();
  spectators.add_to(report);
  return report;
}

}  // namespace mobula::bench
