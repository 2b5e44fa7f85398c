#include <algorithm>
#include <mobula/core/format.hpp>

#include "replication/replication_bench.hpp"

namespace mobula::bench {

std::string to_json(const ReplicationReport& report) {
  const ReplicationCosts& costs = report.costs;
  return core::format(
      R"({{"clients":{},"cpu_us_per_client_tick":{:.3f},"publish_us":{:.3f},"choose_us":{:.3f},"encode_us":{:.3f},)"
      R"("seal_us":{:.3f},"send_us":{:.3f},"receive_us":{:.3f},"bytes_per_moving_entity":{:.3f},)"
      R"("tick_p50_ms":{:.3f},"tick_p99_ms":{:.3f},"mismatches":{}}})",
      report.clients, costs.sum(), costs.publish, costs.choose, costs.encode, costs.seal, costs.send, costs.receive,
      report.bytes_per_moving_entity, report.tick_p50_ms, report.tick_p99_ms, report.mismatches);
}

std::string to_table(const ReplicationReport& report, const ReplicationOptions& options) {
  const ReplicationCosts& costs = report.costs;
  std::string text = core::format(
      "{} entities, {} of them moving; {} clients, about {} entities visible to each; {} ticks per second; {}% loss "
      "each way\n\n",
      options.walkers.entities, options.walkers.moving, report.clients,
      std::min(options.walkers.view, options.walkers.entities), options.walkers.ticks_per_second, options.loss_percent);
  text += "us per client and tick\n  publish   choose   encode     seal     send  receive      sum\n";
  text += core::format("{:9.3f}{:9.3f}{:9.3f}{:9.3f}{:9.3f}{:9.3f}{:9.3f}     and the game's own rules {:.3f}\n\n",
                       costs.publish, costs.choose, costs.encode, costs.seal, costs.send, costs.receive, costs.sum(),
                       costs.game);
  text += core::format(
      "{:.2f} bytes of datagrams per moving entity in view and tick; {:.0f} bytes, {:.1f} such entities and {:.1f} "
      "sent "
      "states per client and tick\n"
      "each encoded delta was sent {:.1f} times\n"
      "tick: p50 {:.2f} ms, p99 {:.2f} ms\n"
      "{} states of mirrored entities compared with the world, {} ticks with the server's hashes: {} mismatches\n",
      report.bytes_per_moving_entity, report.bytes_per_client_tick, report.moving_per_client_tick,
      report.states_per_client_tick, report.copies_per_string, report.tick_p50_ms, report.tick_p99_ms, report.compared,
      report.verified_ticks, report.mismatches);
  return text;
}

}  // namespace mobula::bench
