#include <mobula/core/format.hpp>

#include "rewind/rewind_bench.hpp"

namespace mobula::bench {

std::string to_json(const RewindReport& report) {
  return core::format(
      R"({{"shots":{},"refused":{},"poses":{},"unequal":{},"unknown":{},"view_us":{:.2f},"ray_us":{:.2f},)"
      R"("candidates":{:.1f},"record_ns":{:.2f},"entity_bytes":{},"client_entity_bytes":{}}})",
      report.shots, report.refused, report.poses, report.unequal, report.unknown, report.view_us, report.ray_us,
      report.candidates, report.record_ns, report.entity_bytes, report.client_entity_bytes);
}

std::string to_table(const RewindReport& report, const RewindOptions& options) {
  std::string text =
      core::format("{} shots at {} targets with 5% loss: {} poses, {} unequal, {} unknown; {} refused\n", report.shots,
                   options.targets, report.poses, report.unequal, report.unknown, report.refused);
  text += core::format("{} entities: view {:.2f} us, ray {:.2f} us ({:.1f} tested exactly)\n", options.entities,
                       report.view_us, report.ray_us, report.candidates);
  text +=
      core::format("recording {:.2f} ns per entity and tick; {} bytes per entity, {} more per client that sees it\n",
                   report.record_ns, report.entity_bytes, report.client_entity_bytes);
  return text;
}

}  // namespace mobula::bench
