#include <mobula/core/format.hpp>

#include "join/join_bench.hpp"

namespace mobula::bench {
namespace {

const char* name_of(JoinCache cache) {
  switch (cache) {
    case JoinCache::has_it: return "has it";
    case JoinCache::fetches: return "fetches";
    case JoinCache::none: return "none";
  }
  return "";
}

std::string row_json(const JoinReport& row) {
  return core::format(
      R"({{"moved_permille":{},"destroyed_permille":{},"resource":"{}","entities":{},"bytes_down":{},)"
      R"("handshake_bytes":{},"welcome_bytes":{},"delta_bytes":{},"bytes_up":{},"handshake_round_trips":{},)"
      R"("round_trips":{},"join_ms":{:.0f},"ms":{:.0f},"server_cpu_ms":{:.3f},"mismatches":{}}})",
      row.of.moved_permille, row.of.destroyed_permille, name_of(row.of.cache), row.entities, row.bytes_down(),
      row.handshake_bytes, row.welcome_bytes, row.delta_bytes, row.bytes_up, row.handshake_round_trips, row.round_trips,
      row.join_ms, row.ms, row.server_cpu_ms, row.mismatches);
}

}  // namespace

std::string to_json(const std::vector<JoinReport>& reports, const JoinOptions& options) {
  std::string text = core::format(R"({{"objects":{},"round_trip_ms":{},"tick_rate":{},"rows":[)", options.objects,
                                  options.round_trip / core::millisecond, options.ticks_per_second);
  for (std::size_t i = 0; i < reports.size(); ++i) text += (i == 0 ? "" : ",") + row_json(reports[i]);
  return text + "]}";
}

std::string to_table(const std::vector<JoinReport>& reports, const JoinOptions& options) {
  std::string text = core::format(
      "a level of {} objects, all in view of the client; round trip {} ms, no loss; {} ticks per second\n\n"
      "                            bytes down                      up   round trips      ms     server  mis-\n"
      "moved destroyed  resource    all  handshake  welcome  deltas    all   handshake + join      join  CPU ms  "
      "matches\n",
      options.objects, options.round_trip / core::millisecond, options.ticks_per_second);
  for (const JoinReport& row : reports)
    text += core::format("{:4.0f}% {:8.0f}%  {:8}{:7}{:11}{:9}{:8}{:7}{:12} + {:<4}{:10.0f}{:8.2f}{:9}\n",
                         row.of.moved_permille / 10.0, row.of.destroyed_permille / 10.0, name_of(row.of.cache),
                         row.bytes_down(), row.handshake_bytes, row.welcome_bytes, row.delta_bytes, row.bytes_up,
                         row.handshake_round_trips, row.round_trips, row.join_ms, row.server_cpu_ms, row.mismatches);
  return text;
}

}  // namespace mobula::bench
